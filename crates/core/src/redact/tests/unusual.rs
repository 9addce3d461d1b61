//! Values that begin with a sign, stand behind a variable, in markup, or below the command that prints them.

use super::drawn::Drawn;
use super::redact;

/// In each text a value drawn anew at `VALUE` goes and nothing else does.
fn goes(texts: &[&str], draw: fn(&mut Drawn) -> String) {
    for (seed, text) in (1..).zip(texts) {
        for round in 0..4 {
            let value = draw(&mut Drawn::new(seed * 100 + round));
            let redacted = redact(&text.replace("VALUE", &value)).text.into_owned();
            let (before, after) = text.split_once("VALUE").expect("a value");
            let rest = redacted.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            let is_mark = |rest: &str| rest.starts_with("[redacted: ") && rest.ends_with(']');
            assert!(rest.is_some_and(is_mark), "{text:?} with {value:?} became {redacted:?}");
            assert_eq!(redact(&redacted).text, redacted, "the second time");
        }
    }
}

fn stays(texts: &[&str]) {
    for text in texts {
        assert_eq!(redact(text).text, *text);
    }
}

fn password(drawn: &mut Drawn) -> String {
    drawn.password()
}

fn token(drawn: &mut Drawn) -> String {
    drawn.token(32)
}

#[test]
fn a_bare_value_may_begin_with_any_sign() {
    goes(
        &["AccountKey=VALUE;EndpointSuffix=x", "JWT_SECRET=VALUE", "export API_TOKEN=VALUE\n"],
        |drawn| format!("+{}", drawn.base64(43)),
    );
    goes(
        &[
            "TOKEN=VALUE",
            "client_secret=VALUE",
            "https://h.io/a?b=1&Signature=VALUE&Key-Pair-Id=K2",
        ],
        |drawn| format!("-{}", drawn.token(42)),
    );
    goes(&["DB_PASSWORD=VALUE", "PGPASSWORD=VALUE\nPGUSER=app"], |drawn| {
        format!("{}{}", ["!", "*", "&", "?", "+", "-", "{", "<"][drawn.below(8)], drawn.token(12))
    });
    goes(&["DB_PASSWORD=VALUE", "db.password = VALUE"], |drawn| {
        let inner = ["{", "[", "<", "|", "("][drawn.below(5)];
        format!("{}7{inner}9{}", drawn.token(3), drawn.digits(4) + "xQ")
    });
    goes(&["sig=VALUE&sv=2024"], |drawn| drawn.token(40));
    stays(&[
        "password = !isEmpty(value)",
        "token = *ptr",
        "let token = &mut buffer;",
        "password != other",
        "token == expected",
        "password=getPassword(user1, Realm2)",
        "secret: Vec<u8>",
        "token=-1",
        "password = &Settings2Default",
        "passwd => $ENV{PW});",
        "$password = $config['db_pass2'];",
        "sig=handler",
    ]);
}

#[test]
fn a_private_key_is_found_behind_what_a_log_writes_before_each_line() {
    for prefix in ["app-1  | ", "2026-11-19T10:00:0N.12Z ", "10:00:0N ", "k.pem:N:", "> "] {
        let mut drawn = Drawn::new(7);
        let keys: Vec<String> = (0..12).map(|_| drawn.base64(64)).collect();
        let mut lines = vec!["-----BEGIN RSA PRIVATE KEY-----".to_owned()];
        lines.extend(keys.iter().cloned());
        lines.push("-----END RSA PRIVATE KEY-----".to_owned());
        let numbered = lines.iter().enumerate();
        let text: String = numbered
            .map(|(at, line)| format!("{}{line}\n", prefix.replace('N', &at.to_string())))
            .collect();
        let redacted = redact(&text).text.into_owned();
        let first = prefix.replace('N', "0");
        assert_eq!(redacted, format!("{first}[redacted: rsa private key]\n"), "from {text}");
    }
    // The sixth dash is taken for one of the block.
    let key = Drawn::new(8).base64(64);
    let text =
        format!("k-1------BEGIN PRIVATE KEY-----\nk-2-{key}\nk-3------END PRIVATE KEY-----\n");
    assert_eq!(redact(&text).text, "k-1[redacted: private key]\n");
    let text =
        format!("-----BEGIN PRIVATE KEY-----<br>{key}<br/>{key}<br>-----END PRIVATE KEY-----<br>x");
    assert_eq!(redact(&text).text, "[redacted: private key]<br>x");
    stays(&[
        "app-1 | -----BEGIN PUBLIC KEY-----\napp-1 | MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKC\n",
    ]);
}

