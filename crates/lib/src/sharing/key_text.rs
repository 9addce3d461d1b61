//! What a file of a key says, and what a key can be called. Texts in, texts out.

use segue_core::Name;
use segue_share::crypt::Recipient;
use segue_share::keys::{KeyError, PublicKey, SecretKey, decoded, encoded};

use crate::Error;

/// So many digits of a fingerprint at least say which key is meant, of those that are known here.
const LEAST_DIGITS: usize = 8;

/// Whether a word can be the beginning of a fingerprint.
pub(super) fn is_digits(word: &str) -> bool {
    word.len() >= LEAST_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a name can stand beside words of ours without being taken for them, or for a fingerprint.
pub(super) fn is_plain_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || " -_.@".contains(c);
    name.chars().all(plain)
        && name.trim() == name
        && (1..=40).contains(&name.chars().count())
        && !is_digits(name)
}

/// A name that a file can have everywhere.
pub(super) fn file_stem(name: &Name) -> Result<String, Error> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.@".contains(c);
    let text = name.as_str();
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    match text.chars().all(plain) && begins && text.len() <= 40 && !is_digits(text) {
        true => Ok(text.to_owned()),
        false => Err(Error::Usage(format!(
            "'{text}' is no name for a key: use letters, digits and - _ . @, and not digits only"
        ))),
    }
}

/// The public half as a file for others: to trust, and to encrypt for. The key signs whom to encrypt
/// for, so that whoever compares the fingerprint has compared both.
pub(super) fn public_file(key: &SecretKey, recipient: &Recipient) -> String {
    let public = key.public();
    let signed = encoded(&key.sign(vouched(&recipient.to_string()).as_bytes()));
    format!(
        "fingerprint: {}\nrecipient: {recipient}\nrecipient-signature: {signed}\n{}",
        public.fingerprint(),
        public.to_pem()
    )
}

/// What a key signs to say that a recipient is its owner's.
fn vouched(recipient: &str) -> String {
    format!("segue recipient 1\n{recipient}\n")
}

/// What a file of a key says besides the key, if all of it holds.
pub(super) fn public_of(text: &str) -> Result<(PublicKey, Option<String>), KeyError> {
    let key = PublicKey::from_pem(text)?;
    let said = |name: &str| -> Vec<&str> {
        text.lines().filter_map(|line| line.strip_prefix(name)).map(str::trim).collect()
    };
    if text.matches("-----BEGIN ").count() > 1 {
        return Err(KeyError::NotAKey);
    }
    if said("fingerprint:").iter().any(|print| *print != key.fingerprint().to_string()) {
        return Err(KeyError::BadSignature);
    }
    match (&said("recipient:")[..], &said("recipient-signature:")[..]) {
        ([], _) => Ok((key, None)),
        ([recipient], [signature]) => {
            let signature = decoded(signature).ok_or(KeyError::BadSignature)?;
            key.verify(vouched(recipient).as_bytes(), &signature)?;
            Ok((key, Some((*recipient).to_owned())))
        }
        _ => Err(KeyError::BadSignature),
    }
}

pub(super) fn recipient_in(text: &str) -> Option<Recipient> {
    text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches('#').trim();
        line.strip_prefix("recipient:").unwrap_or(line).trim().parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use segue_share::crypt::Identity;

    use super::*;

    #[test]
    fn a_name_is_never_taken_for_a_fingerprint_or_for_words_of_ours() {
        for name in ["anna", "Anna B.", "x", "a@b.org", "1234567"] {
            assert!(is_plain_name(name), "{name}");
        }
        let long = "n".repeat(41);
        for name in ["", " anna", "12345678", "deadbeef", "who (trusted)", "a\nb", long.as_str()] {
            assert!(!is_plain_name(name), "{name}");
        }
        let stem = |name: &str| file_stem(&name.parse().unwrap());
        assert_eq!(stem("anna-2").unwrap(), "anna-2");
        for name in ["a b", ".hidden", "a/b", "deadbeef"] {
            assert!(stem(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_public_file_answers_for_its_recipient_only_as_it_was_signed() {
        let key = SecretKey::from_seed(&[7; 32]);
        let (own, other) = (Identity::generate().recipient(), Identity::generate().recipient());
        let file = public_file(&key, &own);
        let (public, recipient) = public_of(&file).unwrap();
        assert_eq!(public.fingerprint(), key.public().fingerprint());
        assert_eq!(recipient, Some(own.to_string()));
        let swapped = file.replace(&own.to_string(), &other.to_string());
        assert!(public_of(&swapped).is_err());
        assert!(public_of(&file.repeat(2)).is_err(), "two keys in one file");
        assert_eq!(public_of(&key.public().to_pem()).unwrap().1, None);
    }

    #[test]
    fn a_recipient_stands_alone_or_in_a_remark() {
        let recipient = Identity::generate().recipient().to_string();
        for text in [recipient.clone(), format!("# recipient: {recipient}\nAGE-SECRET\n")] {
            assert_eq!(recipient_in(&text).map(|one| one.to_string()), Some(recipient.clone()));
        }
        assert!(recipient_in("nothing\n").is_none());
    }
}
