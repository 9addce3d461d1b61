//! What looks like a secret and is none. All of it must stay as it is.

use super::kinds::value;
use crate::rng::Rng;

/// Around every one of these, in turn.
const FRAMES: [&str; 6] = [
    "@\n",
    "Before the token refresh was mended: @\n",
    "```\n@\n```\n",
    "- @\n- the password check comes next\n",
    "2026-11-15T17:45:00Z INFO auth ok @\n",
    "{\"note\": \"done\", \"n\": 1}\n@\n",
];

/// Around those that are whole lines.
const LINES: [&str; 3] = ["@\n", "Some text.\n\n@\nMore text.\n", "```\n@\n```\n"];

/// Values with random parts, as in `kinds`.
const DRAWN: &[&str] = &[
    "commit {h40}", "{h40}", "{h7}", "{h12}", "merged {h7}..{h7} into main", "HEAD is now at {h7} wip",
    "index {h7}..{h7} 100644", "{U}", "request id {U}", "session_id={U}", "trace_id: {h32}",
    "span_id={h16}", "sha256:{h64}", "sha256 {h64}", "SHA512({h128})", "md5 {h32}", "{h64}  target/release/segue",
    "checksum = \"{h64}\"", "\"integrity\": \"sha512-{b86}==\"", "integrity sha512-{b86}==",
    "<script integrity=\"sha384-{b64}\" src=\"/app.js\"></script>",
    "golang.org/x/oauth2 v0.24.0 h1:{b43}=", "golang.org/x/oauth2 v0.24.0/go.mod h1:{b43}=",
    "    {file = \"token-1.2.3-py3-none-any.whl\", hash = \"sha256:{h64}\"},",
    "--hash=sha256:{h64}", "resolved \"https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#{h40}\"",
    "image: registry.local/auth-token@sha256:{h64}", "FROM debian@sha256:{h64}", "etag: \"{h32}\"",
    "data:image/png;base64,iVBORw0KGgo{b180}", "url(data:font/woff2;base64,d09GMgAB{b120})",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB{b200} dev@host", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} dev@host",
    "age1{l58}", "untrusted comment: minisign public key {u16}", "SHA256:{b43} dev@host (ED25519)",
    "fingerprint {h40}", "key id {u16}", "build-{l8}-{l5}", "pod/api-{l10}-{l5}", "v1.2.3-{h7}",
    "20261115-174500-{h8}", "segue show 20261115-174500-{h8}", "supersedes: 20261115-174500-{h8}",
    "toolu_01{a22}", "msg_01{a22}", "call_{a24}", "chatcmpl-{a29}", "req_{a24}", "run_{a24}", "thread_{a24}",
    "cus_{a14}", "price_1{a23}", "pi_3{a23}", "pk_live_{a24}", "pk_test_{a24}", "phc_{a43}",
    "AC{h32}", "arn:aws:iam::123456789012:role/deploy-{l8}", "i-0{h17}", "vpc-{h8}", "subnet-0{h17}",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-{a6}", "projects/p/secrets/db-password/versions/3",
    "0x{h40}", "0x{h64}", "{h16}", "ETag: W/\"{h16}\"", "nonce {h24}", "blob {h40}", "tree {h40}", "parent {h40}",
    "key_id = \"{h16}\"", "public_key = \"{b43}=\"", "cache_key: {h32}", "idempotency_key: {U}",
    "next_page_token: {w40}", "signature: {b86}==", "\"signature\": \"{b86}==\"", "csrf id {h8}",
    "password_hash_algorithm = argon2id", "token_hash = {h64}", "api_key_id: {l20}", "\"key_id\": \"{u16}\"",
    "client_id={a20}", "\"client_id\": \"{d12}-{l32}.apps.googleusercontent.com\"", "tenant_id: {U}",
    "artifact {l12}.tar.gz", "node_modules/.cache/{h20}/index.js", "target/debug/deps/segue-{h16}",
    "/tmp/tmp{l8}/token.txt", "chunk-{a8}.js", "main.{h8}.js", "assets/index-{a8}.css", "s3://bucket/{U}/dump.sql",
    "https://example.org/items/{U}", "https://docs.local/page?id={h24}&lang=en", "https://cdn.local/{h40}/app.js",
];

