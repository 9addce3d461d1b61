//! What the user and the agent say to each other.

use std::borrow::Cow;

use super::super::RuleTakenBack;
use super::super::bounds::cut;
use super::super::briefed::{Briefed, briefed};
use super::super::lifted::may_lift;
use super::super::passage::{Finding, findings};
use super::super::rules::each_order;
use super::super::sentence::asks_for_secret;
use super::super::{Decided, DecidedBy, Prompt, PromptWay, Record, Said, Session, ToldKind, Typed};
use super::{Act, COMMAND, MESSAGE, REJECTED, Recorder};
use crate::StandingRule;
use crate::own_words::{is_question, is_request_to_save};
use crate::redact::{Whole, trimmed};
use crate::search::TermReader;
use crate::state::{is_take_back, takes_back};

/// How many are kept of each thing.
const FIRST_PROMPTS: usize = 20;
const PROMPTS: usize = 500;
const CONSTRAINTS: usize = 300;
const TAKEN_BACK: usize = 30;
const SAID: usize = 4;
const REPORTS: usize = 48;
/// Skills of a turn, and the bytes of a name.
const SKILLS: usize = 6;
const SKILL: usize = 80;
/// Bytes of a message that may report something, and of it what is kept.
const LEAST_REPORT: usize = 80;
const REPORT: usize = 1_500;
const DECISIONS: usize = 100;
const GOTCHAS: usize = 50;
/// Turns whose last message is kept whole; of older ones the beginning is.
const WHOLE_ANSWERS: usize = 12;
const OLD_ANSWER: usize = 800;
/// Stands for an answer that nobody needs to know.
const SECRET_ANSWER: &str = "[redacted: answer]";

impl Recorder {
    /// The user said something.
    pub fn asked<'t>(&mut self, typed: impl Into<Typed<'t>>, way: PromptWay) {
        let text = typed.into().as_str();
        // A question of `snapshot --ask` is not the user's.
        if is_question(text) {
            return;
        }
        if is_request_to_save(text) {
            self.heard_machine(text);
            return;
        }
        let text = match briefed(text) {
            Some(briefed) => self.took_over(briefed, way),
            None => Cow::Borrowed(text),
        };
        self.turn(&trimmed(&text), way, false);
        // What stands behind a command of the agent is for that command.
        if !self.aside && way != PromptWay::Command {
            self.session.demands(&text, self.record);
        }
    }

    /// The agent was started with a briefing. Gives what somebody said besides.
    fn took_over<'t>(&mut self, briefed: Briefed<'t>, way: PromptWay) -> Cow<'t, str> {
        if let Some(title) = briefed.title.filter(|_| !self.aside) {
            self.tell(ToldKind::User, title);
            self.prompt(title, way, true);
        }
        briefed.rest
    }

    /// The agent was given a text by a machine, such as what a hook says. If that is ours and asks to save,
    /// what the agent says to it is no answer to the user. What it says to another one does not take the place
    /// of what it has told the user.
    pub fn heard_machine(&mut self, text: &str) {
        if self.aside {
            return;
        }
        if is_request_to_save(text) {
            self.answers_us = true;
        } else if let Some(prompt) = self.session.prompts.last_mut()
            && prompt.told_user.is_none()
            && prompt.is_handled()
        {
            prompt.told_user.clone_from(&prompt.answer);
        }
    }

    /// The user has the agent take something up, in words that are not the user's own: they hold for nothing.
    pub fn takes_up(&mut self, title: &str) {
        self.turn(&trimmed(title), PromptWay::Typed, true);
    }

    fn turn(&mut self, text: &str, way: PromptWay, passed_on: bool) {
        if self.aside || text.is_empty() {
            return;
        }
        self.tell(ToldKind::User, text);
        self.session.turns += 1;
        self.prompt(text, way, passed_on);
    }

    fn prompt(&mut self, text: &str, way: PromptWay, passed_on: bool) {
        let record = self.record;
        self.answers_us = false;
        self.heard_past_queue();
        let session = &mut self.session;
        session.interrupted = false;
        let prompt = Prompt {
            text: cut(text, MESSAGE).into_owned(),
            record,
            at: self.at,
            way,
            passed_on,
            answered: false,
            answer: None,
            told_user: None,
            last_call: 0,
            interrupted: false,
            edited: Vec::new(),
            more_edited: 0,
            skills: Vec::new(),
        };
        if let Some(old) = session.prompts.len().checked_sub(WHOLE_ANSWERS) {
            let old = &mut session.prompts[old];
            for said in old.answer.iter_mut().chain(&mut old.told_user) {
                if said.text.len() > OLD_ANSWER {
                    said.text = cut(&said.text, OLD_ANSWER).into_owned();
                }
            }
        }
        session.prompts.push(prompt);
        if session.prompts.len() > PROMPTS {
            session.prompts.remove(FIRST_PROMPTS);
        }
    }

    /// The agent said something.
    pub fn said(&mut self, text: &str) {
        if self.aside || text.trim().is_empty() {
            return;
        }
        let text = &*trimmed(text);
        self.tell(ToldKind::Agent, text);
        if self.answers_us {
            return;
        }
        let text = &*plain_apostrophes(text);
        let record = self.record;
        let session = &mut self.session;
        if let Some(prompt) = session.prompts.last_mut() {
            prompt.answered = true;
        }
        let said = Said { text: cut(text, MESSAGE).into_owned(), record };
        if let Some(prompt) = session.prompts.last_mut() {
            prompt.answer = Some(said.clone());
        }
        if text.len() >= LEAST_REPORT {
            session.reports.push_back(Said { text: cut(text, REPORT).into_owned(), record });
            if session.reports.len() > REPORTS {
                session.reports.pop_front();
            }
        }
        session.said.push_back(said);
        if session.said.len() > SAID {
            session.said.pop_front();
        }
        self.claim(text);
        let session = &mut self.session;
        let whole = Whole::new(text);
        findings(text, |finding, text| {
            let text = &*whole.piece(&text);
            match finding {
                Finding::Decision => decide(&mut session.decisions, text, DecidedBy::Agent, record),
                Finding::Rejected => keep_newest(&mut session.rejected, REJECTED, text, record),
                Finding::Gotcha => keep_newest(&mut session.gotchas, GOTCHAS, text, record),
            }
        });
    }

    /// The agent uses a skill or a command of its own, by its name. It counts once it has worked.
    pub fn uses_skill(&mut self, call: &str, name: &str) {
        let name = cut(name, SKILL).into_owned();
        self.act(call, &format!("the skill {name}"), Act::Skill(name));
    }

    pub(super) fn skill_worked(&mut self, name: String) {
        let turn = self.session.prompts.last_mut().filter(|_| !self.aside);
        if let Some(turn) = turn
            && turn.skills.len() < SKILLS
            && !turn.skills.contains(&name)
        {
            turn.skills.push(name);
        }
    }

    /// The user answered a question.
    pub fn answered<'t>(&mut self, question: &str, answer: impl Into<Typed<'t>>) {
        if self.aside {
            return;
        }
        // What somebody answers to that is one, whatever it looks like.
        let is_secret = asks_for_secret(question);
        let answer = if is_secret { SECRET_ANSWER } else { answer.into().as_str() };
        let text = format!("{} → {}", question.trim(), answer.trim());
        // The question stands before it in its first line.
        let text = Whole::new(answer).piece(&text);
        self.tell(ToldKind::Answered, &text);
        let record = self.record;
        decide(&mut self.session.decisions, &text, DecidedBy::User, record);
        self.session.demands(answer, record);
    }

    /// The user stopped the agent.
    pub fn interrupted(&mut self) {
        if !self.aside {
            self.tell(ToldKind::Interrupted, "");
            self.session.interrupted = true;
            if let Some(prompt) = self.session.prompts.last_mut() {
                prompt.interrupted = true;
            }
        }
    }
}

