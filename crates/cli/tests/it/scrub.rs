//! Secrets that are stored already, and what `scrub` leaves of them: nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::ground::{TestEnv, files_below, put};
use crate::strace::{self, Trace};

/// In the shape of GitHub's, with a checksum that holds; put together here so that nobody takes this
/// file for a leak.
fn token() -> String {
    ["gh", "p_zQWBuTSOoRi4A9sp", "HcVY5ncnsDkxkJ0mLq17"].concat()
}

/// Random, with nothing that says what it is.
fn bare() -> String {
    ["9fK2xQ7vLm3Z", "p8Rt1Wc6Yb4N"].concat()
}

/// A store as a version without redaction would have left it.
struct Scene {
    env: TestEnv,
    memory: PathBuf,
    /// Ids as they are listed.
    ids: Vec<String>,
}

impl Scene {
    fn new() -> Self {
        let env = TestEnv::new();
        let (token, bare) = (token(), bare());
        let config = env.beside(".config").join("segue/config.toml");
        put(&config, format!("[redact]\nallow = ['{token}', '{bare}']\n"));
        let save = |seed: &str, args: &[&str], body: &str| {
            let all: Vec<&str> = ["save"].iter().chain(args).copied().collect();
            env.segue(&all).seed(seed).stdin(body).ok().trim().to_owned()
        };
        put(&env.work.join("HANDOFF.md"), format!("# HANDOFF.md\n\nMine: {token}\n"));
        let first = save(
            "1",
            &["--title", "Named", "--tags", "api"],
            &format!(
                "## Context\n\nAPI_KEY={bare}\n\n## Next Steps\n\n- use {token}\n- and {token}\n"
            ),
        );
        save("2", &["--title", &format!("Deploy with {token}")], "## Context\n\nplain words\n");
        save("3", &["--title", "Bare"], &format!("first it was {bare} and then not\n"));
        save("4", &["--title", "Clean", "--tags", "api"], "nothing to hide, é\r\n\tat all\n");
        let old = format!("an old one with {token}\n");
        let tag = ["--title", "Old", "--tags", "old", "--ttl", "1m"];
        let all: Vec<&str> = ["save"].iter().chain(&tag).copied().collect();
        env.segue(&all).seed("5").at("2026-10-01T00:00:00Z").stdin(old).run();
        env.segue(&["edit", &first, "--summary", &format!("about {token}")]).seed("6").run();
        env.segue(&["gc"]).ok();
        // Without the list of what may stay everything of it is a secret.
        fs::remove_file(&config).unwrap();
        let memory =
            fs::read_dir(env.home.join("projects")).unwrap().next().unwrap().unwrap().path();
        let month = memory.join("layer1/2026-11");
        put(
            &month.join("torn-2026-11-15-a0000001.md"),
            [b"---\nsegue: 1\nid: ", token.as_bytes(), b"\n\xff cut"].concat(),
        );
        put(&month.join(".tmp-1-x.md"), format!("---\nsegue: 1\n{token}"));
        put(&month.join("x.md.orig"), format!("was {token}\n"));
        let note = "<!-- agent-handover | layer1 | 2026-07-01 -->\n";
        put(
            &memory.join("layer1/2026-07/login-2026-07-01.md"),
            format!("{note}Login with {token}.\n"),
        );
        put(
            &memory.join("layer3/2026-09-torn-archive.md"),
            format!("<!-- segue:handoff 20260901-000000-a0000009 500 x.md -->\nx {token}"),
        );
        put(&memory.join("kept/20261115-174500-HANDOFF.md"), format!("kept {token}\n"));
        let run = memory.join("run/0123456789ab-0123456789ab");
        let key = "20261115-174500-a0000002";
        put(
            &run.join(format!("queue/{key}.json")),
            format!("{{\"key\":\"{key}\", \"note\":\"say \\\"{token}\\\"\"}}\n"),
        );
        put(&run.join("dropped/1-checkpoint.json"), format!("{{\"said\": \"{token}"));
        put(&env.home.join("PAUSE"), format!("until {token} works\n"));
        env.segue(&["index", "--rebuild"]).run();
        let ids = ids(&env);
        assert_eq!(ids.len(), 7, "{ids:?}");
        Self { env, memory, ids }
    }

