//! Values that stand elsewhere than behind their name and a sign.

use super::drawn::Drawn;
use super::{becomes, redact};

/// In each text the value at `VALUE`, drawn anew, goes and nothing else does.
fn goes_alone(texts: &[&str], draw: impl Fn(&mut Drawn) -> String) {
    for (seed, text) in (1..).zip(texts) {
        let value = draw(&mut Drawn::new(seed));
        let redacted = redact(&text.replace("VALUE", &value)).text.into_owned();
        let (before, after) = text.split_once("VALUE").expect("a value");
        let rest = redacted.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        let is_mark = |rest: &str| rest.starts_with("[redacted: ") && !rest.contains(&value);
        assert!(rest.is_some_and(is_mark), "{text:?} became {redacted:?}");
        assert_eq!(redact(&redacted).text, redacted, "the second time");
    }
}

fn password(drawn: &mut Drawn) -> String {
    drawn.password()
}

fn token(drawn: &mut Drawn) -> String {
    drawn.token(24)
}

#[test]
fn a_value_may_stand_before_its_name() {
    becomes(&[
        (
            r#"{"value": "q8Zk31xW9v7pM2m4", "name": "DB_PASSWORD"}"#,
            r#"{"value": "[redacted: password]", "name": "DB_PASSWORD"}"#,
        ),
        (
            "- value: q8Zk31xW9v7pM2m4\n  name: API_TOKEN\n",
            "- value: [redacted: token]\n  name: API_TOKEN\n",
        ),
        (
            "variable \"db_password\" {\n  type    = string\n  default = \"Tr0ub4dor&3\"\n}\n",
            "variable \"db_password\" {\n  type    = string\n  default = \"[redacted: password]\"\n}\n",
        ),
    ]);
}

#[test]
fn lists_of_names_have_lists_of_values() {
    becomes(&[
        (
            "INSERT INTO users (name, password) VALUES ('ana', 'HtK6FtLqR9Cb'), ('ben', 'gw3OdxVNqdEO');",
            "INSERT INTO users (name, password) VALUES ('ana', '[redacted: password]'), ('ben', '[redacted: password 2]');",
        ),
        (
            r#"{"columns": ["user", "password"], "rows": [["ana", "KvLzYLooko0k"]]}"#,
            r#"{"columns": ["user", "password"], "rows": [["ana", "[redacted: password]"]]}"#,
        ),
        (
            "<tr><th>User</th><th>Password</th></tr><tr><td>ana</td><td>7pMAGnNo46AJ</td></tr>",
            "<tr><th>User</th><th>Password</th></tr><tr><td>ana</td><td>[redacted: password]</td></tr>",
        ),
    ]);
}

#[test]
fn calls_take_passwords_at_a_place() {
    becomes(&[
        ("auth=(\"bob\", \"TboowVJ4AQ4v\")", "auth=(\"bob\", \"[redacted: password]\")"),
        (
            ".basic_auth(\"bob\", Some(\"Vr6Dq8q4eWArV2\"))",
            ".basic_auth(\"bob\", Some(\"[redacted: password]\"))",
        ),
        (
            "sql.Open(\"mysql\", \"app:RH8aDPbM6kgFyV@tcp(db:3306)/app\")",
            "sql.Open(\"mysql\", \"app:[redacted: password]@tcp(db:3306)/app\")",
        ),
        (
            "CREATE USER app IDENTIFIED BY 'GPrH8p5pcZdEbZ';",
            "CREATE USER app IDENTIFIED BY '[redacted: password]';",
        ),
    ]);
}

#[test]
fn a_value_may_stand_on_the_next_line() {
    becomes(&[
        ("The password is:\n\nIGMWsk#bk37f\n", "The password is:\n\n[redacted: password]\n"),
        ("### Password\n\n`Wg#ZkQpLm4^0`\n", "### Password\n\n`[redacted: password]`\n"),
        ("**Password:** `qBXzkhiD_B9F`\n", "**Password:** `[redacted: password]`\n"),
        (
            "A temporary password is generated for root@localhost: mZ2VF7ZZXhvC\n",
            "A temporary password is generated for root@localhost: [redacted: password]\n",
        ),
    ]);
}

