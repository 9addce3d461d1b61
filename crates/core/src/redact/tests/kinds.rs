//! Every kind that is known by what stands around it, in the contexts where it is met.

use super::drawn::{Drawn, base64_of};
use super::redact;

/// What stands for the value in a text.
const SLOT: &str = "{}";
const SEEDS: std::ops::Range<u64> = 1..13;

/// A command as it is met: alone, at a prompt, in a log, a file, a string of JSON, a sentence, a block.
fn contexts(command: &str) -> Vec<String> {
    let json = serde_json::Value::from(command).to_string();
    vec![
        command.to_owned(),
        format!("$ {command}\nok\n"),
        format!("2026-11-15T17:45:00Z INFO run: {command}\n"),
        format!("steps:\n  - run: |\n      {command}\n  - run: ls\n"),
        format!("{{\"command\": {json}, \"exit\": 0}}"),
        format!("I ran `{command}` and it worked."),
        format!("```\n{command}\n```\n"),
        format!("#!/bin/sh\nset -e\n{command} && echo done\n"),
        format!("- {command}\n"),
    ]
}

/// What is left of a value: eight characters in a row of it show it. Nothing more goes the second time.
fn left(text: &str, value: &str) -> Option<String> {
    let redacted = redact(text).text.into_owned();
    let chars: Vec<char> = value.chars().collect();
    let mut parts = chars.windows(chars.len().min(8)).map(|part| part.iter().collect::<String>());
    let is_left = parts.any(|part| redacted.contains(&part)) || !redacted.contains("[redacted: ");
    assert_eq!(redact(&redacted).text, redacted, "the second time");
    is_left.then_some(redacted)
}

fn goes(text: &str, value: &str) {
    assert_eq!(left(text, value), None, "from {text:?}");
}

fn each(
    templates: &[&str],
    draw: impl Fn(&mut Drawn) -> String,
    around: impl Fn(&str) -> Vec<String>,
) {
    let mut failed = Vec::new();
    for (at, template) in templates.iter().enumerate() {
        for text in around(template) {
            // The values that are drawn need no escape in JSON.
            let values = SEEDS.map(|seed| draw(&mut Drawn::new(seed * 1000 + at as u64)));
            failed.extend(values.filter_map(|value| left(&text.replace(SLOT, &value), &value)));
        }
    }
    assert!(failed.is_empty(), "{} are left: {failed:#?}", failed.len());
}

fn alone(text: &str) -> Vec<String> {
    vec![text.to_owned(), format!("before\n{text}\nafter\n")]
}

#[test]
fn commands_that_take_a_password() {
    let commands = [
        "wget --user=bob:{} https://h/x",
        "app --user=bob:{} --verbose",
        "curl -sS -u bob:{} https://h/x",
        "curl --user 'bob:{}' https://h/x",
        "curl --user=bob:{} https://h/x",
        "tool -u bob:{} https://h/x",
        "echo {} | sudo -S apt update",
        "echo '{}' | sudo -S -k whoami",
        "echo \"{}\" | sudo -S whoami",
        "printf '%s\\n' '{}' | sudo -S whoami",
        "echo bob:{} | chpasswd",
        "echo 'bob:{}' | sudo chpasswd",
        "chpasswd <<< 'bob:{}'",
        "sudo -S whoami <<< '{}'",
        "echo {} | passwd --stdin bob",
        "echo {} | docker login -u bob --password-stdin registry.local",
        "echo '{}' | gh auth login --with-token",
        "net use Z: \\\\srv\\share {} /user:bob",
        "net use \\\\srv\\share /user:bob {}",
        "net user bob {} /add",
        "xfreerdp /v:host /u:bob /p:{} /cert:ignore",
        "xfreerdp /v:host /u:bob /p:'{}'",
        "cmdkey /add:srv /user:bob /pass:{}",
        "mc alias set store https://s3.local bob {}",
        "mc config host add store https://s3.local bob {}",
        "snmpwalk -v2c -c {} 10.0.0.1 system",
        "snmpget -v 3 -u bob -A {} 10.0.0.1",
        "ldapsearch -x -D cn=admin -w {} -b dc=x",
        "lftp -u bob,{} sftp://h",
        "PGPASSWORD={} psql -h h -U bob app",
        "smbclient //srv/share -U bob%{}",
        "smbclient -U 'bob%{}' //srv/share",
        "redis-cli -h h -a {} ping",
        "mongosh -u bob -p {} db",
        "mongosh --username bob --password {} db",
        "sqlcmd -S h -U sa -P {} -Q x",
        "plink -ssh bob@h -pw {} ls",
        "sqlplus bob/{}@db",
        "htpasswd -b file bob {}",
        "rabbitmqctl add_user bob {}",
        "rclone obscure {}",
        "nmcli dev wifi connect home password {}",
        "ipmitool -H h -U bob -P {} power status",
        "7z a -p{} x.7z dir",
        "rar a -hp{} x.rar dir",
        "security unlock-keychain -p {} login.keychain",
        "oc login -u bob -p {} https://h",
        "wpa_passphrase home {}",
        "mosquitto_pub -h h -u bob -P {} -t x",
        "influx -username bob -password {} -execute x",
    ];
    each(&commands, Drawn::password, contexts);
    let powershell = [
        "$p = ConvertTo-SecureString \"{}\" -AsPlainText -Force",
        "ConvertTo-SecureString -String '{}' -AsPlainText -Force",
        "'{}' | ConvertTo-SecureString -AsPlainText -Force",
        "$c = New-Object PSCredential 'bob', (ConvertTo-SecureString '{}' -AsPlainText -Force)",
    ];
    each(&powershell, Drawn::password, contexts);
    let expect = [
        "expect \"*assword:\"\nsend \"{}\\r\"\ninteract\n",
        "expect \"assword: \" { send \"{}\\r\" }",
        "expect {\n  \"*?assword:\" {\n    send -- \"{}\\r\"\n  }\n}\n",
        "child.expect('[Pp]assword:')\nchild.sendline('{}')\n",
    ];
    each(&expect, Drawn::password, alone);
}

