//! Repositories that nobody trusts: what their configuration and attributes name is not run.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use segue_share::git::{
    Committed, Content, Git, Publication, PublishError, Published, Pushed, discover,
};

use crate::ground::{Clone, Ground, put, script};

/// A clone whose configuration names a program that leaves a mark when it is run.
struct Archive<'a> {
    clone: Clone<'a>,
    program: String,
    mark: PathBuf,
}

impl<'a> Archive<'a> {
    fn new(ground: &'a Ground, name: &str) -> Self {
        let clone = Clone::new(ground, name);
        let mark = ground.dir.join(format!("{name}-ran"));
        let program = ground.dir.join(format!("{name}-program"));
        script(&program, &format!("echo \"$0 $*\" >> {}\nexit 1", mark.display()));
        clone.note("one.md");
        Self { clone, program: program.display().to_string(), mark }
    }

    fn set(&self, key: &str, value: &str) {
        self.clone.git(&["config", "--add", key, &value.replace("PROGRAM", &self.program)]);
    }

    fn hooks(&self, dir: &Path) {
        for name in [
            "pre-commit",
            "prepare-commit-msg",
            "commit-msg",
            "post-commit",
            "pre-push",
            "reference-transaction",
            "post-index-change",
            "pre-receive",
            "update",
            "post-receive",
            "post-update",
            "proc-receive",
        ] {
            script(dir.join(name), &format!("exec {} </dev/null", self.program));
        }
    }

    fn attributes(&self, text: &str) {
        put(self.clone.dir.join(".gitattributes"), text);
    }

    fn has_run(&self) -> bool {
        self.mark.exists()
    }

    /// Publishes the memory in every way that there is.
    fn publish(&self, is_trusted: bool) {
        let outside = self.clone.ground.dir.join("outside");
        put(outside.join("layer1/2026-11/x.md"), "x\n");
        let git = &self.clone.ground.git;
        for branch in [None, Some("handovers")] {
            let here = Publication {
                is_trusted,
                branch,
                limit: Duration::from_secs(2),
                ..self.clone.publication("r1")
            };
            let apart = Publication {
                content: Content::Outside { dir: &outside },
                memory: None,
                run: "r2",
                ..here
            };
            let _ = git.publish(&here);
            if is_trusted && self.has_run() {
                return;
            }
            let _ = git.publish(&Publication { push: false, run: "r3", ..here });
            let _ = git.publish(&apart);
            let _ = git.push(&here);
            let _ = git.push(&apart);
            self.clone.note("two.md");
        }
    }
}

