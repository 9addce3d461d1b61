//! Secrets in sources of many languages.

use super::Form;

pub(super) const CODE: &[Form] = &[
    ("terraform", &["  master_password = \"«{p14}»\"\n"]),
    ("xml", &["<server><username>ci</username><password>«{a14}»</password></server>\n"]),
    ("html", &["<input type=\"hidden\" name=\"api_token\" value=\"«{a32}»\">\n"]),
    ("php", &["define('DB_PASSWORD', '«{p14}»');\n"]),
    ("go", &["\tclient.SetAuthToken(\"«{a32}»\")\n"]),
    ("rust", &["const API_KEY: &str = \"«{a32}»\";\n"]),
    ("java", &["private static final String PASSWORD = \"«{p14}»\";\n"]),
    ("c#", &["[\"ClientSecret\"] = \"«{w34}»\",\n"]),
    (
        "python",
        &["requests.get(url, auth=(\"bob\", password), headers={\"X-API-Key\": \"«{a32}»\"})\n"],
    ),
    ("powershell", &["$env:API_TOKEN = \"«{a32}»\"\n"]),
    ("properties", &["spring.datasource.password=«{p14}»\n"]),
    (
        "connect in python",
        &[
            "conn = psycopg2.connect(host=\"db\", user=\"app\", password=\"«{a14}»\")\n",
            "pymysql.connect(\"db\", \"app\", passwd=\"«{p14}»\")\n",
            "client = paramiko.SSHClient(); client.connect(\"h\", username=\"bob\", password=\"«{a12}»\")\n",
            "requests.get(url, auth=(\"bob\", \"«{a12}»\"))\n",
            "r = redis.Redis(host=\"c\", password=\"«{a20}»\")\n",
            "smtp.login(\"bob@x.org\", \"«{a14}»\")\n",
            "os.environ[\"API_TOKEN\"] = \"«{a40}»\"\n",
            "openai.api_key = \"«{a40}»\"\n",
        ],
    ),
    (
        "connect in javascript",
        &[
            "const pool = new Pool({ user: \"app\", password: \"«{p14}»\" });\n",
            "mysql.createConnection({ host: 'db', user: 'app', password: '«{a14}»' })\n",
            "axios.get(url, { auth: { username: \"bob\", password: \"«{a12}»\" } })\n",
            "process.env.JWT_SECRET = '«{a40}»'\n",
            "app.use(session({ secret: \"«{a32}»\" }));\n",
            "jwt.sign(payload, '«{a40}»')\n",
            "const apiKey = \"«{a40}»\";\n",
            "headers.set(\"X-Api-Key\", \"«{a32}»\")\n",
        ],
    ),
    (
        "connect in java",
        &[
            "DriverManager.getConnection(url, \"app\", \"«{a14}»\");\n",
            "dataSource.setPassword(\"«{p14}»\");\n",
            "String apiKey = \"«{a40}»\";\n",
            "new UsernamePasswordCredentials(\"bob\", \"«{a14}»\")\n",
        ],
    ),
    (
        "connect in go",
        &[
            "sql.Open(\"mysql\", \"app:«{a14}»@tcp(db:3306)/app\")\n",
            "req.SetBasicAuth(\"bob\", \"«{a14}»\")\n",
            "const apiKey = \"«{a40}»\"\n",
            "Password: \"«{p14}»\",\n",
        ],
    ),
    (
        "connect in ruby",
        &[
            "config.secret_key = '«{h128}»'\n",
            "Mysql2::Client.new(username: 'app', password: '«{p14}»')\n",
            "Stripe.api_key = \"«{a40}»\"\n",
            "ENV[\"API_TOKEN\"] ||= \"«{a40}»\"\n",
        ],
    ),
    (
        "connect in php",
        &[
            "new PDO('mysql:host=db', 'app', '«{a14}»');\n",
            "mysqli_connect('db', 'app', '«{p14}»', 'app');\n",
            "$password = '«{p14}»';\n",
            "'api_key' => '«{a40}»',\n",
            "putenv('DB_PASSWORD=«{a14}»');\n",
        ],
    ),
    (
        "connect in c#",
        &[
            "new NetworkCredential(\"bob\", \"«{p14}»\")\n",
            "optionsBuilder.UseSqlServer(\"Server=db;User Id=sa;Password=«{a14}»;\");\n",
            "string apiKey = \"«{a40}»\";\n",
        ],
    ),
    (
        "connect in rust",
        &[
            ".basic_auth(\"bob\", Some(\"«{a14}»\"))\n",
            "let api_key = \"«{a40}»\";\n",
            "let password = String::from(\"«{p14}»\");\n",
            ".bearer_auth(\"«{a40}»\")\n",
        ],
    ),
    (
        "swift and kotlin",
        &[
            "let apiKey = \"«{a40}»\"\n",
            "val apiKey = \"«{a40}»\"\n",
            "buildConfigField(\"String\", \"API_KEY\", \"⟦\\\"«{a40}»\\\"⟧\")\n",
            "<string name=\"api_key\">«{a40}»</string>\n",
            "<key>APIKey</key>\n<string>«{a40}»</string>\n",
        ],
    ),
    (
        "r, perl, lua, elixir",
        &[
            "Sys.setenv(API_TOKEN = \"«{a40}»\")\n",
            "my $dbh = DBI->connect('dbi:Pg:x', 'app', '«{a14}»');\n",
            "local api_key = \"«{a40}»\"\n",
            "config :app, secret_key_base: \"«{b64}»\"\n",
            "$password = '«{p14}»';\n",
        ],
    ),
    (
        "shell variables",
        &[
            "password=\"«{p14}»\"\n",
            "read -r TOKEN <<< '«{a40}»'\n",
            "local -r api_key=«{a40}»\n",
            "set -x API_TOKEN «{a40}»\n",
            "setenv DB_PASSWORD «{a14}»\n",
            "$env:DB_PASSWORD=\"«{p14}»\"\n",
            "SET DB_PASSWORD=«{a14}»\n",
        ],
    ),
    (
        "assembled in a header",
        &[
            "headers[\"Authorization\"] = \"Bearer «{w64}»\"\n",
            ".header(\"Authorization\", \"Basic «{b28}»\")\n",
            "req.Header.Set(\"Authorization\", \"Bearer «{w43}»\")\n",
            "xhr.setRequestHeader(\"X-Api-Key\", \"«{a32}»\")\n",
        ],
    ),
    (
        "comment with a password",
        &[
            "// password: «{p14}»\n",
            "# pw for staging is «{a12}»\n",
            "/* token = «{a40}» */\n",
            "-- login: app / «{a14}»\n",
            "<!-- admin password: «{p12}» -->\n",
        ],
    ),
    (
        "struct printed",
        &[
            "Config { user: \"app\", password: \"«{p14}»\", port: 5432 }\n",
            "User(name=ana, password=«{a14}», id=7)\n",
            "{:user \"app\" :password \"«{p14}»\"}\n",
            "%{password: \"«{p14}»\", user: \"app\"}\n",
            "map[password:«{a14}» user:app]\n",
            "#<User id: 1, password: \"«{a14}»\">\n",
            "array(2) { [\"password\"]=> string(14) \"«{a14}»\" }\n",
            "{'user': 'app', 'password': '«{p14}»'}\n",
        ],
    ),
    (
        "error with a password",
        &[
            "Access denied (using password: '«{a14}»')\n",
            "FATAL: could not connect with password=«{a14}» host=db\n",
            "Error: invalid token «{a40}»\n",
            "401 Unauthorized: API key «{a40}» is not valid\n",
            "Incorrect API key provided: «sk-proj-{w74}T3BlbkFJ{w74}»\n",
        ],
    ),
    (
        "trace of a shell",
        &[
            "+ curl -H 'Authorization: Bearer «{w43}»' https://x.local\n",
            "+ export DB_PASSWORD=«{a14}»\n",
            "++ TOKEN=«{a40}»\n",
        ],
    ),
    ("process list", &["dev  4121  0.1 mysql -uroot -p«{a12}» app\n"]),
    ("history of a shell", &["  512  export GITHUB_TOKEN=«ghp_{a30}{crc}»\n  513  ls\n"]),
    (
        "fullwidth colon",
        &[
            "password：«{p12}»\n",
            "密码：«{a12}»\n",
            "API key：«{a40}»\n",
            "token：«{w43}»\n",
            "パスワード：«{p12}»\n",
        ],
    ),
    ("fullwidth equals", &["DB_PASSWORD＝«{a14}»\n"]),
    (
        "arrow instead of a colon",
        &[
            "password → «{a14}»\n",
            "password -> «{a14}»\n",
            "token => «{a40}»\n",
            "api key — «{a40}»\n",
        ],
    ),
    (
        "key in markdown",
        &[
            "**Password:** `«{p12}»`\n",
            "**API key**: «{a40}»\n",
            "- **token** `«{w43}»`\n",
            "### Password\n\n`«{p12}»`\n",
            "Password\n: «{p12}»\n",
        ],
    ),
    ("key with blanks in front", &["password   =   «{a14}»\n"]),
    (
        "escaped json",
        &[
            "\"{\\\"password\\\":\\\"«{a14}»\\\"}\"\n",
            "{\\\"api_key\\\": \\\"«{a40}»\\\"}\n",
            "%7B%22password%22%3A%22«{a14}»%22%7D\n",
        ],
    ),
    ("vault of a browser", &["\"password_value\": \"«{b40}»\"\n"]),
];
