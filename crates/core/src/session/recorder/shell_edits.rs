//! Files that a command edits in place, or fills with a text that its command line gives it.

use super::shell::{named, plain};

/// The words that name the files which a command writes, as far as its words show that. A command that
/// only sends what it prints into a file, such as a log, edits nothing.
pub(super) fn files_written<'w>(words: &'w [&'w str]) -> Vec<&'w str> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    match *program {
        "sed" | "gsed" => edited_by_script(rest, "--in-place", &["-e", "-f", "--expression"]),
        "perl" | "ruby" => edited_by_script(rest, "-i", &["-e", "-pe", "-ne", "-pie"]),
        "cat" => filled(rest),
        "tee" if !rest.iter().any(|word| word.contains('<')) => {
            named(rest).filter(|name| !name.starts_with("/dev/")).collect()
        }
        _ => Vec::new(),
    }
}

/// What `sed -i SCRIPT FILE…` edits. The script is the first word, unless an option has it.
fn edited_by_script<'w>(words: &'w [&'w str], long: &str, has_script: &[&str]) -> Vec<&'w str> {
    let in_place = |word: &&&str| {
        let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        word.starts_with(long)
            || cluster.is_some_and(|flags| flags.len() <= 6 && flags.contains('i'))
    };
    if !words.iter().any(|word| in_place(&word)) {
        return Vec::new();
    }
    let mut script = true;
    let mut files = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word.contains(['<', '>']) && !word.starts_with(['\'', '"']) {
            break;
        }
        if has_script.contains(word) {
            script = false;
            rest.next();
        } else if word.starts_with('-') || matches!(*word, "''" | "\"\"") {
            // On macOS the suffix of the copy is a word of its own.
        } else if std::mem::take(&mut script) {
            // What is to be done.
        } else {
            files.extend(plain(word));
        }
    }
    files
}

/// What `cat > FILE` fills, where no file is named that it copies: then the line feeds it.
fn filled<'w>(words: &'w [&'w str]) -> Vec<&'w str> {
    let mut into = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let name = match word.trim_start_matches('>') {
            _ if !word.starts_with('>') => return Vec::new(),
            "" => rest.next().copied(),
            name => Some(name),
        };
        into = name.and_then(plain).filter(|name| !name.starts_with("/dev/"));
    }
    into.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::line::words;
    use super::files_written;

    #[test]
    fn a_file_is_written_where_the_words_show_it() {
        for (line, files) in [
            ("sed -i 's/a/b/' src/a.rs b.rs", &["src/a.rs", "b.rs"][..]),
            ("sed -i '' -e 's/a/b/' a.rs", &["a.rs"]),
            ("sed -Ei.bak 's/(a)/b/' 'a.rs'", &["a.rs"]),
            ("sed --in-place 's/a/b/' a.rs", &["a.rs"]),
            ("perl -pi -e 's/a > b/c/' a.rs", &["a.rs"]),
            ("perl -0pi -e 's/a/b/' a.rs", &["a.rs"]),
            ("cat > src/a.rs", &["src/a.rs"]),
            ("cat >>notes.md", &["notes.md"]),
            ("tee -a notes.md", &["notes.md"]),
            ("sed -n 1,5p a.rs", &[]),
            ("sed 's/a/b/' a.rs > b.rs", &[]),
            ("sed -i 's/a/b/' $FILES *.rs", &[]),
            ("cat a.rs > b.rs", &[]),
            ("cat a.rs", &[]),
            ("cat > /dev/null", &[]),
            ("cargo test > log", &[]),
            ("perl -e 'print 1' a", &[]),
        ] {
            assert_eq!(files_written(&words(line)), files, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_read(text: String) {
            for program in ["sed -i", "perl -pi -e", "cat >", "tee"] {
                let line = format!("{program} {text}");
                let _ = files_written(&words(&line));
            }
        }
    }
}
