//! What is pasted from terminals, panels, routers and chats loses its secrets, and what reads like it stays.

use super::redact;

fn loses(value: &str, texts: &[&str]) {
    for text in texts {
        let text = text.replace("{}", value);
        let left = redact(&text).text;
        assert!(!left.contains(value), "{text} became {left}");
    }
}

fn stay(texts: &[&str]) {
    for text in texts {
        assert_eq!(redact(text).text, *text);
    }
}

#[test]
fn the_colon_may_stand_inside_the_emphasis() {
    loses(
        "Kqmzrtu!482",
        &[
            "**Password:** {}",
            "**Password:** `{}`",
            "__Password:__ {}",
            "<b>Password:</b> {}",
            "| **Password:** | {} |",
        ],
    );
    stay(&["**Password:** required", "**Token:** see below", "**Password** field"]);
}

#[test]
fn words_are_passwords_at_the_end_of_a_line_or_sentence() {
    loses(
        "kartoffel",
        &["password = {}", "Password: {}\nNext", "login: bob, password: {}", "Done. password: {}"],
    );
    loses("brown-table-river", &["password: {}", "The staging password is {}", "pw = {}."]);
    loses("kartoffel99", &["user: bob password: {}"]);
    loses("Xy7zQ9", &["pw {}"]);
}

#[test]
fn what_is_said_of_a_password_stays() {
    stay(&[
        "password: required",
        "password = str",
        "password: string",
        "Password: must be longer",
        "password: see 1Password",
        "The password is wrong",
        "password is expired",
        "password: case-sensitive",
        "the password is one-time-use",
        "user: bob, password: validated",
        "    password = row",
        "- [ ] password: rotation",
        "pw: __uint64,\n",
        "pw Base64",
        "Mnemonic: fraction",
        "I changed the password from plain text to bcrypt",
    ]);
}

#[test]
fn what_stands_below_a_banner_or_a_line_that_leads_to_it_goes() {
    loses(
        "3f9a1c77d2e84b06a5c1e9f0b7d36e42",
        &[
            "*** Initial admin password ***\n{}\n",
            "==== Admin Password ====\n\n{}\n",
            "Please use the following password to proceed:\n\n{}\n",
            "kubectl get secret x -o jsonpath='{.data.password}' | base64 -d\n{}\n",
        ],
    );
    stay(&[
        "*** password ***\nmust be rotated\n",
        "=== Password policy ===\nMinimum length is 12\n",
        "kubectl get secret x | base64 -d\nls\n",
    ]);
}

#[test]
fn any_command_that_is_fed_a_secret_loses_it() {
    loses(
        "Kqmzrtu!482",
        &[
            "openconnect --passwd-on-stdin vpn.local <<< {}",
            "vpnc-connect --password-stdin <<< '{}'",
            "printf %s {} | secret-tool store --label=x a b",
            "echo {} | npx acme secret put FOO",
            "winrs -r:h -u:bob -p:{} dir",
            "mysql -e \"CREATE USER a IDENTIFIED BY '{}'\"",
            "CREATE LOGIN app WITH PASSWORD = N'{}';",
            "SET PASSWORD FOR 'a'@'%' = '{}';",
        ],
    );
    loses(
        "q8Zk1Xv9W3tP7mL2rB5nC4dF6gH0jK9s",
        &["fly secrets set SALT={}", "heroku config:set SALT={} -a app", "STRIPE_SK={}"],
    );
    stay(&[
        "docker login --password-stdin < pw.txt",
        "cat pw.txt | docker login -u bob --password-stdin",
        "fly secrets set KEY=value",
        "heroku config:set NODE_ENV=production WEB_CONCURRENCY=4",
        "GSI1_SK = \"ORDER#2026-11-15\"",
    ]);
}

#[test]
fn routers_lose_their_passwords() {
    loses(
        "Kqmzrtu!482",
        &[
            "enable secret 0 {}",
            "username admin privilege 15 password 0 {}",
            "radius-server key {}",
            "snmp-server community {} RO",
            "pre-shared-key {}",
        ],
    );
    stay(&["snmp-server community string", "radius-server key must be set", "password 0 to 9"]);
}

#[test]
fn codes_that_open_something_go() {
    loses(
        "492817-038461-572930-184756-660192-375028-918364-204857",
        &["Recovery key: {}", "Numerical Password:\n  {}"],
    );
    loses("e1cf7-67b83", &["recovery codes: {}", "Backup codes:\n- a91c2-0fe48\n- {}\n"]);
    loses("28945100", &["2FA backup code {}"]);
    loses("TLVLLA54SNUQX5KY36WUNWSG6V5YKLIV", &["TOTP seed {}"]);
    loses("Kqmzrtu!482", &["the unlock code of the vault is {}", "the wifi key is {}"]);
    stay(&[
        "recovery code handling in src/auth.rs",
        "recovery code 404",
        "backup codes since 2026-11-15",
        "recovery code:\n1234567 lines",
        "random seed: 12345678",
        "the wifi key is stored in the keychain",
    ]);
}

#[test]
fn logins_and_keys_are_told_before_and_behind() {
    loses(
        "Kqmzrtu!482",
        &[
            "bob/{} is the login for the db",
            "`bob / {}` is the login",
            "vpn creds: bob {}",
            "Zugang: marta / {}",
            "I changed the password from {} to a new one",
            "veritabanı şifresi {}",
        ],
    );
    loses("eVtg0y2Bhwih2PLQxqjPf6ejg4MSeTQhij5GVzu", &["https://maps.local/x?key={}"]);
    stay(&[
        "src/main.rs is the login page",
        "http/2 is the login protocol",
        "creds: bob and marta",
        "https://example.com/x?key=9f86d081884c7d659a2feaa0c55ad015",
        "https://example.com/x?key=user-settings-page&value=1",
    ]);
}