impl Session {
    /// Takes down the sentences of the user's that say how things have to be done from then on. What was
    /// pasted is not the user's.
    fn demands(&mut self, text: &str, record: Record) {
        let whole = Whole::new(text);
        each_order(text.trim(), |sentence, holds, _| {
            let is_taken = self.take_back(sentence, &whole, record);
            if holds || (!is_taken && may_lift(sentence, &self.constraints)) {
                self.hold_to(&whole.piece(sentence), record);
            }
        });
    }

    /// Whether a sentence takes back rules that are known, which do not hold any more then. It may be about one of an
    /// earlier session, too.
    fn take_back(&mut self, sentence: &str, whole: &Whole<'_>, record: Record) -> bool {
        let has_form = is_take_back(sentence);
        let may_be_about = has_form || may_lift(sentence, &self.constraints);
        if !may_be_about {
            return false;
        }
        let mut reader = TermReader::default();
        let is_about = |rule: &mut StandingRule| takes_back(sentence, &rule.text, &mut reader);
        let rules: Vec<StandingRule> = self.constraints.extract_if(.., is_about).collect();
        let is_taken = !rules.is_empty();
        if is_taken || has_form {
            let text = whole.piece(sentence).into_owned();
            self.taken_back.retain(|known| known.text != text);
            self.taken_back.push(RuleTakenBack { text, record, rules });
            if self.taken_back.len() > TAKEN_BACK {
                self.taken_back.remove(0);
            }
        }
        is_taken
    }

    /// The user said a rule: the newest of what is said twice stays.
    fn hold_to(&mut self, rule: &str, record: Record) {
        let rules = &mut self.constraints;
        rules.retain(|known| known.text != rule);
        rules.push(StandingRule { text: rule.to_owned(), record });
        if rules.len() > CONSTRAINTS {
            rules.remove(0);
        }
    }
}

/// A text in which the apostrophe of a word such as `don’t` is the plain one. Some models only write the other one,
/// and every phrase that is looked for has the plain one.
fn plain_apostrophes(text: &str) -> Cow<'_, str> {
    const CURLY: char = '’';
    if !text.contains(CURLY) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let in_word = before.is_alphanumeric() && chars.peek().is_some_and(|c| c.is_alphanumeric());
        plain.push(if c == CURLY && in_word { '\'' } else { c });
        before = c;
    }
    Cow::Owned(plain)
}

