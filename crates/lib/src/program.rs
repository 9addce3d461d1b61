//! Finds the program of a name as a shell would, but never in the directory that it is called from:
//! what lies in a repository is not run because of its name.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What Windows runs where nothing is said.
const ENDINGS: &str = ".COM;.EXE;.BAT;.CMD";

/// The first of these names that a directory of the search path has.
pub(crate) fn find_program(
    names: &[&str],
    vars: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let path = vars("PATH")?;
    let endings = if cfg!(windows) {
        let said = vars("PATHEXT").filter(|said| !said.is_empty());
        said.map_or_else(|| ENDINGS.to_owned(), |said| said.to_string_lossy().into_owned())
    } else {
        String::new()
    };
    let dirs: Vec<PathBuf> = std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect();
    names.iter().find_map(|name| dirs.iter().find_map(|dir| program_in(dir, name, &endings)))
}

fn program_in(dir: &Path, name: &str, endings: &str) -> Option<PathBuf> {
    let mut called = endings.split(';').map(|ending| dir.join(format!("{name}{ending}")));
    called.find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Whether a program is a batch file, which takes no argument of several lines.
pub(crate) fn is_batch(program: &Path) -> bool {
    let ending = program.extension().and_then(OsStr::to_str).unwrap_or_default();
    cfg!(windows) && ["bat", "cmd"].iter().any(|batch| ending.eq_ignore_ascii_case(batch))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_lies_here_or_cannot_be_run_is_no_program() {
        let temp = tempfile::tempdir().unwrap();
        let (first, second) = (temp.path().join("a b"), temp.path().join("c"));
        for (dir, mode) in [(&first, 0o644), (&second, 0o755)] {
            std::fs::create_dir(dir).unwrap();
            let file = std::fs::File::create(dir.join("agent")).unwrap();
            file.set_permissions(PermissionsExt::from_mode(mode)).unwrap();
        }
        std::fs::create_dir(first.join("other")).unwrap();
        let path = format!(":.:src:{}:{}", first.display(), second.display());
        let find = |names: &[&str]| find_program(names, |_| Some(OsString::from(&path)));
        assert_eq!(find(&["other", "agent"]), Some(second.join("agent")));
        assert_eq!(find(&["lib.rs", "other"]), None);
        assert_eq!(find_program(&["agent"], |_| None), None);
    }
}
