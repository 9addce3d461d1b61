//! The directory that a client works in, out of the roots that it names.

use std::path::PathBuf;

/// The first root that is a directory of this machine.
pub(super) fn first_directory(roots: impl IntoIterator<Item = String>) -> Option<PathBuf> {
    roots.into_iter().filter_map(|root| path_of(&root)).find(|path| path.is_dir())
}

/// The path of a `file:` address; `None` if it is no such address or on another machine.
fn path_of(address: &str) -> Option<PathBuf> {
    let scheme = address.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://"))?;
    let rest = &address[scheme.len()..];
    let (host, path) = rest.split_at(rest.find('/')?);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let path = decoded(path.split(['?', '#']).next().unwrap_or(path))?;
    // `/C:/x` is `C:/x`.
    let drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    let path = PathBuf::from(if drive { &path[1..] } else { &path });
    path.is_absolute().then_some(path)
}

/// A text with its `%20` as what they stand for.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
                tail
            }
            (b'%', _) => return None,
            (byte, tail) => {
                bytes.push(*byte);
                tail
            }
        };
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_first_directory_that_exists_is_taken() {
        let roots =
            ["https://example.org/", "file:///no/such/directory", "file:///", "file:///tmp"];
        assert_eq!(first_directory(roots.map(str::to_owned)), Some(PathBuf::from("/")));
        assert_eq!(first_directory(["nonsense".to_owned()]), None);
    }

    #[test]
    fn addresses_become_paths() {
        let path = |address: &str| path_of(address).map(|path| path.display().to_string());
        assert_eq!(path("file:///a%20b/%C3%A9#x").as_deref(), Some("/a b/é"));
        assert_eq!(path("FILE://localhost/a").as_deref(), Some("/a"));
        for bad in [
            "file://other/a",
            "file://",
            "file:/a",
            "file:///a%2",
            "file:///%zz",
            "file:///%ff",
            "é",
        ] {
            assert_eq!(path(bad), None, "{bad}");
        }
    }
}