type Attack = fn(&Archive<'_>);

/// Each runs its program in a repository that is trusted.
const ATTACKS: [(&str, Attack); 20] = [
    ("gpg", |archive| {
        archive.set("commit.gpgSign", "true");
        archive.set("gpg.program", "PROGRAM");
    }),
    ("gpg-ssh", |archive| {
        archive.set("commit.gpgSign", "true");
        archive.set("gpg.format", "ssh");
        archive.set("gpg.ssh.program", "PROGRAM");
        archive.set("user.signingKey", "key::ssh-ed25519 AAAA");
    }),
    ("gpg-key", |archive| {
        archive.set("commit.gpgSign", "true");
        archive.set("gpg.format", "ssh");
        archive.set("gpg.ssh.defaultKeyCommand", "PROGRAM");
    }),
    ("gpg-x509", |archive| {
        archive.set("commit.gpgSign", "true");
        archive.set("gpg.format", "x509");
        archive.set("gpg.x509.program", "PROGRAM");
    }),
    ("ssh", |archive| {
        archive.set("core.sshCommand", "PROGRAM");
        archive.clone.git(&["remote", "set-url", "origin", "ssh://host.invalid/x"]);
    }),
    ("git-proxy", |archive| {
        archive.set("core.gitProxy", "PROGRAM");
        archive.clone.git(&["remote", "set-url", "origin", "git://127.0.0.1:1/x"]);
    }),
    ("ext", |archive| {
        archive.set("protocol.ext.allow", "always");
        let url = format!("ext::{} x", archive.program);
        archive.clone.git(&["remote", "set-url", "origin", &url]);
    }),
    ("instead-of", |archive| {
        archive.set("protocol.allow", "always");
        archive.set(&format!("url.ext::{} .insteadOf", archive.program), "zz:");
        archive.clone.git(&["remote", "set-url", "origin", "zz:y"]);
    }),
    ("receivepack", |archive| {
        archive.set("remote.origin.receivepack", "PROGRAM");
        archive.set("remote.origin.uploadpack", "PROGRAM");
    }),
    ("vcs", |archive| {
        archive.set("remote.origin.vcs", "ext");
        archive.set("protocol.allow", "always");
        let url = format!("{} x", archive.program);
        archive.clone.git(&["remote", "set-url", "origin", &url]);
    }),
    ("credential", |archive| {
        archive.set("credential.helper", "!PROGRAM");
        archive.clone.git(&["remote", "set-url", "origin", &asking_server()]);
    }),
    ("filter-clean", |archive| {
        archive.set("filter.x.clean", "PROGRAM");
        archive.attributes("* filter=x\n");
    }),
    ("filter-process", |archive| {
        archive.set("filter.a.b.process", "PROGRAM");
        archive.attributes("* filter=a.b\n");
    }),
    ("merge-driver", |archive| {
        archive.set("merge.x.driver", "PROGRAM");
        archive.attributes("* merge=x\n");
        let ground = archive.clone.ground;
        let other = ground.clone_as("faster");
        put(other.join("code.rs"), "theirs\n");
        ground.run(&other, &["commit", "-qam", "faster"]);
        ground.run(&other, &["push", "-q", "origin", "main"]);
        put(archive.clone.dir.join("code.rs"), "ours\n");
        archive.clone.git(&["commit", "-qam", "ours"]);
    }),
    ("hooks", |archive| archive.hooks(&archive.clone.dir.join(".git/hooks"))),
    ("hooks-path", |archive| {
        archive.hooks(&archive.clone.dir.join("theirs"));
        archive.set("core.hooksPath", "theirs");
    }),
    ("included", |archive| {
        put(
            archive.clone.dir.join(".git/more"),
            &format!("[commit]\ngpgSign=true\n[gpg]\nprogram={}\n", archive.program),
        );
        archive.set("include.path", "more");
    }),
    ("config-worktree", |archive| {
        archive.set("extensions.worktreeConfig", "true");
        put(
            archive.clone.dir.join(".git/config.worktree"),
            &format!("[commit]\ngpgSign=true\n[gpg]\nprogram={}\n", archive.program),
        );
    }),
    ("remote-here", |archive| {
        archive.hooks(&archive.clone.dir.join(".git/hooks"));
        archive.clone.git(&["remote", "set-url", "origin", "."]);
    }),
    ("remote-in-the-tree", |archive| {
        archive.clone.git(&["init", "-q", "--bare", "-b", "main", "evil.git"]);
        archive.hooks(&archive.clone.dir.join("evil.git/hooks"));
        archive.clone.git(&["remote", "set-url", "origin", "evil.git"]);
    }),
];

/// A server that asks for credentials.
fn asking_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.read(&mut [0; 4096]);
            let answer = "HTTP/1.1 401 x\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\
                          Content-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/x.git")
}

#[test]
fn nothing_that_an_untrusted_repository_names_is_run_to_publish() {
    for (name, attack) in ATTACKS {
        for is_trusted in [true, false] {
            let ground = Ground::new();
            let archive = Archive::new(&ground, name);
            attack(&archive);
            archive.publish(is_trusted);
            let ran = fs::read_to_string(&archive.mark).unwrap_or_default();
            assert_eq!(archive.has_run(), is_trusted, "{name}, trusted: {is_trusted}: {ran}");
        }
    }
}