#[test]
fn what_holds_if_a_variable_is_not_set_is_a_value() {
    goes(
        &[
            "POSTGRES_PASSWORD: ${PG_PASS:-VALUE}",
            "DB_PASSWORD=${DB_PASSWORD-VALUE}",
            "export PW=\"${PW:-VALUE}\"",
            "spring.datasource.password=${DB_PW:VALUE}",
            "const password = process.env.PW || 'VALUE'",
            "const pw = import.meta.env.VITE_PW ?? \"VALUE\"",
            "password = os.environ.get('PW') or 'VALUE'",
            "$password = getenv('PW') ?: 'VALUE';",
            "password = ENV['PW'] || 'VALUE'",
            "password = env.get(\"DB\", default=\"VALUE\")",
            "password = os.getenv('DB_X', 'VALUE')",
            "connect(process.env.DB_PASSWORD || 'VALUE')",
            "val dbPass: String by lazy { \"VALUE\" }",
            "local password <const> = \"VALUE\"",
            "{password, \"VALUE\"},",
            "param adminPassword string = 'VALUE'",
            "page.getByLabel(\"Password\").fill(\"VALUE\")",
            "curl_easy_setopt(c, CURLOPT_PASSWORD, \"VALUE\");",
        ],
        password,
    );
    stays(&[
        "POSTGRES_PASSWORD: ${PG_PASS:?set it first}",
        "DB_PASSWORD=${DB_PASSWORD:-${OTHER_1}}",
        "DB_PASSWORD=${DB_PASSWORD:-changeme}",
        "const password = process.env.PW || ''",
        "const password = process.env.PW ?? fallback2()",
        "password = os.getenv('DB_X', None)",
        "PASSWD = getpass(\"IMAP password for %s: \" % (host or \"localhost\"))",
        "password = keyring.get_password('service', 'alice1')",
    ]);
}

#[test]
fn names_of_passwords_may_have_numbers_and_owners() {
    goes(
        &[
            "PASSWORD2=VALUE",
            "DB_PASSWORD1=VALUE",
            "password2 = VALUE",
            "Password1 VALUE",
            "PW_ADMIN=VALUE",
            "KEYSTORE_PASS = \"VALUE\"",
            "remotepass = VALUE",
            "ldap_default_authtok = VALUE",
            "set psksecret VALUE",
        ],
        |drawn| format!("Quitte_{}", 100 + drawn.below(800)),
    );
    stays(&[
        "pass2 = compile(unit)",
        "PW_USER=admin1",
        "bypass = enabled1",
        "second pass: 12 files",
    ]);
}

#[test]
fn markup_and_declarations_hold_values() {
    goes(
        &[
            "<wsse:Password Type=\"http://docs.oasis-open.org/wss#PasswordText\">VALUE</wsse:Password>",
            "<password><![CDATA[VALUE]]></password>",
            "<stringProp name=\"HTTPSampler.password\">VALUE</stringProp>",
            "<Value ProtectInMemory=\"True\">VALUE</Value><Key>Password</Key>",
            "<Key>Password</Key><Value ProtectInMemory=\"True\">VALUE</Value>",
            "password = \"\"\"VALUE\"\"\"",
            "{\"Name\":\"/prod/db/password\",\"Type\":\"SecureString\",\"Value\":\"VALUE\"}",
            "[{\"ParameterKey\":\"DbPassword\",\"ParameterValue\":\"VALUE\"}]",
            "\"adminPassword\": { \"type\": \"securestring\", \"defaultValue\": \"VALUE\" }",
            "DBPassword:\n    Type: String\n    NoEcho: true\n    Default: VALUE\n",
            "[\"password\"]=>\n  string(14) \"VALUE\"",
        ],
        password,
    );
    goes(&["{\"Jwt\":{\"Issuer\":\"x\",\"Key\":\"VALUE\"}}"], token);
    stays(&[
        "<label for=\"password\">Password</label>",
        "<Password Type=\"text\"/>",
        "DBPassword:\n    Type: String\n    NoEcho: true\nOther:\n    Default: Abc12345x\n",
        "{\"Name\":\"/prod/db/password\",\"Type\":\"SecureString\",\"Version\":3}",
    ]);
}

