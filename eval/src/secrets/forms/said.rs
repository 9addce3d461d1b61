//! Passwords, pins and keys as people say them in English.

use super::Form;

pub(super) const SAID: &[Form] = &[
    ("said", &["the password is «{a10}», do not lose it\n"]),
    ("said to have changed", &["I reset the admin password to «{p12}» this morning\n"]),
    (
        "password is",
        &[
            "the db pw is «{a12}»\n",
            "The password is «{p12}».\n",
            "root password is `«{p14}»`, keep it\n",
            "my password is «{K1}»\n",
            "the admin pass is \"«{p12}»\"\n",
            "its passphrase is «{p20}»\n",
            "the wifi password here is «{a12}», btw\n",
            "pw = «{a12}»\n",
            "pwd: «{a12}»\n",
        ],
    ),
    (
        "password as people make it",
        &[
            "the password is «{K1}»\n",
            "login with «{K1}» as the password\n",
            "password «{K1}» should work\n",
            "try «{K1}», that is the old password\n",
        ],
    ),
    (
        "use as the password",
        &[
            "Use «{p12}» as the password.\n",
            "use «{a40}» as the api key\n",
            "please use `«{p12}»` for the password\n",
            "enter «{a12}» when it asks for the password\n",
            "type «{a12}» at the password prompt\n",
            "with «{a12}» as password it works\n",
            "«{a12}» is the password for staging\n",
            "«{p14}» is the root password\n",
        ],
    ),
    (
        "login with",
        &[
            "login with marta:«{a12}»\n",
            "log in as marta / «{p12}»\n",
            "sign in with marta@example.org and «{a12}»\n",
            "log in as admin with password «{p12}»\n",
            "the login is admin:«{p12}»\n",
            "credentials are admin / «{p12}»\n",
            "creds: admin:«{a12}»\n",
            "you can ssh in as root/«{a12}»\n",
            "user marta, password «{a12}»\n",
        ],
    ),
    (
        "changed to",
        &[
            "I changed the password to «{p12}»\n",
            "set the password to «{a12}»\n",
            "The password was reset to «{K1}»\n",
            "new password: «{p12}»\n",
            "rotate the token to «{a40}»\n",
            "the password has been changed from «{a12}» to «{a12}»\n",
        ],
    ),
    (
        "pin",
        &[
            "my pin is «{n6}»\n",
            "The PIN is «{n4}».\n",
            "PIN: «{n6}»\n",
            "use pin «{n6}» to unlock the phone\n",
            "the pin code is «{n6}»\n",
        ],
    ),
    (
        "one-time code",
        &[
            "the 2fa code is «{n6}»\n",
            "Your verification code is «{n6}».\n",
            "OTP: «{n6}»\n",
            "my totp secret is «{B32}»\n",
        ],
    ),
    (
        "the key is",
        &[
            "the key is «{a32}»\n",
            "The key is `«{a40}»`.\n",
            "here is the key: «{a40}»\n",
            "my key: «{w43}»\n",
            "the api key is «{h40}»\n",
            "our license key is «{u5}-{u5}-{u5}-{u5}»\n",
            "the encryption key is «{h64}»\n",
            "The signing key: «{b43}=»\n",
        ],
    ),
    (
        "the token is",
        &[
            "the token is «{a40}»\n",
            "this is my token «{w43}»\n",
            "token for ci: «{a40}»\n",
            "I got a new token, «{a40}», use that one\n",
            "Here is a fresh access token:\n\n«{w64}»\n",
            "your bearer token is «{w43}»\n",
        ],
    ),
    (
        "the secret is",
        &[
            "the client secret is «{w40}»\n",
            "the shared secret is «{a32}»\n",
            "secret: «{a32}»\n",
            "the webhook secret is «{h40}»\n",
            "The secret for staging is `«{w43}»`.\n",
        ],
    ),
    (
        "asked of an agent",
        &[
            "Connect to the db with user app and password «{a14}» and run the migration.\n",
            "Deploy it. The API token is «{a40}».\n",
            "here are the credentials, user: deploy, password: «{p14}»\n",
            "ssh into 10.0.0.4, pw «{a12}»\n",
            "remember that the staging password is «{K1}»\n",
            "put this in .env: API_TOKEN=«{a40}»\n",
            "The sudo password on this box is «{a12}»\n",
            "use my key «sk-ant-api03-{w93}AA» for the test\n",
        ],
    ),
    (
        "password on the next line",
        &[
            "The password is:\n\n«{p12}»\n",
            "Password:\n`«{p12}»`\n",
            "Here is the password for the db\n> «{p12}»\n",
            "api key below\n«{a40}»\n",
        ],
    ),
    (
        "password in brackets",
        &[
            "user admin (password: «{p12}»)\n",
            "the staging server (pw «{a12}») is up\n",
            "marta (pass «{a12}»)\n",
        ],
    ),
    ("passphrase of words", &["the passphrase is \"«gravel-{z6}-{z7}-{z5}-{n2}»\"\n"]),
];
