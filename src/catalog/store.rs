//! Bookings that are never lost: in memory, or as one file each in a directory. This file does input and output.
//!
//! In a directory, a booking is the file `ID.json`, and its cancellation the file `ID.cancelled` beside it. Both come
//! into being whole or not at all, and never change again: the text is written to a temporary name, synced, linked
//! to its own name (which fails if that is taken), and the directory synced. So any number of processes can share a
//! directory without a lock, a crash at any moment leaves at most a temporary file that means nothing, no number is
//! given out twice, and `ls` and `cat` show it all.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::json::{Value, parse};

/// The most bytes of a file that can be a booking.
const MAX_RECORD_BYTES: u64 = 64 << 10;

/// The highest number of a booking: above it JSON readers that know only `f64` would mix numbers up (RFC 8259 §6).
const MAX_ID: u64 = (1 << 53) - 1;

/// Where the bookings are.
#[derive(Debug)]
pub(super) enum Store {
    /// Gone with the process: whether each has been cancelled, by number from 1.
    Memory(Mutex<Vec<bool>>),
    /// In files.
    Directory(Directory),
}

/// What came of a cancellation.
#[derive(Debug)]
pub(super) enum Cancelled {
    Now,
    /// Now, but it may not outlast a power cut.
    Unsure(Failure),
    Before,
    Unknown,
}

/// Why nothing was booked or cancelled: the path and the reason.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) path: PathBuf,
    pub(super) reason: String,
}

impl Failure {
    /// Names the path that an operation failed on.
    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self {
            path,
            reason: error.to_string(),
        }
    }
}

impl Store {
    pub(super) fn in_memory() -> Self {
        Self::Memory(Mutex::default())
    }

    /// Nothing is touched before the first booking or cancellation: a host may start the server only to ask its name.
    pub(super) fn in_directory(path: PathBuf) -> Self {
        Self::Directory(Directory {
            path,
            last: AtomicU64::new(0),
            temporary: AtomicU64::new(0),
        })
    }

    /// Keeps a booking, whose text is `record`, and returns its number.
    pub(super) fn book(&self, record: &str) -> Result<u64, Failure> {
        match self {
            Self::Memory(bookings) => {
                let mut bookings = bookings.lock().unwrap_or_else(PoisonError::into_inner);
                bookings.push(false);
                Ok(u64::try_from(bookings.len()).unwrap_or(u64::MAX))
            }
            Self::Directory(directory) => directory.book(record),
        }
    }

    /// Cancels the booking `id`.
    pub(super) fn cancel(&self, id: u64) -> Result<Cancelled, Failure> {
        match self {
            Self::Memory(bookings) => {
                let mut bookings = bookings.lock().unwrap_or_else(PoisonError::into_inner);
                let at = id.checked_sub(1).and_then(|at| usize::try_from(at).ok());
                Ok(match at.and_then(|at| bookings.get_mut(at)) {
                    None => Cancelled::Unknown,
                    Some(true) => Cancelled::Before,
                    Some(is_cancelled) => {
                        *is_cancelled = true;
                        Cancelled::Now
                    }
                })
            }
            Self::Directory(directory) => directory.cancel(id),
        }
    }
}

/// A directory of bookings.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    /// A number that is taken and below which none is free; 0 before the first look.
    last: AtomicU64,
    /// Makes the temporary names of this process different.
    temporary: AtomicU64,
}

impl Directory {
    fn book(&self, record: &str) -> Result<u64, Failure> {
        let temporary = self.write_temporary(record)?;
        let linked = self.link_to_next(&temporary);
        // Only its other name counts; what is left over of it means nothing.
        let _ = fs::remove_file(&temporary);
        let id = linked?;
        if let Err(failure) = self.sync() {
            // It stands there, but may be gone after a power cut: so it must not count.
            return Err(if self.withdraw(id) {
                failure
            } else {
                let reason = format!("{}; {id}.json is left, unconfirmed", failure.reason);
                Failure { reason, ..failure }
            });
        }
        self.last.fetch_max(id, Ordering::Relaxed);
        Ok(id)
    }

    /// Takes back a booking that nobody was told of; says whether that went well.
    fn withdraw(&self, id: u64) -> bool {
        let _ = self.cancel(id);
        // A disk that takes no more files may still lose one. The number can come back, as nobody knows it.
        self.file(id, "cancelled").exists() || fs::remove_file(self.file(id, "json")).is_ok()
    }

