//! Standard error: quiet, and never waited for.
//!
//! Hosts may not read it, and some keep what they read: so at most 4 KiB come out in the life of the process, and
//! never a value of the input; `--verbose` lifts the limit. A thread writes, started with the first line, so that a
//! host that does not read can only stop the thread: what it cannot keep up with is dropped.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Bytes that may still come out.
static LEFT: AtomicUsize = AtomicUsize::new(4096);

/// The way to the thread; `None` if no thread could be started.
static THREAD: OnceLock<Option<SyncSender<Entry>>> = OnceLock::new();

/// Lines that may wait for the thread.
const MAX_LINES: usize = 1024;

enum Entry {
    Line(String),
    /// Asks for a word when everything before it is written.
    Flush(SyncSender<()>),
}

/// Writes `text` as a line of its own, if the limit allows.
pub fn note(text: &str) {
    line(format!("barewire: {text}\n"));
}

pub(super) fn line(line: String) {
    let take = |left: usize| {
        if left == usize::MAX {
            Some(left)
        } else {
            left.checked_sub(line.len())
        }
    };
    if LEFT
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
        .is_ok()
    {
        if let Some(thread) = THREAD.get_or_init(start_thread) {
            let _ = thread.try_send(Entry::Line(line));
        }
    }
}

/// Lets any number of lines come out.
pub(super) fn lift_limit() {
    LEFT.store(usize::MAX, Ordering::Relaxed);
}

/// Gives the thread a moment to write what waits.
pub(super) fn finish() {
    let Some(Some(thread)) = THREAD.get() else {
        return;
    };
    let (sender, receiver) = sync_channel(1);
    if thread.try_send(Entry::Flush(sender)).is_ok() {
        let _ = receiver.recv_timeout(Duration::from_millis(200));
    }
}

fn start_thread() -> Option<SyncSender<Entry>> {
    let (sender, receiver) = sync_channel(MAX_LINES);
    let thread = thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || write_all(&receiver));
    thread.is_ok().then_some(sender)
}

/// Standard error may be closed: nothing depends on it.
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
