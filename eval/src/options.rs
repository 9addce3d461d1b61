//! The command line.

use std::path::PathBuf;

use crate::Failure;
use crate::question::{Half, Kind};

const USAGE: &str = "\
usage: segue-eval generate --out HOME --handoffs N [--projects 200] [--months 36] [--seed 1] [--threads N]
       segue-eval questions --out DIR [--handoffs 6000] [--projects 24] [--months 36] [--seed 1]
       segue-eval score --out DIR --segue PROGRAM [--half tune|held-out] [--kind K] [--failures N]
                  [--held-out-failures] [--json FILE]
       segue-eval secrets [--out DIR] [--seed 1] [--failures N]
       segue-eval secrets FILE...
'questions' writes DIR/store and DIR/questions.json; 'score' asks them and prints a table for each half.
'secrets' scores the redaction of secrets, and writes its texts to DIR; N failures of every kind are shown.
With files it shows what is found in them.";

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Generate,
    Questions,
    Score,
    Secrets,
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
    pub(crate) segue: PathBuf,
    pub(crate) half: Option<Half>,
    pub(crate) kind: Option<Kind>,
    /// How many questions that went wrong are shown.
    pub(crate) failures: usize,
    pub(crate) held_out_failures: bool,
    pub(crate) json: Option<PathBuf>,
    /// Files to look for secrets in.
    pub(crate) files: Vec<PathBuf>,
}

impl Options {
    pub(crate) fn read(args: Vec<String>) -> Result<Self, Failure> {
        let mut args = args.into_iter();
        let (command, handoffs, projects) = match args.next().as_deref() {
            Some("generate") => (Command::Generate, 0, 200),
            Some("questions") => (Command::Questions, 6_000, 24),
            Some("score") => (Command::Score, 1, 1),
            Some("secrets") => (Command::Secrets, 1, 1),
            _ => return Err(USAGE.into()),
        };
        let mut options = Self {
            command,
            out: PathBuf::new(),
            handoffs,
            projects,
            months: 36,
            seed: 1,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            segue: PathBuf::new(),
            half: None,
            kind: None,
            failures: 0,
            held_out_failures: false,
            json: None,
            files: Vec::new(),
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
                "--segue" => options.segue = value()?.into(),
                "--half" => options.half = Some(one_of(&flag, &value()?, Half::parse)?),
                "--kind" => options.kind = Some(one_of(&flag, &value()?, Kind::parse)?),
                "--failures" => options.failures = number(&flag, &value()?)?,
                "--held-out-failures" => options.held_out_failures = true,
                "--json" => options.json = Some(value()?.into()),
                file if command == Command::Secrets && !file.starts_with('-') => {
                    options.files.push(file.into());
                }
                _ => return Err(format!("'{flag}' is not known\n{USAGE}").into()),
            }
        }
        let needs_out = command != Command::Secrets;
        if needs_out && options.out.as_os_str().is_empty() || options.handoffs == 0 {
            return Err(format!("--out and --handoffs are needed\n{USAGE}").into());
        }
        if command == Command::Score && options.segue.as_os_str().is_empty() {
            return Err(format!("--segue is needed\n{USAGE}").into());
        }
        Ok(options)
    }
}

fn number(flag: &str, value: &str) -> Result<usize, Failure> {
    value.parse().map_err(|_| format!("{flag}: '{value}' is not a whole number").into())
}

fn one_of<T>(flag: &str, value: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Failure> {
    parse(value).ok_or_else(|| format!("{flag}: '{value}' is not known\n{USAGE}").into())
}
