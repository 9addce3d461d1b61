//! Reads handoff files into the index, on every core if they are many.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use segue_core::Handoff;

use super::View;
use super::row::{Inserter, Place};
use crate::error::{IoContext, StoreError};
use crate::layers::Layers;
use crate::platform::{self, Mark};

/// Fewer files are read one after the other.
const FEW: usize = 24;
/// Files that a thread reads at a time.
const PIECE: usize = 32;
/// More threads than these wait for the one that writes.
const MOST_THREADS: usize = 4;

/// How many threads read for the one that writes.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

/// A file of which the index has no row.
pub(super) struct Unread {
    pub(super) dir: String,
    pub(super) file: String,
}

/// A file's handoff, and the mark by which the file is known.
type ReadFile = Result<(Handoff, Mark), StoreError>;

pub(super) fn read_file(layers: &Layers, dir: &str, file: &str) -> ReadFile {
    let path = &layers.at(&[dir, file]);
    // Looked at before it is read: a change in between shows as another file, never as this one.
    let mark = platform::mark(path).at("read", path)?;
    Ok((layers.read_handoff(path)?, mark))
}

impl View {
    /// Reads files of a memory into the index, in their order.
    pub(super) fn index_files(
        &self,
        memory: i64,
        layers: &Layers,
        files: &[Unread],
    ) -> Result<(), StoreError> {
        let mut inserter = Inserter::new(&self.conn)?;
        let mut insert = |file: &Unread, read: ReadFile| {
            self.index_read(memory, layers, (&file.dir, &file.file), read, &mut inserter)
        };
        let read = |file: &Unread| read_file(layers, &file.dir, &file.file);
        if files.len() < FEW {
            return files.iter().try_for_each(|file| insert(file, read(file)));
        }
        let pieces: Vec<&[Unread]> = files.chunks(PIECE).collect();
        let next = AtomicUsize::new(0);
        let (give, take) = mpsc::channel::<(usize, Vec<ReadFile>)>();
        thread::scope(|scope| {
            for _ in 0..threads() {
                let (give, pieces, next) = (give.clone(), &pieces, &next);
                scope.spawn(move || {
                    while let at = next.fetch_add(1, Ordering::Relaxed)
                        && let Some(piece) = pieces.get(at)
                        && give.send((at, piece.iter().map(read).collect())).is_ok()
                    {
                    }
                });
            }
            drop(give);
            // They come as they are read, and are written in their order.
            let mut early = BTreeMap::new();
            let mut wanted = 0;
            for (at, read) in &take {
                early.insert(at, read);
                while let Some(read) = early.remove(&wanted) {
                    for (file, read) in pieces[wanted].iter().zip(read) {
                        insert(file, read)?;
                    }
                    wanted += 1;
                }
            }
            Ok(())
        })
    }

    /// Reads one file into the index; one that cannot be read is noted as bad and passed over.
    pub(super) fn index_file(
        &self,
        memory: i64,
        layers: &Layers,
        (dir, file): (&str, &str),
        inserter: &mut Inserter<'_>,
    ) -> Result<(), StoreError> {
        self.index_read(memory, layers, (dir, file), read_file(layers, dir, file), inserter)
    }

    fn index_read(
        &self,
        memory: i64,
        layers: &Layers,
        (dir, file): (&str, &str),
        read: ReadFile,
        inserter: &mut Inserter<'_>,
    ) -> Result<(), StoreError> {
        let path = &layers.at(&[dir, file]);
        match read {
            Ok((handoff, mark)) => {
                let place = Place { memory, dir, file, offset: None, mark };
                Ok(inserter.insert(&place, &handoff)?)
            }
            // Gone since the directory was listed.
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(())
            }
            Err(error) => {
                if matches!(error, StoreError::Io { .. }) {
                    self.unstamp(memory, dir)?;
                }
                self.note_bad(memory, (dir, file), path, &error)
            }
        }
    }
}
