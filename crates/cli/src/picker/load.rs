//! Lists the handoffs on a thread of its own, so that the first picture waits for the newest only.

use std::sync::mpsc::{Receiver, Sender, channel};

use segue_lib::Segue;
use segue_lib::handoffs::{ListOutcome, ListRequest};

use super::item::Item;
use crate::error::CommandError;
use crate::host;

/// How many the list holds at most.
pub(crate) const MOST: u64 = 100_000;
/// What is sent at first, and then at a time.
const FIRST: usize = 200;
const CHUNK: usize = 2_000;

/// What comes of the list.
pub(crate) enum Loaded {
    Items(Vec<Item>),
    End(Box<Result<ListOutcome, CommandError>>),
}

/// Begins to list; whoever drops the receiver ends it.
pub(crate) fn load(request: ListRequest) -> Receiver<Loaded> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let end = list(&request, &sender);
        let _ = sender.send(Loaded::End(Box::new(end)));
    });
    receiver
}

fn list(request: &ListRequest, sender: &Sender<Loaded>) -> Result<ListOutcome, CommandError> {
    let segue = Segue::new(host::env()?);
    let now = segue.env().now();
    let mut request = request.clone();
    request.limit = Some(request.limit.map_or(MOST, |n| n.min(MOST)));
    let mut items = Vec::with_capacity(FIRST);
    let mut full = FIRST;
    let outcome = segue.handoffs().list(&request, &mut |listed| {
        items.push(Item::new(&listed, now));
        if items.len() < full {
            return true;
        }
        full = CHUNK;
        let chunk = std::mem::replace(&mut items, Vec::with_capacity(CHUNK));
        sender.send(Loaded::Items(chunk)).is_ok()
    })?;
    let _ = sender.send(Loaded::Items(items));
    Ok(outcome)
}
