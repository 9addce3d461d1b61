//! Encryption of our own bundles and keys: age files, for a passphrase or for recipients.

use std::fmt;
use std::io::{self, BufReader, Chain, Cursor, Read, Write};
use std::str::FromStr;

use age::armor::{ArmoredReader, ArmoredWriter, Format};
use age::secrecy::{ExposeSecret, SecretString};
use age::stream::{StreamReader, StreamWriter};
use age::{DecryptError, Decryptor, Encryptor, scrypt, x25519};
use zeroize::Zeroizing;

/// scrypt with N = 2^17, r = 8, p = 1: 128 MiB and some tenths of a second for each guess.
const WORK_FACTOR: u8 = 17;
/// What `age -p` itself uses is read; more would let a file take our memory.
const MAX_WORK_FACTOR: u8 = 18;

/// A file is for so many recipients at most; each costs some work.
const MAX_RECIPIENTS: usize = 256;
/// A header of so many recipients is shorter.
const MAX_HEADER: u64 = 32 * 1024;

/// A passphrase that is not blank, wiped from memory when it is dropped.
#[derive(Clone)]
pub struct Passphrase(SecretString);

/// Whom an encrypted file is for.
#[derive(Clone, Debug)]
pub enum Lock {
    /// Whoever knows the passphrase.
    Passphrase(Passphrase),
    /// Whoever has the identity of one of these recipients.
    Recipients(Vec<Recipient>),
}

/// The public half of an identity: `age1…`.
#[derive(Clone)]
pub struct Recipient(x25519::Recipient);

/// What opens a file that is for its recipient: `AGE-SECRET-KEY-1…`.
#[derive(Clone)]
pub struct Identity(x25519::Identity);

/// Gives what a file can be opened with.
pub trait Unlock {
    /// Asked only if the file is for a passphrase.
    fn passphrase(&mut self) -> Result<Passphrase, CryptError>;

    /// Asked only if the file is for recipients.
    fn identities(&mut self) -> Result<Vec<Identity>, CryptError>;

    /// Asked only if none of those opens the file: identities that themselves need a passphrase.
    fn locked_identities(&mut self) -> Result<Vec<Identity>, CryptError> {
        Ok(Vec::new())
    }
}

/// Why something was not encrypted or decrypted.
#[derive(Debug, thiserror::Error)]
pub enum CryptError {
    #[error("the passphrase is empty")]
    Blank,
    #[error("it is encrypted, and no passphrase was given")]
    NoPassphrase,
    #[error("the passphrase is wrong, or the file was altered")]
    WrongPassphrase,
    #[error("it is encrypted for somebody else: no identity here opens it")]
    NotForUs,
    #[error("'{0}' is not a recipient like age1…")]
    NotARecipient(String),
    #[error("there is no identity like AGE-SECRET-KEY-1… in it")]
    NotAnIdentity,
    #[error("it takes more work to open than is allowed (2^{0}, at most 2^{MAX_WORK_FACTOR})")]
    TooMuchWork(u8),
    #[error("it is not an age file, or is damaged")]
    Damaged,
    #[error("cannot read it: {0}")]
    Io(#[from] io::Error),
    /// Whoever was asked for a passphrase or identities could not give them.
    #[error("{0}")]
    Asked(String),
}

impl Passphrase {
    /// Takes a passphrase, unless it is blank.
    pub fn new(text: String) -> Result<Self, CryptError> {
        let text = SecretString::from(text);
        match text.expose_secret().trim().is_empty() {
            true => Err(CryptError::Blank),
            false => Ok(Self(text)),
        }
    }

    /// The passphrase itself.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl Identity {
    /// A new one.
    pub fn generate() -> Self {
        Self(x25519::Identity::generate())
    }

    /// Its public half.
    pub fn recipient(&self) -> Recipient {
        Recipient(self.0.to_public())
    }

    /// The text of an identity file, as age reads it.
    pub fn to_file(&self) -> Zeroizing<String> {
        let secret = self.0.to_string();
        Zeroizing::new(format!("# recipient: {}\n{}\n", self.recipient(), secret.expose_secret()))
    }

    /// The identities of a file: a line each, lines that begin with `#` are remarks.
    pub fn from_file(text: &str) -> Result<Vec<Self>, CryptError> {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let found: Result<Vec<Self>, _> = lines
            .map(|line| line.parse().map(Self).map_err(|_| CryptError::NotAnIdentity))
            .collect();
        found.and_then(|found| match found.is_empty() {
            true => Err(CryptError::NotAnIdentity),
            false => Ok(found),
        })
    }
}

impl FromStr for Recipient {
    type Err = CryptError;

