//! Commands that only carry another one: into a container, or into a shell of its own. Which files and
//! commits it touches there is not known, but what it checks is.

use super::line::program_words;

/// Options of what runs in a container whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-e",
    "--env",
    "--env-file",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "-v",
    "--volume",
    "--mount",
    "-p",
    "--publish",
    "--name",
    "--network",
    "--platform",
    "--index",
    "-f",
    "--file",
    "--profile",
    "--project-name",
    "--project-directory",
];
/// Containers in containers that are looked into.
const MOST: usize = 2;

/// What a command carries.
pub(super) struct Nested<'l> {
    /// The words of the program that runs in the end.
    pub words: Vec<&'l str>,
    /// The line that it is given, if it is a shell.
    pub line: Option<&'l str>,
    pub in_container: bool,
}

impl<'l> Nested<'l> {
    /// What the words of a command carry. `None` of most: they are what runs themselves.
    pub(super) fn of(words: &[&'l str]) -> Option<Self> {
        let Some(mut inside) = in_container(words) else {
            let line = line_of_shell(words)?;
            return Some(Self { words: words.to_vec(), line: Some(line), in_container: false });
        };
        for _ in 1..MOST {
            let Some(deeper) = in_container(&inside) else { break };
            inside = deeper;
        }
        let line = line_of_shell(&inside);
        Some(Self { words: inside, line, in_container: true })
    }
}

/// The words of what runs in a container: `docker compose exec -T web pytest`.
fn in_container<'l>(words: &[&'l str]) -> Option<Vec<&'l str>> {
    let inside = match words {
        ["docker" | "podman", "compose", rest @ ..] | ["docker-compose", rest @ ..] => {
            match behind_options(rest)? {
                ["exec" | "run", rest @ ..] => behind_options(rest)?.get(1..)?,
                _ => return None,
            }
        }
        ["docker" | "podman", "exec" | "run", rest @ ..] => behind_options(rest)?.get(1..)?,
        ["kubectl" | "oc", rest @ ..] if rest.contains(&"exec") => {
            let at = rest.iter().position(|word| *word == "--")?;
            &rest[at + 1..]
        }
        _ => return None,
    };
    (!inside.is_empty()).then(|| program_words(inside.to_vec()))
}

/// What stands behind the options. `None` if nobody waits for it.
fn behind_options<'w, 'l>(words: &'w [&'l str]) -> Option<&'w [&'l str]> {
    let mut rest = words;
    while let [option, next @ ..] = rest
        && option.starts_with('-')
    {
        if matches!(*option, "-d" | "--detach") {
            return None;
        }
        rest = if WITH_VALUE.contains(option) { next.get(1..)? } else { next };
    }
    Some(rest)
}

/// The line that a shell is given: `bash -lc 'cargo test'`.
fn line_of_shell<'l>(words: &[&'l str]) -> Option<&'l str> {
    let ["bash" | "sh" | "zsh" | "dash", rest @ ..] = words else { return None };
    let mut rest = rest.iter();
    loop {
        match *rest.next()? {
            option if option.starts_with("--") => {}
            option if option.starts_with('-') && option.ends_with('c') => break,
            option if option.starts_with('-') || option == "pipefail" => {}
            // A script, and what it is given.
            _ => return None,
        }
    }
    let line = *rest.next()?;
    let inside = |quote| line.strip_prefix(quote).and_then(|it: &str| it.strip_suffix(quote));
    Some(inside('"').or_else(|| inside('\'')).unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::super::line::CommandLine;
    use super::*;

    #[test]
    fn what_a_container_or_a_shell_is_told_to_run_is_found() {
        for (line, runs) in [
            ("docker compose exec app pytest -q", "pytest -q"),
            ("docker compose -f x.yml exec -T -e A=b app /usr/bin/pytest", "pytest"),
            ("docker-compose run --rm app npm test", "npm test"),
            ("docker exec -it -w /app web make test", "make test"),
            ("kubectl exec -it pod-1 -n shop -c app -- pytest -q", "pytest -q"),
            ("docker exec web poetry run pytest", "pytest"),
            ("bash -c \"cd core && cargo test\"", "cd core && cargo test"),
            ("sh -lc 'make test'", "make test"),
            ("bash -eo pipefail -c 'make'", "make"),
            ("docker exec web sh -c 'make test'", "make test"),
        ] {
            let parts = CommandLine::of(line).parts;
            let nested = Nested::of(&parts[0].words).unwrap();
            let words = nested.words.join(" ");
            assert_eq!(nested.line.map_or(words, str::to_owned), runs, "{line}");
        }
        for line in [
            "docker compose up -d",
            "docker exec -d web pytest",
            "docker exec web",
            "kubectl get pods",
            "bash x.sh -c 'make'",
            "bash",
            "sh -c",
            "cargo test",
        ] {
            assert!(Nested::of(&CommandLine::of(line).parts[0].words).is_none(), "{line}");
        }
    }
}