    /// Files in which a secret stands, by content or by name.
    fn leaks(&self) -> Vec<PathBuf> {
        let secrets = [token(), bare()];
        let slugs = secrets.clone().map(|secret| secret.to_lowercase().replace('_', "-"));
        let has = |path: &PathBuf| {
            let bytes = fs::read(path).unwrap();
            let name = path.to_string_lossy().to_lowercase();
            slugs.iter().any(|slug| name.contains(&slug[..20]))
                || secrets
                    .iter()
                    .any(|secret| bytes.windows(secret.len()).any(|part| part == secret.as_bytes()))
        };
        files_below(&self.env.home).into_iter().filter(has).collect()
    }

    /// Every file of the store that is not derived.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let derived = |path: &Path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("index.") || name.contains("lock") || name.starts_with(".tmp-")
        };
        let files = files_below(&self.env.home).into_iter().filter(|path| !derived(path));
        files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }
}

fn ids(env: &TestEnv) -> Vec<String> {
    let listed = env.segue(&["list", "--expired", "--json"]).run().stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let id = |one: &serde_json::Value| one["id"].as_str().unwrap().to_owned();
    let mut ids: Vec<String> = listed.as_array().unwrap().iter().map(id).collect();
    ids.sort();
    ids
}

#[test]
fn what_is_stored_loses_its_secrets_and_nothing_else() {
    let scene = Scene::new();
    let (env, token, bare) = (&scene.env, token(), bare());
    assert!(scene.leaks().len() > 12, "{:?}", scene.leaks());
    let handoff_md = env.work.join("HANDOFF.md");
    assert_eq!(fs::read_to_string(&handoff_md).unwrap().matches(&token).count(), 2);
    let before = scene.files();

    // Looking changes no byte, the index included.
    let everything = || -> Vec<(PathBuf, Vec<u8>)> {
        files_below(&env.home)
            .into_iter()
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect()
    };
    let was = everything();
    let ran = env.segue(&["scrub", "--dry-run"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("Would take "), "{}", ran.stdout);
    assert!(!ran.stderr.contains(&token) && !ran.stderr.contains(&bare), "{}", ran.stderr);
    assert!(ran.stderr.contains("github token in Next Steps (line "), "{}", ran.stderr);
    assert!(ran.stderr.contains(", 2 times)"), "{}", ran.stderr);
    assert!(everything() == was, "a look changed something");
    // Without a yes nothing happens either.
    let said = env.segue(&["scrub"]).fails_with_talk(64);
    assert!(said.contains("hint: add --yes"), "{said}");
    assert!(scene.files() == before);

    let ran = env.segue(&["scrub", "--yes", "--json"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("revoke"), "{}", ran.stderr);
    assert!(ran.stderr.contains("HANDOFF.md is left alone"), "{}", ran.stderr);
    let done: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(done["failed"].as_array().unwrap().len(), 0);
    assert_eq!(scene.leaks(), Vec::<PathBuf>::new());
    assert!(!ran.stdout.contains(&token) && !ran.stderr.contains(&token));

    // Our block in HANDOFF.md is clean and still sound; the user's words stay.
    let text = fs::read_to_string(&handoff_md).unwrap();
    assert_eq!(text.matches(&token).count(), 1, "{text}");
    assert!(text.contains(&format!("Mine: {token}")));
    // The same handoffs, by id, and each file but for its secrets.
    assert_eq!(ids(env), scene.ids);
    let after = scene.files();
    assert_eq!(before.len(), after.len());
    let clean = before.iter().filter(|(path, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        !text.contains(&token) && !text.contains(&bare) && after.get(*path) != Some(*bytes)
    });
    assert_eq!(clean.map(|(path, _)| path).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    let torn = fs::read(scene.memory.join("layer1/2026-11/torn-2026-11-15-a0000001.md")).unwrap();
    assert_eq!(torn, b"---\nsegue: 1\nid: [redacted: github token]\n\xff cut");
    let queued =
        scene.memory.join("run/0123456789ab-0123456789ab/queue/20261115-174500-a0000002.json");
    let queued: serde_json::Value = serde_json::from_slice(&fs::read(queued).unwrap()).unwrap();
    assert_eq!(queued["note"], "say \"[redacted: github token]\"");
    // An archived one is shown, the note of the peer has its id, and nobody finds the secret.
    let old = scene.ids.iter().find(|id| id.starts_with("20261001")).unwrap();
    assert_eq!(
        env.segue(&["show", old]).run().stdout,
        "an old one with [redacted: github token]\n"
    );
    let note = scene.ids.iter().find(|id| id.starts_with("20260701")).unwrap();
    assert_eq!(env.segue(&["show", note]).run().stdout, "Login with [redacted: github token].\n");
    for word in [&token, &bare] {
        let found = env.segue(&["search", word, "--json"]).run().stdout;
        assert!(!found.contains(word) && !found.contains("\"passage\""), "{found}");
    }
    let found = env.segue(&["search", "hide"]).run().stdout;
    assert!(found.contains("Clean"), "{found}");
    let verified = env.segue(&["index", "--verify"]).run();
    assert!(
        !verified.stdout.contains("edited") || verified.stdout.contains("0 "),
        "{}",
        verified.stdout
    );
    assert_eq!(scene.leaks(), Vec::<PathBuf>::new());

    // A second one has nothing to do.
    let now = scene.files();
    let again = env.segue(&["scrub", "--yes"]).run();
    assert_eq!((again.code, again.stdout.as_str()), (0, "No secrets found.\n"), "{}", again.stderr);
    assert!(scene.files() == now);
}

#[test]
fn rules_that_cannot_be_read_change_nothing() {
    let scene = Scene::new();
    let config = scene.env.beside(".config").join("segue/config.toml");
    put(&config, "[redact]\nrules = [{ name = 'x', regex = '(' }]\n");
    let before = scene.files();
    for args in [&["scrub", "--yes"][..], &["scrub", "--dry-run"]] {
        let ran = scene.env.segue(args).run();
        assert!(ran.code == 65 && ran.stderr.contains("the rule 'x'"), "{}", ran.stderr);
    }
    assert!(scene.files() == before);
}

#[test]
fn permissions_and_times_stay() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    env.saved(&["--title", "x"]);
    let file = env.handoff_files().remove(0);
    let text = fs::read_to_string(&file).unwrap();
    put(&file, format!("{text}use {}\n", token()));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    let ran = env.segue(&["scrub", "--yes"]).run();
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "Took 1 secret out of 1 handoff.\n"),
        "{}",
        ran.stderr
    );
    let meta = fs::metadata(&file).unwrap();
    assert_eq!(meta.permissions().mode() & 0o777, 0o640);
    assert_eq!(meta.modified().unwrap(), time);
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{text}use [redacted: github token]\n"));
}

