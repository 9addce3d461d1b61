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
            line.truncate(LOOKED_AT);
            line.extend_from_slice(&part[part.len().saturating_sub(LOOKED_AT)..]);
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
    let last = || {
        let at = text.rfind("\"id\"")?;
        id_in(&format!("{{{}", &text[at..]))
    };
    let megabytes = longest >> 20;
    let told = format!(
        "The message has more than {megabytes} MB and was not read. Save a summary, and name the large file in it."
    );
    Some(Refused { id: Some(id_in(&text).or_else(last)?), code: UNREADABLE, text: told })
}

#[derive(Deserialize)]
struct Outline<'l> {
    #[serde(borrow, default)]
    id: Option<&'l RawValue>,
    #[serde(borrow, default)]
    method: Option<&'l RawValue>,
    #[serde(borrow, default)]
    params: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Call<'l> {
    #[serde(default)]
    name: Value,
    #[serde(borrow, default)]
    arguments: Option<&'l RawValue>,
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
    // Older clients send several at once.
    if says.starts_with('[')
        && depth(says) <= DEEPEST
        && let Ok(all) = serde_json::from_str::<Vec<&RawValue>>(says)
        && !all.is_empty()
    {
        let each = all.into_iter().map(|one| {
            judged_one(one.get())
                .unwrap_or_else(|| Fate::Pass(Cow::Owned(one.get().replace(['\n', '\r'], " "))))
        });
        return each.collect();
    }
    let fate = judged_one(says);
    vec![fate.unwrap_or(Fate::Pass(text))]
}

/// Why a message is refused; `None` if it is not.
fn judged_one(says: &str) -> Option<Fate<'static>> {
    let refused = |code: i32, id: Option<Value>, text: String| {
        // Without an id nobody waits for an answer.
        let fate = Fate::Refuse(Refused { id: Some(id?), code, text });
        Some(fate)
    };
    if depth(says) > DEEPEST {
        let text = format!("The message is deeper than {DEEPEST} levels.");
        return refused(UNREADABLE, id_in(says), text);
    }
    let outline: Outline<'_> = match serde_json::from_str(says) {
        Ok(outline) => outline,
        // A whole value that is no message is the SDK's to answer.
        Err(_) if serde_json::from_str::<&RawValue>(says).is_ok() => return None,
        Err(error) => {
            return refused(UNREADABLE, id_in(says), format!("The message is no JSON: {error}."));
        }
    };
    let id = outline.id.and_then(|id| serde_json::from_str::<Value>(id.get()).ok());
    let method = outline.method.and_then(|word| serde_json::from_str::<String>(word.get()).ok());
    if outline.method.is_some() && method.is_none() {
        return refused(NO_REQUEST, id, "The method is not a text.".to_owned());
    }
    if method.as_deref() != Some("tools/call") {
        return None;
    }
    let call =
        outline.params.and_then(|params| serde_json::from_str::<Call<'_>>(params.get()).ok());
    let wrong = match &call {
        None => "`tools/call` needs params with a name and arguments.",
        Some(call) if !call.name.is_string() => "`tools/call` needs the name of a tool.",
        Some(Call { arguments: Some(given), .. })
            if !given.get().starts_with('{') && given.get() != "null" =>
        {
            "The arguments of a tool have to be an object."
        }
        Some(_) => return None,
    };
    refused(BAD_PARAMS, id, wrong.to_owned())
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

/// The id of a message, also of one that is broken behind it.
fn id_in(text: &str) -> Option<Value> {
    let mut level = 0_usize;
    let mut found = None;
    walk(text, |byte, at| {
        match byte {
            b'{' | b'[' => level += 1,
            b'}' | b']' => level = level.saturating_sub(1),
            b':' if level == 1 && text[..at].trim_end().ends_with("\"id\"") => {
                let rest = text[at + 1..].trim_start();
                let mut value = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
                found = value.next().and_then(Result::ok);
            }
            _ => {}
        }
        found.is_none()
    });
    found.filter(|id| id.is_i64() || id.is_string())
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
        assert_eq!(refused(r#"{"id":1} {"id":2}"#), (Some(json!(1)), -32700));
        let deep = format!(r#"{{"id":3,"params":{}{}}}"#, "[".repeat(130), "]".repeat(130));
        assert_eq!(refused(&deep), (Some(json!(3)), -32700));
        for silent in ["garbage", "{", "[[[", r#"{"x":{"id":1}"#] {
            assert!(matches!(one(silent), Fate::Pass(_)), "{silent}");
        }
    }

    #[test]
    fn a_call_in_a_wrong_shape_is_told_what_is_wrong() {
        let call = |params: &str| format!(r#"{{"id":5,"method":"tools/call","params":{params}}}"#);
        for params in ["7", "[]", "{}", r#"{"name":1}"#, r#"{"name":"list","arguments":[]}"#] {
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
        let both = "[{\"id\":1,\"method\":\"ping\"},\r\n{\"id\":2,\"method\":\"tools/call\"}]";
        let fates = judged(both.as_bytes());
        assert!(matches!(&fates[0], Fate::Pass(text) if text == "{\"id\":1,\"method\":\"ping\"}"));
        assert!(matches!(&fates[1], Fate::Refuse(Refused { id: Some(id), .. }) if *id == json!(2)));
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
        // Cut in the middle of a text.
        assert_eq!(
            ends(r#"{"params":{"x":"aaa bbb\"}","jsonrpc":"2.0","id":"z"}"#),
            Some(json!("z"))
        );
    }
}
