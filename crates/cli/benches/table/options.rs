//! What the table is asked for.

use crate::Failure;

const USAGE: &str = "usage: table [--sizes 10,1000,10000,100000] [--runs 200] [--only bundles]";

/// How much to measure.
pub(crate) struct Options {
    /// Handoffs in each store.
    pub(crate) sizes: Vec<usize>,
    /// Runs of a row at most; slow rows stop earlier.
    pub(crate) runs: usize,
    /// Only the rows about bundles.
    pub(crate) only_bundles: bool,
}

impl Options {
    /// `None` without cargo's `--bench`: then a test runner only wants to see that it starts.
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Option<Self>, Failure> {
        let mut options =
            Self { sizes: vec![10, 1_000, 10_000, 100_000], runs: 200, only_bundles: false };
        let mut asked = false;
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(USAGE);
            match word.as_str() {
                "--bench" => asked = true,
                "--sizes" => {
                    options.sizes =
                        value()?.split(',').map(str::parse).collect::<Result<_, _>>()?;
                }
                "--only" if value()? == "bundles" => options.only_bundles = true,
                "--runs" => options.runs = value()?.parse()?,
                _ => return Err(USAGE.into()),
            }
        }
        if options.runs == 0 || options.sizes.contains(&0) {
            return Err("sizes and runs begin at 1".into());
        }
        Ok(asked.then_some(options))
    }
}
