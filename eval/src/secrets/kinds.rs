//! The secrets: how each looks, as its provider documents it, and what its variable is called.
//!
//! Written without a look at what Segue looks for, so that a shape that is wrong in one place shows.

use crate::rng::Rng;

/// One kind: name, variable, shape. In a shape `{a36}` are 36 letters and digits, and so on for the
/// sets of `alphabet`; `{U}` is a UUID, `{crc}` the checksum of the group before it.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) variable: &'static str,
    pub(super) shape: &'static str,
    /// Whether it can be told without a name beside it.
    pub(super) telling: bool,
}

const fn shaped(name: &'static str, variable: &'static str, shape: &'static str) -> Kind {
    Kind { name, variable, shape, telling: true }
}

const fn named(name: &'static str, variable: &'static str, shape: &'static str) -> Kind {
    Kind { name, variable, shape, telling: false }
}

pub(super) const KINDS: &[Kind] = &[
    shaped("aws access key id", "AWS_ACCESS_KEY_ID", "AKIA{B16}"),
    shaped("aws temporary access key id", "AWS_ACCESS_KEY_ID", "ASIA{B16}"),
    named("aws secret access key", "AWS_SECRET_ACCESS_KEY", "{b40}"),
    shaped("aws session token", "AWS_SESSION_TOKEN", "IQoJb3JpZ2lu{b300}=="),
    shaped("aws bedrock key", "AWS_BEARER_TOKEN_BEDROCK", "ABSK{b128}"),
    shaped("google api key", "GOOGLE_API_KEY", "AIza{w35}"),
    shaped("google oauth secret", "GOOGLE_CLIENT_SECRET", "GOCSPX-{w28}"),
    shaped("google access token", "GOOGLE_ACCESS_TOKEN", "ya29.a0{w160}"),
    shaped("google refresh token", "GOOGLE_REFRESH_TOKEN", "1//0{w60}"),
    named("azure storage key", "AZURE_STORAGE_KEY", "{b86}=="),
    shaped("azure client secret", "AZURE_CLIENT_SECRET", "{a3}8Q~{w34}"),
    shaped("azure openai key", "AZURE_OPENAI_API_KEY", "{a52}JQQJ99B{a1}AC{a14}ogL{a5}"),
    shaped("azure devops token", "AZURE_DEVOPS_EXT_PAT", "{a52}JQQJ99B{a16}AZDO{a4}"),
    shaped("alibaba key", "ALIBABA_ACCESS_KEY_ID", "LTAI5t{a18}"),
    named("alibaba secret", "ALIBABA_ACCESS_KEY_SECRET", "{a30}"),
    shaped("digitalocean token", "DIGITALOCEAN_TOKEN", "dop_v1_{h64}"),
    shaped("digitalocean refresh token", "DO_REFRESH_TOKEN", "dor_v1_{h64}"),
    named("linode token", "LINODE_TOKEN", "{h64}"),
    named("vultr key", "VULTR_API_KEY", "{B36}"),
    named("hetzner token", "HCLOUD_TOKEN", "{a64}"),
    named("cloudflare token", "CLOUDFLARE_API_TOKEN", "{w40}"),
    named("cloudflare global key", "CLOUDFLARE_API_KEY", "{h37}"),
    shaped("cloudflare origin ca key", "CLOUDFLARE_ORIGIN_CA_KEY", "v1.0-{h24}-{h146}"),
    named("fastly token", "FASTLY_API_TOKEN", "{w32}"),
    shaped("heroku key", "HEROKU_API_KEY", "HRKU-AA{w58}"),
    named("old heroku key", "HEROKU_API_KEY", "{U}"),
    shaped("netlify token", "NETLIFY_AUTH_TOKEN", "nfp_{a36}"),
    named("vercel token", "VERCEL_TOKEN", "{a24}"),
    shaped("fly.io token", "FLY_API_TOKEN", "fm2_{b300}"),
    shaped("old fly.io token", "FLY_API_TOKEN", "fo1_{w43}"),
    shaped("render key", "RENDER_API_KEY", "rnd_{a28}"),
    named("railway token", "RAILWAY_TOKEN", "{U}"),
    shaped("supabase token", "SUPABASE_ACCESS_TOKEN", "sbp_{h40}"),
    shaped("supabase secret key", "SUPABASE_SECRET_KEY", "sb_secret_{w22}_{w8}"),
    shaped("planetscale password", "PLANETSCALE_PASSWORD", "pscale_pw_{w43}"),
    shaped("planetscale token", "PLANETSCALE_TOKEN", "pscale_tkn_{w43}"),
    shaped("neon key", "NEON_API_KEY", "napi_{l64}"),
    shaped("mongodb atlas secret", "MONGODB_ATLAS_CLIENT_SECRET", "mdb_sa_sk_{w40}"),
    shaped("databricks token", "DATABRICKS_TOKEN", "dapi{h32}"),
    named("snowflake password", "SNOWFLAKE_PASSWORD", "{p16}"),
    named("confluent secret", "CONFLUENT_API_SECRET", "{b64}"),
    shaped("clickhouse key", "CLICKHOUSE_CLOUD_SECRET", "4b1d{a38}"),
    shaped("pulumi token", "PULUMI_ACCESS_TOKEN", "pul-{h40}"),
    shaped("vault token", "VAULT_TOKEN", "hvs.{w95}"),
    named("old vault token", "VAULT_TOKEN", "s.{a24}"),
    shaped("terraform cloud token", "TFE_TOKEN", "{a14}.atlasv1.{w67}"),
    shaped("doppler token", "DOPPLER_TOKEN", "dp.pt.{a43}"),
    shaped("doppler service token", "DOPPLER_TOKEN", "dp.st.prod.{a43}"),
    shaped("tailscale key", "TS_AUTHKEY", "tskey-auth-k{a11}CNTRL-{a32}"),
    shaped("openshift token", "OPENSHIFT_TOKEN", "sha256~{w43}"),
    shaped("1password service account", "OP_SERVICE_ACCOUNT_TOKEN", "ops_eyJ{a600}"),
    shaped("1password secret key", "OP_SECRET_KEY", "A3-{u6}-{u11}-{u5}-{u5}-{u5}"),
    shaped("github token", "GITHUB_TOKEN", "ghp_{a30}{crc}"),
    shaped("github oauth token", "GH_TOKEN", "gho_{a30}{crc}"),
    shaped("github user token", "GITHUB_USER_TOKEN", "ghu_{a30}{crc}"),
    shaped("github installation token", "GITHUB_APP_TOKEN", "ghs_{a30}{crc}"),
    shaped("github refresh token", "GITHUB_REFRESH_TOKEN", "ghr_{a30}{crc}"),
    shaped("github fine-grained token", "GITHUB_PAT", "github_pat_{a22}_{a59}"),
    named("github token with a bad checksum", "GITHUB_TOKEN", "ghp_{a36}"),
    shaped("gitlab token", "GITLAB_TOKEN", "glpat-{w20}"),
    shaped("new gitlab token", "GITLAB_TOKEN", "glpat-{w27}.01.{l9}"),
    shaped("gitlab deploy token", "GITLAB_DEPLOY_TOKEN", "gldt-{w20}"),
    shaped("gitlab runner token", "CI_RUNNER_TOKEN", "glrt-{w20}"),
    shaped("gitlab trigger token", "GITLAB_TRIGGER_TOKEN", "glptt-{h40}"),
    shaped("gitlab job token", "CI_JOB_TOKEN", "glcbt-64_{w20}"),
    shaped("gitlab feed token", "GITLAB_FEED_TOKEN", "glft-{w20}"),
    shaped("gitlab agent token", "GITLAB_AGENT_TOKEN", "glagent-{w50}"),
    shaped("bitbucket app password", "BITBUCKET_APP_PASSWORD", "ATBB{a32}"),
    shaped("atlassian token", "ATLASSIAN_API_TOKEN", "ATATT3xFfGF0{w172}={h8}"),
    named("old jira token", "JIRA_API_TOKEN", "{a24}"),
    shaped("npm token", "NPM_TOKEN", "npm_{a30}{crc}"),
    shaped("pypi token", "TWINE_TOKEN", "pypi-AgEIcHlwaS5vcmc{w150}"),
    shaped("rubygems key", "GEM_HOST_API_KEY", "rubygems_{h48}"),
    shaped("crates.io token", "CARGO_REGISTRY_TOKEN", "cio{a32}"),
    shaped("nuget key", "NUGET_API_KEY", "oy2{l43}"),
    shaped("docker token", "DOCKER_TOKEN", "dckr_pat_{w27}"),
    shaped("clojars token", "CLOJARS_TOKEN", "CLOJARS_{l60}"),
    shaped("artifactory key", "ARTIFACTORY_API_KEY", "AKCp{a69}"),
    shaped("sonar token", "SONAR_TOKEN", "squ_{h40}"),
    shaped("buildkite token", "BUILDKITE_TOKEN", "bkua_{h40}"),
    shaped("circleci token", "CIRCLE_TOKEN", "CCIPAT_{a22}_{h40}"),
    shaped("sourcegraph token", "SRC_ACCESS_TOKEN", "sgp_{h16}_{h40}"),
    shaped("postman key", "POSTMAN_API_KEY", "PMAK-{h24}-{h34}"),
    named("codecov token", "CODECOV_TOKEN", "{U}"),
    named("jenkins token", "JENKINS_API_TOKEN", "11{h32}"),
    shaped("slack bot token", "SLACK_BOT_TOKEN", "xoxb-{d12}-{d13}-{a24}"),
    shaped("slack user token", "SLACK_USER_TOKEN", "xoxp-{d12}-{d12}-{d13}-{h32}"),
    shaped("slack app token", "SLACK_APP_TOKEN", "xapp-1-A{u10}-{d13}-{h64}"),
    named("slack signing secret", "SLACK_SIGNING_SECRET", "{h32}"),
    shaped("discord token", "DISCORD_TOKEN", "MT{a24}.G{a5}.{w38}"),
    shaped("telegram token", "TELEGRAM_BOT_TOKEN", "{d10}:AA{w33}"),
    shaped("twilio key", "TWILIO_API_KEY", "SK{h32}"),
    named("twilio auth token", "TWILIO_AUTH_TOKEN", "{h32}"),
    shaped("sendgrid key", "SENDGRID_API_KEY", "SG.{w22}.{w43}"),
    shaped("mailgun key", "MAILGUN_API_KEY", "key-{h32}"),
    shaped("mailchimp key", "MAILCHIMP_API_KEY", "{h32}-us14"),
    named("postmark token", "POSTMARK_SERVER_TOKEN", "{U}"),
    shaped("brevo key", "BREVO_API_KEY", "xkeysib-{h64}-{a16}"),
    shaped("resend key", "RESEND_API_KEY", "re_{a8}_{a24}"),
    shaped("facebook token", "FACEBOOK_ACCESS_TOKEN", "EAAC{a180}"),
    shaped("twitter bearer token", "TWITTER_BEARER_TOKEN", "AAAAAAAAAAAAAAAAAAAAA{a20}%3D{a50}"),
    shaped("stripe secret key", "STRIPE_SECRET_KEY", "sk_live_{a99}"),
    shaped("stripe test key", "STRIPE_SECRET_KEY", "sk_test_{a24}"),
    shaped("stripe restricted key", "STRIPE_API_KEY", "rk_live_{a99}"),
    shaped("stripe webhook secret", "STRIPE_WEBHOOK_SECRET", "whsec_{a32}"),
    shaped("square token", "SQUARE_ACCESS_TOKEN", "EAAA{w60}"),
    shaped("square secret", "SQUARE_OAUTH_SECRET", "sq0csp-{w43}"),
    named("paypal secret", "PAYPAL_CLIENT_SECRET", "E{w79}"),
    shaped("braintree token", "BRAINTREE_ACCESS_TOKEN", "access_token$production${l16}${h32}"),
    shaped("shopify token", "SHOPIFY_ACCESS_TOKEN", "shpat_{h32}"),
    shaped("shopify secret", "SHOPIFY_SHARED_SECRET", "shpss_{h32}"),
    shaped("plaid token", "PLAID_ACCESS_TOKEN", "access-production-{U}"),
    shaped("openai project key", "OPENAI_API_KEY", "sk-proj-{w74}T3BlbkFJ{w74}"),
    shaped("old openai key", "OPENAI_API_KEY", "sk-{a20}T3BlbkFJ{a20}"),
    shaped("openai service key", "OPENAI_API_KEY", "sk-svcacct-{w74}T3BlbkFJ{w74}"),
    shaped("anthropic key", "ANTHROPIC_API_KEY", "sk-ant-api03-{w93}AA"),
    shaped("anthropic admin key", "ANTHROPIC_ADMIN_KEY", "sk-ant-admin01-{w93}AA"),
    shaped("anthropic oauth token", "CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-{w93}AA"),
    shaped("openrouter key", "OPENROUTER_API_KEY", "sk-or-v1-{h64}"),
    shaped("deepseek key", "DEEPSEEK_API_KEY", "sk-{h32}"),
    shaped("hugging face token", "HF_TOKEN", "hf_{a34}"),
    shaped("replicate token", "REPLICATE_API_TOKEN", "r8_{a37}"),
    named("cohere key", "COHERE_API_KEY", "{a40}"),
    named("mistral key", "MISTRAL_API_KEY", "{a32}"),
    shaped("groq key", "GROQ_API_KEY", "gsk_{a52}"),
    shaped("xai key", "XAI_API_KEY", "xai-{a80}"),
    shaped("perplexity key", "PERPLEXITY_API_KEY", "pplx-{a48}"),
    shaped("pinecone key", "PINECONE_API_KEY", "pcsk_{a6}_{a63}"),
    shaped("nvidia key", "NVIDIA_API_KEY", "nvapi-{w64}"),
    shaped("langsmith key", "LANGSMITH_API_KEY", "lsv2_pt_{h32}_{h10}"),
    named("wandb key", "WANDB_API_KEY", "{h40}"),
    named("deepgram key", "DEEPGRAM_API_KEY", "{h40}"),
    named("datadog api key", "DATADOG_API_KEY", "{h32}"),
    named("datadog app key", "DD_APP_KEY", "{h40}"),
    shaped("new relic user key", "NEW_RELIC_API_KEY", "NRAK-{u27}"),
    shaped("new relic license key", "NEW_RELIC_LICENSE_KEY", "{h36}NRAL"),
    shaped("grafana token", "GRAFANA_TOKEN", "glsa_{a32}_{h8}"),
    shaped("grafana cloud token", "GRAFANA_CLOUD_TOKEN", "glc_eyJ{a120}"),
    shaped("sentry user token", "SENTRY_AUTH_TOKEN", "sntryu_{h64}"),
    shaped("sentry organisation token", "SENTRY_AUTH_TOKEN", "sntrys_eyJ{a120}_{b43}"),
    named("pagerduty key", "PAGERDUTY_API_KEY", "{w20}"),
    named("opsgenie key", "OPSGENIE_API_KEY", "{U}"),
    named("splunk token", "SPLUNK_HEC_TOKEN", "{U}"),
    shaped("dynatrace token", "DT_API_TOKEN", "dt0c01.{u24}.{u64}"),
    shaped("posthog key", "POSTHOG_PERSONAL_API_KEY", "phx_{a43}"),
    named("rollbar token", "ROLLBAR_ACCESS_TOKEN", "{h32}"),
    shaped("linear key", "LINEAR_API_KEY", "lin_api_{a40}"),
    shaped("notion token", "NOTION_TOKEN", "ntn_{a46}"),
    shaped("old notion secret", "NOTION_SECRET", "secret_{a43}"),
    shaped("figma token", "FIGMA_TOKEN", "figd_{w40}"),
    shaped("airtable token", "AIRTABLE_TOKEN", "pat{a14}.{h64}"),
    shaped("asana token", "ASANA_ACCESS_TOKEN", "2/{d16}/{d16}:{h32}"),
    shaped("dropbox token", "DROPBOX_ACCESS_TOKEN", "sl.{w136}"),
    shaped("hubspot token", "HUBSPOT_ACCESS_TOKEN", "pat-na1-{U}"),
    shaped("typeform token", "TYPEFORM_TOKEN", "tfp_{w59}"),
    shaped("contentful token", "CONTENTFUL_MANAGEMENT_TOKEN", "CFPAT-{w43}"),
    named("okta token", "OKTA_API_TOKEN", "00{w40}"),
    named("auth0 secret", "AUTH0_CLIENT_SECRET", "{w64}"),
    named("zendesk token", "ZENDESK_API_TOKEN", "{a40}"),
    named("algolia key", "ALGOLIA_ADMIN_KEY", "{h32}"),
    named("trello key", "TRELLO_API_KEY", "{h32}"),
    shaped("jwt", "ACCESS_TOKEN", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{a60}.{w43}"),
    shaped("kubernetes token", "KUBE_TOKEN", "eyJhbGciOiJSUzI1NiIsImtpZCI6I{a43}.eyJ{a400}.{w342}"),
    shaped("age key", "AGE_SECRET_KEY", "AGE-SECRET-KEY-1{g58}"),
    shaped("password hash", "ADMIN_PASSWORD", "$2y$10${a53}"),
    named("password", "DB_PASSWORD", "{p14}"),
    named("short password", "POSTGRES_PASSWORD", "{p9}"),
    named("password of letters and digits", "REDIS_PASSWORD", "{a12}"),
    named("secret", "SESSION_SECRET", "{w48}"),
    named("signing key", "JWT_SIGNING_KEY", "{b43}="),
    named("encryption key", "ENCRYPTION_KEY", "{h64}"),
    named("webhook secret", "WEBHOOK_SECRET", "{h40}"),
    named("refresh token", "REFRESH_TOKEN", "{w64}"),
];

fn alphabet(set: char) -> &'static [u8] {
    match set {
        'a' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        'h' => b"0123456789abcdef",
        'd' => b"123456789",
        'u' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'B' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'g' => b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        'l' => b"abcdefghijklmnopqrstuvwxyz0123456789",
        'w' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        'b' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        _ => b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!#%^*-_=+?",
    }
}

