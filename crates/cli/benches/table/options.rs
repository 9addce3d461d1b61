//! What the table is asked for.

use std::path::PathBuf;

use crate::Failure;

const USAGE: &str = "\
usage: table [--sizes 10,1000,10000,100000] [--runs 200] [--only bundles]
       table --only scale [--sizes 1000,10000,100000,1000000] [--runs 100] [--keep DIR]";

/// How much to measure.
pub(crate) struct Options {
    /// Handoffs in each store.
    pub(crate) sizes: Vec<usize>,
    /// Runs of a row at most; slow rows stop earlier.
    pub(crate) runs: usize,
    /// Only the rows about bundles.
    pub(crate) only_bundles: bool,
    /// Only how everything grows with the store.
    pub(crate) only_scale: bool,
    /// Where the stores of that are kept.
    pub(crate) keep: Option<PathBuf>,
}

impl Options {
    /// `None` without cargo's `--bench`: then a test runner only wants to see that it starts.
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Option<Self>, Failure> {
        let mut options =
            Self { sizes: Vec::new(), runs: 0, only_bundles: false, only_scale: false, keep: None };
        let (mut sizes, mut runs) = (None, None);
        let mut asked = false;
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(USAGE);
            match word.as_str() {
                "--bench" => asked = true,
                "--sizes" => {
                    let given: Result<Vec<usize>, _> =
                        value()?.split(',').map(str::parse).collect();
                    sizes = Some(given?);
                }
                "--only" => match value()?.as_str() {
                    "bundles" => options.only_bundles = true,
                    "scale" => options.only_scale = true,
                    _ => return Err(USAGE.into()),
                },
                "--keep" => options.keep = Some(value()?.into()),
                "--runs" => runs = Some(value()?.parse()?),
                _ => return Err(USAGE.into()),
            }
        }
        let (usual, often): (&[usize], usize) = if options.only_scale {
            (&[1_000, 10_000, 100_000, 1_000_000], 100)
        } else {
            (&[10, 1_000, 10_000, 100_000], 200)
        };
        options.sizes = sizes.unwrap_or_else(|| usual.to_vec());
        options.runs = runs.unwrap_or(often);
        if options.keep.is_some() && !options.only_scale {
            return Err(USAGE.into());
        }
        if options.runs == 0 || options.sizes.contains(&0) {
            return Err("sizes and runs begin at 1".into());
        }
        Ok(asked.then_some(options))
    }
}
