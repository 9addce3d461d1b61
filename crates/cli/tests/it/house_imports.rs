//! House rule: the files of `lib` see each other one way only.
//!
//! The graph is made of what the files name: `use` and paths that begin with `crate`, `self` or `super`. A name that a
//! `mod.rs` or `lib.rs` only passes on counts as the file that defines it. A call of a method counts as the file whose
//! `impl` block defines the method, see `house_calls.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::ground::files_below;
use crate::house_calls::calls;

/// A name that a file uses, and whether it passes it on.
type Import = (bool, Vec<String>);

struct Graph {
    /// What each module names, by the module's path.
    imports: BTreeMap<String, Vec<Import>>,
    /// Names of other crates that a module passes on.
    foreign: BTreeSet<Vec<String>>,
    /// The modules whose methods each module calls.
    calls: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    fn read(src: &Path) -> Self {
        let (mut texts, mut raw) = (BTreeMap::new(), BTreeMap::new());
        for path in files_below(src) {
            let inside = path.strip_prefix(src).unwrap().with_extension("");
            let parts: Vec<_> = inside.iter().map(|part| part.to_str().unwrap()).collect();
            let module = parts.join("::");
            let module = module.strip_suffix("::mod").unwrap_or(&module);
            let module = if module == "lib" { "" } else { module };
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let code: Vec<&str> =
                code.lines().map(|line| line.split("//").next().unwrap()).collect();
            texts.insert(module.to_owned(), code.join("\n"));
            raw.insert(module.to_owned(), text.split("#[cfg(test)]").next().unwrap().to_owned());
        }
        let modules: BTreeSet<String> = texts.keys().cloned().collect();
        let (mut imports, mut foreign) = (BTreeMap::new(), BTreeSet::new());
        for (module, text) in &texts {
            let mut inside = Vec::new();
            for (passed_on, path) in named(text) {
                if let Some(path) = absolute(module, &path, &modules) {
                    inside.push((passed_on, path));
                } else if passed_on {
                    foreign.insert(split(module).into_iter().chain(path.last().cloned()).collect());
                }
            }
            imports.insert(module.clone(), inside);
        }
        Self { imports, foreign, calls: calls(&raw) }
    }

    /// The module that defines what a path names; `None` if that is another crate.
    fn defined_in(&self, path: &[String], depth: usize) -> Option<String> {
        if self.foreign.contains(path) {
            return None;
        }
        for length in (0..=path.len()).rev() {
            let module = path[..length].join("::");
            let Some(imports) = self.imports.get(&module) else { continue };
            let Some(item) = path.get(length) else { return Some(module) };
            let passed = imports
                .iter()
                .find(|(_, name)| name.last() == Some(item) && name[..] != path[..=length]);
            return match passed {
                Some((_, name)) if depth < 10 => self.defined_in(name, depth + 1),
                _ => Some(module),
            };
        }
        None
    }

    /// The modules that each module sees.
    fn edges(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut edges = BTreeMap::new();
        for (module, imports) in &self.imports {
            let mut seen = self.calls.get(module).cloned().unwrap_or_default();
            for (passed_on, path) in imports {
                let Some(other) = self.defined_in(path, 0) else { continue };
                let below = module.is_empty() || other.starts_with(&format!("{module}::"));
                if other != *module && !(*passed_on && below) {
                    seen.insert(other);
                }
            }
            edges.insert(module.clone(), seen);
        }
        edges
    }
}

/// What a text names: the paths of its `use`, and those that stand in the code.
fn named(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = find_use(rest) {
        let (before, after) = rest.split_at(at);
        code.push_str(before);
        let end = after.find(';').unwrap_or(after.len());
        let line = before.rsplit('\n').next().unwrap_or_default();
        let passed_on = line.trim_start().starts_with("pub");
        let mut paths = Vec::new();
        expand(&[], &after["use ".len()..end], &mut paths);
        found.extend(paths.into_iter().map(|path| (passed_on, path)));
        rest = &after[end..];
    }
    code.push_str(rest);
    for start in ["crate::", "self::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            if code[..at].ends_with(|c: char| is_word(c) || c == ':') {
                continue;
            }
            let end = code[at..].find(|c: char| !is_word(c) && c != ':');
            let path = &code[at..end.map_or(code.len(), |end| at + end)];
            let parts = path.split("::").filter(|part| !part.is_empty());
            found.push((false, parts.map(str::to_owned).collect()));
        }
    }
    found
}

/// Where the next `use` begins that is an item.
fn find_use(text: &str) -> Option<usize> {
    text.match_indices("use ").map(|(at, _)| at).find(|at| {
        let line = text[..*at].rsplit('\n').next().unwrap_or_default().trim_start();
        line.is_empty() || line.starts_with("pub")
    })
}

/// The paths of a tree such as `a::{b, c::d}`.
fn expand(prefix: &[String], tree: &str, found: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    if let Some(inner) = tree.strip_prefix('{') {
        let inner = inner.strip_suffix('}').unwrap_or(inner);
        let (mut depth, mut begin) = (0, 0);
        for (at, c) in inner.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    expand(prefix, &inner[begin..at], found);
                    begin = at + 1;
                }
                _ => {}
            }
        }
        expand(prefix, &inner[begin..], found);
    } else if let Some((first, rest)) = tree.split_once("::") {
        let longer: Vec<String> = prefix.iter().cloned().chain([first.to_owned()]).collect();
        expand(&longer, rest, found);
    } else if !tree.is_empty() {
        let name = tree.split(" as ").next().unwrap_or(tree).to_owned();
        found.push(prefix.iter().cloned().chain([name]).collect());
    }
}