#[test]
fn what_is_never_asked_for_is_not_run_either() {
    let ground = Ground::new();
    let archive = Archive::new(&ground, "a");
    for key in [
        "core.editor",
        "sequence.editor",
        "core.pager",
        "pager.log",
        "core.askPass",
        "core.fsmonitor",
        "core.alternateRefsCommand",
        "gc.recentObjectsHook",
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "uploadpack.packObjectsHook",
        "interactive.diffFilter",
        "init.templateDir",
        "man.x.cmd",
        "browser.x.cmd",
        "trailer.x.command",
        "hook.x.command",
        "alias.push",
        "alias.commit-tree",
        "submodule.x.update",
    ] {
        archive.set(key, if key.starts_with("alias.") { "!PROGRAM" } else { "PROGRAM" });
    }
    archive.set("gc.auto", "1");
    archive.set("hook.x.event", "pre-commit");
    archive.attributes("* diff=x\n");
    archive.clone.git(&["init", "-q", "--bare", "../other.git"]);
    let other = ground.dir.join("other.git/objects");
    put(archive.clone.dir.join(".git/objects/info/alternates"), &other.display().to_string());
    archive.publish(false);
    assert!(!archive.has_run(), "{}", fs::read_to_string(&archive.mark).unwrap());
    assert!(ground.tree(&ground.origin(), "main").iter().any(|path| path.ends_with("one.md")));
}

#[test]
fn a_remote_that_no_configuration_describes_is_no_directory_of_the_work_tree() {
    let ground = Ground::new();
    let archive = Archive::new(&ground, "a");
    archive.clone.git(&["init", "-q", "--bare", "-b", "main", "evil.git"]);
    archive.hooks(&archive.clone.dir.join("evil.git/hooks"));
    let publication =
        Publication { is_trusted: false, remote: "evil.git", ..archive.clone.publication("r1") };
    let refused = ground.git.publish(&publication).unwrap_err();
    assert!(matches!(refused, PublishError::Config { .. }), "{refused:?}");
    assert!(refused.to_string().contains("'evil.git' does not appear"), "{refused}");
    assert!(!archive.has_run());
}

#[test]
fn a_remote_on_this_machine_whose_hooks_would_run_is_refused() {
    let ground = Ground::new();
    let archive = Archive::new(&ground, "a");
    archive.hooks(&ground.origin().join("hooks"));
    for url in ["../origin.git", "../origin", "file:///ORIGIN"] {
        let url = url.replace("/ORIGIN", ground.origin().to_str().unwrap());
        archive.clone.git(&["remote", "set-url", "origin", &url]);
        let refused = untrusted(&archive.clone, &ground.git, "main").unwrap_err();
        assert!(matches!(refused, PublishError::Config { .. }), "{refused:?}");
        assert!(refused.to_string().contains("'segue trust'"), "{refused}");
        assert!(!archive.has_run());
    }
    // Who names it by its address means it.
    let origin = ground.origin().display().to_string();
    let named =
        Publication { is_trusted: false, remote: &origin, ..archive.clone.publication("r2") };
    let _ = ground.git.publish(&named);
    assert!(archive.has_run());
}

fn untrusted(clone: &Clone<'_>, git: &Git, branch: &str) -> Result<Published, PublishError> {
    let branch = Some(branch);
    git.publish(&Publication { is_trusted: false, branch, ..clone.publication("r1") })
}

#[test]
fn an_ordinary_clone_publishes_before_it_is_trusted() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    for (key, value) in [
        ("core.autocrlf", "input"),
        ("branch.main.vscode-merge-base", "origin/main"),
        ("user.name", "A \"quoted\" \\ name # x"),
        ("commit.gpgSign", "false"),
        ("pull.rebase", "true"),
        ("alias.st", "status"),
        ("http.https://example.org/.extraheader", "X: y"),
    ] {
        clone.git(&["config", key, value]);
    }
    clone.note("one.md");
    put(clone.dir.join("staged.txt"), "staged\n");
    clone.git(&["add", "staged.txt"]);
    let config = fs::read(clone.dir.join(".git/config")).unwrap();
    let published = untrusted(&clone, &ground.git, "main").unwrap();
    assert_eq!((published.committed, published.pushed), (Committed::New, Pushed::Done));
    assert_eq!(published.notes, Vec::<String>::new());
    let author = ground.run(&ground.origin(), &["log", "-1", "--format=%an", "main"]);
    assert_eq!(author.trim(), "A \"quoted\" \\ name # x");
    assert_eq!(clone.git(&["status", "--porcelain"]), "A  staged.txt\n");
    assert_eq!(clone.git(&["log", "-1", "-g", "--format=%gs"]).trim(), "commit: handover: session");
    assert_eq!(fs::read(clone.dir.join(".git/config")).unwrap(), config);
    // A linked worktree too.
    clone.git(&["worktree", "add", "-qb", "side", "../side"]);
    let side = Clone::of(&ground, ground.dir.join("side"));
    side.note("two.md");
    let of_side = Publication { is_trusted: false, ..side.publication("r2") };
    let published = ground.git.publish(&of_side).unwrap();
    assert_eq!((published.committed, published.pushed), (Committed::New, Pushed::Done));
    let left = fs::read_dir(clone.dir.join(".git")).unwrap();
    let left: Vec<String> = left
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("segue-") && name != "segue-publish.lock")
        .collect();
    assert_eq!(left, Vec::<String>::new());
    assert!(discover(&clone.dir).is_some());
}

