//! What a search without an index costs: a process that reads every handoff and looks for a text.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use crate::Failure;

pub(crate) const MODE: &str = "read-all";

pub(crate) fn run(mut words: impl Iterator<Item = String>) -> Result<(), Failure> {
    let (Some(store), Some(text)) = (words.next(), words.next()) else {
        return Err("read-all needs a store and a text".into());
    };
    let mut out = std::io::stdout().lock();
    let mut content = String::new();
    for project in fs::read_dir(Path::new(&store).join("projects"))? {
        for month in fs::read_dir(project?.path().join("layer1"))? {
            for file in fs::read_dir(month?.path())? {
                let path = file?.path();
                content.clear();
                File::open(&path)?.read_to_string(&mut content)?;
                if content.contains(&text) {
                    writeln!(out, "{}", path.display())?;
                }
            }
        }
    }
    Ok(())
}
