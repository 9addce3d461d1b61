//! What a session was about, in a line.

use super::plan::title_of_plan;
use crate::session::{PromptWay, Session, own_words};
use crate::visible_line;

/// Bytes of a title. Whoever shows one cuts it where there is less room.
const LONGEST: usize = 300;
/// Words that a request has at least to say what it is about.
const SUBSTANTIAL: usize = 4;

/// What a session was about: as somebody called it, the plan it carried out, the first request that
/// says enough, a commit, or any request.
pub fn session_title(session: &Session) -> String {
    let named = session.title.as_deref().and_then(first_line);
    let planned = || {
        session
            .plan
            .as_ref()
            .filter(|plan| plan.accepted)
            .and_then(|plan| title_of_plan(&plan.text))
    };
    let requested = || {
        session
            .prompts
            .iter()
            .filter(|prompt| prompt.way != PromptWay::Command)
            .find_map(|prompt| substantial(&prompt.text))
    };
    let committed = || session.commits.first().map(|commit| commit.subject.clone());
    let any = || session.prompts.first().and_then(|prompt| first_line(&prompt.text));
    let title = named.or_else(planned).or_else(requested).or_else(committed).or_else(any);
    let title = title.unwrap_or_else(|| "A session".to_owned());
    let words: Vec<&str> = title.split_whitespace().collect();
    visible_line(&crate::session::shorten(&words.join(" "), LONGEST)).into_owned()
}

/// The first line of a request that says what it is about.
fn substantial(request: &str) -> Option<String> {
    let own = own_words(request).text;
    let reads = |line: &&str| {
        line.starts_with(|c: char| c.is_alphanumeric())
            && (line.split_whitespace().count() >= SUBSTANTIAL
                || !line.is_ascii() && line.chars().count() > 8)
    };
    let line = own.lines().map(|line| line.trim().trim_start_matches('#').trim()).find(reads)?;
    Some(line.trim_end_matches(':').to_owned())
}

fn first_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::session_title;
    use crate::session::{PromptWay, Recorder};

    fn title(requests: &[&str]) -> String {
        let mut recorder = Recorder::new("x");
        for request in requests {
            recorder.next_record();
            recorder.asked(request, PromptWay::Typed);
        }
        session_title(recorder.session())
    }

    #[test]
    fn the_first_request_that_says_enough_is_the_title() {
        assert_eq!(
            title(&["hi", "Fix the totals of the basket.\nThanks", "yes"]),
            "Fix the totals of the basket."
        );
        assert_eq!(title(&["ok", "go on"]), "ok");
        assert_eq!(title(&[]), "A session");
        assert_eq!(title(&["```\nx\n```\nWhy does this test fail?"]), "Why does this test fail?");
    }
}
