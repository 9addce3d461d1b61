//! Commands that take a password or are fed one.

use super::Form;

pub(super) const COMMANDS: &[Form] = &[
    ("mysql", &["mysqldump -h db -u root -p«{a12}» app > dump.sql\n"]),
    ("sshpass", &["sshpass -p '«{p12}»' ssh bob@host\n"]),
    ("curl user", &["curl -s -u bob:«{a12}» https://api.local/v1\n"]),
    ("redis-cli", &["redis-cli -h cache -a «{a16}» INFO\n"]),
    ("docker login", &["docker login -u bob -p «{a16}» registry.local\n"]),
    ("ldap", &["ldapsearch -x -D cn=admin -w «{a12}» -b dc=x\n"]),
    ("openssl", &["openssl pkcs12 -in a.p12 -passin pass:«{a12}» -nodes\n"]),
    (
        "curl user in a long flag",
        &[
            "curl --user=bob:«{a12}» https://api.local\n",
            "curl --user bob:«{p12}» https://api.local\n",
            "curl --user \"bob:«{p12}»\" -X POST https://api.local\n",
            "curl -ubob:«{a12}» https://api.local\n",
            "curl -sS -u 'bob:«{p12}»' https://api.local\n",
        ],
    ),
    ("curl proxy user", &["curl --proxy-user dev:«{a12}» -x proxy.local:3128 https://x.local\n"]),
    (
        "wget",
        &[
            "wget --user=bob --password=«{a12}» https://x.local/f\n",
            "wget --http-password «{a12}» --http-user bob https://x.local/f\n",
        ],
    ),
    ("httpie", &["http -a bob:«{a12}» https://api.local/v1\n"]),
    (
        "sudo from echo",
        &[
            "echo «{a12}» | sudo -S apt-get update\n",
            "echo '«{p12}»' | sudo -S systemctl restart api\n",
            "echo \"«{K1}»\" | sudo -kS whoami\n",
            "printf \"%s\\n\" \"«{a12}»\" | sudo -S true\n",
            "sudo -S ls <<< \"«{a12}»\"\n",
            "echo -n '«{a12}»' | sudo --stdin id\n",
        ],
    ),
    (
        "chpasswd",
        &[
            "echo \"root:«{a12}»\" | chpasswd\n",
            "echo 'dev:«{p12}»' | sudo chpasswd\n",
            "printf \"dev:«{a12}»\\n\" | chpasswd\n",
            "chpasswd <<< \"dev:«{a12}»\"\n",
        ],
    ),
    (
        "passwd from stdin",
        &["echo «{a12}» | passwd --stdin dev\n", "echo -e '«{a12}»\\n«{a12}»' | passwd dev\n"],
    ),
    ("useradd", &["useradd -m -p «{a13}» dev\n", "usermod --password «{a13}» dev\n"]),
    (
        "expect",
        &[
            "expect -c 'spawn ssh bob@host; expect \"password:\"; send \"«{a12}»\\r\"; interact'\n",
            "expect \"assword:\"\nsend \"«{p12}»\\r\"\n",
            "expect \"*?assword*\" { send -- \"«{a12}»\\n\" }\n",
        ],
    ),
    ("python expect", &["child.expect(\"password:\")\nchild.sendline(\"«{a12}»\")\n"]),
    (
        "docker login from echo",
        &[
            "echo \"«dckr_pat_{w27}»\" | docker login -u bob --password-stdin\n",
            "echo «{a24}» | docker login registry.local -u ci --password-stdin\n",
            "docker login --username=bob --password=«{a16}» registry.local\n",
        ],
    ),
    (
        "helm and podman",
        &[
            "helm registry login -u ci -p «{a20}» registry.local\n",
            "podman login -u ci -p «{a20}» quay.io\n",
            "skopeo copy --dest-creds ⟦ci:«{a20}»⟧ dir:x docker://registry.local/x\n",
            "crane auth login registry.local -u ci -p «{a20}»\n",
        ],
    ),
    ("gh auth", &["echo «ghp_{a30}{crc}» | gh auth login --with-token\n"]),
    (
        "powershell secure string",
        &[
            "ConvertTo-SecureString \"«{p14}»\" -AsPlainText -Force\n",
            "$pw = ConvertTo-SecureString -String '«{p14}»' -AsPlainText -Force\n",
            "$cred = New-Object PSCredential('dev', (ConvertTo-SecureString '«{K1}»' -AsPlainText -Force))\n",
        ],
    ),
    (
        "powershell network credential",
        &[
            "[System.Net.NetworkCredential]::new(\"bob\", \"«{p14}»\")\n",
            "New-Object System.Net.NetworkCredential('bob', '«{p14}»')\n",
        ],
    ),
    (
        "net use",
        &[
            "net use Z: \\\\nas\\share «{a12}» /user:CORP\\bob\n",
            "net use \\\\nas\\share /user:bob «{p12}»\n",
            "net use X: \\\\10.0.0.4\\c$ /u:admin «{K1}»\n",
        ],
    ),
    ("net user", &["net user bob «{a12}» /add\n", "net user Administrator «{p12}»\n"]),
    (
        "cmdkey",
        &[
            "cmdkey /add:server /user:bob /pass:«{a12}»\n",
            "cmdkey /generic:TERMSRV/host /user:dev /pass:\"«{p12}»\"\n",
        ],
    ),
    (
        "runas and psexec",
        &[
            "psexec \\\\host -u bob -p «{a12}» cmd\n",
            "schtasks /create /tn x /tr y /ru bob /rp «{a12}»\n",
        ],
    ),
    ("wmic", &["wmic /node:host /user:bob /password:«{a12}» os get name\n"]),
    (
        "remote desktop",
        &[
            "xfreerdp /v:host /u:bob /p:«{a12}» /cert:ignore\n",
            "xfreerdp3 /u:dev '/p:«{p12}»' /v:10.0.0.4\n",
            "rdesktop -u bob -p «{a12}» host\n",
            "wlfreerdp /u:bob /p:«{a14}» /v:host\n",
        ],
    ),
    (
        "smb clients",
        &[
            "smbclient //nas/share -U bob%«{a12}»\n",
            "smbclient -U \"CORP\\bob%«{p12}»\" //nas/c$\n",
            "mount -t cifs //nas/share /mnt -o username=bob,password=«{a12}»\n",
            "rpcclient -U bob%«{a12}» host\n",
        ],
    ),
    (
        "minio client",
        &[
            "mc alias set prod https://s3.local «{a20}» «{a40}»\n",
            "mc config host add prod https://s3.local «{u20}» «{a40}»\n",
            "mc admin user add prod app «{a32}»\n",
        ],
    ),
    (
        "snmp",
        &[
            "snmpwalk -v2c -c «{a12}» 10.0.0.1 system\n",
            "snmpget -v 2c -c «{a12}» switch.local sysDescr.0\n",
            "snmpwalk -v3 -u dev -l authPriv -a SHA -A «{a14}» -x AES -X «{a16}» host\n",
        ],
    ),
    (
        "ipmi",
        &[
            "ipmitool -I lanplus -H bmc -U admin -P «{a12}» power status\n",
            "ipmitool -H bmc -U ADMIN -P «{p12}» sol activate\n",
        ],
    ),
    (
        "postgres commands",
        &[
            "PGPASSWORD=«{a14}» psql -h db -U app\n",
            "psql -c \"ALTER USER app WITH PASSWORD '«{p14}»'\"\n",
            "psql \"postgresql://app:«{a14}»@db/app\"\n",
        ],
    ),
    (
        "sql statements",
        &[
            "CREATE USER app IDENTIFIED BY '«{p14}»';\n",
            "ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '«{p14}»';\n",
            "CREATE LOGIN app WITH PASSWORD = '«{p14}»';\n",
            "SET PASSWORD FOR app = '«{a14}»';\n",
            "CREATE ROLE app LOGIN PASSWORD '«{a14}»';\n",
            "GRANT ALL ON app.* TO 'app'@'%' IDENTIFIED BY '«{p12}»';\n",
            "CREATE USER app IDENTIFIED BY \"«{a14}»\";\n",
        ],
    ),
    (
        "mysql clients",
        &[
            "mysql --user=app --password=«{a12}» app\n",
            "mysqladmin -u root password «{a12}»\n",
            "mysql -uroot -p'«{p12}»' -e 'show tables'\n",
            "MYSQL_PWD=«{a12}» mysql -u app\n",
            "mysqlsh app:«{a14}»@db:3306\n",
        ],
    ),
    (
        "sql server clients",
        &[
            "sqlcmd -S db -U sa -P '«{p14}»' -Q 'select 1'\n",
            "bcp app.dbo.t out t.csv -S db -U sa -P «{a14}» -c\n",
        ],
    ),
    (
        "oracle clients",
        &["sqlplus app/«{a12}»@db:1521/orcl\n", "expdp system/«{a12}» schemas=app\n"],
    ),
    (
        "mongo clients",
        &[
            "mongosh \"mongodb://db\" -u app -p «{a14}»\n",
            "mongodump --username app --password «{a14}» --db app\n",
            "db.createUser({ user: \"app\", pwd: \"«{p14}»\", roles: [] })\n",
        ],
    ),
    (
        "redis commands",
        &[
            "redis-cli AUTH «{a24}»\n",
            "127.0.0.1:6379> AUTH app «{a24}»\n",
            "redis-cli CONFIG SET requirepass «{a24}»\n",
            "REDISCLI_AUTH=«{a24}» redis-cli ping\n",
        ],
    ),
    (
        "ldap commands",
        &[
            "ldapmodify -D cn=admin,dc=x -w «{a12}» -f x.ldif\n",
            "ldappasswd -s «{a12}» -D cn=admin -w «{a12}» uid=bob\n",
            "ldapwhoami -x -D uid=bob -w «{p12}»\n",
        ],
    ),
    (
        "ssh tools",
        &[
            "plink -ssh bob@host -pw «{a12}»\n",
            "pscp -pw «{a12}» f bob@host:/tmp\n",
            "sshpass -p«{a12}» scp f bob@host:\n",
            "SSHPASS='«{p12}»' sshpass -e ssh bob@host\n",
            "ssh-keygen -t ed25519 -N '«{p14}»' -f key\n",
            "ssh-keygen -p -P «{a12}» -N «{a14}» -f key\n",
        ],
    ),
    ("winscp", &["winscp.com /command \"open sftp://bob:«{a12}»@host\" exit\n"]),
    (
        "archives",
        &[
            "zip -P «{a12}» out.zip f\n",
            "unzip -P «{a12}» in.zip\n",
            "7z x -p«{a12}» in.7z\n",
            "7z a -p\"«{p12}»\" out.7z dir\n",
            "unrar x -p«{a12}» in.rar\n",
        ],
    ),
    (
        "openssl commands",
        &[
            "openssl enc -aes-256-cbc -pass pass:«{a16}» -in f -out g\n",
            "openssl rsa -in k -passin \"pass:«{p14}»\"\n",
            "openssl enc -aes-256-cbc -k «{a16}» -in f\n",
            "openssl pkcs12 -export -passout pass:«{a12}» -out a.p12\n",
            "openssl enc -aes-128-cbc -K «{h32}» -iv {h32}\n",
        ],
    ),
    (
        "gpg commands",
        &[
            "gpg --batch --passphrase «{a16}» -d f.gpg\n",
            "gpg --passphrase='«{p16}»' --symmetric f\n",
            "echo «{a16}» | gpg --batch --passphrase-fd 0 -d f.gpg\n",
        ],
    ),
    (
        "java tools",
        &[
            "keytool -genkey -storepass «{a12}» -keypass «{a12}»\n",
            "jarsigner -storepass «{a12}» -keystore k app.jar alias\n",
            "apksigner sign --ks-pass pass:«{a12}» app.apk\n",
            "java -Djavax.net.ssl.keyStorePassword=«{a12}» -jar app.jar\n",
        ],
    ),
    (
        "signing tools",
        &[
            "signtool sign /f c.pfx /p «{a12}» app.exe\n",
            "security unlock-keychain -p «{a12}» build.keychain\n",
            "security import c.p12 -k build.keychain -P «{a12}»\n",
            "xcrun notarytool submit a.zip --apple-id d@x.org --password «{z4}-{z4}-{z4}-{z4}»\n",
        ],
    ),
    (
        "disk encryption",
        &[
            "echo -n «{a16}» | cryptsetup luksOpen /dev/sda2 root -\n",
            "echo '«{p16}»' | cryptsetup luksFormat /dev/sdb -\n",
            "veracrypt --password=«{a16}» v.hc /mnt\n",
        ],
    ),
    (
        "backup tools",
        &[
            "BORG_PASSPHRASE=\"«{p20}»\" borg list\n",
            "RESTIC_PASSWORD=«{a20}» restic snapshots\n",
            "restic -r b2:x --password-command \"echo «{a20}»\" backup .\n",
        ],
    ),
    (
        "wifi commands",
        &[
            "nmcli dev wifi connect office password «{a12}»\n",
            "nmcli con modify x wifi-sec.psk «{a14}»\n",
            "wpa_passphrase office «{a14}»\n",
            "netsh wlan set profileparameter name=x keyMaterial=«{a14}»\n",
            "networksetup -setairportnetwork en0 office «{a14}»\n",
        ],
    ),
    (
        "mail tools",
        &[
            "swaks --to a@x.org --auth-user bob --auth-password «{a14}»\n",
            "mutt -e \"set smtp_pass=«{a14}»\"\n",
            "sendemail -xu bob -xp «{a14}» -f a@x.org\n",
        ],
    ),
    ("smtp dialogue", &["AUTH PLAIN «{b28}»\n235 ok\n"]),
    ("ftp dialogue", &["USER bob\n331 ok\nPASS «{a12}»\n230 in\n"]),
    (
        "ftp clients",
        &["lftp -u bob,«{a12}» ftp.local\n", "ncftpput -u bob -p «{a12}» ftp.local / f\n"],
    ),
    ("irc", &["/msg NickServ IDENTIFY «{a12}»\n"]),
    (
        "svn and hg",
        &[
            "svn co --username bob --password «{a12}» https://svn.local/r\n",
            "hg clone https://bob:«{a12}»@hg.local/r\n",
        ],
    ),
    (
        "git remote with a token",
        &[
            "git remote set-url origin https://x-access-token:«ghs_{a30}{crc}»@github.com/a/b.git\n",
            "git push https://dev:«{a24}»@git.local/a/b.git main\n",
            "git config --global url.\"https://«{a40}»@git.local/\".insteadOf https://git.local/\n",
            "git -c http.extraheader=\"AUTHORIZATION: basic «{b60}==»\" fetch\n",
        ],
    ),
    (
        "kubernetes commands",
        &[
            "kubectl create secret generic db --from-literal=password=«{a14}»\n",
            "kubectl create secret docker-registry r --docker-username=ci --docker-password=«{a20}»\n",
            "kubectl config set-credentials ci --token=«{a64}»\n",
            "oc login --token=«sha256~{w43}» --server=https://c.local:6443\n",
            "oc login -u dev -p «{a14}» https://c.local:6443\n",
            "kubeadm join c.local:6443 --token «{l6}.{l16}» --discovery-token-ca-cert-hash sha256:{h64}\n",
        ],
    ),
    ("docker swarm join", &["docker swarm join --token «SWMTKN-1-{l50}-{l25}» 10.0.0.1:2377\n"]),
    ("k3s join", &["K3S_TOKEN=«K10{h64}::server:{h32}» sh install.sh\n"]),
    (
        "argocd and friends",
        &[
            "argocd login cd.local --username admin --password «{a16}»\n",
            "vault login «hvs.{w95}»\n",
            "vault login -method=userpass username=bob password=«{a14}»\n",
            "vault kv put secret/db password=«{a14}»\n",
            "vault write auth/approle/login role_id={U} secret_id=«{U}»\n",
            "consul kv get -token=«{U}» x\n",
            "rabbitmqctl add_user app «{a14}»\n",
            "rabbitmqctl change_password app «{a14}»\n",
        ],
    ),
    (
        "cloud commands",
        &[
            "az login --service-principal -u {U} -p «{a3}8Q~{w34}» --tenant {U}\n",
            "aws configure set aws_secret_access_key «{b40}»\n",
            "aws secretsmanager put-secret-value --secret-id db --secret-string «{p16}»\n",
            "aws ssm put-parameter --name /db/pw --type SecureString --value «{a16}»\n",
            "gcloud sql users set-password app --password=«{a16}»\n",
            "az keyvault secret set --vault-name v -n db --value «{a16}»\n",
            "heroku config:set SECRET_KEY=«{a40}»\n",
            "fly secrets set API_TOKEN=«{a40}»\n",
            "wrangler secret put X <<< \"«{a40}»\"\n",
            "echo \"«{a40}»\" | wrangler secret put API_TOKEN\n",
            "doctl auth init -t «dop_v1_{h64}»\n",
            "ibmcloud login --apikey «{w44}»\n",
            "cf login -u dev -p «{a14}»\n",
            "pulumi config set --secret dbPassword «{a14}»\n",
            "SNOWSQL_PWD=«{a14}» snowsql -a x\n",
        ],
    ),
    (
        "package tools",
        &[
            "npm config set //registry.npmjs.org/:_authToken «npm_{a30}{crc}»\n",
            "npm config set //npm.local/:_password «{b24}»\n",
            "cargo login «cio{a32}»\n",
            "gem push x.gem --api-key «rubygems_{h48}»\n",
            "twine upload -u __token__ -p «pypi-AgEIcHlwaS5vcmc{w150}» dist/*\n",
            "dotnet nuget push x.nupkg --api-key «oy2{l43}»\n",
            "nuget sources add -Name n -Source s -Username ci -Password «{a20}»\n",
            "poetry config http-basic.priv ci «{a20}»\n",
            "poetry config pypi-token.pypi «pypi-AgEIcHlwaS5vcmc{w150}»\n",
            "uv publish --token «pypi-AgEIcHlwaS5vcmc{w150}»\n",
            "jf c add --url https://a.local --user ci --password «{a20}»\n",
        ],
    ),
    (
        "monitoring tools",
        &[
            "htpasswd -b .htpasswd bob «{a12}»\n",
            "htpasswd -nbB bob «{a12}»\n",
            "grafana-cli admin reset-admin-password «{a14}»\n",
            "mosquitto_pub -h mq -u bob -P «{a12}» -t x -m 1\n",
            "kcat -X sasl.username=app -X sasl.password=«{a20}» -b k:9092 -L\n",
            "logstash -E x=1 --api.auth.basic.password «{a14}»\n",
        ],
    ),
    (
        "kafka jaas",
        &[
            "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"app\" password=\"«{a20}»\";\n",
        ],
    ),
    (
        "debconf",
        &[
            "debconf-set-selections <<< \"mysql-server mysql-server/root_password password «{a14}»\"\n",
        ],
    ),
    (
        "virtual machines",
        &[
            "VBoxManage controlvm vm setcredentials bob «{a12}» CORP\n",
            "virt-customize -a x.img --root-password password:«{a12}»\n",
            "vncpasswd -f <<< \"«{a8}»\"\n",
            "x11vnc -passwd «{a8}»\n",
        ],
    ),
    (
        "vpn tools",
        &[
            "echo «{a12}» | openconnect -u bob --passwd-on-stdin vpn.local\n",
            "wg set wg0 private-key <(echo «{b43}=»)\n",
            "tailscale up --authkey «tskey-auth-k{a11}CNTRL-{a32}»\n",
            "zerotier-cli set x token=«{a32}»\n",
            "forticlient connect -u bob -p «{a12}»\n",
        ],
    ),
    (
        "samba tools",
        &[
            "(echo «{a12}»; echo «{a12}») | smbpasswd -s -a bob\n",
            "samba-tool user setpassword bob --newpassword=«{p12}»\n",
            "net ads join -U admin%«{a12}»\n",
            "echo \"«{a12}»\" | realm join -U admin x.local #\n",
        ],
    ),
    ("kinit", &["echo «{a12}» | kinit bob@X.LOCAL\n"]),
    (
        "printed by a command",
        &[
            "New password: «{a16}»\n",
            "Generated password for root: «{a16}»\n",
            "A temporary password is generated for root@localhost: «{p12}»\n",
            "Your new API token is: «{a40}»\nIt will not be shown again.\n",
            "admin password: «{a16}»\n",
            "Initial admin password has been generated: «{h32}»\n",
            "Password for the elastic user (reset with `bin/x`):\n  «{w20}»\n",
            "Please use the following password to proceed to installation:\n\n«{h32}»\n",
        ],
    ),
    (
        "prompts answered",
        &[
            "Password: «{a12}»\n$ whoami\n",
            "Enter passphrase: «{a16}»\nIdentity added\n",
            "Username: bob\nPassword: «{p12}»\nLogin Succeeded\n",
            "Token: «{a40}»\nLogged in.\n",
        ],
    ),
];
