//! A text that is too long is cut. A secret in it must not be cut in the middle: its half would not be
//! known for one any more, and would be stored.
#![expect(clippy::unwrap_used, reason = "a test whose ground cannot be laid shall fail")]

use segue_core::session::{End, Outcome, PromptWay, Recorder, TodoStatus, Typed};
use segue_core::{Handoff, Redactor};

const TOKEN: &str = "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";

/// A secret, and what must not be left of it once a text is redacted.
fn secrets() -> Vec<(String, Vec<String>)> {
    let pieces = |text: &str| -> Vec<String> {
        let text: Vec<char> = text.chars().collect();
        text.chunks(9)
            .filter(|piece| piece.len() == 9)
            .map(|piece| piece.iter().collect())
            .collect()
    };
    let jwt = format!(
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.{}",
        "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
    );
    let key: String = (0..24)
        .map(|line| format!("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7{line:012}\n"))
        .collect();
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{key}-----END PRIVATE KEY-----");
    vec![
        (TOKEN.to_owned(), pieces(TOKEN)),
        (format!("token={TOKEN}&x=1"), pieces(TOKEN)),
        (
            "password = \"tuna horse battery staple maple\"".to_owned(),
            ["tuna horse", "horse battery", "battery staple"].map(str::to_owned).to_vec(),
        ),
        (
            "postgres://shop:Vq7mTz2Kp9Lx4Rw8@db.example.org/shop".to_owned(),
            vec!["Vq7mTz2".to_owned()],
        ),
        (jwt.clone(), pieces(&jwt[60..])),
        (pem, vec!["MIIEvQIBADANBgkqhkiG9w0".to_owned()]),
    ]
}

/// A text in which a secret stands across the byte at which it is cut.
fn around(secret: &str, most: usize, over: usize, filler: &str) -> String {
    let before = most + over - secret.len();
    let mut text = filler.repeat(before / filler.len() + 1);
    text.truncate(before - 1);
    let between = if filler.contains(' ') { ' ' } else { '&' };
    text.push(between);
    format!("{text}{secret}{between}and more of it {filler}")
}

/// Everything that is known of a session, without secrets, as it is stored.
fn stored(record: impl FnOnce(&mut Recorder)) -> String {
    let mut recorder = Recorder::new("claude-code");
    recorder.next_record();
    record(&mut recorder);
    let json = serde_json::to_value(&recorder).unwrap();
    let mut texts = Vec::new();
    strings(&json, &mut texts);
    let redactor = Redactor::default();
    texts.iter().map(|text| redactor.redact(text).text.into_owned() + "\n").collect()
}

fn strings(value: &serde_json::Value, out: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => out.push(text.clone()),
        serde_json::Value::Array(all) => all.iter().for_each(|one| strings(one, out)),
        serde_json::Value::Object(all) => all.values().for_each(|one| strings(one, out)),
        _ => {}
    }
}

/// Records a text in one way for every place at which the secret may be cut.
fn never_half(what: &str, most: usize, record: impl Fn(&mut Recorder, &str)) {
    for (secret, pieces) in secrets() {
        for filler in ["so it is here. ", "0x41-0x42-"] {
            if secret.len() + 20 > most {
                continue;
            }
            for over in (1..secret.len()).step_by(1 + secret.len() / 40) {
                let text = around(&secret, most, over, filler);
                let stored = stored(|recorder| record(recorder, &text));
                for piece in &pieces {
                    let at = stored.find(piece.as_str());
                    let near = at.map(|at| stored[at.saturating_sub(60)..].chars().take(160));
                    let near: String = near.into_iter().flatten().collect();
                    assert!(at.is_none(), "{what}, {over} over, {filler:?}: {piece} in …{near}…");
                }
            }
        }
    }
}

fn passed() -> End {
    End { outcome: Outcome::Passed, exit: Some(0) }
}

fn failed() -> End {
    End { outcome: Outcome::Failed, exit: Some(1) }
}

#[test]
fn what_is_said_is_not_cut_in_a_secret() {
    never_half("a prompt", 8_000, |recorder, text| {
        recorder.asked(Typed::by_record(text), PromptWay::Typed)
    });
    never_half("the agent's words", 8_000, |recorder, text| recorder.said(text));
    never_half("a plan", 8_000, |recorder, text| recorder.plans("a", text));
    never_half("a title", 2_000, |recorder, text| recorder.title(text));
    never_half("an answer", 2_000, |recorder, text| {
        let answer = text.get("Which? → ".len()..).unwrap();
        recorder.answered("Which?", Typed::by_record(answer));
    });
    never_half("a to-do", 2_000, |recorder, text| {
        recorder.todos([(None, text, TodoStatus::Open)].into_iter());
        recorder.todo("1", Some(text), None);
    });
}

