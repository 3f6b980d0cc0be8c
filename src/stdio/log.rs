//! Standard error: quiet, and never waited for.
//!
//! Hosts may not read it, and some keep what they read: so at most 4 KiB come out in the life of the process, which
//! any pipe holds, and never a value of the input. `--verbose` lifts the limit: then a thread writes, and what it cannot
//! keep up with is dropped.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Bytes that may still come out.
static LEFT: AtomicUsize = AtomicUsize::new(4096);

/// The thread that writes, if the limit is lifted.
static VERBOSE: OnceLock<SyncSender<Entry>> = OnceLock::new();

/// Lines that may wait for the thread.
const MAX_LINES: usize = 1024;

enum Entry {
    Line(String),
    /// Asks for a word when everything before it is written.
    Flush(SyncSender<()>),
}

/// Writes `text` as a line of its own, if the limit allows. Standard error may be closed: nothing depends on it.
pub fn note(text: &str) {
    line(format!("barewire: {text}\n"));
}

pub(super) fn line(line: String) {
    if let Some(thread) = VERBOSE.get() {
        let _ = thread.try_send(Entry::Line(line));
        return;
    }
    let take = |left: usize| left.checked_sub(line.len());
    if LEFT
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
        .is_ok()
    {
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

/// Lifts the limit. Without a thread to be had everything stays as it is.
pub(super) fn lift_limit() {
    let (sender, receiver) = sync_channel(MAX_LINES);
    let thread = thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || write_all(&receiver));
    if thread.is_ok() {
        let _ = VERBOSE.set(sender);
    }
}

/// Gives the thread a moment to write what waits.
pub(super) fn finish() {
    let Some(thread) = VERBOSE.get() else { return };
    let (sender, receiver) = sync_channel(1);
    if thread.try_send(Entry::Flush(sender)).is_ok() {
        let _ = receiver.recv_timeout(Duration::from_millis(200));
    }
}

fn write_all(entries: &Receiver<Entry>) {
    for entry in entries {
        match entry {
            Entry::Line(line) => {
                let _ = io::stderr().write_all(line.as_bytes());
            }
            Entry::Flush(done) => {
                let _ = done.try_send(());
            }
        }
    }
}
