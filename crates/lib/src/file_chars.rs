//! The characters of a user's file, whatever its encoding, so that it can be written back as it was.

/// How a file's bytes are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// UTF-8. A byte that is none of it is the character this far behind a base of its own.
    Utf8 {
        base: u32,
    },
    /// With a byte order mark.
    Utf16Le,
    Utf16Be,
}

/// The two private planes of Unicode have room for many bases, of which one is in no text.
const BASES: std::ops::Range<u32> = 0xF_0000..0xF_FF00;

/// A file's text, and how its bytes are made of it again.
#[derive(Debug)]
pub(crate) struct FileChars {
    pub(crate) text: String,
    encoding: Encoding,
}

impl FileChars {
    pub(crate) fn decode(bytes: &[u8]) -> Self {
        let utf16 = |unit: fn([u8; 2]) -> u16| -> Option<String> {
            let units = bytes.chunks_exact(2);
            let is_whole = units.remainder().is_empty();
            let units: Vec<u16> = units.map(|pair| unit([pair[0], pair[1]])).collect();
            String::from_utf16(&units).ok().filter(|_| is_whole)
        };
        let known = match bytes {
            [0xff, 0xfe, ..] => utf16(u16::from_le_bytes).map(|text| (text, Encoding::Utf16Le)),
            [0xfe, 0xff, ..] => utf16(u16::from_be_bytes).map(|text| (text, Encoding::Utf16Be)),
            _ => None,
        };
        if let Some((text, encoding)) = known {
            return Self { text, encoding };
        }
        let is_free = |base: &u32| {
            let chars = || bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars());
            !chars().any(|c| (*base..*base + 0x100).contains(&u32::from(c)))
        };
        let base = BASES.step_by(0x100).find(is_free).unwrap_or(BASES.start);
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            let others = chunk.invalid().iter();
            text.extend(others.filter_map(|byte| char::from_u32(base + u32::from(*byte))));
        }
        Self { text, encoding: Encoding::Utf8 { base } }
    }

    /// The bytes of a text that was made of this one.
    pub(crate) fn encode(&self, text: &str) -> Vec<u8> {
        match self.encoding {
            Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Encoding::Utf8 { base } => {
                let mut bytes = Vec::with_capacity(text.len());
                for c in text.chars() {
                    match u32::from(c).checked_sub(base).and_then(|far| u8::try_from(far).ok()) {
                        Some(byte) => bytes.push(byte),
                        None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    }
                }
                bytes
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FileChars;

    #[test]
    fn every_file_is_written_back_as_it_was() {
        for bytes in [
            &b"plain \xc3\xa9"[..],
            b"",
            b"\xff",
            b"\xff\xfe",
            b"\xff\xfea\0\x0a\0",
            b"\xff\xfea\0\x0a",
            b"\xfe\xff\0a\xd8\x00",
            b"\xf3\xb0\x80\x80 \xe9 \xf3\xb0\x84\xa9",
        ] {
            let file = FileChars::decode(bytes);
            assert_eq!(file.encode(&file.text), bytes, "{:?}", file.text);
        }
    }
}
