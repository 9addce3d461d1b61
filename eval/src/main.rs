//! Makes stores as they grow over years, and measures how well `segue search` finds things in them.

mod ask;
mod compose;
mod generate;
mod invent;
mod options;
mod pen;
mod plan;
mod question;
mod report;
mod rng;
mod score;
mod secrets;
mod words;
mod world;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use ask::Searcher;
use generate::{Plants, generate, put};
use options::{Command, Options};
use plan::Plan;
use question::{Half, Question, questions};
use score::{Outcome, rows};
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
    match options.command {
        Command::Generate => make(&options.out, options, &BTreeMap::new()),
        Command::Questions => write_questions(options),
        Command::Score => score_all(options),
        Command::Secrets => redaction(options),
    }
}

fn redaction(options: &Options) -> Result<(), Failure> {
    if !options.files.is_empty() {
        return secrets::look(&options.files);
    }
    let out = Some(options.out.as_path()).filter(|out| !out.as_os_str().is_empty());
    secrets::score(out, options.seed, options.failures)
}

fn plan(options: &Options, words: &Words) -> Result<Plan, Failure> {
    let Options { seed, handoffs, projects, months, .. } = *options;
    Plan::new(seed, handoffs, projects, months, words.domains.len())
}

fn make(home: &Path, options: &Options, plants: &BTreeMap<usize, Plants>) -> Result<(), Failure> {
    let words = Words::read()?;
    let plan = plan(options, &words)?;
    let begun = Instant::now();
    let written = generate(home, &words, &plan, plants, options.threads)?;
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

/// Where a store for questions and the questions lie.
fn ground(options: &Options) -> (PathBuf, PathBuf) {
    (options.out.join("store"), options.out.join("questions.json"))
}

fn write_questions(options: &Options) -> Result<(), Failure> {
    let words = Words::read()?;
    let (asked, plants) = questions(&words, &plan(options, &words)?)?;
    let (store, file) = ground(options);
    make(&store, options, &plants)?;
    put(&file, &(serde_json::to_string_pretty(&asked)? + "\n"))?;
    println!("{} questions in {}", asked.len(), file.display());
    Ok(())
}

fn score_all(options: &Options) -> Result<(), Failure> {
    let (store, file) = ground(options);
    let text = fs::read_to_string(&file).map_err(|error| {
        format!("{} cannot be read: {error}; make it with 'segue-eval questions'", file.display())
    })?;
    let mut asked: Vec<Question> = serde_json::from_str(&text)?;
    let searcher = Searcher { program: &options.segue, home: &store };
    let first = asked.first().ok_or("there are no questions")?;
    let (_, milliseconds) = searcher.ask(first)?;
    println!("first search of the store, with its index to make: {milliseconds:.0} ms\n");
    asked.retain(|question| {
        options.half.is_none_or(|half| half == question.half)
            && options.kind.is_none_or(|kind| kind == question.kind)
    });
    let mut answered: Vec<(Question, Outcome)> = Vec::new();
    let mut wrong = Vec::new();
    for question in asked {
        let (hits, milliseconds) = searcher.ask(&question)?;
        let outcome = Outcome::of(&question, &hits, milliseconds);
        let shown = question.half == Half::Tune || options.held_out_failures;
        if shown && !outcome.is_right(&question) && wrong.len() < options.failures {
            wrong.push(report::failure(&question, &outcome, &hits));
        }
        answered.push((question, outcome));
    }
    for half in Half::ALL.into_iter().filter(|half| options.half.is_none_or(|one| one == *half)) {
        println!("{}", report::table(half, &rows(half, &answered)));
    }
    for failure in &wrong {
        println!("{failure}");
    }
    if let Some(file) = &options.json {
        put(file, &(serde_json::to_string_pretty(&as_json(&answered))? + "\n"))?;
    }
    Ok(())
}

/// Tables and outcomes, for programs.
fn as_json(answered: &[(Question, Outcome)]) -> serde_json::Value {
    let tables: serde_json::Map<String, serde_json::Value> = Half::ALL
        .into_iter()
        .map(|half| (half.as_str().to_owned(), serde_json::json!(rows(half, answered))))
        .collect();
    let outcomes: Vec<serde_json::Value> = answered
        .iter()
        .map(|(question, outcome)| serde_json::json!({"question": question.id, "kind": question.kind, "half": question.half, "outcome": outcome}))
        .collect();
    serde_json::json!({"tables": tables, "outcomes": outcomes})
}