/// Keeps what was said, the newest of what is said twice, at most so many.
pub(super) fn keep_newest(list: &mut Vec<Said>, most: usize, text: &str, record: Record) {
    list.retain(|known| known.text != text);
    list.push(Said { text: text.to_owned(), record });
    if list.len() > most {
        list.remove(0);
    }
}

fn decide(list: &mut Vec<Decided>, text: &str, by: DecidedBy, record: Record) {
    list.retain(|known| known.text != text);
    list.push(Decided { text: cut(text, COMMAND).into_owned(), by, record });
    if list.len() > DECISIONS {
        list.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use crate::own_words::request_to_save;
    use crate::session::{End, Outcome, PromptWay, Recorder};

    #[test]
    fn both_apostrophes_say_the_same() {
        let messages = [
            "Raising `--jobs` doesn’t help: the linker is the bottleneck.",
            "It turns out that `load()` can’t read rows without a date. I’ll add a test for it now.",
        ];
        let session = |plain: bool| {
            let mut recorder = Recorder::new("x");
            recorder.next_record();
            recorder.asked("Make it faster", PromptWay::Typed);
            for message in messages {
                recorder.next_record();
                recorder.said(&if plain {
                    message.replace('’', "'")
                } else {
                    message.to_owned()
                });
            }
            recorder.session().clone()
        };
        assert_eq!(session(false), session(true));
        assert_eq!(session(false).rejected.len() + session(false).gotchas.len(), 2);
        let quoted = super::plain_apostrophes("Say ’so’: it’s done’");
        assert_eq!(quoted, "Say ’so’: it's done’");
    }

    #[test]
    fn what_the_user_has_the_agent_take_up_is_not_in_the_users_words() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.takes_up("Never drop the basket.");
        recorder.asked("Never use tabs.", PromptWay::Typed);
        let session = recorder.session();
        let passed_on: Vec<bool> = session.prompts.iter().map(|prompt| prompt.passed_on).collect();
        assert_eq!((passed_on, session.turns), (vec![true, false], 2));
        let held: Vec<&str> = session.constraints.iter().map(|said| said.text.as_str()).collect();
        assert_eq!(held, ["Never use tabs."]);
    }

    #[test]
    fn what_a_subagent_is_answered_is_not_the_users() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.aside();
        recorder.answered("Which?", "Never use tabs.");
        recorder.queued("Never use tabs.");
        recorder.asked("Never use tabs.", PromptWay::Typed);
        let session = recorder.session();
        assert!(session.decisions.is_empty() && session.constraints.is_empty());
        assert!(session.prompts.is_empty() && session.waiting.is_empty());
    }

    #[test]
    fn what_is_said_to_a_machine_does_not_replace_what_the_user_was_told() {
        let mut recorder = Recorder::new("x");
        let told = |recorder: &Recorder| {
            let prompt = recorder.session().prompts[0].clone();
            (prompt.told_user.map(|said| said.text), prompt.answer.map(|said| said.text))
        };
        recorder.next_record();
        recorder.asked("What does y.ts do?", PromptWay::Typed);
        recorder.next_record();
        recorder.said("I look at it.");
        recorder.ran("1", "cat y.ts");
        recorder.next_record();
        recorder.ran("2", "cat z.ts");
        recorder.heard_machine("The file changed.");
        assert_eq!(told(&recorder).0, None, "the turn was not over");
        recorder.next_record();
        recorder.said("It parses dates.");
        for (machine, said) in [("Stop hook: format it", "Formatted."), ("Another", "Again.")] {
            recorder.next_record();
            recorder.heard_machine(machine);
            recorder.next_record();
            recorder.said(said);
        }
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(told(&recorder), (some("It parses dates."), some("Again.")));
    }

    #[test]
    fn what_is_said_to_our_own_request_is_no_answer_to_the_user() {
        let mut recorder = Recorder::new("x");
        recorder.next_record();
        recorder.asked("Fix the totals", PromptWay::Typed);
        recorder.next_record();
        recorder.said("Totals are fixed.\n\nRemaining:\n- discounts");
        recorder.next_record();
        recorder
            .heard_machine(&format!("Stop hook feedback:\n{}", request_to_save("Files changed.")));
        recorder.next_record();
        recorder.ran("1", "segue save");
        recorder
            .ended("1", End { outcome: Outcome::Failed, exit: Some(127) }, || "not found".into());
        recorder.said("I could not run segue.");
        let prompt = recorder.session().prompts[0].clone();
        assert!(prompt.answer.as_ref().is_some_and(|answer| answer.text.contains("discounts")));
        assert!(prompt.is_handled() && recorder.session().failures.is_empty());
        recorder.next_record();
        recorder.asked("Go on", PromptWay::Typed);
        recorder.said("Yes.");
        assert!(recorder.session().prompts[1].answer.is_some());
    }
}
