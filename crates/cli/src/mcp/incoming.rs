//! What a client sends, line by line, before the SDK reads it. The SDK passes over whatever it cannot
//! read, and whoever sent that waits for ever: here it is mended where that is safe, and else answered.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::UnboundedSender;

/// Bytes read at once.
const CHUNK: usize = 64 << 10;
/// Bytes of a line that is too long in which its id is looked for: the first, and the last.
const LOOKED_AT: usize = 64 << 10;
/// Parameters up to this size are read once more, to see whether they can be.
const READ_TWICE: usize = 1 << 20;
/// How deep a message may be: the reader of JSON goes no further than 128.
const DEEPEST: usize = 120;

/// A message that is answered at once.
#[derive(Debug, PartialEq)]
pub(super) struct Refused {
    /// The id that the answer is for, if the message has one.
    pub(super) id: Option<Value>,
    /// As the protocol numbers what went wrong.
    pub(super) code: i32,
    pub(super) text: String,
}

/// As JSON-RPC numbers them.
const UNREADABLE: i32 = -32700;
const NO_REQUEST: i32 = -32600;
const BAD_PARAMS: i32 = -32602;

/// What becomes of a line.
#[derive(Debug, PartialEq)]
enum Fate<'l> {
    Pass(Cow<'l, str>),
    Refuse(Refused),
}

/// Reads lines until there are no more. What can be read goes on; what cannot is refused, if it has an id.
pub(super) async fn sort_out(
    read: impl AsyncRead + Unpin,
    mut on: impl AsyncWrite + Unpin,
    refused: UnboundedSender<Refused>,
    longest: usize,
) {
    let mut read = BufReader::with_capacity(CHUNK, read);
    let mut line: Vec<u8> = Vec::new();
    let mut length = 0;
    loop {
        let available = match read.fill_buf().await {
            Ok(available) => available,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.map_or(available.len(), |at| at + 1)];
        let (used, ended) = (part.len(), end.is_some() || part.is_empty());
        length += used;
        line.extend_from_slice(part);
        if length > longest && line.len() > 4 * LOOKED_AT {
            // Only its ends are kept: one of them has the id.
            line.drain(LOOKED_AT..line.len() - LOOKED_AT);
        }
        read.consume(used);
        if !ended {
            continue;
        }
        let fates = match length > longest {
            true => too_long(&line, longest).map(Fate::Refuse).into_iter().collect(),
            false => judged(&line),
        };
        for fate in fates {
            match fate {
                Fate::Pass(text) => {
                    let text = text.trim_end_matches(['\n', '\r']);
                    let written = on.write_all(text.as_bytes()).await;
                    if written.is_err() || on.write_all(b"\n").await.is_err() {
                        return;
                    }
                }
                Fate::Refuse(why) => {
                    let _ = refused.send(why);
                }
            }
        }
        if used == 0 {
            return;
        }
        line.clear();
        line.shrink_to(CHUNK);
        length = 0;
    }
}

/// Without an id nobody waits for an answer.
fn too_long(ends: &[u8], longest: usize) -> Option<Refused> {
    let text = String::from_utf8_lossy(ends);
    // Many write it last.
    let last = || {
        let at = text.rfind("\"id\"")?;
        let rest = text[at..].split_once(':')?.1.trim();
        let id = serde_json::from_str::<Value>(rest.strip_suffix('}')?).ok()?;
        (id.is_i64() || id.is_string()).then_some(id)
    };
    let id = ids_in(&text, 1).into_iter().next().or_else(last)?;
    let megabytes = longest >> 20;
    let told = format!(
        "The message has more than {megabytes} MB and was not read. Save a summary, and name the large file in it."
    );
    Some(Refused { id: Some(id), code: UNREADABLE, text: told })
}

#[derive(Deserialize)]
struct Outline<'l> {
    #[serde(default)]
    jsonrpc: Value,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    method: Value,
    #[serde(borrow, default)]
    params: Option<&'l RawValue>,
    #[serde(borrow, default)]
    result: Option<&'l RawValue>,
    #[serde(borrow, default)]
    error: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Params<'l> {
    #[serde(default)]
    name: Value,
    #[serde(borrow, default)]
    arguments: Option<&'l RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'l RawValue>,
}

