//! The most memory that a process had, as GNU time tells it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::Failure;

const GNU_TIME: &str = "/usr/bin/time";

/// Megabytes of the process at its largest. `None` where there is no GNU time.
pub(crate) fn most(command: &Command, disk: &Path) -> Result<Option<f64>, Failure> {
    if !Path::new(GNU_TIME).exists() {
        return Ok(None);
    }
    let note = disk.join("resident");
    let mut timed = Command::new(GNU_TIME);
    timed
        .args(["-f", "%M", "-o"])
        .arg(&note)
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdin(Stdio::null());
    if let Some(dir) = command.get_current_dir() {
        timed.current_dir(dir);
    }
    // A pipe that is read, as a reader of a list would.
    let output = timed.stdout(Stdio::piped()).output()?;
    if !output.status.success() {
        return Err(format!("{timed:?} ended with {}", output.status).into());
    }
    let kilobytes: f64 = std::fs::read_to_string(&note)?.trim().parse()?;
    Ok(Some(kilobytes / 1024.0))
}
