//! The terminal itself: taken over for the picker, and put back whatever happens.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui_core::terminal::{Frame, Terminal};
use ratatui_crossterm::CrosstermBackend;

/// Whether the terminal is ours. Held while something is written to it, so that a signal does not put
/// it back in the middle of a picture.
static TAKEN: Mutex<bool> = Mutex::new(false);

/// The terminal, and never standard output, which may be a pipe.
fn open() -> io::Result<File> {
    let path = if cfg!(windows) { "CONOUT$" } else { "/dev/tty" };
    OpenOptions::new().read(true).write(true).open(path)
}

/// The terminal while the picker has it.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<File>>>,
}

impl Screen {
    /// Whether there is a terminal to be taken.
    pub(crate) fn is_there() -> bool {
        open().is_ok()
    }

    pub(crate) fn take() -> io::Result<Self> {
        let file = open()?;
        let mut taken = taken();
        watch_signals()?;
        enable_raw_mode()?;
        *taken = true;
        drop(taken);
        // From here on dropping it puts the terminal back.
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::new(file)));
        let mut screen = Self { terminal: terminal.inspect_err(|_| put_back())? };
        execute!(screen.terminal.backend_mut(), EnterAlternateScreen, EnableBracketedPaste)?;
        Ok(screen)
    }

    pub(crate) fn draw(&mut self, picture: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let taken = taken();
        if *taken {
            self.terminal.draw(picture)?;
        }
        Ok(())
    }

    /// Gives a text to the terminal's clipboard. Whether it takes it, it does not say.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        let _taken = taken();
        execute!(self.terminal.backend_mut(), CopyToClipboard::to_clipboard_from(text))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        put_back();
    }
}

fn taken() -> MutexGuard<'static, bool> {
    TAKEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Puts the terminal back as it was, if it is ours. For the panic hook and signals too.
pub(crate) fn put_back() {
    // Whoever panics while drawing holds the lock; then there is nobody to wait for.
    let mut taken = (0..20).find_map(|_| {
        let taken = TAKEN.try_lock().ok();
        if taken.is_none() {
            std::thread::sleep(Duration::from_millis(10));
        }
        taken
    });
    if taken.as_deref() == Some(&false) {
        return;
    }
    if let Ok(mut terminal) = open() {
        let _ = execute!(terminal, DisableBracketedPaste, LeaveAlternateScreen, Show);
        let _ = terminal.flush();
    }
    let _ = disable_raw_mode();
    if let Some(taken) = &mut taken {
        **taken = false;
    }
}

/// A signal that ends the program puts the terminal back first, from a thread of its own: whoever waits
/// for keys may wait for ever once the terminal is gone.
#[cfg(unix)]
fn watch_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            put_back();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn watch_signals() -> io::Result<()> {
    Ok(())
}
