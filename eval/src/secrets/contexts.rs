//! Where secrets stand in what people and programs write.

use crate::rng::Rng;

/// The places, each with several forms. «v» is the value, «N» the variable, «n» the same in small
/// letters, «f» with dashes, «w» with blanks.
pub(super) const CONTEXTS: [(&str, &[&str]); 8] = [
    (
        "env file",
        &[
            "# production\nLOG_LEVEL=info\n«N»=«v»\nPORT=8080\n",
            "export «N»=«v»\nexport PATH=$PATH:/opt/bin\n",
            "«N»=\"«v»\"\nRETRIES=3\n",
            "export «N»='«v»'\n",
            "[service]\n«n» = «v»\nregion = eu-west-1\n",
            "$ env | sort\nHOME=/home/dev\n«N»=«v»\nSHELL=/bin/bash\n",
            "ENV «N»=«v»\nRUN make build\n",
            "«N»=«v» # rotate in March\nPORT=80\n",
            "set -gx «N» «v»\n",
        ],
    ),
    (
        "json",
        &[
            "{\n  \"user\": \"deploy\",\n  \"«n»\": \"«v»\",\n  \"timeout\": 30\n}\n",
            "{\"«n»\":\"«v»\",\"retries\":3}",
            "{\"env\":[{\"name\":\"«N»\",\"value\":\"«v»\"}]}",
            "{\"type\":\"tool_result\",\"content\":\"$ cat .env\\n«N»=«v»\\nPORT=80\\n\"}",
            "{\"content\":\"{\\\"«n»\\\": \\\"«v»\\\", \\\"n\\\": 1}\"}",
            "const config = { «n»: \"«v»\", retries: 3 };\n",
            "    «n» = \"«v»\"  # rotate this\n",
            "{\"value\": \"«v»\", \"name\": \"«N»\"}",
            "[{\"key\": \"«N»\", \"value\": \"«v»\"}]",
        ],
    ),
    (
        "yaml",
        &[
            "service:\n  «n»: «v»\n  replicas: 2\n",
            "env:\n  - name: «N»\n    value: «v»\n  - name: PORT\n    value: \"80\"\n",
            "env:\n  - name: «N»\n    value: \"«v»\"\n",
            "services:\n  api:\n    environment:\n      - «N»=«v»\n      - DEBUG=0\n",
            "services:\n  api:\n    environment:\n      «N»: '«v»'\n",
            "«N»: \"«v»\"\nOTHER: 1\n",
            "vars:\n  - key: «N»\n    value: \"«v»\"\n",
            "«n»: \"«v»\" # the old one\n",
        ],
    ),
    (
        "shell",
        &[
            "$ «N»=«v» ./deploy.sh --region eu-west-1\n",
            "docker run -e «N»=«v» -p 80:80 registry.local/api:latest\n",
            "deploy --«f» «v» --region eu\n",
            "deploy --«f»=«v» --dry-run\n",
            "deploy --«f» '«v»'\n",
            "gh secret set «N» --body \"«v»\" && export «N»=\"«v»\"\n",
            "kubectl create secret generic api --from-literal=«N»=«v»\n",
            "setx «N» \"«v»\"\n",
            "kubectl set env deploy/api «N»=«v»\n",
            "heroku config:set «N»=«v» -a shop\n",
        ],
    ),
    (
        "header or url",
        &[
            "curl -H \"Authorization: Bearer «v»\" https://api.local/v1/items\n",
            "> GET /v1/items HTTP/1.1\n> Authorization: Bearer «v»\n> Accept: */*\n",
            "X-Api-Key: «v»\nContent-Type: application/json\n",
            "curl -s -H 'X-Auth-Token: «v»' https://api.local/v1\n",
            "GET https://api.local/v1/items?access_token=«v»&page=2\n",
            "curl 'https://api.local/v1/items?limit=5&api_key=«v»'\n",
            "fetch(url, { headers: { \"Authorization\": \"Bearer «v»\" } })\n",
            "git clone https://deploy:«v»@git.local/team/app.git\n",
            "headers = {'Authorization': 'token «v»'}\n",
        ],
    ),
    (
        "prose",
        &[
            "I used the «w» «v» for the staging run, it still works.\n",
            "The «w» is «v» and it expires next week.\n",
            "Note: «w»: «v»\n",
            "Set the «w» to `«v»` before you run the tests.\n",
            "- «w» for the staging account: `«v»`\n",
            "Use `«v»` as the «w» for now.\n",
            "| name | value |\n|---|---|\n| «w» | `«v»` |\n",
            "my «w» is \"«v»\", please rotate it\n",
            "Here is my «w»: «v»\n",
            "It worked (the «w» is «v»).\n",
            "The «w» was changed to `«v»`.\n",
        ],
    ),
    (
        "log line",
        &[
            "2026-11-15T17:45:00Z INFO auth: connecting «n»=«v» user=deploy\n",
            "[17:45:00] DEBUG request failed, «n»: «v», retrying in 3 s\n",
            "level=debug msg=\"client ready\" «n»=\"«v»\" attempts=2\n",
            "Nov 15 17:45:00 host api[812]: loaded «N»=«v»\n",
            "\u{1b}[32mINFO\u{1b}[0m «n»=«v» ok\n",
            "{\"level\":\"info\",\"msg\":\"ready\",\"«n»\":\"«v»\"}\n",
            "ERROR 401 for «n»='«v»' (expired)\n",
            "DEBUG using «w» «v»\n",
        ],
    ),
    (
        "bare line",
        &["«v»\n", "Done.\n\n«v»\n\nNext: the tests.\n", "```\n«v»\n```\n", "  «v»\n", "\"«v»\"\n"],
    ),
];

/// A bare line for what cannot be told without a «n».
const LABELLED: &[&str] =
    &["«w»:\n«v»\n", "«N»\n\n«n»: «v»\n", "«w»:\n\n```\n«v»\n```\n", "«w» = «v»\n"];

/// A text with the value in it.
pub(super) fn place(
    context: usize,
    variable: &str,
    value: &str,
    telling: bool,
    rng: &mut Rng,
) -> String {
    let (place, forms) = CONTEXTS[context];
    let forms = if place == "bare line" && !telling { LABELLED } else { forms };
    let mut form = rng.pick(forms);
    // In an address, and in a shell without quotes, these would be written otherwise.
    let odd = value.contains(['#', '?', '/', '%', '+', '$', '&', '^', '!', '*', '=']);
    if odd && ["&page=", "api_key=«v»'", "«v»@"].iter().any(|part| form.contains(part)) {
        form = forms[0];
    }
    if odd && place == "shell" {
        form = "deploy --«f» '«v»'\n";
    }
    let small = variable.to_ascii_lowercase();
    form.replace("«N»", variable)
        .replace("«f»", &small.replace('_', "-"))
        .replace("«w»", &small.replace('_', " "))
        .replace("«n»", &small)
        .replace("«v»", value)
}