#[test]
fn a_piece_of_a_text_is_kept_without_the_secrets_that_the_rest_shows() {
    let value = ["opyS6Ujjf", "YKxoxejFIDCmrdp"].concat();
    let pair = format!("        - name: REDIS_AUTH\n          value: \"{value}\"\n");
    let key: String = (0..6)
        .map(|line| format!("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7{line:012}\n"))
        .collect();
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{key}-----END PRIVATE KEY-----");
    let weak = ["Madrid", "1169#"].concat();
    let user = format!("    user: app\n    pass: {weak}\n    threads: 4");
    let never = |what: &str, secret: &str, record: &dyn Fn(&mut Recorder)| {
        let stored = stored(|recorder| record(recorder));
        assert!(!stored.contains(secret), "{what}: {stored}");
    };
    never("an error", &value, &|recorder| {
        recorder.ran("a", "npm test");
        recorder.ended("a", failed(), || format!("Exit code 1\n{pair}").into());
    });
    for command in [
        format!("git commit -m '{pem}'"),
        format!("git commit -F - <<EOF\n{pem}\nEOF"),
        format!("git commit -m 'Add it' -m '{pem}'"),
    ] {
        never("a commit", "MIIEvQIB", &|recorder| {
            recorder.ran("a", &command);
            recorder.ended("a", passed(), || "[main 3f2a9c1] Add it".into());
        });
        never("a quiet commit", "MIIEvQIB", &|recorder| {
            recorder.ran("a", &command);
            recorder.ended("a", passed(), || "".into());
        });
    }
    never("a prompt", &weak, &|recorder| {
        recorder.asked(Typed::by_record(&user), PromptWay::Typed);
        recorder.queued(Typed::by_record(&user));
    });
    never("a command", &weak, &|recorder| recorder.ran("a", &user));
    never("the agent's words", &weak, &|recorder| recorder.said(&user));
    never("a plan", &weak, &|recorder| recorder.plans("a", &user));
    never("an answer", &weak, &|recorder| {
        recorder.answered("Which?", Typed::by_record(&user));
    });
    never("a to-do", &weak, &|recorder| {
        recorder.todos([(None, user.as_str(), TodoStatus::Open)].into_iter());
        recorder.todo("1", Some(&user), None);
    });
    never("what is printed on the way", "MIIEvQIB", &|recorder| {
        recorder.ran("a", "cargo test");
        recorder.printed("a", &"a line\n".repeat(4_660));
        recorder.printed("a", &pem);
        recorder.printed("a", &"a line\n".repeat(4_640));
    });
}

#[test]
fn what_is_done_is_not_cut_in_a_secret() {
    never_half("a command", 2_000, |recorder, text| {
        recorder.ran("a", text);
        recorder.ended("a", passed(), || "".into());
    });
    never_half("a call that waits", 2_000, |recorder, text| recorder.called("a", text));
    never_half("a call that failed", 400, |recorder, text| {
        recorder.called("a", text);
        recorder.ended("a", failed(), || "no".into());
    });
    never_half("a check", 2_000, |recorder, text| {
        recorder.ran("a", &format!("cargo test {}", text.get("cargo test ".len()..).unwrap()));
        recorder.ended("a", failed(), || "no".into());
    });
    never_half("an error", 400, |recorder, text| {
        recorder.called("a", "tool");
        let text = text.to_owned();
        recorder.ended("a", failed(), || text.into());
    });
    never_half("a link", 400, |recorder, text| recorder.link(text));
    never_half("a commit", 400, |recorder, text| {
        recorder.ran("a", "git commit -m x");
        let printed = format!("[main 3f2a9c1] {text}");
        recorder.ended("a", passed(), || printed.into());
    });
}

#[test]
fn a_sentence_is_not_cut_in_a_secret() {
    for over in 1..TOKEN.len() {
        let filler = "and never do that and ";
        let text = format!("Never {}", around(TOKEN, 400 - "Never ".len(), over, filler));
        let stored = stored(|recorder| recorder.asked(Typed::by_record(&text), PromptWay::Typed));
        assert!(!stored.contains("ghp_zQW"), "{over}: {stored}");
        let text = format!("We decided to {}", around(TOKEN, 400 - 14, over, filler));
        let stored = self::stored(|recorder| recorder.said(&text));
        assert!(!stored.contains("ghp_zQW"), "{over}: {stored}");
    }
}

#[test]
fn a_title_out_of_a_body_is_not_cut_in_a_secret() {
    let head = "---\nsegue: 1\nid: 20261115-174500-a3f9c12e\ncreated: 2026-11-15T17:45:00Z\n---\n";
    for over in 1..TOKEN.len() {
        let text = around(TOKEN, 80, over, "so it is here ");
        let handoff = Handoff::parse(format!("{head}{text}\n")).unwrap();
        let title = handoff.display_title();
        assert!(!title.contains("ghp_zQW"), "{over}: {title}");
    }
}

#[test]
fn what_has_no_secret_is_cut_where_it_was() {
    let long = "é".repeat(10_000);
    let mut recorder = Recorder::new("claude-code");
    recorder.next_record();
    recorder.asked(Typed::by_record(&long), PromptWay::Typed);
    let kept = &recorder.session().prompts[0].text;
    assert_eq!(*kept, format!("{}…", "é".repeat(4_000)));
    let words = "so it is here. ".repeat(1_000);
    recorder.asked(Typed::by_record(&words), PromptWay::Typed);
    let kept = &recorder.session().prompts[1].text;
    assert!(kept.len() > 7_900 && kept.len() <= 8_000 + '…'.len_utf8(), "{}", kept.len());
    assert!(words.starts_with(kept.trim_end_matches('…')));
}
