//! Our entries in settings that are JSON, with comments or without.

use serde_json::{Value, json};

use super::command::{is_hook, is_of_hook, is_segue};
use super::splice::{self, Style};
use super::tree::{Kind, Node, parse};
use super::{BOM, SettingsError, line_end};

/// How an agent writes down what it runs at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nesting {
    /// `{"hooks": {event: [{"hooks": [handler]}]}}`
    Groups,
    /// `{"hooks": {event: [handler]}}`
    Flat,
}

/// What of ours is in a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    /// A handler for each of these events, and none for any other.
    Hooks { nesting: Nesting, handlers: Vec<(&'static str, Value)> },
    /// An MCP server below this key.
    Server { under: &'static str, value: Value },
    /// A member without which the file is not read.
    Needed { key: &'static str, value: Value },
}

const HOOKS: &str = "hooks";
/// What our MCP server is called.
pub(crate) const NAME: &str = "segue";

/// A text with an entry in it. One that has it already stays as it is.
pub(crate) fn put(text: &str, entry: &Entry) -> Result<String, SettingsError> {
    let Some(root) = parse(text)? else {
        let end = line_end(text);
        let between =
            if text.trim_start_matches(BOM).is_empty() || text.ends_with('\n') { "" } else { end };
        return Ok(format!("{text}{between}{}", splice::document(&alone(entry), end)));
    };
    let root = object(text, &root, "it")?;
    match entry {
        Entry::Needed { key, value } => Ok(match root.get(key) {
            Some(_) => text.to_owned(),
            None => splice::insert(text, root, Style::of(text, root), Some(key), value),
        }),
        Entry::Server { under, value } => put_server(text, root, under, value),
        Entry::Hooks { nesting, handlers } => {
            let mut text = text.to_owned();
            for (event, handler) in handlers {
                text = put_handler(&text, *nesting, event, handler)?;
            }
            // An older version may have used other events.
            take_handlers(text, None, &|event, _, _| {
                !handlers.iter().any(|(known, _)| *known == event)
            })
        }
    }
}

/// What a file holds that has nothing but an entry.
fn alone(entry: &Entry) -> Value {
    match entry {
        Entry::Needed { key, value } => json!({ *key: value }),
        Entry::Server { under, value } => json!({ *under: { NAME: value } }),
        Entry::Hooks { nesting, handlers } => {
            let events = handlers.iter().map(|(event, handler)| {
                ((*event).to_owned(), json!([in_group(*nesting, handler)]))
            });
            json!({ HOOKS: events.collect::<serde_json::Map<_, _>>() })
        }
    }
}

fn in_group(nesting: Nesting, handler: &Value) -> Value {
    match nesting {
        Nesting::Groups => json!({ HOOKS: [handler] }),
        Nesting::Flat => handler.clone(),
    }
}

fn object<'n>(text: &str, node: &'n Node, what: &str) -> Result<&'n Node, SettingsError> {
    match node.is_object() {
        true => Ok(node),
        false => {
            let what = format!("{what} is not an object");
            Err(SettingsError::at(text, node.span.start, what))
        }
    }
}

fn put_server(
    text: &str,
    root: &Node,
    under: &str,
    value: &Value,
) -> Result<String, SettingsError> {
    let style = Style::of(text, root);
    let Some(servers) = root.get(under) else {
        return Ok(splice::insert(text, root, style, Some(under), &json!({ NAME: value })));
    };
    let servers = object(text, servers, &format!("'{under}'"))?;
    let Some(there) = servers.get(NAME) else {
        return Ok(splice::insert(text, servers, style, Some(NAME), value));
    };
    let known = there.value(text);
    if !is_our_server(&known) {
        let what = format!("another MCP server is called '{NAME}'");
        return Err(SettingsError::at(text, there.span.start, what));
    }
    if runs_the_same(&known, value) {
        return Ok(text.to_owned());
    }
    Ok(run_instead(text, there, style, value))
}

/// The members that say what is run.
const RUN: [&str; 4] = ["command", "args", "bash", "powershell"];

/// A text in which an entry runs what another does. What somebody set in it besides stays.
fn run_instead(text: &str, there: &Node, style: Style<'_>, value: &Value) -> String {
    let known = there.value(text);
    let has = |value: &Value| RUN.map(|key| value.get(key).is_some());
    if has(&known) == has(value) {
        let mut members: Vec<(&Node, &Value)> =
            RUN.iter().filter_map(|key| Some((there.get(key)?, value.get(key)?))).collect();
        // From the last to the first, so that each stands where it stood.
        members.sort_by_key(|(node, _)| std::cmp::Reverse(node.span.start));
        return members.into_iter().fold(text.to_owned(), |text, (node, value)| {
            if node.value(&text) == *value {
                text
            } else {
                splice::replace(&text, node, style, value)
            }
        });
    }
    // Another set of them: the entry is written anew, with what else is in it.
    let mut merged = known.as_object().cloned().unwrap_or_default();
    merged.retain(|key, _| !RUN.contains(&key.as_str()));
    let runs = value.as_object().into_iter().flatten();
    let mut all: serde_json::Map<String, Value> =
        runs.map(|(key, value)| (key.clone(), value.clone())).collect();
    all.extend(merged);
    splice::replace(text, there, style, &Value::Object(all))
}

fn is_our_server(server: &Value) -> bool {
    let words = match &server["command"] {
        Value::Array(words) => words.clone(),
        command => {
            let args = server["args"].as_array().cloned().unwrap_or_default();
            std::iter::once(command.clone()).chain(args).collect()
        }
    };
    let word = |at: usize| words.get(at).and_then(Value::as_str);
    word(0).is_some_and(is_segue) && word(1) == Some("mcp")
}

/// Whether a handler runs a hook of ours.
fn is_ours(handler: &Node) -> bool {
    let command = handler.get("command").and_then(Node::text);
    let args = handler.get("args").map(Node::slots).filter(|args| !args.is_empty());
    if let (Some(command), Some(args)) = (command, args) {
        let words: Vec<&str> = args.iter().filter_map(|arg| arg.value.text()).collect();
        return is_segue(command) && words.len() == args.len() && is_of_hook(&words);
    }
    let bash = handler.get("bash").and_then(Node::text);
    command.or(bash).is_some_and(is_hook)
}

/// Whether two handlers run the same. What else is set in them is the user's choice.
fn runs_the_same(one: &Value, other: &Value) -> bool {
    ["command", "args", "bash"].iter().all(|key| one.get(key) == other.get(key))
}

fn put_handler(
    text: &str,
    nesting: Nesting,
    event: &str,
    handler: &Value,
) -> Result<String, SettingsError> {
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let style = Style::of(text, &root);
    let group = in_group(nesting, handler);
    let Some(hooks) = root.get(HOOKS) else {
        let value = json!({ event: [group] });
        return Ok(splice::insert(text, &root, style, Some(HOOKS), &value));
    };
    let hooks = object(text, hooks, "'hooks'")?;
    let Some(list) = hooks.get(event) else {
        return Ok(splice::insert(text, hooks, style, Some(event), &json!([group])));
    };
    if !list.is_list() {
        let what = format!("'hooks.{event}' is not a list");
        return Err(SettingsError::at(text, list.span.start, what));
    }
    let mut ours = handlers(list).filter(|(_, _, handler)| is_ours(handler)).peekable();
    let Some(first) = ours.peek().map(|(_, _, handler)| *handler) else {
        return Ok(splice::insert(text, list, style, None, &group));
    };
    let text = match ours.any(|(_, _, there)| runs_the_same(&there.value(text), handler)) {
        true => text.to_owned(),
        false => run_instead(text, first, style, handler),
    };
    // One that runs another program would do the same a second time.
    take_handlers(text, None, &|name, text, there| {
        name == event && !runs_the_same(&there.value(text), handler)
    })
}

/// Every handler of an event, with the list that it is in and its place there. In groups or not:
/// whatever has a command is one.
fn handlers(list: &Node) -> impl Iterator<Item = (&Node, usize, &Node)> {
    let flat = list.slots().iter().enumerate().map(move |(at, slot)| (list, at, &slot.value));
    let grouped = list.slots().iter().flat_map(|slot| {
        slot.value.values(HOOKS).flat_map(|inner| {
            inner.slots().iter().enumerate().map(move |(at, slot)| (inner, at, &slot.value))
        })
    });
    flat.chain(grouped)
}

/// A text without an entry of ours, whatever program it names. `before` is the text as it was when
/// there was none: what was empty then stays.
pub(crate) fn take(
    text: &str,
    entry: &Entry,
    before: Option<&str>,
) -> Result<String, SettingsError> {
    let old = before.map(parse).transpose()?.flatten();
    let blank = before.filter(|_| old.is_none());
    let before = before.zip(old.as_ref());
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let taken = match entry {
        Entry::Hooks { nesting, .. } => {
            let old = before.map(|(text, root)| handlers_before(text, root)).unwrap_or_default();
            let mut text = text.to_owned();
            // What somebody had made by hand runs again what it ran.
            for (event, handler) in &old {
                text = put_back(text, *nesting, event, handler)?;
            }
            take_handlers(text, before, &|event, _, _| {
                !old.iter().any(|(known, _)| known == event)
            })?
        }
        Entry::Server { under, .. } => take_server(text, under, before)?,
        Entry::Needed { key, value } => {
            let was_there = before.is_some_and(|(_, old)| old.get(key).is_some());
            // What others have in the file is not read without it.
            let has_hooks =
                |root: &Node| root.get(HOOKS).is_some_and(|hooks| !hooks.slots().is_empty());
            let missed = has_hooks(&root) && !before.is_some_and(|(_, old)| has_hooks(old));
            let known = before.is_some() || blank.is_some();
            let goes = !was_there && !missed && (known || root.slots().len() == 1);
            match root.slots().iter().position(|slot| slot.key == *key) {
                Some(at) if goes && root.slots()[at].value.value(text) == *value => {
                    splice::remove(text, &root, at, inner_of(before, &[]))
                }
                _ => text.to_owned(),
            }
        }
    };
    // What had no value at all before has none again.
    if let (Some(blank), Some(root)) = (blank, parse(&taken)?)
        && is_bare(&taken, &root)
        && root.is_object()
    {
        let rest = format!("{}{}", &taken[..root.span.start], &taken[root.span.end..]);
        return Ok(if rest.trim() == blank.trim() { blank.to_owned() } else { rest });
    }
    Ok(taken)
}

/// The first handler of ours of each event.
fn handlers_before(text: &str, root: &Node) -> Vec<(String, Value)> {
    let events = root.get(HOOKS).map(Node::slots).unwrap_or_default();
    let with = |slot: &super::tree::Slot| {
        let mut all = handlers(&slot.value).map(|(_, _, one)| one);
        let first = all.find(|one| is_ours(one))?;
        Some((slot.key.clone(), first.value(text)))
    };
    events.iter().filter_map(with).collect()
}

/// A text in which our handler of an event runs what it once ran, if there is one.
fn put_back(
    text: String,
    nesting: Nesting,
    event: &str,
    handler: &Value,
) -> Result<String, SettingsError> {
    let is_there = |root: &Node| {
        let list = root.get(HOOKS).and_then(|hooks| hooks.get(event));
        list.is_some_and(|list| handlers(list).any(|(_, _, one)| is_ours(one)))
    };
    match parse(&text)? {
        Some(root) if is_there(&root) => put_handler(&text, nesting, event, handler),
        _ => Ok(text),
    }
}

/// The text between the brackets of what was at a path before.
fn inner_of<'t>(before: Option<(&'t str, &Node)>, path: &[&str]) -> Option<&'t str> {
    let (text, root) = before?;
    let node = path.iter().try_fold(root, |node, key| node.get(key))?;
    let empty = node.slots().is_empty() && (node.is_object() || node.is_list());
    empty.then(|| &text[node.inside()])
}