#[test]
fn what_was_not_done_for_an_untrusted_repository_is_noted() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    clone.git(&["config", "commit.gpgSign", "true"]);
    script(clone.dir.join(".git/hooks/pre-commit"), "exit 1");
    script(clone.dir.join(".git/hooks/pre-push"), "exit 1");
    for branch in ["main", "handovers"] {
        let published = untrusted(&clone, &ground.git, branch).unwrap();
        assert_eq!(
            published.notes,
            [
                "hooks that were not run, because this repository is not trusted: pre-commit, pre-push",
                "not signed: the commit.gpgSign of a repository that is not trusted does not count",
            ]
        );
    }
}

#[test]
fn what_a_filter_of_the_repository_would_change_is_not_published() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    clone.git(&["config", "filter.crypt.clean", "cat"]);
    clone.git(&["config", "filter.crypt.required", "false"]);
    put(clone.dir.join(".git/info/attributes"), "memory/** filter=crypt\n");
    let before = ground.state(&clone.dir);
    let refused = untrusted(&clone, &ground.git, "main").unwrap_err();
    assert!(matches!(refused, PublishError::Config { .. }), "{refused:?}");
    let message = refused.to_string();
    assert!(message.contains("'crypt'") && message.contains("'segue trust'"), "{message}");
    assert_eq!(ground.state(&clone.dir), before);
    fs::remove_file(clone.dir.join(".git/info/attributes")).unwrap();
    untrusted(&clone, &ground.git, "main").unwrap();
}

#[test]
fn programs_and_hooks_of_the_users_own_configuration_run_everywhere() {
    let ground = Ground::new();
    let clone = Clone::new(&ground, "a");
    clone.note("one.md");
    let (gpg, hooks, seen) =
        (ground.dir.join("gpg"), ground.dir.join("hooks"), ground.dir.join("seen"));
    script(
        &gpg,
        "cat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\n\\nfake\\n-----END PGP SIGNATURE-----\\n'",
    );
    script(hooks.join("pre-commit"), &format!("echo x >> {}", seen.display()));
    let own = ground.dir.join("own");
    put(
        &own,
        &format!(
            "[commit]\ngpgSign=true\n[gpg]\nprogram={}\n[core]\nhooksPath={}\n",
            gpg.display(),
            hooks.display()
        ),
    );
    let program = ground.dir.join("git-of-the-user");
    let wrapped = fs::read_to_string(&ground.git.program).unwrap();
    let wrapped = wrapped.replace("GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_GLOBAL=OWN");
    let wrapped = wrapped.replace("OWN", own.to_str().unwrap());
    script(&program, wrapped.trim_start_matches("#!/bin/sh\n").trim_end());
    let git = Git { program, ..ground.git.clone() };
    // The repository does not switch the user's signing off.
    clone.git(&["config", "commit.gpgSign", "false"]);
    for branch in ["main", "handovers"] {
        untrusted(&clone, &git, branch).unwrap();
        let commit = ground.run(&ground.origin(), &["cat-file", "commit", branch]);
        assert!(commit.contains("gpgsig -----BEGIN PGP SIGNATURE-----"), "{commit}");
    }
    assert_eq!(fs::read_to_string(&seen).unwrap(), "x\n");
    // Such hooks often call the repository's, so those that it has end all.
    script(clone.dir.join(".git/hooks/pre-commit"), "exit 1");
    clone.note("two.md");
    let again = Publication { is_trusted: false, ..clone.publication("r2") };
    let published = git.publish(&again).unwrap();
    assert!(published.notes[0].contains("hooks that were not run"), "{:?}", published.notes);
    assert_eq!(fs::read_to_string(&seen).unwrap(), "x\n");
}
