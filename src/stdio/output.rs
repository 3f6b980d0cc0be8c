//! Standard output, and the answers that the host has not taken yet.
//!
//! A host may write many requests before it reads one answer. If the server waited for room in its output while the
//! host waits for room in its own, both would wait for ever. So a pipe is written without waiting; what does not
//! fit goes into a queue that a thread of its own writes, waiting, until it is empty. The thread is started when it is first
//! needed: a host that reads what it asked for never sees it, and pays nothing for it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes of answers that wait for the host. With more the server stops reading until the host reads.
pub(super) const MAX_QUEUE: usize = 64 << 20;

/// How long a host that has closed its side may take none of the answers before they are given up.
const PATIENCE: Duration = Duration::from_millis(900);

/// Bytes of answers that are moved into the queue, not copied.
const LONG_BYTES: usize = 256 << 10;

/// Bytes that the thread writes at once, so that progress shows.
const PIECE_BYTES: usize = 64 << 10;

/// Standard output.
pub(super) struct Output {
    pipe: Arc<Pipe>,
    /// Whether a write returns at once when there is no room.
    can_try: bool,
    has_thread: bool,
}

/// What the server and the thread share.
struct Pipe {
    file: File,
    switch: platform::Switch,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Answers>,
    /// Bytes that are not written: of what waits and of what the thread is writing.
    len: usize,
    /// Whether the thread is at work, so that nobody else may write.
    is_draining: bool,
    error: Option<ErrorKind>,
}

/// Answers, of which the first `written` bytes are written.
struct Answers {
    bytes: Vec<u8>,
    written: usize,
}

impl Queue {
    /// Takes all of `bytes` but the first `written`. A long answer is moved here, as its copy would cost as much again.
    fn push(&mut self, bytes: &mut Vec<u8>, written: usize) {
        let rest = bytes.get(written..).unwrap_or_default();
        self.len += rest.len();
        self.is_draining = true;
        let answers = if rest.len() < LONG_BYTES {
            let bytes = rest.to_vec();
            Answers { bytes, written: 0 }
        } else {
            let bytes = mem::take(bytes);
            Answers { bytes, written }
        };
        self.waiting.push_back(answers);
    }
}

impl Output {
    /// Standard output, by descriptors of its own.
    ///
    /// # Errors
    /// There is no descriptor left.
    pub(super) fn stdout() -> io::Result<Self> {
        let (file, switch) = platform::stdout()?;
        let can_try = switch.set_nonblocking(true).is_ok();
        let pipe = Pipe {
            file,
            switch,
            queue: Mutex::default(),
            changed: Condvar::new(),
        };
        Ok(Self {
            pipe: Arc::new(pipe),
            can_try,
            has_thread: false,
        })
    }

    /// Takes all of `bytes`: they are written, or in the queue. What is left in `bytes` is of no use.
    ///
    /// # Errors
    /// Writing failed, now or since the last call.
    pub(super) fn write(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        if !self.can_try {
            return (&self.pipe.file).write_all(bytes);
        }
        let mut queue = self.pipe.lock();
        while queue.len > MAX_QUEUE && queue.error.is_none() {
            queue = self
                .pipe
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(kind) = queue.error {
            return Err(kind.into());
        }
        // Behind what waits, or what there is no room for.
        let written = if queue.is_draining {
            0
        } else {
            self.pipe.try_write(bytes)?
        };
        if written < bytes.len() {
            queue.push(bytes, written);
            drop(queue);
            self.drain()?;
        }
        Ok(())
    }

    /// Waits until the host has taken all answers, or takes none for a while.
    pub(super) fn finish(self) {
        let mut queue = self.pipe.lock();
        while queue.len > 0 && queue.error.is_none() {
            let before = queue.len;
            let waited = self
                .pipe
                .changed
                .wait_timeout(queue, PATIENCE)
                .unwrap_or_else(PoisonError::into_inner);
            queue = waited.0;
            if waited.1.timed_out() && queue.len == before {
                break;
            }
        }
        // Others may hold the same open pipe. If it cannot be set back, nothing is lost.
        let _ = self.pipe.switch.set_nonblocking(false);
    }

    /// Has a thread write the queue; if none can be had, writes it here, waiting.
    fn drain(&mut self) -> io::Result<()> {
        self.pipe.changed.notify_all();
        if self.has_thread {
            return Ok(());
        }
        let pipe = Arc::clone(&self.pipe);
        let thread = thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || pipe.write_for_ever());
        self.has_thread = thread.is_ok();
        if self.has_thread {
            Ok(())
        } else {
            self.pipe.write_queue()
        }
    }
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes as much of `bytes` as there is room for, and returns how many that were.
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match (&self.file).write(rest) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(len) => rest = rest.get(len..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(bytes.len() - rest.len())
    }

    /// The thread.
    fn write_for_ever(&self) {
        loop {
            let mut queue = self.lock();
            while !queue.is_draining {
                queue = self
                    .changed
                    .wait(queue)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            drop(queue);
            if let Err(error) = self.write_queue() {
                self.lock().error = Some(error.kind());
                return self.changed.notify_all();
            }
        }
    }

    /// Writes what waits, waiting for the host, until nothing is left.
    fn write_queue(&self) -> io::Result<()> {
        self.switch.set_nonblocking(false)?;
        loop {
            let mut queue = self.lock();
            let Some(answers) = queue.waiting.pop_front() else {
                self.switch.set_nonblocking(true)?;
                queue.is_draining = false;
                return Ok(());
            };
            drop(queue);
            let rest = answers.bytes.get(answers.written..).unwrap_or_default();
            for piece in rest.chunks(PIECE_BYTES) {
                (&self.file).write_all(piece)?;
                self.lock().len -= piece.len();
                self.changed.notify_all();
            }
        }
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixStream;

    /// Says whether writes wait. `std` lets only sockets be asked not to, but asks in a way (`ioctl` `FIONBIO`) that
    /// every descriptor understands: so a pipe goes through the type of a socket, without being used as one.
    pub(super) struct Switch(Option<UnixStream>);

    impl Switch {
        pub(super) fn set_nonblocking(&self, is_on: bool) -> io::Result<()> {
            self.0
                .as_ref()
                .map_or(Err(io::ErrorKind::Unsupported.into()), |pipe| {
                    pipe.set_nonblocking(is_on)
                })
        }
    }

    /// Standard output without the standard library's buffer over it, and the switch if it is a pipe or a socket:
    /// a file never waits, and a terminal belongs to others too.
    pub(super) fn stdout() -> io::Result<(File, Switch)> {
        let duplicate = || io::stdout().as_fd().try_clone_to_owned();
        let file = File::from(duplicate()?);
        let kind = file.metadata()?.file_type();
        let pipe: Option<OwnedFd> = if kind.is_fifo() || kind.is_socket() {
            Some(duplicate()?)
        } else {
            None
        };
        Ok((file, Switch(pipe.map(UnixStream::from))))
    }
}

/// Elsewhere there is no such way: the server waits for a host that does not read.
#[cfg(not(unix))]
mod platform {
    use std::fs::File;
    use std::io;

    pub(super) struct Switch;

    impl Switch {
        pub(super) fn set_nonblocking(&self, _: bool) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    pub(super) fn stdout() -> io::Result<(File, Switch)> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
