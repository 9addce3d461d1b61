//! The checksum that GitHub puts at the end of its tokens: CRC-32 in base 62.

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Whether the last six characters are the checksum of those before them.
pub(super) fn holds(body: &[u8]) -> bool {
    body.split_last_chunk::<6>().is_some_and(|(random, check)| base62(crc32(random)) == *check)
}

fn base62(mut number: u32) -> [u8; 6] {
    let mut digits = [b'0'; 6];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    digits
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_published_crc_32() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_published_example_of_a_token_holds_and_another_does_not() {
        assert!(holds(b"zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"));
        assert!(!holds(b"zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18"));
        assert!(!holds(b"short"));
    }
}
