//! Values that stand elsewhere than behind their name and a sign.

use super::{becomes, redact};

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
