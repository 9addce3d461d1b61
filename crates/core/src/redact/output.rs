//! What a command prints whose own argument says what it is: `echo $DB_PASSWORD` and the value on the next line.

use super::alphabet::{span, span_back};
use super::random::{is_random, kinds_of_characters};
use super::value::{Link, Named, Value, quote};

/// Commands that print the value of what they are asked for. A new one is a new row.
const PRINTING: &[&str] = &[
    "echo ",
    "printenv ",
    "cat ",
    "print ",
    "puts ",
    "terraform output ",
    "tofu output ",
    "pulumi config get ",
    "pulumi stack output ",
    "aws ssm get-parameter",
    "aws secretsmanager get-secret-value ",
    "vault kv get ",
    "vault read ",
    "gcloud secrets versions access ",
    "az keyvault secret show ",
    "az functionapp keys list ",
    "heroku config:get ",
    "doppler secrets get ",
    "kubectl get secret",
    "kubectl exec ",
    "docker exec ",
    "docker compose exec ",
    "op read ",
    "op item get ",
    "pass ",
    "gopass ",
    "bw get ",
    "chamber read ",
    "consul kv get ",
    "etcdctl get ",
    "fly ssh console ",
    "git config ",
    "npm config get ",
    "security find-generic-password ",
    "secret-tool lookup ",
    "GET ",
    "get ",
    "HGET ",
    "hget ",
    "$env:",
];

/// How long a command may be before its argument and after it.
const LONGEST: usize = 160;

/// The value alone on the line below a command that prints what has this name.
pub(super) fn printed(bytes: &[u8], named: &Named) -> Option<Value> {
    let end = named.end + span(&bytes[named.end..], LONGEST, |byte| byte != b'\n');
    let next = bytes.get(end + 1..).filter(|_| bytes[end] == b'\n')?;
    let before = &bytes[..named.start];
    let line = &before[before.len() - span_back(before, LONGEST, |byte| byte != b'\n')..];
    let lead = ["=> ", "New value: "].iter().find(|lead| next.starts_with(lead.as_bytes()));
    let lead = match lead {
        // What an expression is that ends with the name.
        Some(&"=> ") if end - named.end > 2 => return None,
        // In an interpreter what it prints is a string.
        None if [&b">>> "[..], b"> "].iter().any(|prompt| line.starts_with(prompt))
            && end == named.end
            && quote(next, 0).is_some() =>
        {
            0
        }
        None if !is_printing(line) => return None,
        _ => lead.map_or(0, |lead| lead.len()),
    };
    // What is written into a file is not printed.
    if bytes[named.end..end].contains(&b'>') || bytes[named.end..end].contains(&b'=') && lead == 0 {
        return None;
    }
    let start = end + 1 + lead;
    let start = start + quote(bytes, start).map_or(0, |(slashes, _)| slashes + 1);
    let length = span(&bytes[start..], 400, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\')
    });
    let after = start + length;
    let after = after + quote(bytes, after).map_or(0, |(slashes, _)| slashes + 1);
    let text = &bytes[start..start + length];
    let telling = kinds_of_characters(text) >= 3 || is_random(text, 12);
    let alone = matches!(bytes.get(after), None | Some(b'\n' | b'\r'));
    (alone && telling && length >= 8).then_some(Value {
        start,
        end: start + length,
        quoted: false,
        link: Link::Cell,
    })
}

/// Whether such a command begins the line, or stands behind a prompt.
fn is_printing(line: &[u8]) -> bool {
    if line.iter().any(|byte| matches!(byte, b'<' | b'|')) {
        return false;
    }
    let prompts: [&[u8; 2]; 4] = [b"$ ", b"# ", b"% ", b"> "];
    let prompt = line.windows(2).take(60).rposition(|part| prompts.iter().any(|one| *one == part));
    let command = &line[prompt.map_or(0, |at| at + 2)..];
    let command = command.strip_prefix(b"sudo ").unwrap_or(command);
    PRINTING.iter().any(|one| command.starts_with(one.as_bytes()))
}
