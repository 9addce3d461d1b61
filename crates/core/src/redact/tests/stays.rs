//! What looks like a secret and is none.

use super::redact;

#[test]
fn placeholders_references_and_marks_stay() {
    for text in [
        "TOKEN=<your-token>",
        "TOKEN=xxxxxxxxxxxx",
        "password: changeme",
        "token: ${TOKEN}",
        "token: $TOKEN",
        "set X_TOKEN=%X_TOKEN%",
        "token: {{ secrets.X }}",
        "token = process.env.X",
        "password = os.environ[\"X\"]",
        "password: ****",
        "token: …",
        "password = [redacted: password]",
        "[redacted: github token 2]",
        "password: REDACTED",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_[A-Za-z0-9]{36}",
        "Authorization: Bearer <token>",
        "Authorization: Bearer [redacted: bearer token] and more",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn code_about_secrets_stays() {
    for text in [
        "fn refresh_token(token: &str) -> Token {",
        "password: String,",
        "token = get_token()",
        "secret = config.secret",
        "max_tokens: 4096",
        "password: z.string().min(8)",
        "if password == other {",
        "connect(password=password, token=tok)",
        "pub const ERROR_WRONG_PASSWORD: u32 = 1323u32;",
        "const PASSWORD: DWORD = 0x80310037;",
        "t.pass(\"tests/ui/a.rs\");",
        "Win32_Security_Credentials = [\"Win32_Security\"]",
        "arn:aws:secretsmanager:eu-west-1:1:secret:prod/db-dDicP9",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn hashes_ids_and_public_keys_stay() {
    for text in [
        "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "the token refresh was mended in 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "session_id: 550e8400-e29b-41d4-a716-446655440000",
        "\"integrity\": \"sha512-RdJUflcE3cUzKiMqQgsCu06FPu9UdIJO0beYbPhHN4k6apgJtifcoCtT9bcxOpYBtpD2kCM6Sbzg4CausW==\"",
        "github.com/golang-jwt/jwt v3.2.2 h1:IfV12K8xAKAnZqdXVzCZ+TOjboZ2keLg81eXfW3O+oY=",
        "20261115-174500-a3f9c12e",
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn a_text_without_secrets_is_not_copied() {
    assert!(matches!(redact("nothing here").text, std::borrow::Cow::Borrowed(_)));
}

fn all_stay(texts: &[&str]) {
    let changed: Vec<_> = texts
        .iter()
        .map(|text| redact(text).text)
        .filter(|text| text.contains("[redacted"))
        .collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

/// What looks like a kind that is known by what stands around it.
#[test]
fn words_about_passwords_and_keys_stay() {
    all_stay(&[
        "the key is to keep it short",
        "The key is in the drawer, the password is required",
        "the key is user:1234:session-by-tenant",
        "the key is 550e8400-e29b-41d4-a716-446655440000",
        "the key is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "the cache key is backups/2026-11-15/archive-v2.tar.gz",
        "the primary key is customer_account_id_v2",
        "use bcrypt as the password hash",
        "use argon2id as the password hash and 12 rounds",
        "use PBKDF2-SHA256 as the password hashing scheme",
        "use sha256 as the password digest",
        "use Vault2 as the password manager",
        "KeePassXC2 is the password manager of the team",
        "Bitwarden is the password store",
        "use it as the password",
        "the db pw is rotated every 90 days",
        "the pw is asked for on start",
        "login with GitHub: see the docs",
        "login with host:5432 failed",
        "login with oauth2:pkce",
        "Login: see chapter 3 / appendix",
        "Login: POST /api/v2/login",
        "log in as root with the console",
        "account: acme / 2026",
        "credentials: include",
        "my pin is in the vault",
        "pin = 4815",
        "let pin: u32 = 481516;",
        "pin 13 is an output",
        "pin the version to 2026",
        "the pinned commit is 481516a",
        "Das Passwort ist erforderlich",
        "Das Passwort muss mindestens 12 Zeichen haben",
        "Passwort: mindestens 8 Zeichen",
        "mot de passe : obligatoire",
        "Mot de passe oublié ?",
        "contraseña: obligatoria",
        "la clave es la paciencia",
        "la clave primaria es id_cliente",
        "senha: obrigatória",
        "a senha é necessária",
        "la password è obbligatoria",
        "wachtwoord: verplicht",
        "hasło: wymagane",
        "to hasło jest wymagane od 2026",
        "пароль: обязателен",
        "пароль должен быть не короче 12 символов",
        "密码：必填",
        "密码是必填项",
        "密码长度是8到20位",
        "パスワードは必須です",
        "パスワードは8文字以上です",
        "비밀번호: 필수",
        "clave: valor",
        "la clave del mapa es v2.1",
        "password：",
        "has 12 rows and is done",
        "the password on db2prod is rotated every week",
        "reset the password on host01 and host02",
        "pin it to 202611 for now",
        "the login on host01:web02 is slow",
        "my key on the ring is from 2019",
    ]);
}

#[test]
fn commands_without_passwords_stay() {
    all_stay(&[
        "docker run -p 8080:80 nginx",
        "mysql -u root -p app",
        "ssh -p 2222 -u root host",
        "sudo -u postgres psql",
        "docker run --user=1000:1000 alpine",
        "docker run -u www-data:www-data alpine",
        "podman run --user=app:staff alpine",
        "rsync -u src:dst other:place2",
        "echo y | sudo -S apt install",
        "echo \"$PW\" | sudo -S whoami",
        "echo hello world | sudo tee /etc/motd",
        "cat file | sudo -S whoami",
        "echo done | tee log",
        "echo 'deb http://h stable main' | sudo tee /etc/apt/sources.list.d/x2.list",
        "chpasswd < users.txt",
        "passwd --lock bob",
        "expect \"continue?\"\nsend \"yes2all\\r\"",
        "expect \"assword:\"\nsend \"$env(PW)\\r\"",
        "send \"exit0now\\r\"",
        "net use",
        "net use \\\\srv\\share '",
        "net user bob '",
        "ConvertTo-SecureString -AsPlainText '",
        "net use Z: \\\\srv\\share /persistent:yes",
        "net user experience improved in v2beta",
        "snmpwalk -v2c -c public 10.0.0.1",
        "xfreerdp /v:host2 /u:bob /port:3390",
        "mc alias list",
        "mc alias set play https://h $KEY $SECRET",
        "smbclient -L //srv -U guest",
        "lftp -u anonymous, sftp://h",
        "redis-cli -h h -p 6379 ping",
        "sqlcmd -S h -E -Q x",
        "sqlplus scripts/setup2.sql",
        "ConvertTo-SecureString $plain -AsPlainText -Force",
        "SecureString password = GetPassword();",
        "htpasswd file was written by v2beta",
        "wpa_passphrase writes a block",
        "key_mgmt=WPA-PSK",
        "pub const DOT11_AUTH_ALGORITHM_WPA_PSK: DOT11_AUTH_ALGORITHM = DOT11_AUTH_ALGO_WPA_PSK;",
        "TLS_PSK_WITH_AES_128_GCM_SHA256",
        "CACHE_KEY=user_profile_v2",
        "STORAGE_KEY = \"app-settings-2026\"",
        "PUBLIC_KEY=MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
        "x-cache-key: q8Zk31xW9v7pM2m4Zz5q",
        "x-forwarded-auth: none",
    ]);
}

#[test]
fn tables_links_and_word_lists_stay() {
    all_stay(&[
        "| key | token_count | commit |\n|---|---|---|\n| q8Zk31xW9v7pM2m4 | 4096 | 9f86d081884c |\n",
        "| commit | subject |\n|---|---|\n| 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b | Fix |\n",
        "| field | type | required |\n|---|---|---|\n| password | string | yes |\n| token | string(64) | no |\n",
        "| password | token |\n|---|---|\n| required | optional |\n| min 12 | JWT |\n",
        "| Method | Password | Token |\n|---|---|---|\n| basic | yes | no |\n| oauth2 | n/a | RS256 |\n",
        "id,key,token_count\n1,user:1234,4096\n",
        "name,secret_name\nweb,prod-db-2026-11-15\n",
        "id,password_hash_algorithm\n1,argon2id-v19\n",
        "NAME   SECRET        AGE\nweb    web-tls-2026   3d\n",
        "NAME    TYPE                 DATA   AGE\ntoken   kubernetes.io/tls    2      3d\n",
        " token | count \n-------+-------\n the   | 12345 \n",
        "password,confirm\nare both, needed in v2.1\n",
        "about above abstract absurd abuse access accident account accuse achieve acid acoustic",
        "there must first also always then when this that they will want",
        "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong",
        "https://hooks.slack.com/services/YOUR/WEBHOOK/URL",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        "https://discord.com/api/webhooks/<id>/<token>",
        "https://app.local/reset-password",
        "https://app.local/reset-password/<token>",
        "https://docs.local/magic-link/how-it-works-in-version-2",
        "https://app.local/verify-email/instructions#step-2",
        "https://github.com/a/b/commit/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "https://h/invite/friends-and-family-2026",
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE...\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQG...\n-----END CERTIFICATE-----",
        "client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURkekNDQWwrZ0F3SUJBZ0lFQWdBQXVU",
        "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURkekNDQWwrZ0F3SUJBZ0lFQWdBQXVU",
        "AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "resource \"random_password\" \"db\" {\n  length = 16\n}\n",
        "  + password = (sensitive value)\n  + token = (known after apply)\n",
        "\"db_password\": {\"sensitive\": true, \"type\": \"string\"}",
    ]);
}
