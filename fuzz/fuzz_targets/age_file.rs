//! Any bytes are an age file or refused, quickly; nothing that was altered is taken.
#![no_main]

use std::io::{Read, Write};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use segue_share::crypt::{
    CryptError, EncryptedWriter, Identity, Lock, Passphrase, Recipient, Unlock, decrypt,
    is_encrypted,
};

struct Keys(Identity);

impl Unlock for Keys {
    fn passphrase(&mut self) -> Result<Passphrase, CryptError> {
        // The work of a passphrase is limited elsewhere; here it would only be slow.
        Err(CryptError::NoPassphrase)
    }

    fn identities(&mut self) -> Result<Vec<Identity>, CryptError> {
        Ok(vec![self.0.clone()])
    }
}

fn sealed() -> &'static (Identity, Vec<u8>) {
    static SEALED: OnceLock<(Identity, Vec<u8>)> = OnceLock::new();
    SEALED.get_or_init(|| {
        let identity = Identity::generate();
        let lock = Lock::Recipients(vec![identity.recipient()]);
        let mut writer = EncryptedWriter::new(Vec::new(), &lock, false).expect("a writer");
        writer.write_all(b"the text that was encrypted").expect("memory");
        (identity, writer.finish().expect("memory"))
    })
}

fuzz_target!(|bytes: &[u8]| {
    let (identity, good) = sealed();
    let open = |bytes: &[u8]| {
        let mut text = Vec::new();
        let reader = decrypt(bytes, &mut Keys(identity.clone())).ok()?;
        reader.take(1 << 20).read_to_end(&mut text).ok().map(|_| text)
    };
    let _ = (open(bytes), is_encrypted(bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = (Identity::from_file(text).is_ok(), text.parse::<Recipient>().is_ok());
    }
    // The file with some of its bytes changed.
    let mut altered = good.clone();
    for pair in bytes.chunks_exact(2).take(8) {
        let at = usize::from(pair[0]) % altered.len();
        altered[at] ^= pair[1];
    }
    match open(&altered) {
        Some(text) => {
            assert_eq!((&altered, text.as_slice()), (good, &b"the text that was encrypted"[..]))
        }
        None => assert_ne!(&altered, good),
    }
});
