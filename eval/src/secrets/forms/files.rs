//! Files of credentials, state and configuration.

use super::Form;

pub(super) const FILES: &[Form] = &[
    ("netrc", &["machine api.local login bob password «{a12}»\n"]),
    ("netrc on lines", &["machine api.local\n  login bob\n  password «{a12}»\n"]),
    ("pgpass", &["db.local:5432:app:bob:«{a14}»\n"]),
    ("htpasswd", &["bob:«$apr1${a8}${a22}»\n"]),
    ("shadow", &["root:«$6${a16}${a86}»:19000:0:99999:7:::\n"]),
    ("npmrc", &["//registry.npmjs.org/:_authToken=«{U}»\n"]),
    ("docker config", &["{\"auths\": {\"https://index.docker.io/v1/\": {\"auth\": \"«{b40}»\"}}}"]),
    (
        "kubernetes yaml",
        &[
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: api\ndata:\n  plain: «{b24}»\ntype: Opaque\n",
        ],
    ),
    (
        "kubernetes yaml, sorted",
        &["apiVersion: v1\ndata:\n  plain: «{b24}»\nkind: Secret\nmetadata:\n  name: api\n"],
    ),
    (
        "kubernetes json",
        &["{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"data\": {\"plain\": \"«{b24}»\"}}"],
    ),
    (
        "aws credentials file",
        &["[default]\naws_access_key_id = «AKIA{B16}»\naws_secret_access_key = «{b40}»\n"],
    ),
    (
        "aws secret beside its key id",
        &[
            "«AKIA{B16}» «{b40}»\n",
            "keys: «AKIA{B16}» / «{b40}»\n",
            "«AKIA{B16}»:«{b40}»\n",
            "access: «AKIA{B16}»\nsecret: «{b40}»\n",
            "new user deploy: «AKIA{B16}», «{b40}»\n",
        ],
    ),
    (
        "aws keys in csv",
        &[
            "User name,Access key ID,Secret access key\ndeploy,«AKIA{B16}»,«{b40}»\n",
            "Access key ID,Secret access key\n«AKIA{B16}»,«{b40}»\n",
        ],
    ),
    (
        "aws keys in json",
        &[
            "{\"AccessKey\": {\"UserName\": \"ci\", \"AccessKeyId\": \"«AKIA{B16}»\", \"Status\": \"Active\", \"SecretAccessKey\": \"«{b40}»\"}}\n",
        ],
    ),
    (
        "aws configure",
        &[
            "AWS Access Key ID [None]: «AKIA{B16}»\nAWS Secret Access Key [None]: «{b40}»\nDefault region name [None]: eu-west-1\n",
        ],
    ),
    ("s3cmd file", &["access_key = «AKIA{B16}»\nsecret_key = «{b40}»\n"]),
    (
        "terraform state",
        &[
            "{\"type\": \"random_password\", \"name\": \"db\", \"instances\": [{\"attributes\": {\"length\": 20, \"result\": \"«{p20}»\", \"special\": true}}]}\n",
            "{\n  \"type\": \"aws_db_instance\",\n  \"instances\": [{\"attributes\": {\"identifier\": \"app\", \"password\": \"«{p16}»\", \"port\": 5432}}]\n}\n",
            "\"outputs\": {\"db_password\": {\"value\": \"«{p16}»\", \"type\": \"string\", \"sensitive\": true}}\n",
            "{\"type\": \"tls_private_key\", \"attributes\": {\"private_key_pem\": \"«-----BEGIN RSA PRIVATE KEY-----\\nMII{b61}\\n{b64}\\n-----END RSA PRIVATE KEY-----»\\n\"}}\n",
            "{\"type\": \"aws_iam_access_key\", \"attributes\": {\"id\": \"«AKIA{B16}»\", \"secret\": \"«{b40}»\", \"user\": \"ci\"}}\n",
        ],
    ),
    (
        "terraform output",
        &[
            "$ terraform output -json\n{\"api_token\": {\"sensitive\": true, \"type\": \"string\", \"value\": \"«{a40}»\"}}\n",
            "db_password = \"«{p16}»\"\nendpoint = \"db.local\"\n",
        ],
    ),
    (
        "terraform variables",
        &[
            "variable \"db_password\" {\n  type    = string\n  default = \"«{p16}»\"\n}\n",
            "TF_VAR_db_password=«{a16}»\n",
        ],
    ),
    (
        "wpa supplicant",
        &[
            "network={\n  ssid=\"office\"\n  psk=\"«{a14}»\"\n}\n",
            "network={\n  ssid=\"home\"\n  psk=«{h64}»\n}\n",
            "network={\n    ssid=\"x\"\n    key_mgmt=WPA-PSK\n    psk=\"«{K1}»\"\n}\n",
        ],
    ),
    ("network manager", &["[wifi-security]\nkey-mgmt=wpa-psk\npsk=«{a14}»\n"]),
    ("hostapd", &["ssid=lab\nwpa=2\nwpa_passphrase=«{a14}»\n"]),
    ("iwd", &["[Security]\nPassphrase=«{a14}»\nPreSharedKey=«{h64}»\n"]),
    ("ipsec secrets", &[": PSK \"«{a24}»\"\n"]),
    ("ppp secrets", &["# client server secret addresses\nbob * \"«{a12}»\" *\n"]),
    ("wifi code", &["WIFI:T:WPA;S:office;P:«{a14}»;;\n"]),
    (
        "ansible inventory",
        &["db1 ansible_host=10.0.0.4 ansible_user=deploy ansible_ssh_pass=«{a14}»\n"],
    ),
    (
        "kubernetes string data",
        &["apiVersion: v1\nkind: Secret\nstringData:\n  username: app\n  password: «{p14}»\n"],
    ),
    (
        "docker compose",
        &[
            "services:\n  db:\n    environment:\n      POSTGRES_USER: app\n      POSTGRES_PASSWORD: «{a16}»\n",
        ],
    ),
    ("docker swarm", &["printf \"«{a24}»\" | docker secret create db_password -\n"]),
    (
        "maven settings",
        &["<server><id>nexus</id><username>ci</username><password>«{a16}»</password></server>\n"],
    ),
    ("nuget config", &["<add key=\"ClearTextPassword\" value=\"«{a16}»\" />\n"]),
    ("gradle properties", &["signingPassword=«{a16}»\nossrhPassword=«{a20}»\n"]),
    ("pip config", &["[global]\nindex-url = https://ci:«{a32}»@pypi.local/simple\n"]),
    ("pypirc", &["[pypi]\nusername = __token__\npassword = «pypi-AgEIcHlwaS5vcmc{w150}»\n"]),
    ("old npmrc", &["_auth = «{b28}»\nalways-auth=true\n"]),
    ("yarnrc", &["npmAuthToken: \"«{U}»\"\n"]),
    ("gem credentials", &["---\n:rubygems_api_key: «rubygems_{h48}»\n"]),
    ("cargo credentials", &["[registry]\ntoken = \"«cio{a32}»\"\n"]),
    (
        "composer auth",
        &[
            "{\"http-basic\": {\"repo.local\": {\"username\": \"ci\", \"password\": \"«{a20}»\"}}}\n",
        ],
    ),
    ("gh hosts", &["github.com:\n    user: dev\n    oauth_token: «gho_{a30}{crc}»\n"]),
    ("git credentials", &["https://dev:«ghp_{a30}{crc}»@github.com\n"]),
    ("git credential fill", &["protocol=https\nhost=git.local\nusername=dev\npassword=«{a20}»\n"]),
    (
        "rclone config",
        &["[s3]\ntype = s3\naccess_key_id = «AKIA{B16}»\nsecret_access_key = «{b40}»\n"],
    ),
    ("s3fs password file", &["bucket:«AKIA{B16}»:«{b40}»\n"]),
    ("my.cnf", &["[client]\nuser = app\npassword = «{p14}»\n"]),
    ("odbc ini", &["[app]\nDriver=PostgreSQL\nUID=app\nPWD=«{a14}»\n"]),
    (
        "wordpress config",
        &[
            "define( 'DB_PASSWORD', '«{p16}»' );\n",
            "define('AUTH_KEY', '«{a64}»');\ndefine('NONCE_SALT', '«{a64}»');\n",
        ],
    ),
    (
        "rails database file",
        &["production:\n  adapter: postgresql\n  username: app\n  password: «{p14}»\n"],
    ),
    ("spring file", &["spring:\n  datasource:\n    username: app\n    password: «{a16}»\n"]),
    (
        "appsettings",
        &[
            "{\"ConnectionStrings\": {\"Default\": \"Server=db;Database=app;User Id=sa;Password=«{a16}»;\"}}\n",
        ],
    ),
    ("tomcat users", &["<user username=\"admin\" password=\"«{a14}»\" roles=\"manager-gui\"/>\n"]),
    ("redis config", &["requirepass «{a32}»\nmaxmemory 1gb\n"]),
    ("redis acl", &["user app on >«{a24}» ~* +@all\n"]),
    ("squid or haproxy users", &["user admin insecure-password «{a14}»\n"]),
    ("snmpd config", &["createUser dev SHA «{a14}» AES «{a16}»\n"]),
    (
        "cisco config",
        &[
            "username admin privilege 15 secret 5 «$1${a4}${a22}»\n",
            "enable password 7 «{H18}»\n",
            "snmp-server community «{a14}» RO\n",
        ],
    ),
    ("samba credentials", &["username=dev\npassword=«{a12}»\ndomain=CORP\n"]),
    ("fstab", &["//nas/share /mnt cifs username=dev,password=«{a12}»,uid=1000 0 0\n"]),
    ("grub or crypttab", &["GRUB_PASSWORD=«grub.pbkdf2.sha512.10000.{H128}.{H128}»\n"]),
    ("yescrypt shadow", &["dev:«$y$j9T${a22}${a43}»:19800:0:99999:7:::\n"]),
    ("argon2 hash", &["hash: «$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}»\n"]),
    ("django hash", &["«pbkdf2_sha256$870000${a22}${b43}=»\n"]),
    ("bcrypt hash", &["admin:«$2b$12${a53}»\n"]),
    ("ntlm hashes", &["Administrator:500:«aad3b435b51404eeaad3b435b51404ee:{h32}»:::\n"]),
    (
        "postgres hash",
        &["CREATE ROLE app WITH LOGIN PASSWORD '«SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}=»';\n"],
    ),
    (
        "google service account",
        &[
            "{\"type\": \"service_account\", \"project_id\": \"app\", \"private_key_id\": \"{h40}\", \"private_key\": \"«-----BEGIN PRIVATE KEY-----\\nMII{b61}\\n{b64}\\n-----END PRIVATE KEY-----»\\n\"}\n",
        ],
    ),
    (
        "google client secret file",
        &[
            "{\"installed\": {\"client_id\": \"{d12}-{l32}.apps.googleusercontent.com\", \"client_secret\": \"«GOCSPX-{w28}»\"}}\n",
        ],
    ),
    (
        "oauth answer",
        &[
            "{\"access_token\":\"«{w64}»\",\"token_type\":\"Bearer\",\"expires_in\":3600,\"refresh_token\":\"«{w48}»\"}\n",
        ],
    ),
    (
        "saml or oidc config",
        &["oidc:\n  issuer: https://login.local\n  client_id: app\n  client_secret: «{w40}»\n"],
    ),
    ("login answer", &["HTTP/1.1 200 OK\n\n{\"user\":\"bob\",\"sessionToken\":\"«{a48}»\"}\n"]),
    (
        "recovery codes",
        &[
            "Recovery codes:\n⟦«{h5}-{h5}»\n«{h5}-{h5}»\n«{h5}-{h5}»\n«{h5}-{h5}»⟧\nKeep them.\n",
            "backup codes: ⟦«{n8}», «{n8}», «{n8}»⟧\n",
        ],
    ),
    ("keychain", &["password: \"«{a16}»\"\nclass: \"genp\"\n"]),
    ("pass store", &["$ pass show prod/db\n«{p16}»\nuser: app\n"]),
    ("1password output", &["password:    «{p16}»\nusername:    dev\n"]),
    (
        "vault output",
        &[
            "Key              Value\n---              -----\npassword         «{p16}»\nusername         app\n",
        ],
    ),
    (
        "vault init",
        &["Unseal Key 1: «{b44}»\nUnseal Key 2: «{b44}»\n\nInitial Root Token: «hvs.{a24}»\n"],
    ),
    ("convex key", &["CONVEX_DEPLOY_KEY=«prod:happy-otter-123|{b80}»\n"]),
    ("facebook app token", &["FB_APP_TOKEN=«{d15}|{w27}»\n"]),
    ("neo4j", &["NEO4J_AUTH=⟦neo4j/«{a16}»⟧\n"]),
    ("htpasswd of nginx", &["deploy:«$apr1${a8}${a22}»\n"]),
    ("ejabberd or asterisk", &["secret=«{a16}»\nhost=dynamic\n"]),
    ("systemd credential", &["Environment=\"DB_PASSWORD=«{a16}»\"\n"]),
    ("crontab", &["0 3 * * * PGPASSWORD=«{a16}» pg_dump app > /backup/app.sql\n"]),
    ("gitlab ci variables", &["variables:\n  DEPLOY_TOKEN: \"«{a40}»\"\n"]),
    ("github actions env", &["        env:\n          API_TOKEN: «{a40}»\n"]),
    ("dockerfile", &["ARG NPM_TOKEN=«npm_{a30}{crc}»\n", "ENV DB_PASSWORD «{a16}»\n"]),
    ("registry of windows", &["\"Password\"=\"«{a14}»\"\n"]),
    (
        "unattend",
        &[
            "<AdministratorPassword><Value>«{a14}»</Value><PlainText>true</PlainText></AdministratorPassword>\n",
        ],
    ),
    ("rdp file", &["password ⟦51:b:«{H128}»⟧\n"]),
    ("vnc", &["vncpasswd=«{a8}»\n"]),
    ("filezilla", &["<User>dev</User><Pass encoding=\"base64\">«{b16}»</Pass>\n"]),
];