fn split(module: &str) -> Vec<String> {
    module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// A path from the root of the crate; `None` if it leads into another one.
fn absolute(module: &str, path: &[String], modules: &BTreeSet<String>) -> Option<Vec<String>> {
    let mut base = split(module);
    let mut path = path;
    match path.first()?.as_str() {
        "crate" => (base, path) = (Vec::new(), &path[1..]),
        "self" => path = &path[1..],
        "super" => {
            while path.first().is_some_and(|part| part == "super") {
                base.pop();
                path = &path[1..];
            }
        }
        first => {
            let child = base.iter().map(String::as_str).chain([first]).collect::<Vec<_>>();
            if !modules.contains(&child.join("::")) {
                return None;
            }
        }
    }
    base.extend(path.iter().cloned());
    Some(base)
}

/// A way from a module back to it.
fn cycle(edges: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    for start in edges.keys() {
        let mut way = Vec::new();
        if let Some(found) = walk(start, edges, &mut way, &mut done) {
            return Some(found);
        }
    }
    None
}

fn walk(
    module: &String,
    edges: &BTreeMap<String, BTreeSet<String>>,
    way: &mut Vec<String>,
    done: &mut BTreeSet<String>,
) -> Option<Vec<String>> {
    if let Some(at) = way.iter().position(|before| before == module) {
        return Some(way[at..].iter().chain([module]).cloned().collect());
    }
    if done.contains(module) {
        return None;
    }
    way.push(module.clone());
    for next in edges.get(module).into_iter().flatten() {
        if let Some(found) = walk(next, edges, way, done) {
            return Some(found);
        }
    }
    way.pop();
    done.insert(module.clone());
    None
}

#[test]
fn the_files_of_lib_see_each_other_one_way_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lib/src");
    let edges = Graph::read(&src).edges();
    assert!(edges["handoffs::write"].contains("here::register"), "{:?}", edges["handoffs::write"]);
    // By a call only, and from lib.rs.
    assert!(edges["hook"].contains("hook::ask"), "{:?}", edges["hook"]);
    assert!(edges[""].contains("handoffs"), "{:?}", edges[""]);
    let count: usize = edges.values().map(BTreeSet::len).sum();
    assert!(edges.len() > 60 && count > 200, "{} files, {count} edges", edges.len());
    assert_eq!(cycle(&edges), None, "files of lib that see each other in a circle");
}

#[test]
fn a_circle_is_found_through_names_that_are_passed_on() {
    let temp = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| crate::ground::put(&temp.path().join(name), text);
    put("lib.rs", "mod a;\nmod b;\npub use b::{Bee, Wax as W};\n");
    put("a.rs", "use crate::{Bee, Other};\npub(crate) struct A;\n");
    put("b/mod.rs", "mod inner;\npub use inner::Bee;\n");
    put("b/inner.rs", "pub struct Bee;\n");
    let edges = Graph::read(temp.path()).edges();
    assert_eq!(edges["a"], BTreeSet::from([String::new(), "b::inner".to_owned()]));
    assert_eq!(cycle(&edges), None);
    put("b/inner.rs", "use super::super::a::{self, A};\npub struct Bee;\n");
    let way = cycle(&Graph::read(temp.path()).edges()).unwrap();
    assert_eq!(way.join(" "), "a b::inner a");
}

#[test]
fn a_circle_is_found_through_calls_and_through_lib_rs() {
    let temp = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| crate::ground::put(&temp.path().join(name), text);
    let way = || cycle(&Graph::read(temp.path()).edges()).map(|way| way.join(" "));
    put("lib.rs", "mod a;\nmod b;\npub use elsewhere::Word;\npub struct Door;\nuse a::Noun;\n");
    put("a.rs", "use crate::Word;\npub struct Noun;\nimpl Noun { fn one(&self) {} }\n");
    put("b.rs", "use crate::a::Noun;\nimpl Noun { fn two(&self) { self.one() } }\n");
    assert_eq!(way(), None);
    put("a.rs", "pub struct Noun;\nimpl Noun { fn one(&self) { self.two() } }\n");
    assert_eq!(way().unwrap(), "a b a");
    put("a.rs", "use crate::Door;\npub struct Noun;\n");
    assert_eq!(way().unwrap(), " a ");
}

#[test]
fn git_and_the_configuration_are_looked_up_in_one_place() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lib/src");
    for (word, place) in [
        ("look(self.directory()", "here/directory.rs"),
        ("git::{Discovery, Git, Repo, look}", "here/directory.rs"),
        ("ConfigFile::read(", "settings.rs"),
    ] {
        let has = |path: &&std::path::PathBuf| fs::read_to_string(path).unwrap().contains(word);
        let files = files_below(&src);
        let found: Vec<_> = files.iter().filter(has).collect();
        assert!(found.len() == 1 && found[0].ends_with(place), "{word}: {found:?}");
    }
    // Whoever finds a repository otherwise is not counted by `Env::on_lookup`.
    for path in files_below(&src) {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        assert!(!code.contains("discover("), "{}", path.display());
    }
}
