//! Makes stores as they grow over years, and measures how well `segue search` finds things in them.

mod compose;
mod generate;
mod invent;
mod options;
mod pen;
mod plan;
mod rng;
mod words;
mod world;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use generate::generate;
use options::{Command, Options};
use plan::Plan;
use words::Words;

/// What went wrong, for whoever runs it.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let args = std::env::args().skip(1).collect();
    match Options::read(args).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("segue-eval: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    let words = Words::read()?;
    match options.command {
        Command::Generate => make(options, &words),
    }
}

fn make(options: &Options, words: &Words) -> Result<(), Failure> {
    let plan = Plan::new(
        options.seed,
        options.handoffs,
        options.projects,
        options.months,
        words.domains.len(),
    )?;
    let begun = Instant::now();
    let written = generate(&options.out, words, &plan, &BTreeMap::new(), options.threads)?;
    println!(
        "{} handoffs, {} bytes of text ({} each), {} projects, {} months; {} named, {} supersede another by id, {} expire",
        written.handoffs,
        written.bytes,
        written.bytes / written.handoffs.max(1),
        plan.projects.len(),
        plan.months,
        written.named,
        written.superseding,
        written.expiring,
    );
    let seconds = begun.elapsed().as_secs_f64();
    eprintln!("{seconds:.1} s, {:.0} handoffs a second", written.handoffs as f64 / seconds);
    Ok(())
}