fn was_there(before: Option<(&str, &Node)>, path: &[&str]) -> bool {
    before.is_some_and(|(_, root)| path.iter().try_fold(root, |node, key| node.get(key)).is_some())
}

/// Whether there is nothing between brackets, not even a comment.
fn is_bare(text: &str, node: &Node) -> bool {
    node.slots().is_empty() && text[node.inside()].trim().is_empty()
}

fn take_server(
    text: &str,
    under: &str,
    before: Option<(&str, &Node)>,
) -> Result<String, SettingsError> {
    let mut text = text.to_owned();
    let made_by_hand = before.and_then(|(old, root)| {
        let there = root.get(under)?.get(NAME)?.value(old);
        is_our_server(&there).then_some(there)
    });
    if let Some(old) = made_by_hand {
        let root = parse(&text)?;
        let there = root.as_ref().and_then(|root| root.get(under)?.get(NAME));
        return Ok(match (there, &root) {
            (Some(there), Some(root)) if is_our_server(&there.value(&text)) => {
                run_instead(&text, there, Style::of(&text, root), &old)
            }
            _ => text,
        });
    }
    // One after the other, since each changes where the next one stands.
    while let Some(root) = parse(&text)? {
        let all = root.slots().iter().enumerate().filter(|(_, slot)| slot.key == under);
        let found = all.into_iter().find_map(|(at, slot)| {
            let ours = |slot: &super::tree::Slot| {
                slot.key == NAME && is_our_server(&slot.value.value(&text))
            };
            Some((at, &slot.value, slot.value.slots().iter().position(ours)?))
        });
        let Some((at, servers, index)) = found else { break };
        let span = servers.span.start;
        text = splice::remove(&text, servers, index, inner_of(before, &[under]));
        text = drop_bare(&text, &[under], at, span, before)?;
    }
    Ok(text)
}