#[test]
fn only_this_project_unless_all_are_asked_for() {
    let env = TestEnv::new();
    let there = env.dir("there");
    for dir in [&env.work, &there] {
        env.segue(&["save", "--title", "x"]).dir(dir).real_clock().ok();
    }
    for file in env.handoff_files() {
        let text = fs::read_to_string(&file).unwrap();
        put(&file, format!("{text}use {}\n", token()));
    }
    let left = || {
        let has = |path: &PathBuf| fs::read_to_string(path).unwrap().contains(&token());
        env.handoff_files().into_iter().filter(has).count()
    };
    assert_eq!(env.segue(&["scrub", "--yes"]).run().code, 0);
    assert_eq!(left(), 1);
    assert_eq!(env.segue(&["scrub", "--yes", "--all-projects"]).run().code, 0);
    assert_eq!(left(), 0);
}

#[test]
fn a_scrub_that_is_killed_leaves_nothing_half_and_the_next_one_finishes() {
    let scene = Scene::new();
    let env = &scene.env;
    if !strace::works(env) {
        return;
    }
    let copy = env.beside("copy");
    let cp = |from: &Path, to: &Path| {
        if to.exists() {
            fs::remove_dir_all(to).unwrap();
        }
        assert!(env.command("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
    };
    let handoff_md = fs::read(env.work.join("HANDOFF.md")).unwrap();
    cp(&env.home, &copy);
    let before = scene.files();
    let log = env.beside("log").display().to_string();
    let args = ["scrub", "--yes"];
    let ran = env.segue_under(&strace::watching(&log), &args).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let after = scene.files();
    let changing = ["rename", "renameat2", "unlink", "unlinkat", "fsync", "fchmod", "write"];
    let trace = Trace::read(Path::new(&log));
    let calls: Vec<_> =
        trace.own.into_iter().filter(|call| changing.contains(&call.name.as_str())).collect();
    let step = if strace::all_faults() { 1 } else { calls.len().div_ceil(14) };
    for call in calls.iter().step_by(step) {
        cp(&copy, &env.home);
        put(&env.work.join("HANDOFF.md"), &handoff_md);
        let striking = strace::striking(call, "signal=KILL");
        let words: Vec<&str> = striking.iter().map(String::as_str).collect();
        env.segue_under(&words, &args).run();
        // Each file is as it was or as it will be; one under its new name may still be as it was.
        for (path, bytes) in scene.files() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let known = before.get(&path) == Some(&bytes)
                || after.get(&path) == Some(&bytes)
                || before.values().any(|was| *was == bytes)
                || name == "scrubbing";
            assert!(known, "{call:?}: {}", path.display());
        }
        assert_eq!(ids(env), scene.ids, "{call:?}");
        let again = env.segue(&args).run();
        assert_eq!(again.code, 0, "{call:?}: {}", again.stderr);
        assert_eq!(scene.leaks(), Vec::<PathBuf>::new(), "{call:?}");
        assert!(scene.files() == after, "{call:?}");
    }
}

#[test]
fn what_comes_in_is_looked_at_before_it_is_stored() {
    let sender = TestEnv::new();
    let token = token();
    let config = sender.beside(".config").join("segue/config.toml");
    put(&config, format!("[redact]\nallow = ['{token}']\n"));
    let title = format!("Use {token}");
    sender
        .segue(&["save", "--title", &title, "--tags", &token])
        .stdin(format!("see {token}\n"))
        .ok();
    let bundle = sender.work.join("b.segue");
    sender.segue(&["export", "latest", "--out", &bundle.display().to_string()]).run();
    assert!(fs::read_to_string(&bundle).unwrap().contains(&token));

    let env = TestEnv::new();
    let path = bundle.display().to_string();
    let import = ["import", &path, "--allow-unsigned"];
    let ran = env.segue(&import).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains(
            "taken out of 1 handoff before anything was stored: 3 secrets (github token)"
        ),
        "{}",
        ran.stderr
    );
    let all = [ran.stdout.as_str(), &ran.stderr].concat();
    assert!(!all.contains(&token), "{all}");
    let leaks = files_below(&env.home).into_iter().filter(|path| {
        fs::read(path).unwrap().windows(token.len()).any(|part| part == token.as_bytes())
    });
    assert_eq!(leaks.collect::<Vec<_>>(), Vec::<PathBuf>::new());
    assert_eq!(env.segue(&["show", "latest"]).run().stdout, "see [redacted: github token]\n");
    // The same again is the same.
    let again = env.segue(&import).run();
    assert!(
        again.code == 0 && again.stdout.contains("already here"),
        "{} {}",
        again.stdout,
        again.stderr
    );
    // Rules that cannot be read: nothing comes in.
    let other = TestEnv::new();
    put(
        &other.beside(".config").join("segue/config.toml"),
        "[redact]\nrules = [{ name = 'x', regex = '(' }]\n",
    );
    let ran = other.segue(&import).run();
    assert!(ran.code == 65 && ran.stderr.contains("the rule 'x'"), "{}", ran.stderr);
    assert!(other.handoff_files().is_empty());
}

