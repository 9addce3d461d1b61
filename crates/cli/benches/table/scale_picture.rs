//! The picker's first picture: `segue select` in a pseudo-terminal, until the first handoff is drawn.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::Failure;
use crate::ground::Ground;
use crate::rows::SEGUE;

/// The bar before the handoff that is chosen.
const BAR: &str = "\u{258c}";
const PATIENCE: Duration = Duration::from_secs(60);
const SIZE: Winsize = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };

/// From the start of the process until a handoff is on the screen; then it is ended.
pub(crate) fn time(
    ground: &Ground,
    dir: &Path,
    home: &Path,
    words: &[&str],
) -> Result<Duration, Failure> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    tcsetwinsize(&master, SIZE)?;
    let name = ptsname(&master, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = File::from(openat(CWD, &name, flags, Mode::empty())?);
    // The picker asks for its controlling terminal, which setsid gives it; it stays the same process.
    let mut command = ground.command("setsid", dir, home);
    command
        .args(["--ctty", SEGUE, "select"])
        .args(words)
        .env("TERM", "xterm-256color")
        .stdin(slave.try_clone()?)
        .stdout(slave.try_clone()?)
        .stderr(Stdio::from(slave));
    let begun = Instant::now();
    let mut child = command.spawn()?;
    // With it go our ends of the terminal: reading stops when the picker is gone.
    drop(command);
    let seen = first(File::from(master));
    let time = begun.elapsed();
    child.kill()?;
    child.wait()?;
    seen.map(|()| time)
}

fn first(mut terminal: File) -> Result<(), Failure> {
    let (give, take) = mpsc::channel();
    thread::spawn(move || {
        let mut piece = [0; 16 * 1024];
        while let Ok(length @ 1..) = terminal.read(&mut piece) {
            if give.send(piece[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    let begun = Instant::now();
    let mut drawn = Vec::new();
    loop {
        let left = PATIENCE.saturating_sub(begun.elapsed());
        let Ok(piece) = take.recv_timeout(left) else {
            let drawn = String::from_utf8_lossy(&drawn);
            return Err(format!("select has drawn no handoff, but {drawn:?}").into());
        };
        drawn.extend(piece);
        if drawn.windows(BAR.len()).any(|bytes| bytes == BAR.as_bytes()) {
            return Ok(());
        }
    }
}
