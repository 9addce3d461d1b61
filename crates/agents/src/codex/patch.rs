//! What a patch in the form of `apply_patch` does to files.

use segue_core::session::Recorder;

const BEGIN: &str = "*** Begin Patch";

/// The patch that a command line applies, and the directory that it goes to before.
pub(super) fn in_command(line: &str) -> Option<(&str, Option<&str>)> {
    let mut line = line.trim();
    let mut dir = None;
    if let Some(rest) = line.strip_prefix("cd ")
        && let Some((to, rest)) = rest.split_once("&&")
    {
        dir = Some(to.trim().trim_matches(['"', '\'']));
        line = rest.trim_start();
    }
    let applies = line.starts_with("apply_patch") || line.starts_with("applypatch");
    let at = line.find(BEGIN).filter(|_| applies)?;
    Some((&line[at..], dir))
}

/// Tells what a patch does once its call ends.
pub(crate) fn tell(call: &str, patch: &str, dir: Option<&str>, recorder: &mut Recorder) {
    let mut lines = patch.lines().map(str::trim_end).peekable();
    let mut any = false;
    while let Some(line) = lines.next() {
        let named = |begins| line.strip_prefix(begins).map(|path| absolute(path, dir, recorder));
        if let Some(path) = named("*** Add File: ") {
            recorder.creates(call, &path);
        } else if let Some(path) = named("*** Delete File: ") {
            recorder.deletes(call, &path);
        } else if let Some(path) = named("*** Update File: ") {
            recorder.edits(call, &path);
            let to = lines.peek().and_then(|next| next.strip_prefix("*** Move to: "));
            if let Some(to) = to.map(|to| absolute(to, dir, recorder)) {
                recorder.renames(call, &path, &to);
            }
        } else {
            continue;
        }
        any = true;
    }
    if !any {
        recorder.called(call, "apply_patch");
    }
}

/// A path as seen from everywhere, if it is known where the agent works.
pub(super) fn absolute(path: &str, dir: Option<&str>, recorder: &Recorder) -> String {
    let path = path.trim();
    let cwd = recorder.session().cwd.as_deref().unwrap_or_default();
    let base = dir.map_or_else(|| cwd.to_owned(), |dir| join(cwd, dir));
    join(&base, path)
}

fn join(base: &str, path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let drive = path.as_bytes().get(1) == Some(&b':');
    if base.is_empty() || path.starts_with(['/', '\\', '~']) || drive {
        return path.to_owned();
    }
    let mut base = base.trim_end_matches('/');
    let mut path = path;
    loop {
        if let Some(rest) = path.strip_prefix("./") {
            path = rest;
        } else if let Some(rest) = path.strip_prefix("../")
            && let Some((above, _)) = base.rsplit_once('/')
        {
            (base, path) = (above, rest);
        } else {
            break;
        }
    }
    if path.is_empty() || path == "." { base.to_owned() } else { format!("{base}/{path}") }
}

#[cfg(test)]
mod tests {
    use super::{in_command, join};

    #[test]
    fn paths_are_joined() {
        for (base, path, joined) in [
            ("/work", "a.rs", "/work/a.rs"),
            ("/work/", "./src/a.rs", "/work/src/a.rs"),
            ("/work/app", "../lib/a.rs", "/work/lib/a.rs"),
            ("/work", "/etc/a", "/etc/a"),
            ("/work", "file:///tmp/a", "/tmp/a"),
            ("/work", ".", "/work"),
            ("", "a.rs", "a.rs"),
            ("/work", "C:\\a.rs", "C:\\a.rs"),
        ] {
            assert_eq!(join(base, path), joined);
        }
    }

    #[test]
    fn a_command_that_only_speaks_of_patches_is_none() {
        assert!(in_command("apply_patch <<'E'\n*** Begin Patch\n*** End Patch\nE").is_some());
        let (_, dir) = in_command("cd 'app' && apply_patch <<'E'\n*** Begin Patch\nE").unwrap();
        assert_eq!(dir, Some("app"));
        assert!(in_command("grep '*** Begin Patch' apply_patch.md").is_none());
        assert!(in_command("apply_patch --help").is_none());
    }
}