/// Lines as they stand in code, documentation and output.
const WRITTEN: &[&str] = &[
    "GITHUB_TOKEN=<your-token>", "GITHUB_TOKEN=xxxxxxxxxxxxxxxx", "API_KEY=changeme", "API_KEY=your_api_key_here",
    "token: ${TOKEN}", "token: $TOKEN", "set TOKEN=%TOKEN%", "token: {{ secrets.TOKEN }}",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}", "token: process.env.TOKEN", "const token = process.env.API_TOKEN;",
    "password = os.environ[\"DB_PASSWORD\"]", "token = os.getenv(\"TOKEN\")", "secret: env(\"APP_SECRET\")",
    "password: '****'", "password: ********", "token: \u{2026}", "Authorization: Bearer \u{2026}",
    "password = [redacted: password]", "token: [redacted: github token 2]", "password: REDACTED",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "ghp_[A-Za-z0-9]{36}", "`ghp_` followed by 36 characters", "sk-ant-api03-...", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "xoxb-your-token-here", "sk_test_xxxxxxxxxxxxxxxxxxxxxxxx", "regex = '''AKIA[A-Z2-7]{16}'''",
    "fn refresh_token(token: &str) -> Result<Token, AuthError> {", "password: String,", "pub token: Option<String>,",
    "token = get_token()", "secret = config.secret", "let password = prompt(\"Password: \")?;", "token: Token::new(),",
    "self.password = password", "this.token = token;", "const { token, secret } = credentials;", "user.password = hash(password)",
    "if (password !== confirmPassword) {", "assert token is not None", "def login(username: str, password: str) -> Session:",
    "password: z.string().min(8),", "password: string;", "secret: bytes", "password VARCHAR(255) NOT NULL,",
    "type Token struct { Value string }", "token := r.Header.Get(\"Authorization\")", "func (c *Client) SetToken(token string) {",
    "max_tokens: 4096", "\"max_tokens\": 8192,", "token_count = 1234", "input_tokens: 1532, output_tokens: 88",
    "\"cache_read_input_tokens\": 20480", "tokens per second: 41.7", "token budget: 128000", "key_id: 42",
    "secret_name: db-credentials", "secretName: api-tls", "secretKeyRef:", "imagePullSecrets:", "  - name: registry-credentials",
    "passwordSecretRef: db-password", "existingSecret: my-release-postgresql", "password_min_length = 12",
    "password: at least 12 characters", "The password is required.", "The token is expired.", "Password: required",
    "password must contain a digit", "Enter your password:", "Wrong password, try again", "the password is hashed with argon2id",
    "a token is issued for 3600 seconds", "the secret is stored in Vault under secret/data/api", "Forgot your password?",
    "<input type=\"password\" name=\"password\" placeholder=\"Password\">", "<label for=\"password\">Password</label>",
    "\"password\": \"Password\",", "\"login.password.label\": \"Your password\",", "passwordField.setError(\"Invalid password\")",
    "Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "-H \"Authorization: Bearer ${TOKEN}\"",
    "Authorization: Basic <base64>", "headers[\"Authorization\"] = f\"Bearer {token}\"", "WWW-Authenticate: Bearer realm=\"api\"",
    "www-authenticate: Basic realm=\"Restricted\"", "Set-Cookie: theme=dark; Path=/", "Cookie: lang=en; theme=dark",
    "postgres://user:password@localhost:5432/app", "postgres://user:${DB_PASSWORD}@db/app", "postgres://localhost/app",
    "redis://localhost:6379/0", "https://user@host.local/path", "ssh://git@github.com/team/app.git", "git@github.com:team/app.git",
    "http://localhost:8080/callback?code=<code>", "https://api.local/v1?token=<token>", "mysql -u root -p app < dump.sql",
    "curl -u \"$USER:$PASSWORD\" https://api.local", "docker run -p 8080:80 nginx", "ssh -p 2222 dev@host", "cp -p a b",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "grep -n 'BEGIN RSA PRIVATE KEY' -r .",
    "-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBTVWYxV0JGcDA4UWNkZHlz\n-----END AGE ENCRYPTED FILE-----",
    "test auth::tests::token_is_refreshed ... ok", "running 14 tests for password_policy", "error[E0308]: expected `Token`, found `&str`",
    "src/auth/token.rs:214:9: warning: unused variable: `secret`", "crates/core/src/redact/tokens.rs", "docs/secrets-and-tokens.md",
    "feat(auth): rotate refresh tokens", "use crate::auth::{Secret, TokenStore};", "import { getToken } from './auth/token';",
    "import jsonwebtoken from 'jsonwebtoken';", "js-tokens@^3.0.0 || ^4.0.0:", "\"js-tokens\": \"^4.0.0\",", "passport-jwt@4.0.1",
    "tokio = { version = \"1.42\", features = [\"full\"] }", "name = \"secrecy\"", "keyring = \"3.6.1\"", "version = \"4.5.21\"",
    "KEYCLOAK_REALM=main", "SESSION_TIMEOUT=3600", "TOKEN_TTL=15m", "AUTH_PROVIDER=google", "JWT_ALGORITHM=HS256",
    "PASSWORD_RESET_URL=https://app.local/reset", "SECRET_PROVIDER=vault", "token_type=bearer", "\"token_type\": \"Bearer\",",
    "grant_type=refresh_token", "scope=openid+profile", "\"auth\": \"oauth2\",", "auth: basic", "auth_method: token",
    "credentials: include", "credentials: 'same-origin'", "credentials_path = ~/.aws/credentials", "secret_path: /run/secrets/db",
    "--password-stdin", "docker login --username dev --password-stdin", "--password-file ./pw.txt", "--token-file=/run/token",
    "API_TOKEN_FILE=/run/secrets/api_token", "the --password option takes a value", "pass the token as a header",
    "token bucket with 100 requests a minute", "the session key is derived with HKDF", "primary key (id)", "PRIMARY KEY (user_id, token_id)",
    "keyboard shortcuts", "press any key to continue", "secret santa list", "passing tests: 214", "pass: 12, fail: 0",
    "compass: north", "author: Dev <dev@example.org>", "authority: login.local", "1.2.3.4:5432", "host:5432:ready", "12:30:45:999",
    "10 minutes of tokens", "OAuth2 token endpoint", "kind: Secret is not used here", "kind: ConfigMap", "apiVersion: v1",
    "password123 is a weak one? No names here.", "lorem ipsum dolor sit amet consectetur", "AuthenticationTokenRefreshScheduler",
    "the key is stored in the OS keychain", "api key: see 1Password", "token: see .env", "password: ask Ana", "secret: none",
    "API key rotation is due in March", "Tokens: 1,024 in, 88 out", "\"tokens\": [1, 2, 3]", "eos_token: \"</s>\"", "pad_token_id: 50256",
    "const SECRET_KEY_LENGTH: usize = 32;", "private readonly token: string", "private key: PathBuf", "PRIVATE_KEY_PATH=./id_ed25519",
    "secrets.toml", "\"private\": true,", "eyJ is how a JWT begins", "hvs. is the prefix of Vault", "SG. is the prefix of SendGrid",
];

/// Each in two or three places, as texts of which nothing may change.
pub(super) fn lookalikes(seed: u64) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for (at, shape) in DRAWN.iter().enumerate() {
        let mut rng = Rng::of(seed, &[7, at as u64]);
        for turn in 0..3 {
            let drawn = value(shape, &mut rng);
            texts.push(((*shape).to_owned(), FRAMES[(at + turn * 2) % FRAMES.len()].replace('@', &drawn)));
        }
    }
    for line in WRITTEN {
        for frame in LINES {
            texts.push(((*line).to_owned(), frame.replacen('@', line, 1)));
        }
    }
    texts
}

pub(super) fn count() -> usize {
    DRAWN.len() + WRITTEN.len()
}