    fn from_str(text: &str) -> Result<Self, CryptError> {
        let short = || text.chars().take(80).collect();
        text.trim().parse().map(Self).map_err(|_| CryptError::NotARecipient(short()))
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({})", self.recipient())
    }
}

/// Encrypts what is written to it.
pub struct EncryptedWriter<W: Write>(StreamWriter<ArmoredWriter<W>>);

impl<W: Write> EncryptedWriter<W> {
    /// Begins an age file, as text if `armor` is set.
    pub fn new(out: W, lock: &Lock, armor: bool) -> Result<Self, CryptError> {
        let format = if armor { Format::AsciiArmor } else { Format::Binary };
        let encryptor = match lock {
            Lock::Passphrase(passphrase) => {
                let mut recipient = scrypt::Recipient::new(passphrase.0.clone());
                recipient.set_work_factor(WORK_FACTOR);
                Encryptor::with_recipients([&recipient as &dyn age::Recipient].into_iter())
            }
            Lock::Recipients(recipients) => Encryptor::with_recipients(
                recipients.iter().map(|recipient| &recipient.0 as &dyn age::Recipient),
            ),
        };
        // Only a list without recipients is refused, and none is given then either.
        let encryptor = encryptor.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(encryptor.wrap_output(ArmoredWriter::wrap_output(out, format)?)?))
    }

    /// Ends the file: without this it cannot be read.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()?.finish()
    }
}

impl<W: Write> Write for EncryptedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// An age file whose header was looked at, and is read again.
type Looked<R> = Chain<Cursor<Vec<u8>>, Armored<R>>;
type Armored<R> = ArmoredReader<BufReader<R>>;

/// What an age file holds.
pub type Decrypted<R> = BufReader<StreamReader<Looked<R>>>;

/// Whether a file that begins so is an age file.
pub fn is_encrypted(start: &[u8]) -> bool {
    start.starts_with(b"age-encryption.org/") || start.starts_with(b"-----BEGIN AGE ENCRYPTED FILE")
}

/// Opens an age file. What is read from it is authentic piece by piece; that it ends where it should
/// is known at its end only.
pub fn decrypt<R: Read>(input: R, unlock: &mut dyn Unlock) -> Result<Decrypted<R>, CryptError> {
    let (start, input) = looked(input)?;
    let again = start.clone();
    let decryptor = Decryptor::new_buffered(Cursor::new(start).chain(input)).map_err(bad_file)?;
    let reader = if decryptor.is_scrypt() {
        let mut identity = scrypt::Identity::new(unlock.passphrase()?.0);
        identity.set_max_work_factor(MAX_WORK_FACTOR);
        decryptor.decrypt([&identity as &dyn age::Identity].into_iter())
    } else {
        let mut identities = unlock.identities()?;
        // Whether one of them fits is said by the header alone.
        let header = Decryptor::new_buffered(Cursor::new(again)).map_err(bad_file)?;
        let given = identities.iter().map(|identity| &identity.0 as &dyn age::Identity);
        if matches!(header.decrypt(given), Err(DecryptError::NoMatchingKeys)) {
            identities = unlock.locked_identities()?;
        }
        decryptor.decrypt(identities.iter().map(|identity| &identity.0 as &dyn age::Identity))
    };
    Ok(BufReader::with_capacity(64 * 1024, reader.map_err(bad_file)?))
}

/// Refuses a header that is longer than one can be: parsing it would take time without end.
fn looked<R: Read>(input: R) -> Result<(Vec<u8>, Armored<R>), CryptError> {
    let mut input = ArmoredReader::new(input);
    let mut start = Vec::new();
    input.by_ref().take(MAX_HEADER).read_to_end(&mut start).map_err(|error| {
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => CryptError::Damaged,
            _ => CryptError::Io(error),
        }
    })?;
    let end = start.windows(4).position(|four| four == b"\n---").ok_or(CryptError::Damaged)?;
    let stanzas = start[..end].windows(3).filter(|three| three == b"\n->").count();
    match stanzas <= MAX_RECIPIENTS {
        true => Ok((start, input)),
        false => Err(CryptError::Damaged),
    }
}

/// Encrypts a short text for a passphrase, as text.
pub fn encrypt_text(text: &str, passphrase: &Passphrase) -> Result<String, CryptError> {
    let lock = Lock::Passphrase(passphrase.clone());
    let mut writer = EncryptedWriter::new(Vec::new(), &lock, true)?;
    writer.write_all(text.as_bytes())?;
    String::from_utf8(writer.finish()?).map_err(|_| CryptError::Damaged)
}

/// Decrypts a short text.
pub fn decrypt_text(
    bytes: &[u8],
    passphrase: &Passphrase,
) -> Result<Zeroizing<String>, CryptError> {
    struct Known<'a>(&'a Passphrase);
    impl Unlock for Known<'_> {
        fn passphrase(&mut self) -> Result<Passphrase, CryptError> {
            Ok(self.0.clone())
        }

        fn identities(&mut self) -> Result<Vec<Identity>, CryptError> {
            Err(CryptError::NotForUs)
        }
    }
    let reader = decrypt(bytes, &mut Known(passphrase))?;
    let mut text = Zeroizing::new(String::new());
    reader.take(64 * 1024).read_to_string(&mut text).map_err(|_| CryptError::Damaged)?;
    Ok(text)
}