/// Takes away a member of the root, or of a member of it, that is empty and was not there before.
fn drop_bare(
    text: &str,
    path: &[&str],
    index: usize,
    start: usize,
    before: Option<(&str, &Node)>,
) -> Result<String, SettingsError> {
    let Some(root) = parse(text)? else { return Ok(text.to_owned()) };
    let (parent, above) = match path {
        [key, _] => (
            root.slots()
                .iter()
                .find(|slot| {
                    slot.key == *key && {
                        slot.value
                            .slots()
                            .get(index)
                            .is_some_and(|slot| slot.value.span.start == start)
                    }
                })
                .map(|slot| &slot.value),
            &path[..1],
        ),
        _ => (Some(&root), &path[..0]),
    };
    let Some(parent) = parent else { return Ok(text.to_owned()) };
    match parent.slots().get(index) {
        Some(slot) if is_bare(text, &slot.value) && !was_there(before, path) => {
            Ok(splice::remove(text, parent, index, inner_of(before, above)))
        }
        _ => Ok(text.to_owned()),
    }
}

/// Which handlers of ours are meant: by their event, in a text.
type Meant<'m> = &'m dyn Fn(&str, &str, &Node) -> bool;

/// Takes those of our handlers out that are meant.
fn take_handlers(
    mut text: String,
    before: Option<(&str, &Node)>,
    meant: Meant<'_>,
) -> Result<String, SettingsError> {
    // One after the other, since each changes where the next one stands.
    while let Some(root) = parse(&text)? {
        let Some(found) = find(&text, &root, meant) else { break };
        let Found { hooks_at, event, event_at, group, list, index } = found;
        let path = [HOOKS, event.as_str()];
        let event_start = event_at.1;
        text = match group {
            // Its group goes with it if it holds nothing else.
            Some((events, at)) => {
                let whole = &events.slots()[at].value;
                let alone = list.slots().len() == 1
                    && whole.slots().len() == 1
                    && !has_comment(&text, whole, &list.slots()[index].value);
                match alone {
                    true => splice::remove(&text, events, at, inner_of(before, &path)),
                    false => splice::remove(&text, list, index, None),
                }
            }
            None => splice::remove(&text, list, index, inner_of(before, &path)),
        };
        text = drop_bare(&text, &path, event_at.0, event_start, before)?;
        text = drop_bare(&text, &[HOOKS], hooks_at.0, hooks_at.1, before)?;
    }
    Ok(text)
}