#[test]
fn names_headers_and_files() {
    let values = [
        "X-Shop-Auth: {}",
        "x-internal-token: {}",
        "X-Tenant-Key: {}",
        "curl -H 'X-Shop-Auth: {}' https://h",
        "curl -H \"x-edge-key: {}\" https://h",
        "{\"X-Shop-Auth\": \"{}\"}",
        "FLUX_KEY={}",
        "export FLUX_KEY={}",
        "FLUX_KEY=\"{}\"",
        "  FLUX_KEY: {}\n",
        "\"FLUX_KEY\": \"{}\"",
        "the key is {}",
        "The key is `{}`, keep it.",
        "my key for the flux service is {}",
    ];
    each(&values, |drawn| drawn.token(28), alone);
    let passwords = [
        "network={\n  ssid=\"home\"\n  psk=\"{}\"\n}\n",
        "wifi_psk: {}\n",
        "password：{}",
        "Password： {}",
        "DB_PASSWORD＝{}",
        "{\"outputs\": {\"db_password\": {\"value\": \"{}\", \"type\": \"string\", \"sensitive\": true}}}",
        "\"db_password\": {\n  \"sensitive\": true,\n  \"type\": \"string\",\n  \"value\": \"{}\"\n}",
        "  \"type\": \"random_password\",\n  \"name\": \"db\",\n  \"instances\": [{\"attributes\": {\"length\": 16, \"result\": \"{}\"}}]",
        "# random_password.db:\nresource \"random_password\" \"db\" {\n    length = 16\n    result = \"{}\"\n}\n",
        "  + password             = \"{}\"\n",
        "  ~ master_password      = \"Old1pass!x\" -> \"{}\"\n",
        "  ~ password = \"{}\" -> (sensitive value)\n",
    ];
    each(&passwords, Drawn::password, alone);
    let wireguard = [
        "[Interface]\nPrivateKey = {}=\n",
        "[Peer]\nPresharedKey = {}=\n",
        "PresharedKey={}=\n",
        "psk={}",
    ];
    each(&wireguard, |drawn| drawn.base64(43), alone);
    each(&["psk={}\n"], |drawn| drawn.of(b"0123456789abcdef", 64), alone);
}