#[test]
fn what_a_command_prints_is_what_its_argument_says() {
    goes(
        &[
            "$ echo $DB_PASSWORD\nVALUE\n",
            "$ printenv API_TOKEN\nVALUE",
            "$ terraform output -raw db_password\nVALUE\n",
            "$ aws ssm get-parameter --name /prod/db/password --with-decryption --output text\nVALUE\n",
            "irb> user.api_token\n=> \"VALUE\"\n",
            "127.0.0.1:6379> GET session:jwt_secret\n\"VALUE\"\n",
            "Password for the [elastic] user successfully reset.\nNew value: VALUE\n",
        ],
        token,
    );
    stays(&[
        "$ git log --grep token\n3f9c12ab77d0e1b2c3d4e5f60718293a4b5c6d7e\n",
        "$ rg password\nsrc/Login2Form.rs\n",
        "$ echo $DB_PASSWORD > out\nAbc123XYZ99q\n",
        "$ cat token\nNo such file or directory\n",
    ]);
}

#[test]
fn rows_of_commands_and_calls_tell_what_is_secret() {
    goes(
        &[
            "oathtool --totp -b VALUE",
            "mcrcon -H 10.0.0.8 -p VALUE \"list\"",
            "rootpw --plaintext VALUE",
            "steamcmd +login jobot VALUE +quit",
            "bundle config set --global gems.corp.io ci:VALUE",
            "dotnet nuget push a.nupkg -k VALUE -s https://h.io",
            "conan user -p VALUE -r corp ci",
            "curl --oauth2-bearer VALUE imap://x",
            "hydra -l root -p VALUE ssh://10.0.0.4",
            "impacket-psexec CORP/jo:'VALUE'@10.0.0.5",
            "subprocess.run([\"sshpass\", \"-p\", \"VALUE\", \"ssh\", \"h\"])",
            "ACL SETUSER app on >VALUE ~* +@all",
            "register => 4972:VALUE@sip.x.de/4972",
            "jdbc:oracle:thin:app/VALUE@//db:1521/orcl",
            "echo VALUE|p4 login",
            "echo \"VALUE\" | zfs load-key tank/home",
            "chpasswd:\n  list: |\n    root:VALUE\n  expire: False\n",
            "new Sequelize(\"app\", \"app_user\", \"VALUE\", { dialect: \"x\" })",
            "await bcrypt.hash(\"VALUE\", 10);",
            "ks.load(in, \"VALUE\".toCharArray());",
            "WiFi.begin(\"Lab\", \"VALUE\");",
            "user = \"svc:VALUE\"\nurl = \"https://x\"",
            "bob@mail.x.de:VALUE\n",
            "[smtp.x.org]:587 bob@mg.x.de:VALUE",
            "Key Content            : VALUE\n",
        ],
        password,
    );
    goes(
        &[
            "cargo login --registry corp VALUE",
            "hmac.new(b\"VALUE\", msg, hashlib.sha256)",
            "crypto.createCipheriv('aes-256-cbc', Buffer.from('VALUE'), iv)",
            "proxy_set_header Authorization \"Basic VALUE\";",
            "El token de acceso es VALUE",
            "<meta name=\"csrf-token\" content=\"VALUE\">",
        ],
        token,
    );
    goes(&["Der Freischaltcode lautet VALUE."], |drawn| drawn.digits(6));
    goes(&["{\"name\":\"connect.sid\",\"value\":\"VALUE\"}"], |drawn| {
        format!("s%3A{}.{}", drawn.token(32), drawn.token(43))
    });
}

#[test]
fn where_a_secret_is_to_be_found_stays() {
    stays(&[
        "Zugangsdaten Staging: siehe 1Password",
        "my %cfg = (user => \"x\", passwd => $ENV{PW});",
        "nxc smb 10.0.0.5 -u jo -p pw.txt",
        "cargo login --registry corp",
        "hash(\"Sha3_256abc\", data)",
        "\"0123456789abcdefABCDEF\".toCharArray()",
        "the username and secret Manager2 stay",
        "git clone git@github.com:Corp2Org\n",
        "scp a.tar root@x.example.org:Backup2024\n",
        "user = \"1000:1000\"",
        "register the host2:Port9 first",
        "chpasswd:\n  expire: False\n",
        "proxy-pass `#[allow]` on",
    ]);
}