#[test]
fn what_was_changed_goes_old_and_new() {
    becomes(&[
        (
            "The redis password was changed to `03g0nIbxXTcS`.",
            "The redis password was changed to `[redacted: redis password]`.",
        ),
        (
            "the password has been changed from oHHzpX34OHHX to Hz6D3pDl2iv9\n",
            "the password has been changed from [redacted: password] to [redacted: password 2]\n",
        ),
    ]);
}

#[test]
fn a_key_may_have_any_name_if_its_value_is_random() {
    becomes(&[
        ("acme_key: \"GaLFLENPegDOs3Im9sml9LzDjeUgd1dZ\"", "acme_key: \"[redacted: key]\""),
        ("the acme key is qqgt60vhgLSBLjNOxhaYCvkf3R6iOHaV", "the acme key is [redacted: key]"),
        ("PASSWORD_PEPPER=993f883528bbe0324483d45b34ba98ee", "PASSWORD_PEPPER=[redacted: pepper]"),
    ]);
}

#[test]
fn parts_of_private_keys_are_keys() {
    let line = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU3v";
    for text in [
        format!("...\n{line}\n{line}\naB3dE5fG7h==\n-----END RSA PRIVATE KEY-----\n"),
        format!(
            "-----BEGIN PRIVATE KEY-----\n{line}\n… 24 lines …\n{line}\n-----END PRIVATE KEY-----\n"
        ),
        format!(
            "     1\t-----BEGIN PRIVATE KEY-----\n     2\t{line}\n     3\t{line}\n     4\t-----END PRIVATE KEY-----\n"
        ),
        format!("------BEGIN PRIVATE KEY-----\n-{line}\n-{line}\n------END PRIVATE KEY-----\n"),
        format!("PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n{line}\n"),
        format!("{{\"kty\":\"EC\",\"x\":\"abc\",\"d\":\"{line}\"}}"),
    ] {
        assert!(!redact(&text).text.contains(&line[..16]), "{text}");
    }
}

#[test]
fn other_languages_have_keys_logins_and_words_before_a_name() {
    becomes(&[
        ("usa IpBh0BuKf9dI como contraseña", "usa [redacted: password] como contraseña"),
        ("用 4NDVL8nIaomv 作为密码", "用 [redacted: password] 作为密码"),
        ("der Schlüssel ist H90YX4MypyYx1mp2tq6ssLPcStBSCiTj", "der Schlüssel ist [redacted: key]"),
        ("ключ: CxfEfzBRrgrjc63XkeUbNLMdgyliX62Y", "ключ: [redacted: key]"),
        ("войди как marta:Zh2L7YyQ7NrR", "войди как marta:[redacted: password]"),
        ("marta:fCVPpSl15sPk ile giriş yap", "marta:[redacted: password] ile giriş yap"),
    ]);
}

