//! Whose setting says where a memory is published.

use super::Place;
use crate::ground::put;

impl Place {
    /// A value in the user's own configuration.
    fn set_globally(&self, key: &str, value: &str) {
        self.env.git(&self.repo, &["config", "--global", key, value]);
    }

    /// A value in the repository's configuration, which an unpacked archive brings along.
    fn set_locally(&self, key: &str, value: &str) {
        self.env.git(&self.repo, &["config", key, value]);
    }

    fn address(&self) -> String {
        self.remote.to_string_lossy().into_owned()
    }

    /// Another remote, which nobody asked for.
    fn other_remote(&self) -> String {
        let other = self.env.beside("other.git");
        self.env.git(&self.env.work, &["init", "-q", "--bare", &other.to_string_lossy()]);
        other.to_string_lossy().into_owned()
    }

    fn branches(&self, remote: &str) -> usize {
        self.env.git(remote.as_ref(), &["branch", "--list"]).lines().count()
    }
}

const NOT_TRUSTED: &str = "the configuration of this repository says where to publish, and it is not \
                           trusted; 'segue trust' lets it count";

fn not_published() -> String {
    format!(
        "skipped publish: {NOT_TRUSTED}\nerror: what was handed over is kept here and not published\n\
         hint: if you say 'segue trust' in a terminal of your own, this repository says where, and the next run publishes it\n"
    )
}

#[test]
fn a_remote_in_the_configuration_of_an_untrusted_repository_does_not_count() {
    let place = Place::new();
    let other = place.other_remote();
    place.set_locally("segue.remote", &other);
    let ran = place.segue(&["run", "--note", "x"]).run();
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stderr, not_published());
    assert_eq!(place.branches(&other), 0);
    assert!(place.segue(&["show"]).run().stdout.contains('x'), "the note is kept");
    // A plan on the command line says by itself where it goes, and the repository does not change that.
    assert_eq!(place.run(&["--note", "y"]).run().code, 0);
    assert_eq!(place.branches(&other), 0);
    assert_eq!(place.runs_on("main"), 1);
    assert_eq!(place.segue(&["trust"]).run().code, 0);
    let ran = place.segue(&["run", "--note", "z"]).run();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(place.branches(&other), 1);
}

#[test]
fn a_remote_in_the_users_own_configuration_counts_everywhere() {
    let place = Place::new();
    let other = place.other_remote();
    place.set_globally("segue.remote", &place.address());
    place.set_globally("segue.branch", "notes");
    // The repository does not overrule it.
    place.set_locally("segue.remote", &other);
    place.set_locally("segue.branch", "theirs");
    let ran = place.segue(&["run", "--note", "x"]).run();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(place.published("notes").len(), 2);
    assert_eq!(place.branches(&other), 0);
}

#[test]
fn an_untrusted_repository_does_not_redirect_what_the_user_named() {
    let other = |place: &Place| place.other_remote();
    // A name means what the repository's configuration says.
    let place = Place::new();
    place.set_globally("segue.remote", "origin");
    let ran = place.segue(&["run", "--note", "x"]).run();
    assert_eq!((ran.code, ran.stderr), (1, not_published()));
    assert_eq!(place.branches(&place.address()), 1);
    for key in ["url.OTHER.insteadOf", "url.OTHER.pushInsteadOf", "remote.ADDRESS.pushurl"] {
        let place = Place::new();
        let (other, address) = (other(&place), place.address());
        place.set_globally("segue.remote", &address);
        let key = key.replace("OTHER", &other).replace("ADDRESS", &address);
        let value = if key.starts_with("url.") { &address } else { &other };
        place.set_locally(&key, value);
        let ran = place.segue(&["run", "--note", "x"]).run();
        assert_eq!((ran.code, ran.stderr), (1, not_published()), "{key}");
        assert_eq!((place.branches(&other), place.branches(&address)), (0, 1), "{key}");
    }
    // A configuration that the repository's includes is the repository's too.
    let place = Place::new();
    let other = other(&place);
    put(&place.repo.join(".git/more"), format!("[segue]\n\tremote = {other}\n"));
    place.set_locally("include.path", "more");
    place.segue(&["run", "--note", "x"]).run();
    assert_eq!(place.branches(&other), 0);
}

#[test]
fn a_remote_that_the_user_named_and_described_is_used() {
    let place = Place::new();
    place.set_globally("segue.remote", "notes");
    place.set_globally("remote.notes.url", &place.address());
    let ran = place.segue(&["run", "--note", "x"]).run();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(place.published("segue").len(), 2);
    // A name that nobody described would be a directory of the work tree.
    place.set_globally("segue.remote", "nowhere");
    let ran = place.segue(&["run", "--note", "y"]).run();
    assert_eq!((ran.code, ran.stderr), (1, not_published()));
}
