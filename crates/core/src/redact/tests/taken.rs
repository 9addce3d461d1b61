//! What is taken out, in the forms that logs, files and people have.

use super::{GITHUB, KEY, NOT_GITHUB, becomes, redact};

#[test]
fn a_token_is_known_wherever_it_stands() {
    for (before, after) in [
        ("", ""),
        ("use `", "` for now"),
        ("(", ")"),
        ("https://", "@github.com/a/b.git"),
        ("{\"content\":\"done\\n", "\\nnext\"}"),
        ("\u{1b}[32m", "\u{1b}[0m"),
        ("\\u001b[1m", "\\u001b[0m"),
        ("q=1%26t%3D", "&x=1"),
        ("Schlüssel: ", "…"),
    ] {
        let wanted = format!("{before}[redacted: github token]{after}");
        becomes(&[(&format!("{before}{GITHUB}{after}"), &wanted)]);
    }
}

#[test]
fn a_bad_checksum_needs_words_that_say_it_is_a_token() {
    let bare = format!("see {NOT_GITHUB} there");
    assert_eq!(redact(&bare).text, bare);
    for (before, after) in [
        ("GITHUB_TOKEN=", ""),
        ("token: ", ""),
        ("use `", "` as the token"),
        ("Authorization: token ", ""),
    ] {
        let wanted = format!("{before}[redacted: github token]{after}");
        becomes(&[(&format!("{before}{NOT_GITHUB}{after}"), &wanted)]);
    }
}

#[test]
fn the_same_value_has_the_same_mark_and_another_the_next_number() {
    let text = "DB_PASSWORD=Gx7!kfQ2pLz9\nPASSWORD=Tz4?wmR8vNc1\nagain DB_PASSWORD=Gx7!kfQ2pLz9\n";
    let redacted = redact(text);
    assert_eq!(
        redacted.text,
        "DB_PASSWORD=[redacted: password]\nPASSWORD=[redacted: password 2]\nagain DB_PASSWORD=[redacted: password]\n"
    );
    let lines: Vec<usize> = redacted.found.iter().map(|found| found.line).collect();
    assert_eq!(lines, [1, 2, 3]);
    assert_eq!(&text[redacted.found[1].range.clone()], "Tz4?wmR8vNc1");
}

#[test]
fn numbers_go_on_after_the_marks_that_are_there() {
    becomes(&[(
        "[redacted: password 2] then password=Tz4?wmR8vNc1",
        "[redacted: password 2] then password=[redacted: password 3]",
    )]);
}

#[test]
fn what_is_a_secret_once_is_one_everywhere() {
    becomes(&[(
        "API_KEY=q8Zk31xW9v7pM2m4Tt\nI called it with q8Zk31xW9v7pM2m4Tt and it worked",
        "API_KEY=[redacted: api key]\nI called it with [redacted: api key] and it worked",
    )]);
}

#[test]
fn values_of_names_are_taken_out_in_every_spelling() {
    becomes(&[
        ("password = hunter2", "password = [redacted: password]"),
        ("export DB_PASSWORD='s3cr3t pw'x", "export DB_PASSWORD='s3cr3t pw'x"),
        ("export DB_PASSWORD='s3cr3t!pw'", "export DB_PASSWORD='[redacted: password]'"),
        ("{\"dbPassword\": \"hunter2\"}", "{\"dbPassword\": \"[redacted: password]\"}"),
        ("{\\\"password\\\": \\\"hunter2\\\"}", "{\\\"password\\\": \\\"[redacted: password]\\\"}"),
        ("'password': 'hunter2',", "'password': '[redacted: password]',"),
        ("  password: hunter2\n", "  password: [redacted: password]\n"),
        ("password => \"hunter2\"", "password => \"[redacted: password]\""),
        ("password := \"hunter2\"", "password := \"[redacted: password]\""),
        ("let password: &str = \"hunter2\";", "let password: &str = \"[redacted: password]\";"),
        ("login --password hunter2 --user bob", "login --password [redacted: password] --user bob"),
        ("login --password=hunter2", "login --password=[redacted: password]"),
        ("<password>hunter2</password>", "<password>[redacted: password]</password>"),
        (".password(\"hunter2\")", ".password(\"[redacted: password]\")"),
        ("define('DB_PASSWORD', 'hunter2x!');", "define('DB_PASSWORD', '[redacted: password]');"),
        ("$env:DB_PASSWORD = \"hunter2\"", "$env:DB_PASSWORD = \"[redacted: password]\""),
        (
            "os.environ[\"DB_PASSWORD\"] = \"hunter2\"",
            "os.environ[\"DB_PASSWORD\"] = \"[redacted: password]\"",
        ),
        (
            "- name: DB_PASSWORD\n  value: hunter2\n",
            "- name: DB_PASSWORD\n  value: [redacted: password]\n",
        ),
        ("| password | hunter2!X |", "| password | [redacted: password] |"),
        ("PASSWORD=swordfish", "PASSWORD=[redacted: password]"),
        ("password: 'correct horse battery staple'", "password: '[redacted: password]'"),
        (
            "DATADOG_API_KEY=9f86d081884c7d659a2feaa0c55ad015",
            "DATADOG_API_KEY=[redacted: datadog api key]",
        ),
        (
            "//registry.npmjs.org/:_authToken=9f86d081-884c-4d65-9a2f-eaa0c55ad015",
            "//registry.npmjs.org/:_authToken=[redacted: token]",
        ),
        ("\"auth\": \"ZGV2OnMzY3IzdHBhc3M5\"", "\"auth\": \"[redacted: credential]\""),
        (
            "client_secret=a8f5f167f44f4964e6c998dee827110c&grant_type=x",
            "client_secret=[redacted: client secret]&grant_type=x",
        ),
    ]);
}