fn judged(line: &[u8]) -> Vec<Fate<'_>> {
    let text = match String::from_utf8_lossy(line) {
        Cow::Borrowed(text) => paired(text),
        Cow::Owned(text) => Cow::Owned(paired(&text).into_owned()),
    };
    let says = text.trim().trim_start_matches('\u{feff}');
    if says.is_empty() {
        return Vec::new();
    }
    // Older clients send several at once, as a list or one behind the other.
    let several = match serde_json::from_str::<Vec<&RawValue>>(says) {
        Ok(all) => all,
        Err(_) => {
            let values = serde_json::Deserializer::from_str(says).into_iter::<&RawValue>();
            values.collect::<Result<_, _>>().unwrap_or_default()
        }
    };
    if several.len() > 1 || says.starts_with('[') && !several.is_empty() {
        let each = several.into_iter().map(|one| {
            let one = one.get();
            let pass = || Fate::Pass(Cow::Owned(one.replace(['\n', '\r'], " ")));
            judged_one(one).unwrap_or_else(pass)
        });
        return each.collect();
    }
    // A list that is broken is not taken apart: whoever waits for any of it is told.
    if several.is_empty() && says.starts_with('[') {
        let refuse =
            |id| Fate::Refuse(Refused { id: Some(id), code: UNREADABLE, text: BROKEN.into() });
        let told: Vec<Fate<'_>> = ids_in(says, 2).into_iter().map(refuse).collect();
        if !told.is_empty() {
            return told;
        }
    }
    let fate = judged_one(says);
    vec![fate.unwrap_or(Fate::Pass(text))]
}

const BROKEN: &str = "The message is no JSON.";

/// Why a message is refused; `None` if it is not.
fn judged_one(says: &str) -> Option<Fate<'static>> {
    // Without an id nobody waits for an answer.
    let refused = |code: i32, id: Option<Value>, text: String| {
        Some(Fate::Refuse(Refused { id: Some(id?), code, text }))
    };
    let first_id = || ids_in(says, 1).into_iter().next();
    if depth(says) > DEEPEST {
        let text = format!("The message is deeper than {DEEPEST} levels.");
        return refused(UNREADABLE, first_id(), text);
    }
    let outline: Outline<'_> = match serde_json::from_str(says) {
        Ok(outline) => outline,
        // A whole value that is no message is the SDK's to answer.
        Err(_) if serde_json::from_str::<&RawValue>(says).is_ok() => return None,
        // What was asked by us is not asked again.
        Err(_) if has_key(says, "result") || has_key(says, "error") => return None,
        Err(error) => return refused(UNREADABLE, first_id(), format!("{BROKEN} {error}.")),
    };
    let id = Some(outline.id).filter(|id| id.is_i64() || id.is_string());
    if outline.result.is_some() || outline.error.is_some() {
        return None;
    }
    if outline.jsonrpc != "2.0" {
        return refused(NO_REQUEST, id, "A message says `\"jsonrpc\": \"2.0\"`.".to_owned());
    }
    let Some(method) = outline.method.as_str() else {
        return refused(NO_REQUEST, id, "The method is missing, or no text.".to_owned());
    };
    let wrong = wrong_params(method, outline.params?.get())?;
    refused(BAD_PARAMS, id, wrong)
}

/// What is wrong with the parameters of a method.
fn wrong_params(method: &str, params: &str) -> Option<String> {
    if params == "null" {
        return None;
    }
    let an_object = |of: Option<&RawValue>| of.is_none_or(|of| matches!(&of.get()[..1], "{" | "n"));
    let read = params.starts_with('{').then(|| serde_json::from_str::<Params<'_>>(params).ok());
    let Some(read) = read.flatten() else {
        return Some(format!("The params of `{method}` have to be an object."));
    };
    if !an_object(read.meta) {
        return Some("`_meta` has to be an object.".to_owned());
    }
    if matches!(method, "tools/call" | "prompts/get") {
        if !read.name.is_string() {
            return Some(format!("`{method}` needs a name."));
        }
        if !an_object(read.arguments) {
            return Some("The arguments have to be an object.".to_owned());
        }
    }
    // A number that nothing can hold is found only by reading all of it.
    let whole = || serde_json::from_str::<Value>(params).err();
    let error = (params.len() <= READ_TWICE).then(whole).flatten()?;
    Some(format!("The params of `{method}` cannot be read: {error}."))
}

/// A text in which no half of a character stands alone: programs that count in such halves cut between
/// them, and nobody else can read that.
fn paired(text: &str) -> Cow<'_, str> {
    let suspect = text.contains("\\ud") || text.contains("\\uD");
    if !suspect {
        return Cow::Borrowed(text);
    }
    let half = |at: usize| {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok().filter(|unit| (0xd800..0xe000).contains(unit))
    };
    let mut mended = String::with_capacity(text.len());
    let (mut at, mut done) = (0, 0);
    let bytes = text.as_bytes();
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        let whole = match (half(at), half(at + 6)) {
            (Some(..0xdc00), Some(0xdc00..)) => 12,
            (Some(_), _) => 0,
            // Whatever is escaped is not looked at; a character of several bytes never is.
            (None, _) => 2,
        };
        if whole == 0 {
            mended.push_str(&text[done..at]);
            mended.push_str("\\ufffd");
            done = at + 6;
        }
        at = (at + whole.max(if whole == 0 { 6 } else { 0 })).min(bytes.len());
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    mended.push_str(&text[done..]);
    Cow::Owned(mended)
}

