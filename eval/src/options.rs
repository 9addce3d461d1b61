//! The command line.

use std::path::PathBuf;

use crate::Failure;

const USAGE: &str = "\
usage: segue-eval generate --out HOME --handoffs N [--projects 200] [--months 36] [--seed 1] [--threads N]";

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Generate,
}

/// What the command line says.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) command: Command,
    pub(crate) out: PathBuf,
    pub(crate) handoffs: usize,
    pub(crate) projects: usize,
    pub(crate) months: usize,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
}

impl Options {
    pub(crate) fn read(args: Vec<String>) -> Result<Self, Failure> {
        let mut args = args.into_iter();
        let command = match args.next().as_deref() {
            Some("generate") => Command::Generate,
            _ => return Err(USAGE.into()),
        };
        let mut options = Self {
            command,
            out: PathBuf::new(),
            handoffs: 0,
            projects: 200,
            months: 36,
            seed: 1,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        };
        while let Some(flag) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{flag} needs a value"));
            match flag.as_str() {
                "--out" => options.out = value()?.into(),
                "--handoffs" => options.handoffs = number(&flag, &value()?)?,
                "--projects" => options.projects = number(&flag, &value()?)?,
                "--months" => options.months = number(&flag, &value()?)?,
                "--seed" => options.seed = number(&flag, &value()?)? as u64,
                "--threads" => options.threads = number(&flag, &value()?)?,
                _ => return Err(format!("'{flag}' is not known\n{USAGE}").into()),
            }
        }
        if options.out.as_os_str().is_empty() || options.handoffs == 0 {
            return Err(format!("--out and --handoffs are needed\n{USAGE}").into());
        }
        Ok(options)
    }
}

fn number(flag: &str, value: &str) -> Result<usize, Failure> {
    value.parse().map_err(|_| format!("{flag}: '{value}' is not a whole number").into())
}