fn bad_file(error: DecryptError) -> CryptError {
    match error {
        DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed => {
            CryptError::WrongPassphrase
        }
        DecryptError::NoMatchingKeys => CryptError::NotForUs,
        DecryptError::ExcessiveWork { required, .. } => CryptError::TooMuchWork(required),
        DecryptError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            CryptError::Io(error)
        }
        _ => CryptError::Damaged,
    }
}

/// Random bytes of the system, for secrets.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], CryptError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passphrase(text: &str) -> Result<Passphrase, CryptError> {
        Passphrase::new(text.to_owned())
    }

    struct Keys<'a>(&'a str, &'a [Identity]);

    impl Unlock for Keys<'_> {
        fn passphrase(&mut self) -> Result<Passphrase, CryptError> {
            passphrase(self.0)
        }

        fn identities(&mut self) -> Result<Vec<Identity>, CryptError> {
            Ok(self.1.to_vec())
        }
    }

    fn open(bytes: &[u8], word: &str, identities: &[Identity]) -> Result<Vec<u8>, CryptError> {
        let mut text = Vec::new();
        decrypt(bytes, &mut Keys(word, identities))?.read_to_end(&mut text)?;
        Ok(text)
    }

    fn seal(lock: &Lock, armor: bool) -> Vec<u8> {
        let mut writer = EncryptedWriter::new(Vec::new(), lock, armor).unwrap();
        writer.write_all(b"text").unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn a_blank_passphrase_is_none_s3() {
        for blank in ["", " ", "\n", "\t \u{3000}"] {
            assert!(matches!(passphrase(blank), Err(CryptError::Blank)), "{blank:?}");
        }
        assert_eq!(format!("{:?}", passphrase("geheim").unwrap()), "Passphrase(…)");
    }

    #[test]
    fn only_the_passphrase_opens_it() {
        let sealed = seal(&Lock::Passphrase(passphrase("käse 1").unwrap()), true);
        assert!(is_encrypted(&sealed));
        assert_eq!(open(&sealed, "käse 1", &[]).unwrap(), b"text");
        assert!(matches!(open(&sealed, "käse 2", &[]), Err(CryptError::WrongPassphrase)));
        assert!(matches!(open(&sealed, " ", &[]), Err(CryptError::Blank)));
    }

    #[test]
    fn only_an_identity_of_a_recipient_opens_it() {
        let (ana, ben, eve) = (Identity::generate(), Identity::generate(), Identity::generate());
        let lock = Lock::Recipients(vec![ana.recipient(), ben.recipient()]);
        let sealed = seal(&lock, false);
        assert!(is_encrypted(&sealed));
        for identity in [&ana, &ben] {
            assert_eq!(open(&sealed, "", std::slice::from_ref(identity)).unwrap(), b"text");
        }
        assert!(matches!(open(&sealed, "", &[eve]), Err(CryptError::NotForUs)));
        let file = Identity::from_file(&ana.to_file()).unwrap();
        assert_eq!(open(&sealed, "", &file).unwrap(), b"text");
        let text = ana.recipient().to_string();
        assert_eq!(text.parse::<Recipient>().unwrap().to_string(), text);
        assert!("age1nobody".parse::<Recipient>().is_err());
        assert!(Identity::from_file("# nothing\n").is_err());
    }

    #[test]
    fn no_altered_byte_is_taken() {
        let ana = Identity::generate();
        let sealed = seal(&Lock::Recipients(vec![ana.recipient()]), false);
        let ours = std::slice::from_ref(&ana);
        for at in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[at] ^= 1;
            assert!(open(&altered, "", ours).is_err(), "byte {at}");
            assert!(open(&sealed[..at], "", ours).is_err(), "cut at {at}");
        }
        assert!(open(&[&sealed[..], b"x"].concat(), "", ours).is_err());
    }

    #[test]
    fn a_header_without_an_end_is_refused_at_once() {
        let stanzas = "-> a b\n\n".repeat(300_000);
        for text in [
            format!("age-encryption.org/v1\n{stanzas}--- x\n"),
            "age-encryption.org/v1\n".to_owned(),
        ] {
            assert!(matches!(open(text.as_bytes(), "x", &[]), Err(CryptError::Damaged)));
        }
        let many: Vec<Recipient> = (0..200).map(|_| Identity::generate().recipient()).collect();
        let ana = Identity::generate();
        let lock = Lock::Recipients(many.into_iter().chain([ana.recipient()]).collect());
        assert_eq!(open(&seal(&lock, false), "", &[ana]).unwrap(), b"text");
    }

    #[test]
    fn a_file_cannot_ask_for_more_work_than_is_allowed() {
        let text = "age-encryption.org/v1\n-> scrypt AAAAAAAAAAAAAAAAAAAAAA 30\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n0123456789abcdef";
        assert!(matches!(open(text.as_bytes(), "x", &[]), Err(CryptError::TooMuchWork(30))));
    }

    #[test]
    fn short_texts_are_encrypted_too() {
        let word = passphrase("geheim").unwrap();
        let sealed = encrypt_text("secret", &word).unwrap();
        assert!(!sealed.contains("secret"));
        assert_eq!(*decrypt_text(sealed.as_bytes(), &word).unwrap(), "secret");
    }
}