#[test]
fn people_say_their_passwords() {
    becomes(&[
        ("the password is hunter2!", "the password is [redacted: password]"),
        (
            "The password for the staging account is hunter2.",
            "The password for the staging account is [redacted: password].",
        ),
        (
            "I changed the password to `Tr0ub4dor&3`.",
            "I changed the password to `[redacted: password]`.",
        ),
        ("token: q8Zk31xW9v7pM2m4", "token: [redacted: token]"),
        (
            "Datadog API key: 9f86d081884c7d659a2feaa0c55ad015",
            "Datadog API key: [redacted: datadog api key]",
        ),
        (
            "our api key from last week: `q8Zk31xW9v7pM2m4Zz5`",
            "our api key from last week: `[redacted: api key]`",
        ),
        (
            "Use `q8Zk31xW9v7pM2m4Zz5q` as the API token.",
            "Use `[redacted: token]` as the API token.",
        ),
        (
            "API key:\n\n```\nq8Zk31xW9v7pM2m4Zz5q\n```\n",
            "API key:\n\n```\n[redacted: api key]\n```\n",
        ),
    ]);
}

#[test]
fn headers_lose_their_credentials() {
    becomes(&[
        (
            "Authorization: Bearer q8Zk31xW9v7pM2m4",
            "Authorization: Bearer [redacted: bearer token]",
        ),
        (
            "authorization: basic dXNlcjpwYXNzd29yZDE=",
            "authorization: basic [redacted: basic credentials]",
        ),
        (
            "-H 'Authorization: ApiKey q8Zk31xW9v7p'",
            "-H 'Authorization: ApiKey [redacted: api key]'",
        ),
        ("Authorization: q8Zk31xW9v7pM2m4", "Authorization: [redacted: authorization]"),
        ("X-Api-Key: q8Zk31xW9v7pM2m4", "X-Api-Key: [redacted: api key]"),
        (
            "\"Authorization\": \"Bearer q8Zk31xW9v7pM2m4\"",
            "\"Authorization\": \"Bearer [redacted: bearer token]\"",
        ),
        ("sent Bearer q8Zk31xW9v7pM2m4x to it", "sent Bearer [redacted: bearer token] to it"),
        ("Cookie: sid=q8Zk31xW9v7pM2m4; theme=dark", "Cookie: sid=[redacted: cookie]; theme=dark"),
        (
            "Set-Cookie: sid=q8Zk31xW9v7pM2m4; Path=/; HttpOnly",
            "Set-Cookie: sid=[redacted: cookie]; Path=/; HttpOnly",
        ),
        (
            "Authorization: AWS4-HMAC-SHA256 Credential=AKIAQ3XZ7M5LK2NPRT6B/20261115/s3, SignedHeaders=host, Signature=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "Authorization: AWS4-HMAC-SHA256 Credential=[redacted: signature], SignedHeaders=host, Signature=[redacted: signature 2]",
        ),
    ]);
}

#[test]
fn addresses_keep_all_but_the_password() {
    becomes(&[
        ("postgres://user:s3cr3t@host/db", "postgres://user:[redacted: password]@host/db"),
        ("amqp://u:p%40ss1@h:5672/", "amqp://u:[redacted: password]@h:5672/"),
        ("redis://:s3cr3tpw@cache:6379", "redis://:[redacted: password]@cache:6379"),
        (
            "jdbc:mysql://h/db?user=u&password=s3cr3t&x=1",
            "jdbc:mysql://h/db?user=u&password=[redacted: password]&x=1",
        ),
        (
            "https://h/v1?access_token=q8Zk31xW9v7p#x",
            "https://h/v1?access_token=[redacted: access token]#x",
        ),
        (
            "https://s3/x?X-Amz-Expires=60&X-Amz-Signature=9f86d081884c7d659a2feaa0c55ad015",
            "https://s3/x?X-Amz-Expires=60&X-Amz-Signature=[redacted: signature]",
        ),
        (
            "https://a.blob.core.windows.net/c?sv=2024&sig=q8Zk31xW9v7pM2m4Zz5q%2Bab%3D",
            "https://a.blob.core.windows.net/c?sv=2024&sig=[redacted: signature]",
        ),
        (
            "https://hooks.slack.com/services/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",
            "https://hooks.slack.com/services/[redacted: slack webhook]",
        ),
        (
            "https://api.telegram.org/bot1234567891:AAq8Zk31xW9v7pM2m4Zz5q0TtYwE1rB6nLs/getMe",
            "https://api.telegram.org/bot[redacted: telegram bot token]/getMe",
        ),
    ]);
}

