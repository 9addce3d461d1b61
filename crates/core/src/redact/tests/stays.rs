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
