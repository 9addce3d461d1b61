//! One voice: data on standard output, talk on standard error, colours by role.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use segue_lib::{visible, visible_line};

use crate::host::variable;

/// What a piece of text is, which decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Id,
    Heading,
    Title,
    Faint,
    Good,
    Warning,
    Error,
    Hint,
    /// What was looked for.
    Match,
}

impl Role {
    fn style(self) -> Style {
        match self {
            Self::Id => AnsiColor::Yellow.on_default(),
            Self::Heading => Style::new().bold().underline(),
            Self::Title => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Warning => AnsiColor::Yellow.on_default().bold(),
            Self::Error => AnsiColor::Red.on_default().bold(),
            Self::Hint => AnsiColor::Cyan.on_default().bold(),
            Self::Match => AnsiColor::Red.on_default().bold(),
        }
    }
}

/// Both streams of the process.
pub(crate) struct Ui {
    out: BufWriter<Stdout>,
    out_terminal: bool,
    out_colour: bool,
    err_colour: bool,
}

impl Ui {
    pub(crate) fn new() -> Self {
        let out_terminal = io::stdout().is_terminal();
        let plain =
            variable("NO_COLOR").is_some() || variable("TERM").is_some_and(|term| term == "dumb");
        Self {
            out: BufWriter::new(io::stdout()),
            out_terminal,
            out_colour: out_terminal && !plain,
            err_colour: io::stderr().is_terminal() && !plain,
        }
    }

    /// Whether a person is looking at standard output.
    pub(crate) fn is_terminal(&self) -> bool {
        self.out_terminal
    }

    /// Columns of the terminal.
    pub(crate) fn width(&self) -> usize {
        let columns = variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let size = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        columns.or_else(size).unwrap_or(80).max(20)
    }

    /// A piece of text for standard output, in its role.
    pub(crate) fn paint(&self, role: Role, text: &str) -> String {
        paint(self.out_colour, role, text)
    }

    /// Data, byte for byte.
    pub(crate) fn raw(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// Bytes that are no text.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Tells how far something is that takes long.
    pub(crate) fn progress(&self, what: &'static str) -> impl FnMut(usize, usize) + use<> {
        let ending = Ending;
        move |done, total| {
            let _ = &ending;
            tell_progress(what, done, total);
        }
    }

    /// Stored text: byte for byte into a pipe, made visible in a terminal.
    pub(crate) fn stored(&mut self, text: &str) -> io::Result<()> {
        if self.out_terminal {
            let text = visible(text);
            self.out.write_all(text.as_bytes())?;
            // A prompt shall not stick to a last line that has no end.
            if !text.is_empty() && !text.ends_with('\n') {
                self.out.write_all(b"\n")?;
            }
            return Ok(());
        }
        self.out.write_all(text.as_bytes())
    }

    /// A line of data of our own making.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    pub(crate) fn error(&mut self, text: &str) {
        self.talk(Some((Role::Error, "error")), text);
    }

    pub(crate) fn warning(&mut self, text: &str) {
        self.talk(Some((Role::Warning, "warning")), text);
    }

    pub(crate) fn hint(&mut self, text: &str) {
        self.talk(Some((Role::Hint, "hint")), text);
    }

    /// Something worth knowing that is neither.
    pub(crate) fn note(&mut self, text: &str) {
        self.talk(None, text);
    }

    pub(crate) fn detail(&mut self, text: &str) {
        self.talk(None, &format!("  {text}"));
    }

    fn talk(&mut self, head: Option<(Role, &str)>, text: &str) {
        let head = head.map_or_else(String::new, |(role, word)| {
            format!("{} ", paint(self.err_colour, role, &format!("{word}:")))
        });
        end_progress();
        // A closed standard error is no reason to fail.
        let _ = writeln!(io::stderr(), "{head}{}", visible_line(text));
    }
}

/// The line that says how far something is that takes long: since when that goes on, and when the
/// line was drawn last.
static PROGRESS: Mutex<Option<(Instant, Option<Instant>)>> = Mutex::new(None);
/// What takes less is over before anybody wonders.
const WORTH_WAITING: Duration = Duration::from_millis(300);
/// Nobody reads faster.
const REDRAWN: Duration = Duration::from_millis(50);
/// How wide the bar is.
const BAR: usize = 30;

/// Tells a person how far something is that takes long, on one line that is written over again and
/// again. A total of 0 is not known yet; the line goes away when everything is done.
pub(crate) fn tell_progress(what: &'static str, done: usize, total: usize) {
    if !io::stderr().is_terminal() {
        return;
    }
    if total > 0 && done >= total {
        return end_progress();
    }
    let Ok(mut progress) = PROGRESS.lock() else { return };
    let now = Instant::now();
    let (since, drawn) = progress.get_or_insert((now, None));
    let waits = now - *since < WORTH_WAITING;
    if waits || drawn.is_some_and(|drawn| now - drawn < REDRAWN) {
        return;
    }
    *drawn = Some(now);
    let text = match (done * BAR).checked_div(total) {
        Some(filled) => {
            let bar = format!("{}{}", "#".repeat(filled), " ".repeat(BAR - filled));
            format!("[{bar}] {what} {done} of {total}")
        }
        None => format!("{what} {done}"),
    };
    let _ = write!(io::stderr(), "{CLEAR}{text}");
}

/// Takes the line away.
fn end_progress() {
    if let Ok(mut progress) = PROGRESS.lock()
        && let Some((_, Some(_))) = progress.take()
    {
        let _ = write!(io::stderr(), "{CLEAR}");
    }
}

const CLEAR: &str = "\r\x1b[2K";

/// Whatever way something ends, its line goes away.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        end_progress();
    }
}

fn paint(colour: bool, role: Role, text: &str) -> String {
    if !colour || text.is_empty() {
        return text.to_owned();
    }
    let style = role.style();
    format!("{style}{text}{style:#}")
}