#[test]
fn names_and_tags_are_looked_at_before_a_handoff_is_saved() {
    let env = TestEnv::new();
    let token = token();
    let args = ["save", "--title", "x", "--name", &token, "--tags", &format!("a,{token}")];
    let ran = env.segue(&args).stdin("text\n").run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("2 secrets (github token)"), "{}", ran.stderr);
    let edited = env.segue(&["edit", "latest", "--title", &token]).seed("9").run();
    for path in files_below(&env.home) {
        let bytes = fs::read(&path).unwrap();
        let has = bytes.windows(token.len()).any(|part| part == token.as_bytes());
        assert!(!has, "{}: {}", path.display(), edited.stderr);
    }
}

#[test]
fn a_run_keeps_no_secret_of_what_it_is_given_or_what_its_commands_print() {
    let env = TestEnv::new();
    let token = token();
    let ran = env.segue(&["run", "--note", &format!("use {token}")]).run();
    assert_eq!(ran.code, 0, "{} {}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("1 secret (github token)"), "{}", ran.stderr);
    put(&env.work.join("token"), &token);
    let plan = "[[step]]\nkind = \"command\"\nname = \"tell\"\ncommand = [\"cat\", \"token\"]\n";
    put(&env.work.join("plan.toml"), plan);
    let ran = env.segue(&["run", "--config", "plan.toml"]).seed("7").run();
    assert_eq!(ran.code, 0, "{} {}", ran.stdout, ran.stderr);
    let marked = files_below(&env.home).into_iter().filter(|path| {
        path.to_string_lossy().contains("/run/")
            && fs::read_to_string(path).unwrap().contains("[redacted: github token]")
    });
    assert_eq!(marked.count(), 2);
    let leaks = files_below(&env.home).into_iter().filter(|path| {
        fs::read(path).unwrap().windows(token.len()).any(|part| part == token.as_bytes())
    });
    assert_eq!(leaks.collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

#[test]
fn what_was_signed_with_secrets_comes_in_without_them_and_says_that_it_cannot_be_proved() {
    let sender = TestEnv::new();
    let token = token();
    put(
        &sender.beside(".config").join("segue/config.toml"),
        format!("[redact]\nallow = ['{token}']\n"),
    );
    sender.segue(&["save", "--title", "x"]).stdin(format!("see {token}\n")).ok();
    sender.segue(&["keys", "new", "me"]).run();
    let bundle = sender.work.join("b.segue").display().to_string();
    let ran = sender.segue(&["export", "latest", "--output", &bundle, "--sign-key", "me"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let env = TestEnv::new();
    let ran = env.segue(&["import", &bundle, "--allow-untrusted"]).run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("what was signed is the text with them"), "{}", ran.stderr);
    let shown = env.segue(&["show", "latest"]).run();
    assert_eq!(shown.stdout, "see [redacted: github token]\n");
    assert!(shown.stderr.contains("cannot be proved here"), "{}", shown.stderr);
    let again = env.segue(&["import", &bundle, "--allow-untrusted"]).run();
    assert!(again.stdout.contains("already here"), "{} {}", again.stdout, again.stderr);
}

#[test]
fn the_memory_of_a_repository_is_scrubbed_where_it_is_trusted() {
    let env = TestEnv::new();
    let repo = env.repo("shop");
    env.segue(&["init", "--shared"]).dir(&repo).run();
    env.segue(&["save", "--title", "x"]).dir(&repo).stdin("text\n").run();
    let handoffs = || -> Vec<PathBuf> {
        let files = files_below(&repo.join(".segue")).into_iter();
        files.filter(|path| path.to_string_lossy().contains("/layer1/")).collect()
    };
    let file = handoffs().remove(0);
    let text = fs::read_to_string(&file).unwrap();
    let leaky = format!("{text}use {}\n", token());
    put(&file, &leaky);
    let ran = env.segue(&["scrub", "--yes"]).dir(&repo).run();
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "Took 1 secret out of 1 handoff.\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{text}use [redacted: github token]\n"));
    // What is not trusted is neither opened nor written.
    env.segue(&["trust", "--remove", &repo.display().to_string()]).run();
    put(&file, &leaky);
    let ran = env.segue(&["scrub", "--yes", "--all-projects"]).dir(&repo).run();
    assert_eq!(ran.stdout, "No secrets found.\n");
    assert!(ran.stderr.contains("it is not trusted, and was not looked at"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), leaky);
}
