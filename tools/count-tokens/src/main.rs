//! Prints `name o200k cl100k` for each file given: its real token counts, separated by tabs.

use std::process::ExitCode;

fn main() -> ExitCode {
    let (o200k, cl100k) = match (tiktoken_rs::o200k_base(), tiktoken_rs::cl100k_base()) {
        (Ok(o200k), Ok(cl100k)) => (o200k, cl100k),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("a vocabulary cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!("# name, o200k_base, cl100k_base; written by tools/count-tokens, see CONTRIBUTING.md");
    for name in std::env::args().skip(1) {
        match std::fs::read_to_string(&name) {
            Ok(text) => {
                let o200k = o200k.encode_ordinary(&text).len();
                let cl100k = cl100k.encode_ordinary(&text).len();
                println!("{name}\t{o200k}\t{cl100k}");
            }
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
