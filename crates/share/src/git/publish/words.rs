//! Words that go into a commit, and words of git that go to the user. Pure.

/// The trailer by which a run's commit is found again.
pub(super) const TRAILER: &str = "Segue-Run";
/// Bytes of git's words at most.
const MAX_TOLD: usize = 8 * 1024;

/// A commit's message with the run it belongs to.
pub(super) fn with_trailer(message: &str, run: &str) -> String {
    let message = message.trim();
    let message = if message.is_empty() { "handover" } else { message };
    let last = message.rsplit("\n\n").next().unwrap_or(message);
    // Trailers stand together, in a paragraph that is not the subject.
    let trailers = last.len() < message.len() && last.lines().all(is_trailer);
    let gap = if trailers { "\n" } else { "\n\n" };
    format!("{message}{gap}{TRAILER}: {}\n", one_line(run))
}

/// Whether a commit's message belongs to this run.
pub(super) fn has_trailer(message: &str, run: &str) -> bool {
    let run = one_line(run);
    message.lines().any(|line| {
        line.strip_prefix(TRAILER)
            .and_then(|rest| rest.strip_prefix(':'))
            .is_some_and(|value| value.trim() == run)
    })
}

/// Whether a commit's message belongs to any run.
pub(super) fn is_publication(message: &str) -> bool {
    message.lines().any(|line| line.strip_prefix(TRAILER).is_some_and(|rest| rest.starts_with(':')))
}

fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| {
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

fn one_line(text: &str) -> String {
    text.split(char::is_control).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// All that git and the remote said, without advice, progress and credentials.
pub(super) fn told(stderr: &str) -> String {
    let lines: Vec<&str> = stderr
        .split(['\n', '\r'])
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && *line != "remote:" && !line.starts_with("hint:"))
        .collect();
    let mut text = without_credentials(&lines.join("\n"));
    if text.len() > MAX_TOLD {
        let end = (0..=MAX_TOLD).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str(" …");
    }
    text
}

/// A text without the user names, passwords and tokens of the URLs in it.
pub fn without_credentials(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '\'' | '"' | '<');
        let end = after.find(ends).unwrap_or(after.len());
        rest = match after[..end].rfind('@') {
            Some(sign) => &after[sign + 1..],
            None => after,
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_by_its_trailer() {
        let message = with_trailer("handover: api session\n", "20261115-1");
        assert_eq!(message, "handover: api session\n\nSegue-Run: 20261115-1\n");
        assert!(has_trailer(&message, "20261115-1") && !has_trailer(&message, "20261115-10"));
        let signed = with_trailer("subject\n\nSigned-off-by: A <a@b>", "r");
        assert!(signed.ends_with("Signed-off-by: A <a@b>\nSegue-Run: r\n"));
        assert_eq!(with_trailer("fix: this", "r"), "fix: this\n\nSegue-Run: r\n");
        assert!(has_trailer(&with_trailer("", "two\nlines"), "two\nlines"));
    }

    #[test]
    fn credentials_are_removed_from_urls_h12() {
        for (text, shown) in [
            ("'https://user:pw@host/x.git'", "'https://host/x.git'"),
            ("https://ghp_token@host", "https://host"),
            ("https://a:p@ss@host/x y://b@c", "https://host/x y://c"),
            ("mail a@b, https://host/a@b", "mail a@b, https://host/a@b"),
            ("ssh://git@host:22/x", "ssh://host:22/x"),
            ("plain ://", "plain ://"),
        ] {
            assert_eq!(without_credentials(text), shown);
        }
    }

    #[test]
    fn all_that_the_remote_said_is_told_h12() {
        let stderr = "remote: branch is protected   \nremote: \nTo /x\nerror: failed\nhint: pull\n";
        assert_eq!(told(stderr), "remote: branch is protected\nTo /x\nerror: failed");
        assert!(told(&"é".repeat(9000)).len() < 9000);
    }
}
