use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use segue_lib::Segue;
use segue_lib::agents::{Agent, briefs_at_prompt, find_agent, project_of_hook, really_by};
use segue_lib::hook::{
    Continued, HookDone, HookEvent, HookOutcome, HookRequest, Payload, hook_directory,
};

use crate::error::CommandError;
use crate::host;

/// Answer a hook of an agent; 'segue install' sets them up
///
/// Reads what the agent tells on standard input and answers in its dialect: the briefing when a session
/// begins, what the summary dropped after a compaction. At the end of a turn the live draft of the
/// session is made anew. Whatever goes wrong, it ends with 0 and prints nothing; 'segue doctor' shows
/// how the hooks went.
#[derive(Args, Debug)]
pub(crate) struct HookArgs {
    /// The agent, such as claude-code or codex
    #[arg(value_name = "AGENT")]
    agent: Option<OsString>,
    /// What happens: session-start, prompt, stop, pre-compact or session-end
    #[arg(value_name = "EVENT")]
    event: Option<OsString>,
    /// The store, as an installed hook names it where the agent does not pass on SEGUE_HOME
    #[arg(long, value_name = "DIR", hide = true)]
    home: Option<PathBuf>,
    /// What a newer or older version may have added
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    more: Vec<OsString>,
}

/// The longest payload. Those of tools can be long; none of ours is.
const LONGEST_PAYLOAD: usize = 16 << 20;
/// How long a hook may take at most.
const DEADLINE: Duration = Duration::from_secs(3);
/// At a session's end agents wait for a second or so.
const DEADLINE_AT_END: Duration = Duration::from_millis(900);

/// Until then a session's end is noted, which comes before all else: on a machine with much to do even that takes
/// its time.
const DEADLINE_TO_NOTE: Duration = Duration::from_secs(3);

/// How long an agent may take to read an answer that was there at the last moment.
const TO_TAKE_IT: Duration = Duration::from_millis(200);

/// How a hook went, as the log tells it.
struct Went {
    agent: String,
    event: &'static str,
    begun: Instant,
}

impl Went {
    /// Writes a line of the log. Nothing of the payload is in it.
    fn note(&self, how: &str, remark: &str) {
        let ms = self.begun.elapsed().as_secs_f64() * 1_000.0;
        if let Ok(env) = host::env_as_it_is() {
            Segue::new(env).hooks().note(&self.agent, self.event, ms, how, remark);
        }
    }
}

