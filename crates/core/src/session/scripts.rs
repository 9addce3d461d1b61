//! What a package manager or a runner of tasks is told to run: `pnpm --filter web test`,
//! `npm run build -w api`, `bun lint`, `turbo run typecheck`.

use super::CheckKind;

/// Programs that run scripts of a package, or programs that it brings along.
const MANAGERS: &[&str] =
    &["npm", "pnpm", "yarn", "bun", "turbo", "nx", "lerna", "hatch", "pdm", "rye"];
/// Their options whose value is the next word. `-w` has none where it is pnpm's.
const WITH_VALUE: &[&str] = &[
    "--filter",
    "-F",
    "--workspace",
    "-C",
    "--dir",
    "--cwd",
    "--prefix",
    "--scope",
    "--loglevel",
    "--reporter",
    "--project",
];
/// What a script does that its name says, by a part of the name.
const TESTS: &[&str] = &["test", "tests", "e2e", "spec", "unit", "vitest", "jest", "playwright"];
const LINTS: &[&str] =
    &["lint", "eslint", "typecheck", "types", "tsc", "check", "biome", "prettier"];
const BUILDS: &[&str] = &["build", "compile", "bundle"];
/// Parts of names with which a script goes on for ever, or checks nothing.
const NO_CHECK: &[&str] =
    &["watch", "dev", "serve", "ui", "debug", "report", "clean", "install", "update"];

/// What a package manager runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ScriptRun<'w, 'l> {
    /// The script or program and what it is given.
    pub words: &'w [&'l str],
    /// Whether it can only be a program.
    pub program: bool,
}

pub(super) fn is_manager(program: &str) -> bool {
    MANAGERS.contains(&program)
}

/// What a package manager is told to run, if the words are a command of one.
pub(super) fn run_by<'w, 'l>(words: &'w [&'l str]) -> Option<ScriptRun<'w, 'l>> {
    let (manager, rest) = words.split_first()?;
    if !is_manager(manager) {
        return None;
    }
    let mut rest = behind_options(manager, rest);
    loop {
        let (sub, next) = rest.split_first()?;
        rest = match *sub {
            "run" | "run-script" | "run-many" | "affected" | "recursive" | "foreach" => {
                behind_options(manager, next)
            }
            "workspaces" => behind_options(manager, next),
            "workspace" => behind_options(manager, next.get(1..)?),
            "exec" | "dlx" | "x" => {
                let words = behind_options(manager, next);
                return (!words.is_empty()).then_some(ScriptRun { words, program: true });
            }
            _ => return Some(ScriptRun { words: rest, program: false }),
        }
    }
}

fn behind_options<'w, 'l>(manager: &str, words: &'w [&'l str]) -> &'w [&'l str] {
    let mut rest = words;
    while let [option, next @ ..] = rest
        && option.starts_with('-')
    {
        let has_value = WITH_VALUE.contains(option)
            || manager == "npm" && *option == "-w"
            || manager == "nx" && matches!(*option, "-t" | "--target" | "-p");
        // What nx shall do in many places stands behind an option.
        if manager == "nx" && matches!(*option, "-t" | "--target") {
            return next;
        }
        rest = if has_value { next.get(1..).unwrap_or_default() } else { next };
    }
    rest
}

/// What a script of a package checks, as far as its name says.
pub(super) fn kind_of_script(name: &str) -> Option<CheckKind> {
    if matches!(name, "t" | "tst" | "type-check" | "check-types" | "ts-check" | "format-check") {
        let tests = matches!(name, "t" | "tst");
        return Some(if tests { CheckKind::Test } else { CheckKind::Lint });
    }
    // A file is none, and a package has none whose name is an option.
    if name.contains(['/', '.', '=']) {
        return None;
    }
    let parts = || name.split([':', '-', '_']);
    if parts().any(|part| NO_CHECK.contains(&part)) {
        return None;
    }
    parts().find_map(|part| match part {
        part if TESTS.contains(&part) => Some(CheckKind::Test),
        part if LINTS.contains(&part) => Some(CheckKind::Lint),
        part if BUILDS.contains(&part) => Some(CheckKind::Build),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_package_manager_runs_stands_behind_its_options() {
        for (line, runs) in [
            ("npm test", "test"),
            ("npm run build -w api", "build -w api"),
            ("npm -w api run build", "build"),
            ("npm --prefix web run lint -- --fix", "lint -- --fix"),
            ("pnpm --filter @x/web test", "test"),
            ("pnpm -C web -r lint", "lint"),
            ("pnpm -w build", "build"),
            ("yarn workspace web test:unit", "test:unit"),
            ("yarn workspaces foreach -A run typecheck", "typecheck"),
            ("bun --cwd web run --silent build", "build"),
            ("turbo run build --filter=web", "build --filter=web"),
            ("nx run-many -t lint", "lint"),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let run = run_by(&words).unwrap();
            assert_eq!((run.words.join(" ").as_str(), run.program), (runs, false), "{line}");
        }
        for line in ["pnpm exec tsc --noEmit", "bun x tsc --noEmit", "yarn dlx -q tsc --noEmit"] {
            let words: Vec<&str> = line.split(' ').collect();
            let run = run_by(&words).unwrap();
            assert_eq!((run.words, run.program), (&["tsc", "--noEmit"][..], true), "{line}");
        }
        for line in ["npm", "npm run", "npm --version", "cargo test", "yarn workspace"] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(run_by(&words), None, "{line}");
        }
    }

    #[test]
    fn the_name_of_a_script_says_what_it_checks() {
        for (name, kind) in [
            ("test", Some(CheckKind::Test)),
            ("test:unit", Some(CheckKind::Test)),
            ("app:e2e", Some(CheckKind::Test)),
            ("type-check", Some(CheckKind::Lint)),
            ("lint:fix", Some(CheckKind::Lint)),
            ("build-prod", Some(CheckKind::Build)),
            ("test:watch", None),
            ("dev", None),
            ("install", None),
            ("src/test.ts", None),
            ("latest", None),
        ] {
            assert_eq!(kind_of_script(name), kind, "{name}");
        }
    }
}
