//! Asks the real program, one process for each question.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::Failure;
use crate::question::Question;
use crate::score::Hit;

/// A program and the store that it searches.
pub(crate) struct Searcher<'a> {
    pub(crate) program: &'a Path,
    pub(crate) home: &'a Path,
}

impl Searcher<'_> {
    /// What the program finds, best first, and how many milliseconds that took.
    pub(crate) fn ask(&self, question: &Question) -> Result<(Vec<Hit>, f64), Failure> {
        let mut command = Command::new(self.program);
        command
            .args(["search", "--json", "--limit", "10", "--project", &question.project])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home)
            .env("TZ", "UTC")
            .env("SEGUE_HOME", self.home)
            .current_dir(self.home)
            .stdin(Stdio::null());
        if let Some(day) = &question.as_of {
            command.args(["--as-of", day]);
        }
        // A question may begin with a dash.
        command.arg("--").arg(&question.text);
        let begun = Instant::now();
        let output = command
            .output()
            .map_err(|error| format!("{} does not run: {error}", self.program.display()))?;
        let milliseconds = begun.elapsed().as_secs_f64() * 1000.0;
        let hits = read(&output.stdout).map_err(|error| {
            let said = String::from_utf8_lossy(&output.stderr);
            format!(
                "'{}' was not answered ({}): {error}\n{said}\nrun it by hand with SEGUE_HOME={}",
                question.text,
                output.status,
                self.home.display()
            )
        })?;
        Ok((hits, milliseconds))
    }
}

/// The results that `segue search --json` prints.
fn read(stdout: &[u8]) -> Result<Vec<Hit>, Failure> {
    let Value::Array(results) = serde_json::from_slice(stdout)? else {
        return Err("what it printed is not a list".into());
    };
    results
        .iter()
        .map(|result| {
            let text = |key: &str| result[key].as_str().map(str::to_owned);
            let old = |value: &Value| !value["superseded_by"].is_null();
            let passages = result["passages"].as_array();
            Ok(Hit {
                id: text("id").ok_or("a result has no id")?,
                title: text("title").or_else(|| text("name")).unwrap_or_default(),
                marked: old(result) || passages.is_some_and(|list| list.iter().any(old)),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_with_their_marks() {
        let printed = br#"[
            {"id": "a", "title": "A", "superseded_by": null, "passages": []},
            {"id": "b", "title": null, "name": "n", "superseded_by": {"id": "a"}},
            {"id": "c", "passages": [{"text": "t", "superseded_by": {"id": "a"}}]}
        ]"#;
        let read = read(printed).unwrap();
        let marks: Vec<(&str, &str, bool)> =
            read.iter().map(|hit| (hit.id.as_str(), hit.title.as_str(), hit.marked)).collect();
        assert_eq!(marks, [("a", "A", false), ("b", "n", true), ("c", "", true)]);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert_eq!(read(b"[]").unwrap(), []);
        assert!(read(b"").is_err());
        assert!(read(b"{}").is_err());
        assert!(read(b"[{\"name\": \"x\"}]").is_err());
    }
}