#[test]
fn code_patterns_and_addresses_stay() {
    for text in [
        "let key = ChaCha20Poly1305::generate_key(&mut OsRng);",
        "RegEnumKey = win32api.RegEnumKey",
        "HEX_PAT = \"[0-9A-Fa-f]{1,4}\"",
        "use x::{UnsupportedKey, SSH_ED25519_KEY_PREFIX};",
        "// address: \"2606:2800:21f:cb07:6820:80da:af6b:8b2c\"",
        "the columns identified by \"colUsed\" are the same",
        "250-AUTH PLAIN LOGIN CRAM-MD5",
        "Sec-WebSocket-Key: c0BrTCNTkd3y6rzPxKV+AO==",
        "git config user.signingkey 5F0C34AC34CBD406",
        "    xxh_u8 const* const xsecret  = (xxh_u8 const*) secret;    /* none */\n    xxh_u64x2 const v32 = { 32 };\n",
        "def remove_LABEL(tokens):\n    tokens.pop(\"LABEL\")\n",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn the_next_cell_of_html_is_a_value() {
    goes_alone(
        &[
            "<td>password</td><td>VALUE</td>",
            "<tr><th scope=\"row\"><b>Password</b></th> <td class=\"v\"><code>VALUE</code></td></tr>",
            "<tr>\n  <td>Admin password:</td>\n  <td>\n    VALUE\n  </td>\n</tr>",
            "<dl>\n  <dt>User</dt>\n  <dd>bob</dd>\n  <dt>Password</dt>\n  <dd>VALUE</dd>\n</dl>",
            "<dt><strong>Password:</strong></dt>\n<dd><kbd>VALUE</kbd></dd>",
            "{\"html\": \"<td>password</td>\\n\\t<td class=\\\"v\\\">VALUE</td>\"}",
        ],
        password,
    );
    goes_alone(
        &["<td>API key</td>\n<td>VALUE</td>", "<dt>Access token</dt><dd><pre>VALUE</pre></dd>"],
        token,
    );
}

#[test]
fn the_next_cell_of_html_that_is_no_value_stays() {
    for text in [
        "<tr><td>password</td><td>string</td><td>required</td></tr>",
        "<tr><td>password</td><td>varchar(255)</td><td>required</td></tr>",
        "<tr><td>token</td><td>JWT</td><td>RS256</td></tr>",
        "<tr><td>secret</td><td>v1.28.0-alpha3</td></tr>",
        "<tr><td>Password</td><td>8-64</td></tr>",
        "<tr><th>Password</th><th>Tok3nValue!</th></tr>",
        "<tr><td>password</td><td><a href=\"#x\">PasswordField2X</a></td></tr>",
        "<tr><td>password</td><td>The password of the user, 8 to 64 characters</td></tr>",
        "<tr><td>password</td><td></td><td>Step2Done!</td></tr>",
        "<dt>password</dt><dt>Passw0rdTwo</dt>",
        "<dt>token</dt>\n<dd>See RFC7519</dd>",
        "<dt>api_key</dt>\n<dd>YOUR_API_KEY</dd>",
        "<td>password</td><td>${DB_PASSWORD}</td>",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn what_a_document_feeds_to_a_command_is_a_value() {
    goes_alone(
        &[
            "docker login -u bob --password-stdin <<< VALUE",
            "docker login -u bob --password-stdin <<EOF\nVALUE\nEOF\n",
            "$ sudo passwd --stdin bob << 'EOF'\nVALUE\nEOF\n",
            "sudo smbpasswd -s -a bob <<-END\n\tVALUE\n\tEND\n",
            "kubectl create secret generic db --from-file=pw=/dev/stdin <<EOF\nVALUE\nEOF\n",
            "echo -n VALUE | kubectl create secret generic db --from-file=pw=/dev/stdin",
            "cat <<EOF | docker login -u bob --password-stdin\nVALUE\nEOF\n",
            "chpasswd <<EOF\nbob:VALUE\nEOF\n",
            "cat << \"EOF\" | sudo chpasswd\nbob:VALUE\nEOF\n",
            "sudo -S chpasswd <<EOF\nann:$A\nben:$B\nbob:VALUE\nEOF\n",
            "{\"command\": \"docker login --password-stdin r.io <<EOF\\nVALUE\\nEOF\\necho done\"}",
            "{\"command\": \"cd x\\ncat <<'EOF' | docker login --password-stdin\\nVALUE\\nEOF\"}",
            "fly secrets import <<EOF\nDB_DSN=VALUE\nEOF\n",
            "gh secret set API --body - <<EOF\nVALUE\nEOF\n",
        ],
        password,
    );
    goes_alone(
        &[
            "gh auth login --with-token <<< VALUE",
            "gh auth login --with-token <<EOF\nVALUE\nEOF\n",
            "vault kv put secret/x key=- <<EOF\nVALUE\nEOF\n",
        ],
        token,
    );
    becomes(&[
        (
            "sudo passwd bob <<EOF\nswordfish\nswordfish\nEOF\n",
            "sudo passwd bob <<EOF\n[redacted: password]\n[redacted: password]\nEOF\n",
        ),
        (
            "chpasswd <<EOF\nann:swordfish\nben:fishsword\ncem:wordsfish\nEOF\n",
            "chpasswd <<EOF\nann:[redacted: password]\nben:[redacted: password 2]\ncem:[redacted: password 3]\nEOF\n",
        ),
    ]);
}

#[test]
fn documents_that_are_no_secrets_stay() {
    for text in [
        "passwd --stdin bob <<EOF\n$PW\nEOF\n",
        "docker login --password-stdin <<EOF\n${TOKEN}\nEOF\n",
        "su - postgres <<EOF\ncreatedb2 App!x\nvacuumdb2!X\nEOF\n",
        "cat >> /etc/passwd <<EOF\nbob:x:1000:1000::/home/bob:/bin/bash\nEOF\n",
        "std::cout << passwd << endl;\nabc12defG!\nendl\n",
        "kubectl create secret -f - <<EOF\napiVersion: v1\nmetadata:\nstringData:\nEOF\n",
        "kubectl apply -f - <<EOF\nabc12defG!\nEOF\n",
        "cat <<EOF > docker.txt\nabc12defG!\nEOF\ndocker login --password-stdin < docker.txt\n",
        "cat <<EOF | sudo tee /etc/motd\nabc12defG!\nEOF\n",
        "vault policy write x - <<EOF\npath \"a/*\" {\n  capabilities = [\"read\"]\n}\nEOF\n",
        "docker compose run x <<EOF\nabc12defG!\nEOF\n",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn a_value_stands_behind_tags_and_anchors_of_yaml() {
    goes_alone(
        &[
            "password: !!str VALUE\n",
            "password: &pw VALUE\n",
            "db:\n  password: &pw !!str VALUE\n",
            "db:\n  password: !!str &pw 'VALUE'\n",
            "password: !<tag:yaml.org,2002:str> VALUE\n",
            "password: !vault-plain VALUE\n",
            "password: !unsafe \"VALUE\"\n",
            "password: !!str |\n  VALUE\n",
            "{\"file\": \"password: !!str VALUE\\nuser: bob\\n\"}",
        ],
        password,
    );
    goes_alone(&["token: !!str VALUE\n", "api_key: &key VALUE\n"], token);
    becomes(&[("password: &pw swordfish\n", "password: &pw [redacted: password]\n")]);
}

#[test]
fn tags_of_yaml_that_refer_to_a_value_stay() {
    for text in [
        "password: !Ref DbPassword1\n",
        "password: !Sub 'app-${Stage}-Pw1'\n",
        "password: !GetAtt Db1.Pass2Word\n",
        "password: !secret db_pass2Word\n",
        "password: !ENV DB_PASS_2\n",
        "password: !env_var DB_PASS_2x\n",
        "password: !reference [.x, y2Zz]\n",
        "password: !include pw/Db1.txt\n",
        "password: !vault kv/Data1#db\n",
        "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6238346434653534\n",
        "password: *pw\n",
        "password: !!null null\n",
        "    password: &mut Secret2\n",
        "fn log_in(password: &str, token: &Token2, user: &User2) {}",
        "    password: &Plain2Text,\n",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn colours_of_a_terminal_hide_no_value() {
    let mut texts = Vec::new();
    for escape in ["\x1b", "\\x1b", "\\u001b", "\\\\u001B", "\\033", "\\e", "^["] {
        for text in [
            "passwordESC[0m: ESC[32mVALUEESC[0m",
            "ESC[1;36mDB_PASSWORDESC[0m=ESC[38;5;208mVALUEESC[m",
            "ESC[1mpassword:ESC[0m VALUEESC[K\n",
            "the ESC[1mpasswordESC[22m is ESC[4mVALUEESC[24m",
            "\"ESC[34;1mpasswordESC[0m\": ESC[32m\"VALUE\"ESC[0m",
        ] {
            texts.push(text.replace("ESC", escape));
        }
    }
    for (seed, text) in (1..).zip(&texts) {
        let value = Drawn::new(seed).password();
        let redacted = redact(&text.replace("VALUE", &value)).text.into_owned();
        assert!(redacted.contains("[redacted: ") && !redacted.contains(&value), "{redacted:?}");
        assert_eq!(redact(&redacted).text, redacted, "the second time");
    }
    becomes(&[(
        "\x1b[1mpassword\x1b[0m: \x1b[32mZx81kQpv9TmL\x1b[0m",
        "\x1b[1mpassword\x1b[0m: \x1b[32m[redacted: password]\x1b[0m",
    )]);
    let value = Drawn::new(7).password();
    let (one, other) = value.split_at(6);
    let cut = redact(&format!("password: {one}\x1b[7m{other}\x1b[0m\n")).text.into_owned();
    assert!(!cut.contains(one) && !cut.contains(other), "{cut:?}");
}

#[test]
fn coloured_text_without_values_stays() {
    for text in [
        "\x1b[1mpassword\x1b[0m: \x1b[31mrequired\x1b[0m",
        "\x1b[32mPASS\x1b[0m src/auth/token.test.ts",
        "\x1b[36mtoken_count\x1b[0m=\x1b[33m4096\x1b[0m",
        "\\u001b[1mtoken\\u001b[0m: \\u001b[2m${TOKEN}\\u001b[0m",
        "PS1='\\[\\033[01;32m\\]\\u@\\h\\[\\033[00m\\]'",
        "^[[1mpassword^[[0m   ^[[2mstring^[[0m",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn calls_take_passwords_of_letters() {
    goes_alone(
        &[
            "login(\"admin\", \"VALUE\")",
            "requests.get(url, auth=(\"user\", \"VALUE\"))",
            "connect(user, password=\"VALUE\")",
            "user.setPassword(\"VALUE\")",
            "keyring.set_password(\"service\", \"bob\", \"VALUE\")",
            "reset_password('marta', 'VALUE')",
            "new NetworkCredential(\"bob\", \"VALUE\")",
            "new PasswordAuthentication(\"bob\", \"VALUE\".toCharArray())",
            ".basic_auth(\"bob\", Some(\"VALUE\"))",
            "{\"code\": \"login(\\\"admin\\\", \\\"VALUE\\\")\"}",
        ],
        |drawn| drawn.of(b"bcdfghklmnprstvw", 9),
    );
    becomes(&[(
        "changePassword(\"swordfish\", \"fishsword\")",
        "changePassword(\"[redacted: password]\", \"[redacted: password 2]\")",
    )]);
}

#[test]
fn calls_about_passwords_stay() {
    for text in [
        "getElementById(\"password\")",
        "t(\"password\")",
        "label(\"Password\", \"Enter it\")",
        "login(\"username\", \"password\")",
        "login(\"Username\", \"Continue\")",
        "login(\"github\", redirect)",
        "login(page, \"marketing\")",
        "login(\"admin\", \"hunter\", remember)",
        "auth(\"user\", \"editor\")",
        "auth: [\"users\", \"roles\"]",
        "keytar.getPassword(\"service\", \"account\")",
        "keyring.get_password(\"system\", \"username\")",
        "get_password(\"service\")",
        "hasPassword(\"letters\")",
        "askPassword(\"prompt\")",
        "password_field(\"letters\")",
        "input(\"password\", \"swordfish\")",
    ] {
        assert_eq!(redact(text).text, text);
    }
}