/// A random value of this shape.
pub(super) fn value(shape: &str, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut last = String::new();
    let mut rest = shape;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((group, after)) = after.split_once('}') else { break };
        let made = match group {
            "U" => uuid(rng),
            "crc" => checksum(&last),
            _ => draw(group, rng),
        };
        out.push_str(&made);
        last = made;
        rest = after;
    }
    out.push_str(rest);
    out
}

fn draw(group: &str, rng: &mut Rng) -> String {
    let mut chars = group.chars();
    let set = chars.next().unwrap_or('a');
    let count = chars.as_str().parse().unwrap_or(0);
    let letters = alphabet(set);
    let plain = alphabet('a');
    loop {
        let made: String = (0..count)
            .map(|at| {
                // A dash at an end would belong to the sentence, and passwords begin with a letter.
                let end = (at == 0 || at + 1 == count) && matches!(set, 'w' | 'b' | 'p');
                let from = if end { plain } else { letters };
                char::from(from[rng.below(from.len())])
            })
            .collect();
        let digits = made.bytes().filter(u8::is_ascii_digit).count();
        let letters = made.bytes().filter(u8::is_ascii_alphabetic).count();
        if count < 9 || set == 'd' || (digits > 0 && letters > 0) {
            return made;
        }
    }
}

fn uuid(rng: &mut Rng) -> String {
    let hex = draw("h30", rng);
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[12..15], &hex[15..18], &hex[18..])
}

/// CRC-32 in base 62, as GitHub writes it.
fn checksum(text: &str) -> String {
    let mut crc = u32::MAX;
    for byte in text.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let mut number = !crc;
    let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut out = Vec::new();
    for _ in 0..6 {
        out.push(char::from(digits[(number % 62) as usize]));
        number /= 62;
    }
    out.iter().rev().collect()
}
