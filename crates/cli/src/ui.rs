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

    /// Tells a person how far something is that takes long, on one line that goes away.
    pub(crate) fn progress(&self, verb: &'static str) -> impl FnMut(usize, usize) + use<> {
        let mut line = ProgressLine { shown: io::stderr().is_terminal(), drawn: 0 };
        move |done, total| line.tell(verb, done, total)
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
        // A closed standard error is no reason to fail.
        let _ = writeln!(io::stderr(), "{head}{}", visible_line(text));
    }
}

/// Tells a person how far the library is with something that takes long. A total of 0 is not known yet;
/// the line goes away when everything is done.
pub(crate) fn tell_progress(what: &'static str, done: usize, total: usize) {
    static BEGUN: Mutex<Option<(Instant, bool)>> = Mutex::new(None);
    if !io::stderr().is_terminal() {
        return;
    }
    let Ok(mut begun) = BEGUN.lock() else { return };
    let (since, drawn) = begun.get_or_insert_with(|| (Instant::now(), false));
    let over = total > 0 && done >= total;
    if over {
        if *drawn {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
        *begun = None;
    } else if since.elapsed() > WORTH_WAITING {
        *drawn = true;
        let of = if total > 0 { format!(" of {total}") } else { String::new() };
        let _ = write!(io::stderr(), "\r\x1b[2K{what}: {done}{of}");
    }
}

/// What takes less is over before anybody wonders.
const WORTH_WAITING: Duration = Duration::from_millis(300);

/// A line of talk that is written over again and again, and is gone in the end.
struct ProgressLine {
    shown: bool,
    drawn: usize,
}

/// What has fewer parts is over before anybody has read how far it is.
const WORTH_TELLING: usize = 500;

impl ProgressLine {
    fn tell(&mut self, verb: &str, done: usize, total: usize) {
        let step = (total / 100).max(1);
        if !self.shown || total < WORTH_TELLING || done - self.drawn < step {
            return;
        }
        self.drawn = done;
        let filled = done * 30 / total.max(1);
        let bar = format!("{}{}", "#".repeat(filled), " ".repeat(30 - filled.min(30)));
        let _ = write!(io::stderr(), "\r[{bar}] {verb} {done} of {total}");
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.drawn > 0 {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}

fn paint(colour: bool, role: Role, text: &str) -> String {
    if !colour || text.is_empty() {
        return text.to_owned();
    }
    let style = role.style();
    format!("{style}{text}{style:#}")
}