/// Whether a group has a comment outside of its only handler.
fn has_comment(text: &str, group: &Node, handler: &Node) -> bool {
    let plain = |range: std::ops::Range<usize>| {
        let stretch = &text[range];
        stretch.contains("//") || stretch.contains("/*")
    };
    plain(group.span.start..handler.span.start) || plain(handler.span.end..group.span.end)
}

/// Where a handler of ours is.
struct Found<'n> {
    /// The place of `hooks` in the root, and of the event in it, each with where its value begins.
    hooks_at: (usize, usize),
    event: String,
    event_at: (usize, usize),
    /// The list of groups and the place of the group.
    group: Option<(&'n Node, usize)>,
    list: &'n Node,
    index: usize,
}

fn find<'n>(text: &str, root: &'n Node, meant: Meant<'_>) -> Option<Found<'n>> {
    let Kind::Object(members) = &root.kind else { return None };
    for (at, hooks) in members.iter().enumerate().filter(|(_, slot)| slot.key == HOOKS) {
        let Kind::Object(events) = &hooks.value.kind else { continue };
        for (event_at, slot) in events.iter().enumerate() {
            let is_meant = |handler: &Node| is_ours(handler) && meant(&slot.key, text, handler);
            let events = &slot.value;
            let place = |list: &'n Node, index, group| Found {
                hooks_at: (at, hooks.value.span.start),
                event: slot.key.clone(),
                event_at: (event_at, events.span.start),
                group,
                list,
                index,
            };
            for (index, one) in events.slots().iter().enumerate() {
                if is_meant(&one.value) {
                    return Some(place(events, index, None));
                }
                for list in one.value.values(HOOKS) {
                    let ours = |slot: &super::tree::Slot| is_meant(&slot.value);
                    if let Some(inner) = list.slots().iter().position(ours) {
                        return Some(place(list, inner, Some((events, index))));
                    }
                }
            }
        }
    }
    None
}
