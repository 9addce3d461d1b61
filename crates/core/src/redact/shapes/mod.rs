//! The kinds that are known by their shape, by family. One row a kind.

mod chat;
mod cloud;
mod hosting;
mod keys;
mod models;
mod money;
mod watching;
mod work;

use super::shape::Shape;

pub(super) const FAMILIES: [&[Shape]; 8] = [
    cloud::SHAPES,
    hosting::SHAPES,
    models::SHAPES,
    chat::SHAPES,
    money::SHAPES,
    watching::SHAPES,
    work::SHAPES,
    keys::SHAPES,
];

/// `8-4-4-4-12` hexadecimal digits.
pub(super) fn is_uuid(body: &[u8]) -> bool {
    body.len() == 36
        && body.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// A digit and some letters.
fn is_mixed(body: &[u8]) -> bool {
    let digits = body.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = body.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    digits >= 1 && letters >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_more_than_a_hundred_and_fifty_kinds_and_each_can_be_found() {
        let rows: Vec<&Shape> = FAMILIES.iter().copied().flatten().collect();
        let mut kinds: Vec<&str> = rows.iter().map(|shape| shape.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert!(kinds.len() > 150, "{}", kinds.len());
        for shape in rows {
            assert!(shape.least <= shape.most && shape.least >= 8, "{}", shape.kind);
            for prefix in shape.prefixes {
                assert!(prefix.len() >= 2 && prefix.is_ascii(), "{}: '{prefix}'", shape.kind);
            }
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            let readable = |byte: u8| plain(byte) || matches!(byte, b' ' | b'.' | b'-');
            assert!(shape.kind.bytes().all(readable), "{}", shape.kind);
        }
    }
}
