//! What is pasted from terminals, panels, routers and chats: banners, backup codes, devices, words as passwords.

use super::Form;

pub(super) const PASTED: &[Form] = &[
    (
        "password with the colon inside its emphasis",
        &[
            "**Password:** «K{z6}!{n3}»\n",
            "**Password:** `«M{z6}${n3}»`\n",
            "- **API key:** `«{a32}»`\n",
            "**Token:** «{a32}»\n",
        ],
    ),
    (
        "password of words after a sign",
        &[
            "password: «{z5}-table-{z6}»\n",
            "password = «kartoffel{z2}»\n",
            "Password: «{z5}-{z5}-{z6}»\n",
            "- passwd: «mango{z4}»\n",
            "pw: «{z4}-anchor-{z5}».\n",
            "user: bob password: «kartoffel{n2}»\n",
            "login: bob, password: «{z5}-velvet-{z5}»\n",
        ],
    ),
    (
        "password of words that is told",
        &[
            "The staging password is «{z5}-table-{z5}»\n",
            "I think the password is «{z6}-lantern-{z4}-copper».\n",
        ],
    ),
    ("short password after its name", &["pw «Xy{d1}zQ{d1}»\n", "root pw «Qa{d1}bL{d1}w»\n"]),
    ("access", &["Zugang: marta / «Sommer{n4}!»\n", "Accès : marie / «Soleil{n4}!»\n"]),
    (
        "sql in a command",
        &[
            "mysql -e \"CREATE USER a IDENTIFIED BY '«K{z6}#{n3}»'\"\n",
            "mysql -u root -e \"ALTER USER a IDENTIFIED BY '«R{z6}!{n3}»'\"\n",
            "psql -c \"ALTER ROLE app PASSWORD '«T{z6}%{n3}»'\"\n",
        ],
    ),
    (
        "changed from",
        &[
            "I changed the password from «K{z6}!{n3}» to something else\n",
            "rotated the root password from «P{z6}${n3}» to «L{z6}${n3}»\n",
        ],
    ),
    ("wifi key", &["the wifi key is «K{z6}!{n3}»\n", "WLAN key: «M{z6}%{n3}»\n"]),
    (
        "unlock code",
        &["the unlock code of the vault is «K{z6}!{n3}»\n", "alarm code: «{d1}{n5}»\n"],
    ),
    (
        "backup codes",
        &[
            "recovery codes: «{d1}{h4}-{h4}{d1}»\n",
            "2FA backup code «{d1}{n7}»\n",
            "Backup codes:\n«{h4}{d1}-{d1}{h4}»\n«{h4}{d1}-{d1}{h4}»\n",
            "recovery codes: «{d1}{h4}-{h4}{d1}», «{d1}{h4}-{h4}{d1}»\n",
        ],
    ),
    ("totp seed", &["TOTP seed «{B32}»\n", "otp seed: «{B32}»\n", "the 2FA seed is «{B26}»\n"]),
    (
        "bitlocker recovery key",
        &[
            "Recovery key: «{n6}-{n6}-{n6}-{n6}-{n6}-{n6}-{n6}-{n6}»\n",
            "  Password:\n    «{n6}-{n6}-{n6}-{n6}-{n6}-{n6}-{n6}-{n6}»\n",
        ],
    ),
    (
        "banner above a password",
        &[
            "*** Initial admin password ***\n«{h32}»\n",
            "==== Admin Password ====\n\n«{a20}»\n",
            "Please use the following password to proceed to installation:\n\n«{h32}»\n\nThis may also be found at: /var/x\n",
        ],
    ),
    (
        "secret decoded on the next line",
        &[
            "kubectl get secret argocd-initial-admin-secret -o jsonpath=\"{.data.password}\" | base64 -d\n«{a16}»\n",
        ],
    ),
    (
        "read from standard input",
        &[
            "vpnc-connect --password-stdin <<< '«K{z6}#{n3}»'\n",
            "openconnect --passwd-on-stdin vpn.example.com <<< «M{z6}!{n3}»\n",
            "printf %s «K{z6}%{n3}» | secret-tool store --label=x a b\n",
            "echo «{a32}» | wrangler secret put FOO\n",
            "echo «{a32}» | npx acme secret put FOO\n",
            "echo -n «{a20}» | regctl registry login --pass-stdin\n",
            "acme login <<< «{a32}»\n",
        ],
    ),
    (
        "set as a secret of a host",
        &[
            "fly secrets set SESSION_SALT=«{a32}»\n",
            "fly secrets set A_B=«{a32}» C_D=«{h32}» --stage\n",
            "heroku config:set SIGNING_SALT=«{a32}»\n",
            "heroku config:set -a app SIGNING=«{a32}»\n",
        ],
    ),
    ("winrs", &["winrs -r:h -u:bob -p:«K{z6}!{n3}» dir\n"]),
    (
        "router",
        &[
            "enable secret 0 «K{z6}#{n3}»\n",
            "username admin privilege 15 password 0 «M{z6}!{n3}»\n",
            "radius-server key «P{z6}&{n3}»\n",
            "tacacs-server key 7 «{H16}»\n",
            "snmp-server community «{a12}» RO\n",
            "snmp-server community «{a14}» RW\n",
        ],
    ),
    ("key of an address", &["https://maps.example.com/x?key=«{a39}»\n"]),
    ("half of a pair of keys", &["STRIPE_SK=«{a32}»\n"]),
    (
        "login after it",
        &["bob/«Z{z6}!{n3}» is the login for the db\n", "bob:«{a12}» are the creds\n"],
    ),
    (
        "login with other signs",
        &["login bob ~ pass ~ «K{z6}${n3}»\n", "vpn creds: bob «M{z6}!{n3}»\n"],
    ),
    ("password in turkish", &["veritabanı şifresi «K{z6}!{n3}»\n"]),
];
