//! Asks a person for something that nobody else shall see.

use std::io;

/// Asks on the terminal without showing what is typed. The terminal is as before whatever happens, also
/// when the person gives up with Ctrl-C.
#[cfg(unix)]
pub(crate) fn hidden(prompt: &str) -> io::Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    use std::fs::OpenOptions;
    use std::io::{Read, Write};

    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    let before = tcgetattr(&terminal)?;
    let mut silent = before.clone();
    // Keys are read one by one: a Ctrl-C that ended the process would leave the terminal silent.
    silent.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
    tcsetattr(&terminal, OptionalActions::Drain, &silent)?;
    let mut ask = || {
        terminal.write_all(prompt.as_bytes())?;
        let mut typed = zeroize::Zeroizing::new(Vec::new());
        let mut byte = [0];
        loop {
            if terminal.read(&mut byte)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match byte[0] {
                b'\r' | b'\n' => break,
                // Ctrl-C, Ctrl-D, Ctrl-\\.
                3 | 28 => return Err(io::ErrorKind::Interrupted.into()),
                4 if typed.is_empty() => return Err(io::ErrorKind::Interrupted.into()),
                // Backspace takes a whole character away, Ctrl-U all of them.
                8 | 127 => while typed.pop().is_some_and(|last| last & 0xc0 == 0x80) {},
                21 => typed.clear(),
                // An arrow key and the like: from ESC to a letter.
                27 => {
                    while terminal.read(&mut byte)? == 1
                        && !matches!(byte[0], b'A'..=b'Z' | b'a'..=b'z' | b'~')
                    {
                    }
                }
                0..32 => {}
                other => typed.push(other),
            }
        }
        String::from_utf8(typed.to_vec()).map_err(|_| io::ErrorKind::InvalidData.into())
    };
    let answer = ask();
    let _ = terminal.write_all(b"\n");
    tcsetattr(&terminal, OptionalActions::Drain, &before)?;
    answer
}

#[cfg(not(unix))]
pub(crate) fn hidden(prompt: &str) -> io::Result<String> {
    rpassword::prompt_password(prompt)
}