/// How deep brackets are in each other.
fn depth(text: &str) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    walk(text, |byte, _| {
        match byte {
            b'{' | b'[' => now += 1,
            b'}' | b']' => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
        true
    });
    most
}

/// The ids in messages at a depth, also of what is broken behind them.
fn ids_in(text: &str, at_level: usize) -> Vec<Value> {
    let mut found = Vec::new();
    keys(text, at_level, |key, at| {
        if key == "id" {
            let rest = text[at + 1..].trim_start();
            let value = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next();
            found.extend(value.and_then(Result::ok));
        }
    });
    found.retain(|id: &Value| id.is_i64() || id.is_string());
    found
}

fn has_key(text: &str, wanted: &str) -> bool {
    let mut has = false;
    keys(text, 1, |key, _| has |= key == wanted);
    has
}

/// Every key at a depth, with where its colon stands.
fn keys(text: &str, at_level: usize, mut each: impl FnMut(&str, usize)) {
    let mut level = 0_usize;
    walk(text, |byte, at| {
        match byte {
            b'{' | b'[' => level += 1,
            b'}' | b']' => level = level.saturating_sub(1),
            b':' if level == at_level => {
                let before = text[..at].trim_end().strip_suffix('"');
                if let Some((_, key)) = before.and_then(|before| before.rsplit_once('"')) {
                    each(key, at);
                }
            }
            _ => {}
        }
        true
    });
}

