//! Providers whose keys have no shape of their own: the name says whose they are.

/// A word of a name, and what the mark calls the provider. A new one is a new row.
const PROVIDERS: &[(&str, &str)] = &[
    ("adyen", "adyen"), ("airtable", "airtable"), ("algolia", "algolia"), ("alibaba", "alibaba"),
    ("amplitude", "amplitude"), ("anthropic", "anthropic"), ("asana", "asana"), ("atlassian", "atlassian"),
    ("auth0", "auth0"), ("aws", "aws"), ("azure", "azure"), ("bitbucket", "bitbucket"), ("box", "box"),
    ("bugsnag", "bugsnag"), ("cf", "cloudflare"), ("cloudflare", "cloudflare"), ("cloudinary", "cloudinary"),
    ("codecov", "codecov"), ("cohere", "cohere"), ("coinbase", "coinbase"), ("confluent", "confluent"),
    ("contentful", "contentful"), ("coveralls", "coveralls"), ("databricks", "databricks"),
    ("datadog", "datadog"), ("dd", "datadog"), ("deepgram", "deepgram"), ("deepl", "deepl"),
    ("digitalocean", "digitalocean"), ("discord", "discord"), ("docker", "docker"), ("dropbox", "dropbox"),
    ("elastic", "elastic"), ("fastly", "fastly"), ("figma", "figma"), ("firebase", "firebase"),
    ("freshdesk", "freshdesk"), ("gcp", "gcp"), ("gemini", "gemini"), ("github", "github"),
    ("gh", "github"), ("gitlab", "gitlab"), ("google", "google"), ("grafana", "grafana"), ("groq", "groq"),
    ("heroku", "heroku"), ("hetzner", "hetzner"), ("honeybadger", "honeybadger"), ("hubspot", "hubspot"),
    ("influx", "influxdb"), ("influxdb", "influxdb"), ("jenkins", "jenkins"), ("jira", "jira"),
    ("linode", "linode"), ("logdna", "logdna"), ("mailchimp", "mailchimp"), ("mailgun", "mailgun"),
    ("mapbox", "mapbox"), ("mistral", "mistral"), ("mixpanel", "mixpanel"), ("mongodb", "mongodb"),
    ("mysql", "mysql"), ("netlify", "netlify"), ("newrelic", "new relic"), ("ngrok", "ngrok"),
    ("notion", "notion"), ("npm", "npm"), ("okta", "okta"), ("onesignal", "onesignal"), ("openai", "openai"),
    ("opsgenie", "opsgenie"), ("pagerduty", "pagerduty"), ("paypal", "paypal"), ("plaid", "plaid"),
    ("postgres", "postgres"), ("postmark", "postmark"), ("pusher", "pusher"), ("railway", "railway"),
    ("rabbitmq", "rabbitmq"), ("redis", "redis"), ("rollbar", "rollbar"), ("salesforce", "salesforce"),
    ("scaleway", "scaleway"), ("segment", "segment"), ("sendgrid", "sendgrid"), ("sentry", "sentry"),
    ("shodan", "shodan"), ("slack", "slack"), ("snowflake", "snowflake"), ("snyk", "snyk"),
    ("splunk", "splunk"), ("spotify", "spotify"), ("square", "square"), ("strava", "strava"),
    ("stripe", "stripe"), ("sumologic", "sumo logic"), ("telegram", "telegram"), ("trello", "trello"),
    ("twilio", "twilio"), ("twitch", "twitch"), ("twitter", "twitter"), ("vercel", "vercel"),
    ("vonage", "vonage"), ("vultr", "vultr"), ("wandb", "wandb"), ("zendesk", "zendesk"), ("zoom", "zoom"),
];

/// The provider that a part of a name stands for.
pub(super) fn provider(part: &str) -> Option<&'static str> {
    PROVIDERS.iter().find(|(word, _)| *word == part).map(|(_, provider)| *provider)
}
