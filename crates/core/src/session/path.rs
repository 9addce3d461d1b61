//! One name for a file, however it is called.

use std::borrow::Cow;

/// A path from the root, without detours, if it is known what it is relative to.
pub(super) fn whole<'p>(path: &'p str, cwd: Option<&str>) -> Cow<'p, str> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    if is_of_windows(path) || path.starts_with(['\\', '~']) {
        return Cow::Borrowed(path);
    }
    if let Some(cwd) = cwd.filter(|cwd| is_of_windows(cwd) && !path.starts_with('/')) {
        let path = path.strip_prefix("./").or(path.strip_prefix(".\\")).unwrap_or(path);
        let between = if cwd.contains('\\') { '\\' } else { '/' };
        return format!("{}{between}{path}", cwd.trim_end_matches(['/', '\\'])).into();
    }
    let base = match cwd {
        _ if path.starts_with('/') => "",
        Some(cwd) if cwd.starts_with('/') => cwd,
        _ => return Cow::Borrowed(path.strip_prefix("./").unwrap_or(path)),
    };
    let is_straight =
        |path: &str| path.split('/').skip(1).all(|part| !matches!(part, "" | "." | ".."));
    if base.is_empty() && is_straight(path) {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/")).into()
}

/// Whether it begins with the letter of a drive.
pub(super) fn is_of_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\')
}

/// Whether two paths of Windows are the same: neither case nor which slash it is matters there.
pub(super) fn is_same_on_windows(one: &str, other: &str) -> bool {
    let plain = |byte: u8| if byte == b'\\' { b'/' } else { byte.to_ascii_lowercase() };
    one.len() == other.len() && one.bytes().map(plain).eq(other.bytes().map(plain))
}

#[cfg(test)]
mod tests {
    use super::{is_same_on_windows, whole};

    #[test]
    fn a_file_has_one_name() {
        let unix = |path| whole(path, Some("/work/shop")).into_owned();
        for path in ["src/a.rs", "./src/a.rs", "/work/shop/src/a.rs", "/work/shop/./x/..//src/a.rs"]
        {
            assert_eq!(unix(path), "/work/shop/src/a.rs");
        }
        assert_eq!(unix("../a.rs"), "/work/a.rs");
        assert_eq!(unix("~/a.rs"), "~/a.rs");
        assert_eq!(whole("./a.rs", None), "a.rs");
        assert_eq!(whole("src\\a.rs", Some("C:\\shop")), "C:\\shop\\src\\a.rs");
        assert!(is_same_on_windows("C:\\shop\\src\\a.rs", "c:/shop/src/A.rs"));
        assert!(!is_same_on_windows("C:\\shop\\a.rs", "C:\\shop\\b.rs"));
    }
}