#[test]
fn private_keys_that_were_cut_or_encoded() {
    let cut = [
        "-----BEGIN RSA PRIVATE KEY-----\n{}...\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\n{}…\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n{}…",
        "-----BEGIN PRIVATE KEY-----\\n{}...\\n-----END PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n...\n",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n...\n{}\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN EC PRIVATE KEY-----\n{}[...]\n-----END EC PRIVATE KEY-----",
        "key: |\n  -----BEGIN EC PRIVATE KEY-----\n  {}...\n",
        "-----BEGIN PRIVATE KEY-----{}...-----END PRIVATE KEY-----",
    ];
    each(&cut, |drawn| drawn.base64(40), alone);
    for seed in SEEDS {
        let mut drawn = Drawn::new(seed);
        let (one, two, three) = (drawn.base64(64), drawn.base64(40), drawn.base64(23));
        for text in [
            format!(
                "-----BEGIN RSA PRIVATE KEY-----\n{one}\n{two}…{three}\n-----END RSA PRIVATE KEY-----"
            ),
            format!(
                "-----BEGIN RSA PRIVATE KEY-----\n{one}\n...\n{two}\n{three}=\n-----END RSA PRIVATE KEY-----\n"
            ),
        ] {
            for value in [&one, &two, &three] {
                goes(&text, value);
            }
        }
    }
    let kubeconfig = [
        "    client-key-data: {}\n",
        "{\"client-key-data\": \"{}\"}",
        "client-key-data: {}…",
        "key={}",
        "{}",
    ];
    let pem = |drawn: &mut Drawn| {
        let kind = ["RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY"][drawn.below(3)];
        base64_of(&format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", drawn.base64(64)))
    };
    each(&kubeconfig, pem, alone);
}

#[test]
fn columns_that_are_named_like_secrets() {
    let tables = [
        "| user | password | role |\n|---|---|---|\n| bob | {} | admin |\n| eve | x | y |\n",
        "| user | Password |\n|:--|--:|\n| bob | `{}` |\n",
        "| **User** | **API key** |\n| --- | --- |\n| bob | {} |\n",
        "user,password,role\nbob,{},admin\n",
        "user;password\nbob;{}\n",
        "\"user\",\"api_key\"\n\"bob\",\"{}\"\n",
        "user\tpassword\trole\nbob\t{}\tadmin\n",
        "user,note,api token\nbob,\"a, b\",{}\n",
        " id | username | password\n----+----------+----------\n  1 | bob      | {}\n  2 | eve      | -\n(2 rows)\n",
        "+----+------+--------------+\n| id | user | password     |\n+----+------+--------------+\n|  1 | bob  | {} |\n+----+------+--------------+\n",
        "│ user │ token │\n├──────┼───────┤\n│ bob  │ {} │\n",
        "NAME   PASSWORD       AGE\nbob    {}  3d\neve    y  2d\n",
        "USER     TOKEN\nbob      {}\n",
    ];
    each(&tables, |drawn| format!("{}{}", drawn.token(10), drawn.password()), alone);
    each(&tables[..1], Drawn::password, alone);
    each(&tables[3..4], Drawn::password, alone);
}

#[test]
fn a_secret_key_beside_its_id() {
    for seed in SEEDS {
        let mut drawn = Drawn::new(seed);
        let id = format!("AKIA{}", drawn.of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16));
        let secret = drawn.base64(40);
        for text in [
            format!("{id} {secret}"),
            format!("{id}\n{secret}\n"),
            format!("{id}:{secret}"),
            format!("{id},{secret}\n"),
            format!("{secret} {id}"),
            format!("the id is {id} and the other one {secret}"),
            format!("{{\"id\": \"{id}\", \"value\": \"{secret}\"}}"),
            format!("| {id} | {secret} |"),
            format!("a: {id}\nb: {secret}\n"),
        ] {
            goes(&text, &secret);
        }
    }
}

#[test]
fn webhooks_and_links_that_let_one_in() {
    let links = [
        "https://hooks.slack.com/services/T01AB2CD3/B04EF5GH6/{}",
        "https://discord.com/api/webhooks/123456789012345678/{}",
        "https://discordapp.com/api/webhooks/123456789012345678/{}",
        "https://hooks.zapier.com/hooks/catch/123456/{}/",
        "https://maker.ifttt.com/trigger/door/with/key/{}",
        "https://hook.eu2.make.com/{}",
        "https://acme.webhook.office.com/webhookb2/{}",
        "https://outlook.office.com/webhook/{}",
        "https://api.netlify.com/build_hooks/{}",
        "https://events.pagerduty.com/integration/{}/enqueue",
        "https://onetimesecret.com/secret/{}",
        "https://privnote.com/9aB3x#{}",
        "https://pwpush.com/p/{}",
        "https://send.bitwarden.com/#{}",
        "https://app.local/reset-password/{}",
        "https://app.local/users/password/reset?code={}",
        "https://app.local/auth/magic-link/{}",
        "https://app.local/magic?t={}&next=/home",
        "https://app.local/invite/{}",
        "https://app.local/verify-email/7/{}/",
    ];
    each(&links, |drawn| drawn.token(26), contexts);
}

