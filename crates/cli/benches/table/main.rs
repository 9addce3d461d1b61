//! One table of what people and agents wait for: whole processes of the release binary, from spawn to
//! exit, beside `/bin/true`, beside the bare writes of a save and beside reading every file.
//!
//! `cargo bench -p segue --bench table -- --sizes 10,1000`; docs/benchmarks.md says what each row means.
#![cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "measured on Linux only"))]

mod briefings;
mod bundles;
mod contest;
#[cfg(target_os = "linux")]
mod floor;
mod ground;
mod options;
mod peers;
mod read_all;
mod resident;
mod rows;
mod runs;
#[cfg(target_os = "linux")]
mod scale;
#[cfg(target_os = "linux")]
mod scale_growth;
#[cfg(target_os = "linux")]
mod scale_picture;
#[cfg(target_os = "linux")]
mod scale_rebuild;
#[cfg(target_os = "linux")]
mod scale_store;
#[cfg(target_os = "linux")]
mod scale_words;
mod sheet;
mod store;

use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let done = match words.next().as_deref() {
        Some(floor::MODE) => floor::save(words),
        Some(floor::RUN) => floor::run(words),
        Some(floor::IMPORT) => floor::import(words),
        Some(read_all::MODE) => read_all::run(words),
        first => options::Options::parse(first.map(str::to_owned).into_iter().chain(words))
            .and_then(|options| match options {
                Some(options) if options.only_scale => scale::measure(&options),
                Some(options) => rows::measure(&options),
                None => Ok(()),
            }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("the table is measured on Linux only");
    ExitCode::SUCCESS
}
