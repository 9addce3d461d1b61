//! Connection strings, webhooks, headers, and links that open once.

use super::Form;

pub(super) const ADDRESSES: &[Form] = &[
    (
        "postgres address",
        &["DATABASE_URL=postgres://app:«{a14}»@db.local:5432/app?sslmode=require\n"],
    ),
    ("mongodb address", &["mongodb+srv://app:«{a16}»@cluster0.local/app\n"]),
    ("redis address", &["redis://:«{a20}»@cache.local:6379/0\n"]),
    ("smtp address", &["smtps://mailer:«{p12}»@mail.local:465\n"]),
    ("git address", &["git clone https://oauth2:«{a24}»@git.local/a/b.git\n"]),
    ("token as a user", &["https://«{a40}»@git.local/a/b.git\n"]),
    ("jdbc", &["jdbc:postgresql://db/app?user=app&password=«{a14}»&ssl=true\n"]),
    (
        "sql server",
        &["Server=tcp:db,1433;Database=app;User Id=sa;Password=«{p14}»;Encrypt=true;\n"],
    ),
    ("libpq", &["psql \"host=db user=app password=«{a14}» dbname=app\"\n"]),
    (
        "storage account",
        &[
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«{b86}==»;EndpointSuffix=core.windows.net\n",
        ],
    ),
    (
        "event hub",
        &[
            "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=«{b43}=»;EntityPath=e\n",
        ],
    ),
    ("sas", &["https://x.blob.core.windows.net/c/b?sv=2024-11-04&sp=r&sig=«{a40}%2B{a3}%3D»\n"]),
    ("presigned", &["https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature=«{h64}»\n"]),
    ("slack webhook", &["https://hooks.slack.com/services/«T{u10}/B{u10}/{a24}»\n"]),
    ("discord webhook", &["https://discord.com/api/webhooks/«{d18}/{w68}»\n"]),
    ("telegram address", &["https://api.telegram.org/bot«{d10}:AA{w33}»/sendMessage\n"]),
    ("cookie", &["Cookie: theme=dark; session=«{w43}»; lang=en\n"]),
    ("set-cookie", &["set-cookie: connect.sid=«s%3A{w32}.{w43}»; Path=/; HttpOnly\n"]),
    ("basic", &["Authorization: Basic «{b28}»\n"]),
    ("digest", &["Authorization: Digest username=\"bob\", realm=\"r\", response=\"«{h32}»\"\n"]),
    (
        "aws signature",
        &["Authorization: AWS4-HMAC-SHA256 SignedHeaders=host;x-amz-date, Signature=«{h64}»\n"],
    ),
    ("bare bearer", &["sent \"Bearer «{w40}»\" to the api\n"]),
    (
        "teams webhook",
        &["https://x.webhook.office.com/webhookb2/«{U}@{U}/IncomingWebhook/{h32}/{U}»\n"],
    ),
    (
        "teams workflow",
        &[
            "https://prod-12.westeurope.logic.azure.com:443/workflows/{h32}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=«{w43}»\n",
        ],
    ),
    (
        "google chat webhook",
        &[
            "https://chat.googleapis.com/v1/spaces/AAAA{a7}/messages?key=«AIza{w35}»&token=«{w43}»\n",
        ],
    ),
    (
        "zapier webhook",
        &[
            "curl -d @x.json https://hooks.zapier.com/hooks/catch/«{d7}/{l7}»/\n",
            "zap: https://hooks.zapier.com/hooks/catch/«{d8}/{l7}»\n",
        ],
    ),
    ("make webhook", &["POST https://hook.eu1.make.com/«{l32}»\n"]),
    ("ifttt webhook", &["https://maker.ifttt.com/trigger/deployed/with/key/«{w43}»\n"]),
    ("feishu webhook", &["https://open.feishu.cn/open-apis/bot/v2/hook/«{U}»\n"]),
    ("lark webhook", &["https://open.larksuite.com/open-apis/bot/v2/hook/«{U}»\n"]),
    ("dingtalk webhook", &["https://oapi.dingtalk.com/robot/send?access_token=«{h64}»\n"]),
    ("wecom webhook", &["https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=«{U}»\n"]),
    (
        "slack webhook in json",
        &["{\"url\": \"https://hooks.slack.com/services/«T{u8}/B{u10}/{a24}»\"}\n"],
    ),
    (
        "slack workflow webhook",
        &["https://hooks.slack.com/workflows/«T{u10}/A{u10}/{d18}/{a24}»\n"],
    ),
    ("slack trigger", &["https://hooks.slack.com/triggers/«T{u10}/{d13}/{h32}»\n"]),
    (
        "discord webhook on the old host",
        &["DISCORD_URL=https://discordapp.com/api/webhooks/«{d18}/{w68}»\n"],
    ),
    (
        "discord canary webhook",
        &["notify https://canary.discord.com/api/webhooks/«{d19}/{w68}» when done\n"],
    ),
    ("sentry address with a secret", &["https://{h32}:«{h32}»@sentry.local/4\n"]),
    ("cloudinary address", &["CLOUDINARY_URL=cloudinary://{d15}:«{w27}»@shop\n"]),
    (
        "amqp address",
        &["amqp://app:«{a20}»@mq.local:5672/vhost\n", "amqps://app:«{K1}»@mq.local/prod\n"],
    ),
    (
        "mysql address",
        &[
            "mysql://root:«{a14}»@127.0.0.1:3306/app\n",
            "DATABASE_URL=\"mysql2://app:«{a20}»@db.local/app?ssl=true\"\n",
        ],
    ),
    (
        "sqlalchemy address",
        &["create_engine(\"postgresql+psycopg2://app:«{a16}»@db.local/app\")\n"],
    ),
    (
        "ftp address",
        &["ftp://upload:«{a12}»@files.local/in\n", "lftp sftp://dev:«{a14}»@host.local\n"],
    ),
    (
        "proxy address",
        &[
            "export HTTPS_PROXY=http://dev:«{a12}»@proxy.local:3128\n",
            "--proxy http://dev:«{a14}»@proxy.local:8080\n",
        ],
    ),
    ("pip index address", &["pip install -i https://ci:«{a32}»@pypi.local/simple app\n"]),
    ("clickhouse address", &["clickhouse://default:«{a16}»@ch.local:9000/app\n"]),
    ("nats address", &["nats://app:«{a16}»@nats.local:4222\n"]),
    ("rtsp address", &["rtsp://admin:«{a10}»@10.0.0.7:554/stream1\n"]),
    ("ldap address", &["ldap://cn=admin:«{a14}»@ldap.local:389\n"]),
    (
        "odbc",
        &["Driver={ODBC Driver 18 for SQL Server};Server=db;Uid=sa;Pwd=«{a16}»;Encrypt=yes;\n"],
    ),
    ("ado", &["Data Source=db;Initial Catalog=app;User ID=sa;Password=«{p14}»;\n"]),
    ("snowflake address", &["snowflake://dev:«{a16}»@org-acc/app/public\n"]),
    (
        "service bus",
        &[
            "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=«{b43}=»\n",
        ],
    ),
    ("iot hub", &["HostName=x.azure-devices.net;DeviceId=d1;SharedAccessKey=«{b43}=»\n"]),
    (
        "app configuration",
        &["Endpoint=https://x.azconfig.io;Id={a4}-l0-s0:{a20};Secret=«{b43}=»\n"],
    ),
    (
        "cosmos string",
        &["AccountEndpoint=https://x.documents.azure.com:443/;AccountKey=«{b86}==»;\n"],
    ),
    (
        "gcs signed address",
        &[
            "https://storage.googleapis.com/b/o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Expires=900&X-Goog-Signature=«{h256}»\n",
        ],
    ),
    (
        "cloudfront signed address",
        &[
            "https://d1.cloudfront.net/f.zip?Expires=1765000000&Signature=«{w86}~{w86}__»&Key-Pair-Id=K{u13}\n",
        ],
    ),
    (
        "x-auth header of its own",
        &[
            "X-Acme-Auth: «{a40}»\nAccept: */*\n",
            "curl -H \"X-Gateway-Auth: «{w43}»\" https://api.local/v1\n",
            "headers: { \"x-internal-auth\": \"«{h64}»\" }\n",
            "> x-service-auth: «{a32}»\n",
        ],
    ),
    (
        "x-key header of its own",
        &[
            "X-Acme-Key: «{a40}»\n",
            "curl -H 'X-Functions-Key: «{w54}==»' https://f.local/api\n",
            "X-Vault-Token: «hvs.{w95}»\n",
            "X-Shopify-Access-Token: «shpat_{h32}»\n",
        ],
    ),
    (
        "private-token header",
        &[
            "curl --header \"PRIVATE-TOKEN: «{w20}»\" https://git.local/api/v4/projects\n",
            "curl -H \"JOB-TOKEN: «{w20}»\" https://git.local/api/v4\n",
        ],
    ),
    ("x-auth-key header", &["X-Auth-Email: dev@example.org\nX-Auth-Key: «{h37}»\n"]),
    ("ocp subscription key", &["Ocp-Apim-Subscription-Key: «{h32}»\n"]),
    ("dd-api-key header", &["DD-API-KEY: «{h32}»\nDD-APPLICATION-KEY: «{h40}»\n"]),
    ("api-key header", &["api-key: «{h32}»\n", "apikey: «{a40}»\n"]),
    ("proxy authorization", &["Proxy-Authorization: Basic «{b28}»\n"]),
    (
        "authorization with a key scheme",
        &[
            "Authorization: ApiKey «{b60}==»\n",
            "Authorization: Key «{h64}»\n",
            "Authorization: GenieKey «{U}»\n",
            "Authorization: Splunk «{U}»\n",
            "Authorization: SSWS «00{w40}»\n",
            "Authorization: Bot «MT{a24}.G{a5}.{w38}»\n",
        ],
    ),
    (
        "authorization without a scheme",
        &[
            "Authorization: «{w64}»\n",
            "curl -H \"Authorization: «lin_api_{a40}»\" https://api.linear.app/graphql\n",
        ],
    ),
    (
        "signed jwt in a cookie",
        &["Cookie: access_token=«eyJhbGciOiJIUzI1NiJ9.eyJ{a80}.{w43}»; theme=dark\n"],
    ),
    (
        "session cookies",
        &[
            "Set-Cookie: PHPSESSID=«{l26}»; path=/; HttpOnly\n",
            "Cookie: JSESSIONID=«{H32}»\n",
            "Set-Cookie: laravel_session=«eyJpdiI6{b180}%3D»; HttpOnly\n",
            "Cookie: _gitlab_session=«{h32}»\n",
            "Set-Cookie: sessionid=«{l32}»; Path=/; Secure\n",
        ],
    ),
    ("cookie of curl", &["curl -b \"sessionid=«{l32}»\" https://app.local/me\n"]),
    (
        "password reset link",
        &[
            "https://app.local/reset-password?token=«{a43}»\n",
            "Reset it here: https://app.local/users/password/edit?reset_password_token=«{w20}»\n",
            "https://app.local/password/reset/«{w43}»\n",
        ],
    ),
    (
        "magic link",
        &[
            "https://app.local/magic-link?token=«{h64}»\n",
            "https://app.local/auth/magic?code=«{w43}»&email=dev%40example.org\n",
            "https://app.local/login/verify?token=«{w64}»&type=magiclink\n",
        ],
    ),
    (
        "invitation link",
        &[
            "https://app.local/invite?token=«{w32}»\n",
            "https://app.local/invitations/accept?invitation_token=«{w20}»\n",
        ],
    ),
    (
        "one-time secret link",
        &[
            "https://onetimesecret.com/secret/«{l31}»\n",
            "https://eu.onetimesecret.com/secret/«{l31}»\n",
            "https://pwpush.com/p/«{w16}»\n",
            "https://privatebin.net/?{h16}#«{c44}»\n",
            "https://scrt.link/s#«{w20}»\n",
            "https://send.vis.ee/download/{h16}/#«{w22}»\n",
            "https://yopass.se/#/s/{U}/«{a22}»\n",
        ],
    ),
    ("1password share link", &["https://share.1password.com/s#«{w43}»\n"]),
    ("bitwarden send link", &["https://send.bitwarden.com/#{w22}/«{w22}»\n"]),
    (
        "firebase link",
        &[
            "https://app.firebaseapp.com/__/auth/action?mode=resetPassword&oobCode=«{w54}»&apiKey=«AIza{w35}»\n",
        ],
    ),
    (
        "oauth callback",
        &[
            "http://localhost:3000/callback?code=«4/0{w70}»&scope=email\n",
            "http://localhost:8085/?state=xyz&code=«{w43}»\n",
            "https://app.local/cb#access_token=«{w64}»&token_type=bearer\n",
        ],
    ),
    ("device login", &["https://app.local/cli/login?session_token=«{w43}»\n"]),
    (
        "jupyter link",
        &[
            "http://127.0.0.1:8888/lab?token=«{h48}»\n",
            "    or http://localhost:8888/tree?token=«{h48}»\n",
        ],
    ),
    ("otpauth", &["otpauth://totp/Acme:dev@example.org?secret=«{B32}»&issuer=Acme\n"]),
    (
        "supabase address",
        &[
            "postgresql://postgres.{z20}:«{a16}»@aws-0-eu-central-1.pooler.supabase.com:6543/postgres\n",
        ],
    ),
    (
        "neon address",
        &[
            "postgresql://app_owner:«npg_{a16}»@ep-cool-sun-1.eu-central-1.aws.neon.tech/app?sslmode=require\n",
        ],
    ),
    ("redis cloud address", &["rediss://default:«{a32}»@x.upstash.io:6379\n"]),
    (
        "alchemy address",
        &[
            "https://eth-mainnet.g.alchemy.com/v2/«{w32}»\n",
            "wss://eth-mainnet.g.alchemy.com/v2/«{w32}»\n",
        ],
    ),
    ("infura address", &["https://mainnet.infura.io/v3/«{h32}»\n"]),
    (
        "parameters of addresses",
        &[
            "https://api.local/v1?apikey=«{a32}»\n",
            "https://maps.local/js?v=3&key=«AIza{w35}»\n",
            "https://api.local/x?client_secret=«{w40}»&grant_type=client_credentials\n",
            "https://api.local/x?password=«{a12}»&user=bob\n",
            "https://api.local/x?auth_token=«{w40}»\n",
            "wss://api.local/ws?ticket=1&jwt=«eyJhbGciOiJIUzI1NiJ9.eyJ{a80}.{w43}»\n",
        ],
    ),
    (
        "body of a form",
        &[
            "grant_type=password&username=bob&password=«{a12}»\n",
            "curl -d \"client_id=app&client_secret=«{w40}»\" https://login.local/token\n",
            "-d '{\"username\":\"bob\",\"password\":\"«{p12}»\"}'\n",
            "--data-urlencode \"password=«{p12}»\"\n",
        ],
    ),
];