    fn cancel(&self, id: u64) -> Result<Cancelled, Failure> {
        let booking = self.file(id, "json");
        match fs::metadata(&booking) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // Not there because it never was, or because the directory is not.
                fs::metadata(&self.path).map_err(Failure::at(&self.path))?;
                return Ok(Cancelled::Unknown);
            }
            Err(error) => return Err(Failure::at(&booking)(error)),
            Ok(metadata) => check_record(&booking, &metadata)?,
        }
        let cancelled = self.file(id, "cancelled");
        if cancelled.exists() {
            // Whoever linked it may not have come to sync it.
            return self.sync().map(|()| Cancelled::Before);
        }
        let temporary = self.write_temporary("{\"status\":\"cancelled\"}\n")?;
        let linked = fs::hard_link(&temporary, &cancelled);
        let _ = fs::remove_file(&temporary);
        match linked {
            // Not taken back if it may not last: another process may have told of it.
            Ok(()) => Ok(self
                .sync()
                .map_or_else(Cancelled::Unsure, |()| Cancelled::Now)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                self.sync().map(|()| Cancelled::Before)
            }
            Err(error) => Err(Failure::at(&cancelled)(error)),
        }
    }

    fn file(&self, id: u64, extension: &str) -> PathBuf {
        self.path.join(format!("{id}.{extension}"))
    }

    /// Writes `text` under a name that no other process uses, and syncs it.
    fn write_temporary(&self, text: &str) -> Result<PathBuf, Failure> {
        loop {
            let n = self.temporary.fetch_add(1, Ordering::Relaxed);
            let path = self.path.join(format!(".{}-{n}.tmp", process::id()));
            let mut file = match File::create_new(&path) {
                Ok(file) => file,
                // Left over from a process of the same number that was killed.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(Failure::at(&path)(error)),
            };
            let written = file
                .write_all(text.as_bytes())
                .and_then(|()| file.sync_all());
            return match written {
                Ok(()) => Ok(path),
                Err(error) => {
                    let _ = fs::remove_file(&path);
                    Err(Failure::at(&path)(error))
                }
            };
        }
    }

    /// Links `temporary` to the first free number and returns it.
    fn link_to_next(&self, temporary: &Path) -> Result<u64, Failure> {
        let mut taken = match self.last.load(Ordering::Relaxed) {
            0 => self.highest()?,
            last => last,
        };
        loop {
            let id = self.first_free_after(taken);
            let path = self.file(id, "json");
            if id > MAX_ID {
                return Err(Failure {
                    path,
                    reason: format!("numbers end at {MAX_ID}"),
                });
            }
            match fs::hard_link(temporary, &path) {
                Ok(()) => return Ok(id),
                // Another process was faster.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => taken = id,
                Err(error) => return Err(Failure::at(&path)(error)),
            }
        }
    }

    /// The highest number of any file: the one look at the whole directory, at the first booking of a process. Later ones start
    /// from the last number that this process knows.
    fn highest(&self) -> Result<u64, Failure> {
        let mut highest = 0;
        for entry in fs::read_dir(&self.path).map_err(Failure::at(&self.path))? {
            let name = entry.map_err(Failure::at(&self.path))?.file_name();
            highest = highest.max(name.to_str().and_then(booking_number).unwrap_or(0));
        }
        Ok(highest)
    }

    /// The first free number after `taken`, above which other processes may have booked: they leave no gaps, so
    /// steps of growing length and then halving find the end in a few looks however many there are.
    fn first_free_after(&self, taken: u64) -> u64 {
        // A cancellation alone counts too: whoever removed its booking must not get the number for another one.
        let is_taken = |id: u64| {
            ["json", "cancelled"]
                .iter()
                .any(|extension| fs::symlink_metadata(self.file(id, extension)).is_ok())
        };
        let (mut taken, mut step) = (taken, 1);
        while taken <= MAX_ID && is_taken(taken + step) {
            taken += step;
            step *= 2;
        }
        let mut free = taken + step;
        while free - taken > 1 {
            let middle = taken + (free - taken) / 2;
            if is_taken(middle) {
                taken = middle;
            } else {
                free = middle;
            }
        }
        free
    }

    /// Makes the names of the directory last through a power cut.
    fn sync(&self) -> Result<(), Failure> {
        File::open(&self.path)
            .and_then(|directory| directory.sync_all())
            .map_err(Failure::at(&self.path))
    }
}

/// The number of the booking or cancellation that a file of this name is.
fn booking_number(name: &str) -> Option<u64> {
    let number = name
        .strip_suffix(".json")
        .or_else(|| name.strip_suffix(".cancelled"))?;
    let id: u64 = number.parse().ok()?;
    (id <= MAX_ID && id.to_string() == number).then_some(id)
}

/// Checks that the file is a booking, so that a stray file is not taken for one.
fn check_record(path: &Path, metadata: &Metadata) -> Result<(), Failure> {
    let not_one = |reason: &str| Failure {
        path: path.to_owned(),
        reason: reason.to_owned(),
    };
    // A pipe or a device may have no end.
    if !metadata.is_file() {
        return Err(not_one("no booking: it is not a file"));
    }
    if metadata.len() > MAX_RECORD_BYTES {
        return Err(not_one("the file is no booking: it is too large"));
    }
    let text = fs::read(path).map_err(Failure::at(path))?;
    let document =
        parse(&text).map_err(|fault| not_one(&format!("the file is no booking: {fault}")))?;
    match document.root().and_then(|root| root.get("room")) {
        Some(Value::String(_)) => Ok(()),
        _ => Err(not_one("the file is no booking: it names no room")),
    }
}