/// Looks at every byte outside of texts, until nobody wants to any more.
fn walk(text: &str, mut look: impl FnMut(u8, usize) -> bool) {
    let (mut inside, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            _ if inside => {}
            _ if !look(byte, at) => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(line: &str) -> Fate<'_> {
        let mut fates = judged(line.as_bytes());
        assert_eq!(fates.len(), 1, "{line}");
        fates.remove(0)
    }

    fn refused(line: &str) -> (Option<Value>, i32) {
        match one(line) {
            Fate::Refuse(Refused { id, code, .. }) => (id, code),
            Fate::Pass(text) => panic!("{text}"),
        }
    }

    #[test]
    fn half_characters_are_mended_and_whole_ones_stay() {
        for (given, mended) in [
            (r#"{"a":"\ud83c"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"\ud83c\udf89"}"#, r#"{"a":"\ud83c\udf89"}"#),
            (r#"{"a":"\udf89\ud83c\ud83c\udf89"}"#, r#"{"a":"\ufffd\ufffd\ud83c\udf89"}"#),
            (r#"{"a":"\\ud83c"}"#, r#"{"a":"\\ud83c"}"#),
            (r#"{"a":"\uD83Cx"}"#, r#"{"a":"\ufffdx"}"#),
            (r#"{"a":"é\é\ud8"}"#, r#"{"a":"é\é\ud8"}"#),
        ] {
            assert_eq!(paired(given), mended);
        }
    }

    #[test]
    fn what_cannot_be_read_is_answered_where_it_has_an_id() {
        assert_eq!(
            refused(r#"{"jsonrpc":"2.0","id":9,"method":"tools/li"#),
            (Some(json!(9)), -32700)
        );
        assert_eq!(refused(r#"{"x":{"id":1},"id":"a","#), (Some(json!("a")), -32700));
        let deep = format!(r#"{{"id":3,"params":{}{}}}"#, "[".repeat(130), "]".repeat(130));
        assert_eq!(refused(&deep), (Some(json!(3)), -32700));
        for silent in ["garbage", "{", "[[[", r#"{"x":{"id":1}"#] {
            assert!(matches!(one(silent), Fate::Pass(_)), "{silent}");
        }
    }

    #[test]
    fn what_is_no_request_is_told_so_and_what_we_asked_is_not() {
        for (line, code) in [
            (r#"{"id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":5}}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{}}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}"#, -32602),
        ] {
            assert_eq!(refused(line), (Some(json!(1)), code), "{line}");
        }
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"#,
            r#"{"jsonrpc":"2.0","method":"notifications/x","params":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#,
        ] {
            assert!(matches!(one(line), Fate::Pass(_)), "{line}");
        }
    }

    #[test]
    fn a_call_in_a_wrong_shape_is_told_what_is_wrong() {
        let call = |params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{params}}}"#)
        };
        for params in [
            "7",
            "[]",
            r#"["list",{}]"#,
            "{}",
            r#"{"name":1}"#,
            r#"{"name":"list","arguments":[]}"#,
        ] {
            assert_eq!(refused(&call(params)), (Some(json!(5)), -32602), "{params}");
        }
        for params in [
            r#"{"name":"list"}"#,
            r#"{"name":"list","arguments":null}"#,
            r#"{"name":"x","arguments":{}}"#,
        ] {
            assert!(matches!(one(&call(params)), Fate::Pass(_)), "{params}");
        }
    }

    #[test]
    fn several_at_once_are_taken_apart() {
        let ping = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}"#;
        for both in [format!("[{},\r\n{call}]", ping(1)), format!("{} {call}", ping(1))] {
            let fates = judged(both.as_bytes());
            assert!(matches!(&fates[0], Fate::Pass(text) if *text == ping(1)), "{fates:?}");
            assert!(
                matches!(&fates[1], Fate::Refuse(Refused { id: Some(id), .. }) if *id == json!(2))
            );
        }
        // One that is too deep does not take the others with it; one that is broken does, and says so.
        let deep =
            format!(r#"{{"jsonrpc":"2.0","id":2,"x":{}{}}}"#, "[".repeat(121), "]".repeat(121));
        let fates = format!("[{},{deep},{}]", ping(1), ping(3));
        let fates = judged(fates.as_bytes());
        assert!(matches!(fates[..], [Fate::Pass(_), Fate::Refuse(_), Fate::Pass(_)]), "{fates:?}");
        let broken = format!("[{},{{\"id\":2,}},{}]", ping(1), ping(3));
        let fates = judged(broken.as_bytes());
        let ids: Vec<Option<Value>> = fates
            .into_iter()
            .map(|fate| match fate {
                Fate::Refuse(refused) => refused.id,
                Fate::Pass(_) => None,
            })
            .collect();
        assert_eq!(ids, [Some(json!(1)), Some(json!(2)), Some(json!(3))]);
        assert!(matches!(one("[]"), Fate::Pass(_)));
        assert!(judged(b" \r\n").is_empty());
    }

    #[test]
    fn an_id_is_found_at_either_end_of_what_is_too_long() {
        let ends = |text: &str| too_long(text.as_bytes(), 32 << 20)?.id;
        assert_eq!(ends(r#"{"id":7,"method":"tools/call","params":{"x":"aaa"#), Some(json!(7)));
        assert_eq!(
            ends(r#"{"method":"tools/call","params":{"x":"aaabbb"},"id":8}"#),
            Some(json!(8))
        );
        assert_eq!(ends(r#"{"method":"x","params":{"y":"aaabbb","id":4242}}"#), None);
        // Cut in the middle of a text.
        assert_eq!(
            ends(r#"{"params":{"x":"aaa bbb\"}","jsonrpc":"2.0","id":"z"}"#),
            Some(json!("z"))
        );
    }

    #[test]
    fn whatever_comes_is_sorted_out_and_what_is_whole_goes_on_as_it_is() {
        let whole = r#"{"jsonrpc":"2.0","id":"ü\ud83c\udf89","method":"tools/call","params":{"name":"save","arguments":{"title":"a \"b\" \\","body":"{[\n 修"}}}"#;
        assert_eq!(one(whole), Fate::Pass(whole.into()));
        // Bytes of it replaced by others, the same every time.
        let mut seed = 7_u32;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % below
        };
        let pieces: [&[u8]; 12] =
            [b"\"", b"\\", b"{", b"}", b"[", b"]", b":", b",", b"\\ud83c", b"\xff", b"\n", b" "];
        for _ in 0..20_000 {
            let mut line = whole.as_bytes().to_vec();
            for _ in 0..=next(4) {
                let at = next(line.len());
                let end = (at + next(3)).min(line.len());
                line.splice(at..end, pieces[next(pieces.len())].iter().copied());
            }
            for fate in judged(&line) {
                if let Fate::Refuse(refused) = fate {
                    assert!(refused.id.is_some());
                }
            }
            let _ = too_long(&line, 1 << 20);
        }
    }
}