#[test]
fn connection_strings_keep_all_but_the_password() {
    becomes(&[
        (
            "Server=db;User Id=sa;Password=S3cr3t!pw;Encrypt=true",
            "Server=db;User Id=sa;Password=[redacted: password];Encrypt=true",
        ),
        (
            "AccountName=x;AccountKey=q8Zk31xW9v7pM2m4Zz5q0TtYwE1rB6nLs8Zk31xW9v7pM2m4Zz5q0TtYwE1rB6nLsAAbbCCddEEffGGhhIIjjKK==;EndpointSuffix=y",
            "AccountName=x;AccountKey=[redacted: account key];EndpointSuffix=y",
        ),
        (
            "host=db user=app password=s3cr3t sslmode=require",
            "host=db user=app password=[redacted: password] sslmode=require",
        ),
    ]);
}

#[test]
fn commands_that_take_a_password_lose_it() {
    becomes(&[
        ("mysql -u root -ps3cr3t app", "mysql -u root -p[redacted: password] app"),
        ("sshpass -p 's3cr3t' ssh host", "sshpass -p '[redacted: password]' ssh host"),
        ("curl -u bob:s3cr3t https://h", "curl -u bob:[redacted: password] https://h"),
        ("redis-cli -a s3cr3t ping", "redis-cli -a [redacted: password] ping"),
        ("docker login -u bob -p s3cr3t reg", "docker login -u bob -p [redacted: password] reg"),
        (
            "openssl rsa -passin pass:s3cr3t -in k",
            "openssl rsa -passin pass:[redacted: password] -in k",
        ),
    ]);
}

#[test]
fn files_of_credentials_lose_them() {
    becomes(&[
        (
            "machine h login bob password swordfish",
            "machine h login bob password [redacted: password]",
        ),
        ("db.local:5432:app:bob:s3cr3tpw\n", "db.local:5432:app:bob:[redacted: password]\n"),
        ("bob:$apr1$Zx7kQ2pL$q8Zk31xW9v7pM2m4Zz5q01", "bob:[redacted: password hash]"),
        (
            "apiVersion: v1\ndata:\n  user: ZGV2\n  pw: czNjcjN0\nkind: Secret\nmetadata:\n  name: api\n",
            "apiVersion: v1\ndata:\n  user: [redacted: kubernetes secret]\n  pw: [redacted: password]\nkind: Secret\nmetadata:\n  name: api\n",
        ),
        (
            "{\"kind\": \"Secret\", \"data\": {\"user\": \"ZGV2\", \"pw\": \"czNjcjN0\"}}",
            "{\"kind\": \"Secret\", \"data\": {\"user\": \"[redacted: kubernetes secret]\", \"pw\": \"[redacted: kubernetes secret 2]\"}}",
        ),
    ]);
}

#[test]
fn a_private_key_becomes_one_mark() {
    let begin = "-----BEGIN RSA PRIVATE KEY-----";
    let end = "-----END RSA PRIVATE KEY-----";
    let mark = "[redacted: rsa private key]";
    becomes(&[
        (&format!("x\n{begin}\n{KEY}\n{KEY}\nab==\n{end}\ny"), &format!("x\n{mark}\ny")),
        (&format!("{begin}\r\n{KEY}\r\n{end}\r\n"), &format!("{mark}\r\n")),
        (
            &format!("{{\"k\":\"{begin}\\n{KEY}\\n{KEY}\\n{end}\\n\"}}"),
            &format!("{{\"k\":\"{mark}\\n\"}}"),
        ),
        (&format!("k: |\n  {begin}\n  {KEY}\n  {end}\n"), &format!("k: |\n  {mark}\n")),
        (
            &format!("{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{KEY}\n{end}"),
            mark,
        ),
        (
            &format!("{begin}\n{KEY}\n{KEY}\n\nand then it was cut off\n"),
            &format!("{mark}\n\nand then it was cut off\n"),
        ),
        (&format!("{begin} {KEY} {KEY} {end}"), mark),
    ]);
}

#[test]
fn what_is_said_in_other_words_is_taken_too() {
    becomes(&[
        ("the password is always Xk29lmQ722vv", "the password is always [redacted: password]"),
        ("“DB_PASS=Zx81kQpv9TmLw2” said", "“DB_PASS=[redacted: password]” said"),
    ]);
}
