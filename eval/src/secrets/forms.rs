//! Secrets that have a form of their own: keys in blocks, connection strings, files of credentials.

use super::kinds::value;
use crate::rng::Rng;

/// Name, what stands before, the shape of the value, what stands after.
const FORMS: &[(&str, &str, &str, &str)] = &[
    (
        "rsa key",
        "key:\n",
        "-----BEGIN RSA PRIVATE KEY-----\nMII{b61}\n{b64}\n{b64}\n{b30}==\n-----END RSA PRIVATE KEY-----",
        "\n",
    ),
    (
        "pkcs8 key in json",
        "{\"private_key\": \"",
        "-----BEGIN PRIVATE KEY-----\\nMII{b61}\\n{b64}\\n{b64}\\n-----END PRIVATE KEY-----",
        "\\n\", \"id\": 1}",
    ),
    (
        "openssh key",
        "",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA{b50}\n{b70}\n{b70}\n{b20}=\n-----END OPENSSH PRIVATE KEY-----",
        "\ndone\n",
    ),
    (
        "key without an end",
        "cat id_rsa\n",
        "-----BEGIN EC PRIVATE KEY-----\nMHc{b61}\n{b64}",
        "\n\nthe terminal cut it off here\n",
    ),
    (
        "encrypted key",
        "",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,{u32}\n\n{b64}\n{b64}\n-----END RSA PRIVATE KEY-----",
        "\n",
    ),
    (
        "pgp key",
        "",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ{b62}\n{b64}\n={b4}\n-----END PGP PRIVATE KEY BLOCK-----",
        "\n",
    ),
    (
        "key in yaml",
        "tls:\n  key: |\n    ",
        "-----BEGIN PRIVATE KEY-----\n    MII{b61}\n    {b64}\n    -----END PRIVATE KEY-----",
        "\n  crt: x\n",
    ),
    (
        "key on one line",
        "SSH_KEY=\"",
        "-----BEGIN PRIVATE KEY-----\\nMII{b61}\\n{b64}\\n-----END PRIVATE KEY-----",
        "\\n\"\n",
    ),
    (
        "postgres address",
        "DATABASE_URL=postgres://app:",
        "{a14}",
        "@db.local:5432/app?sslmode=require\n",
    ),
    ("mongodb address", "mongodb+srv://app:", "{a16}", "@cluster0.local/app\n"),
    ("redis address", "redis://:", "{a20}", "@cache.local:6379/0\n"),
    ("smtp address", "smtps://mailer:", "{p12}", "@mail.local:465\n"),
    ("git address", "git clone https://oauth2:", "{a24}", "@git.local/a/b.git\n"),
    ("token as a user", "https://", "{a40}", "@git.local/a/b.git\n"),
    ("jdbc", "jdbc:postgresql://db/app?user=app&password=", "{a14}", "&ssl=true\n"),
    (
        "sql server",
        "Server=tcp:db,1433;Database=app;User Id=sa;Password=",
        "{p14}",
        ";Encrypt=true;\n",
    ),
    ("libpq", "psql \"host=db user=app password=", "{a14}", " dbname=app\"\n"),
    (
        "storage account",
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=",
        "{b86}==",
        ";EndpointSuffix=core.windows.net\n",
    ),
    (
        "event hub",
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=",
        "{b43}=",
        ";EntityPath=e\n",
    ),
    ("sas", "https://x.blob.core.windows.net/c/b?sv=2024-11-04&sp=r&sig=", "{a40}%2B{a3}%3D", "\n"),
    ("presigned", "https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature=", "{h64}", "\n"),
    ("slack webhook", "https://hooks.slack.com/services/", "T{u10}/B{u10}/{a24}", "\n"),
    ("discord webhook", "https://discord.com/api/webhooks/", "{d18}/{w68}", "\n"),
    ("telegram address", "https://api.telegram.org/bot", "{d10}:AA{w33}", "/sendMessage\n"),
    ("cookie", "Cookie: theme=dark; session=", "{w43}", "; lang=en\n"),
    ("set-cookie", "set-cookie: connect.sid=", "s%3A{w32}.{w43}", "; Path=/; HttpOnly\n"),
    ("basic", "Authorization: Basic ", "{b28}", "\n"),
    ("digest", "Authorization: Digest username=\"bob\", realm=\"r\", response=\"", "{h32}", "\"\n"),
    (
        "aws signature",
        "Authorization: AWS4-HMAC-SHA256 SignedHeaders=host;x-amz-date, Signature=",
        "{h64}",
        "\n",
    ),
    ("bare bearer", "sent \"Bearer ", "{w40}", "\" to the api\n"),
    ("netrc", "machine api.local login bob password ", "{a12}", "\n"),
    ("netrc on lines", "machine api.local\n  login bob\n  password ", "{a12}", "\n"),
    ("pgpass", "db.local:5432:app:bob:", "{a14}", "\n"),
    ("htpasswd", "bob:", "$apr1${a8}${a22}", "\n"),
    ("shadow", "root:", "$6${a16}${a86}", ":19000:0:99999:7:::\n"),
    ("npmrc", "//registry.npmjs.org/:_authToken=", "{U}", "\n"),
    (
        "docker config",
        "{\"auths\": {\"https://index.docker.io/v1/\": {\"auth\": \"",
        "{b40}",
        "\"}}}",
    ),
    (
        "kubernetes yaml",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: api\ndata:\n  plain: ",
        "{b24}",
        "\ntype: Opaque\n",
    ),
    (
        "kubernetes yaml, sorted",
        "apiVersion: v1\ndata:\n  plain: ",
        "{b24}",
        "\nkind: Secret\nmetadata:\n  name: api\n",
    ),
    (
        "kubernetes json",
        "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"data\": {\"plain\": \"",
        "{b24}",
        "\"}}",
    ),
    ("mysql", "mysqldump -h db -u root -p", "{a12}", " app > dump.sql\n"),
    ("sshpass", "sshpass -p '", "{p12}", "' ssh bob@host\n"),
    ("curl user", "curl -s -u bob:", "{a12}", " https://api.local/v1\n"),
    ("redis-cli", "redis-cli -h cache -a ", "{a16}", " INFO\n"),
    ("docker login", "docker login -u bob -p ", "{a16}", " registry.local\n"),
    ("ldap", "ldapsearch -x -D cn=admin -w ", "{a12}", " -b dc=x\n"),
    ("openssl", "openssl pkcs12 -in a.p12 -passin pass:", "{a12}", " -nodes\n"),
    ("terraform", "  master_password = \"", "{p14}", "\"\n"),
    ("xml", "<server><username>ci</username><password>", "{a14}", "</password></server>\n"),
    ("html", "<input type=\"hidden\" name=\"api_token\" value=\"", "{a32}", "\">\n"),
    ("php", "define('DB_PASSWORD', '", "{p14}", "');\n"),
    ("go", "\tclient.SetAuthToken(\"", "{a32}", "\")\n"),
    ("rust", "const API_KEY: &str = \"", "{a32}", "\";\n"),
    ("java", "private static final String PASSWORD = \"", "{p14}", "\";\n"),
    ("c#", "[\"ClientSecret\"] = \"", "{w34}", "\",\n"),
    (
        "python",
        "requests.get(url, auth=(\"bob\", password), headers={\"X-API-Key\": \"",
        "{a32}",
        "\"})\n",
    ),
    ("powershell", "$env:API_TOKEN = \"", "{a32}", "\"\n"),
    ("properties", "spring.datasource.password=", "{p14}", "\n"),
    ("said", "the password is ", "{a10}", ", do not lose it\n"),
    ("said to have changed", "I reset the admin password to ", "{p12}", " this morning\n"),
    (
        "seed phrase",
        "mnemonic: \"",
        "ripple {s} lunar {s} candle {s} orbit {s} walnut {s} meadow {s}",
        "\"\n",
    ),
];

/// A text of this form, and the value in it.
pub(super) fn form(at: usize, rng: &mut Rng) -> (String, String) {
    let (_, before, shape, after) = FORMS[at];
    let words = ["amber", "basket", "copper", "dolphin", "ember", "forest", "glacier", "harbor"];
    let mut shape = shape.to_owned();
    while shape.contains("{s}") {
        shape = shape.replacen("{s}", rng.pick(&words), 1);
    }
    let value = value(&shape, rng);
    (format!("{before}{value}{after}"), value)
}

pub(super) fn names() -> Vec<&'static str> {
    FORMS.iter().map(|(name, ..)| *name).collect()
}