#[test]
fn seed_phrases() {
    for seed in SEEDS {
        for words in [12, 24] {
            let phrase = Drawn::new(seed).phrase(words);
            let numbered: Vec<String> = phrase
                .split(' ')
                .enumerate()
                .map(|(at, word)| format!("{}. {word}", at + 1))
                .collect();
            let listed: Vec<String> = phrase.split(' ').map(|word| format!("\"{word}\"")).collect();
            let mut texts = contexts(&phrase);
            texts.extend([
                format!("MNEMONIC=\"{phrase}\""),
                format!("seed phrase: {phrase}"),
                format!("wallet:\n  mnemonic: {phrase}\n"),
                format!("{{\"mnemonic\": \"{phrase}\"}}"),
                phrase.to_uppercase(),
                phrase.replace(' ', ", "),
                phrase.replace(' ', "\n"),
                numbered.join("\n"),
                numbered.join(" "),
                format!("[{}]", listed.join(", ")),
            ]);
            for text in texts {
                let redacted = redact(&text).text.into_owned();
                let left = phrase.split(' ').filter(|word| redacted.to_lowercase().contains(*word));
                assert!(left.count() <= 3, "{redacted}\nfrom {text}");
                assert_eq!(redact(&redacted).text, redacted);
            }
        }
        // Whose checksum does not hold, but a name stands beside it.
        let phrase = Drawn::new(seed).phrase(12);
        let (first, rest) = phrase.split_once(' ').unwrap();
        let text = format!("my recovery phrase is {rest} {first}");
        assert!(!redact(&text).text.contains(rest), "{text}");
    }
}

#[test]
fn what_people_say_of_a_password() {
    let said = [
        "the db pw is {}",
        "db pw: {}",
        "use {} as the password",
        "Use {} as the password for staging.",
        "{} is the password",
        "{} is the password for the staging database.",
        "login with marta:{}",
        "log in with marta:{} please",
        "Login: marta / {}",
        "credentials: marta / {}",
        "Das Passwort für den Staging-Server lautet {}",
        "Das Passwort ist {}.",
        "Passwort: {}",
        "mot de passe : {}",
        "le mot de passe est {}",
        "mdp: {}",
        "contraseña: {}",
        "la contraseña de la base es {}",
        "la clave es {}",
        "clave: {}",
        "senha: {}",
        "a senha é {}",
        "a senha do banco é {}",
        "la password è {}",
        "parola: {}",
        "wachtwoord: {}",
        "het wachtwoord is {}",
        "hasło: {}",
        "hasło to {}",
        "heslo: {}",
        "heslo je {}",
        "lösenord: {}",
        "lösenordet är {}",
        "passord: {}",
        "adgangskode: {}",
        "salasana: {}",
        "salasana on {}",
        "jelszó: {}",
        "şifre: {}",
        "parolă: {}",
        "lozinka je {}",
        "mật khẩu: {}",
        "mật khẩu là {}",
        "kata sandi: {}",
        "пароль: {}",
        "Пароль от базы: {}",
        "пароль — {}",
        "парола: {}",
        "κωδικός: {}",
        "ο κωδικός είναι {}",
        "密码是 {}",
        "密码：{}",
        "密码: {}",
        "数据库的密码是{}。",
        "密碼：{}",
        "パスワードは {}",
        "パスワード：{}",
        "パスワードは{}です",
        "비밀번호: {}",
        "비밀번호는 {} 입니다",
        "पासवर्ड: {}",
        "पासवर्ड {} है",
        "كلمة المرور: {}",
        "סיסמה: {}",
        "รหัสผ่าน: {}",
    ];
    each(&said, Drawn::password, alone);
    let quoted = [
        "la clave es «{}»",
        "Das Passwort lautet „{}“",
        "密码是「{}」",
        "mot de passe : « {} »",
        "senha: `{}`",
    ];
    each(&quoted, Drawn::password, alone);
    let pins =
        ["my pin for the alarm is {}", "PIN: {}", "the pin is {}", "Meine PIN ist {}", "pin: {}"];
    each(&pins, |drawn| drawn.digits(6), alone);
}