/// Set by whoever is first: the answer, or the end of the time.
static DONE: AtomicBool = AtomicBool::new(false);
/// Set while a session's end has yet to be noted.
static NOTING: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(args: &HookArgs) -> Result<(), CommandError> {
    if io::stdin().is_terminal() {
        return Err(CommandError::usage(
            "hooks are run by agents, with a payload on standard input",
        )
        .hinted("'segue install' sets them up, 'segue doctor' shows how they went"));
    }
    let begun = Instant::now();
    if let Some(home) = &args.home {
        host::use_home(home.clone());
    }
    let word = |word: &Option<OsString>| {
        word.as_ref().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let (agent, event) = (find_agent(&word(&args.agent)), HookEvent::of(&word(&args.event)));
    let slug = agent.map_or("unknown", |agent| agent.slug).to_owned();
    let event_word = event.map_or("unknown", HookEvent::word);
    NOTING.store(event == Some(HookEvent::SessionEnd), Ordering::SeqCst);
    watch(Went { agent: slug.clone(), event: event_word, begun }, event);
    let went = Went { agent: slug, event: event_word, begun };
    let (Some(agent), Some(event)) = (agent, event) else {
        went.note("failed", "this version does not know the agent or the event");
        return Ok(());
    };
    if host::variable(segue_lib::agents::ASKED).is_some() {
        went.note("nothing", "segue asks this session for a handoff");
        return Ok(());
    }
    let Some(payload) = told() else {
        went.note("failed", "what came on standard input is no payload of a hook");
        return Ok(());
    };
    let really = really_by(agent, &payload, host::variable);
    if really.is_some_and(|really| has_own_hooks(really, &payload)) {
        went.note("nothing", "another agent runs this hook too, and has its own");
        return Ok(());
    }
    let slug = really.unwrap_or(agent).slug;
    // An agent that this one starts in turn is told by its own hook.
    let continued = host::variable(host::CONTINUED).is_some_and(|of| of == slug);
    let continued = (continued && briefs(agent, event, &payload)).then(|| Continued {
        from: host::variable(host::CONTINUED_FROM).filter(|id| !id.is_empty()),
    });
    let remark = if continued.is_some() { "it was started with the briefing" } else { "" };
    let mut request = HookRequest::new(really.unwrap_or(agent), event, payload);
    request.dialect = agent;
    request.continued = continued;
    match hooked(&request) {
        Ok(outcome) => {
            let first = !DONE.swap(true, Ordering::SeqCst);
            let answer = outcome.answer.as_ref().filter(|_| first);
            let written = answer.map_or(Ok(()), |answer| {
                let mut out = io::stdout().lock();
                out.write_all(answer.as_bytes()).and_then(|()| out.flush())
            });
            match (&outcome.failed, written) {
                (_, Err(_)) => went.note("failed", "nobody took the answer"),
                (Some(error), _) => went.note("failed", &error.kind_in_words()),
                (None, _) => {
                    // Whoever was told something was not started with it, whatever a daemon's environment says.
                    let is_nothing = outcome.done == HookDone::Nothing;
                    went.note(outcome.done.word(), if is_nothing { remark } else { "" });
                }
            }
        }
        Err(error) => {
            DONE.store(true, Ordering::SeqCst);
            went.note("failed", &error);
        }
    }
    Ok(())
}

fn hooked(request: &HookRequest) -> Result<HookOutcome, String> {
    let project = project_of_hook(host::variable);
    let dir = hook_directory(&request.payload, project);
    let mut env = host::env_in(dir.as_deref())
        .map_err(|_| "a variable of the environment cannot be used".to_owned())?;
    env.hurried = true;
    let mut segue = Segue::new(env);
    if let Some(dir) = segue.hooks().known_directory(request) {
        segue = segue.in_dir(dir);
    }
    // What cannot be noted may still be done.
    let _ = segue.hooks().note_end(request);
    NOTING.store(false, Ordering::SeqCst);
    segue.hooks().fire(request).map_err(|error| error.kind_in_words())
}

/// Ends the process when its time is over, or when something in it went badly wrong: with 0, and
/// nothing printed.
fn watch(went: Went, event: Option<HookEvent>) {
    let deadline = if event == Some(HookEvent::SessionEnd) { DEADLINE_AT_END } else { DEADLINE };
    let noted = Went { agent: went.agent.clone(), ..went };
    std::panic::set_hook(Box::new(move |_| {
        if !DONE.swap(true, Ordering::SeqCst) {
            noted.note("failed", "internal error");
        }
        process::exit(0);
    }));
    let went = Went { agent: went.agent, ..went };
    // Where no thread is to be had there is no deadline, and the agent's own has to do.
    let _ = thread::Builder::new().spawn(move || {
        thread::sleep(deadline.saturating_sub(went.begun.elapsed()));
        let noting = || NOTING.load(Ordering::SeqCst) && went.begun.elapsed() < DEADLINE_TO_NOTE;
        while noting() {
            thread::sleep(Duration::from_millis(5));
        }
        if DONE.swap(true, Ordering::SeqCst) {
            // There is an answer; but somebody has to take it.
            thread::sleep(TO_TAKE_IT);
        } else {
            went.note("failed", "it took too long and was ended");
        }
        process::exit(0);
    });
}

/// What the agent tells. Some leave the pipe open, so that a whole object is enough; who says nothing
/// at all is left to the deadline.
fn told() -> Option<Payload> {
    let mut stdin = io::stdin().lock();
    let mut chunk = vec![0; 64 << 10];
    let mut told = Vec::new();
    loop {
        let count = match stdin.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.ok()?,
        };
        told.extend_from_slice(&chunk[..count]);
        let ended = count == 0;
        let drained = count < chunk.len();
        if ended || drained && told.trim_ascii_end().ends_with(b"}") {
            match Payload::read(&String::from_utf8_lossy(&told)) {
                None if !ended => {}
                payload => return payload,
            }
        }
        if told.len() > LONGEST_PAYLOAD {
            return None;
        }
    }
}

/// Whether a new session is given the briefing at an event.
fn briefs(agent: &Agent, event: HookEvent, payload: &Payload) -> bool {
    match event {
        HookEvent::SessionStart => payload.is_first_start(),
        HookEvent::Prompt => briefs_at_prompt(agent),
        _ => false,
    }
}

/// Directories above a session's in which its project may be.
const ABOVE: usize = 32;

/// Whether an agent that also runs the hooks of others has some of ours.
fn has_own_hooks(agent: &Agent, payload: &Payload) -> bool {
    let borrows = agent.hooks.as_ref().and_then(|hooks| hooks.borrows.as_ref());
    let files = borrows.map_or(&[][..], |borrows| borrows.own_files);
    let home = host::user_home();
    // Those of a project are at its top, wherever in it the agent is.
    let above = payload.cwd.iter().flat_map(|cwd| cwd.ancestors()).take(ABOVE);
    let places = home.into_iter().chain(above.map(PathBuf::from));
    let own = format!(" hook {} ", agent.slug);
    places
        .flat_map(|place| files.iter().map(move |file| place.join(file)))
        .any(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains(&own)))
}
