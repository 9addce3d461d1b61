//! Payloads that are put aside until it is known how many there are.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use segue_store::Store;

/// So many bytes are held in memory; more are put into a file without a name.
const IN_MEMORY: usize = 8 << 20;

/// Payloads one after the other.
pub(super) struct Payloads<'s> {
    store: &'s Store,
    lengths: Vec<usize>,
    memory: Vec<u8>,
    file: Option<File>,
}

impl<'s> Payloads<'s> {
    pub(super) fn of(store: &'s Store) -> Self {
        Self { store, lengths: Vec::new(), memory: Vec::new(), file: None }
    }

    pub(super) fn count(&self) -> usize {
        self.lengths.len()
    }

    pub(super) fn add(&mut self, payload: &str) -> io::Result<()> {
        self.lengths.push(payload.len());
        self.memory.extend_from_slice(payload.as_bytes());
        if self.memory.len() < IN_MEMORY {
            return Ok(());
        }
        if self.file.is_none() {
            // Where no file can be made, such as in a home that is read only, they stay in memory.
            self.file = self.store.spool().ok();
        }
        if let Some(file) = &mut self.file {
            file.write_all(&self.memory)?;
            self.memory.clear();
        }
        Ok(())
    }

    /// Gives them in their order.
    pub(super) fn each(self, mut each: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        let rest = Cursor::new(self.memory);
        let mut read: Box<dyn Read> = match self.file {
            None => Box::new(rest),
            Some(mut file) => {
                file.seek(SeekFrom::Start(0))?;
                let whole = io::BufReader::with_capacity(256 << 10, file);
                Box::new(whole.chain(rest))
            }
        };
        let mut payload = Vec::new();
        for length in self.lengths {
            payload.resize(length, 0);
            read.read_exact(&mut payload)?;
            each(std::str::from_utf8(&payload).map_err(io::Error::other)?)?;
        }
        Ok(())
    }
}
