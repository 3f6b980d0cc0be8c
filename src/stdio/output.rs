//! Standard output, and the answers that the host has not taken yet.
//!
//! A host may write many requests before it reads one answer. If the server waited for room in its output while the
//! host waits for room in its own, both would wait for ever. So a pipe is written without waiting; what does not
//! fit goes into a queue that a thread of its own writes, waiting, until it is empty. The thread is started when it is first
//! needed: a host that reads what it asked for never sees it, and pays nothing for it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes of answers that wait for the host. With more the server stops reading until the host reads.
pub(super) const MAX_QUEUE: usize = 64 << 20;

/// How long a host that has closed its side may take none of the answers before they are given up.
const PATIENCE: Duration = Duration::from_millis(900);

/// Bytes that the thread writes at once, so that progress shows.
const PIECE_BYTES: usize = 64 << 10;

/// The host's end of the pipe.
pub(super) struct Output {
    file: File,
    /// Whether `file` can be written without waiting: it is a pipe or a socket.
    can_try: bool,
    queue: Arc<Queue>,
    has_thread: bool,
}

impl Output {
    /// Standard output.
    ///
    /// # Errors
    /// The descriptor cannot be duplicated.
    pub(super) fn stdout() -> io::Result<Self> {
        let (file, can_try) = without_waiting(platform::stdout()?);
        Ok(Self {
            file,
            can_try,
            queue: Arc::default(),
            has_thread: false,
        })
    }

    /// Waits until the host has taken all answers, or takes none for a while.
    pub(super) fn finish(self) {
        let mut state = self.queue.lock();
        while state.len > 0 && state.error.is_none() {
            let before = state.len;
            let (after, wait) = self
                .queue
                .changed
                .wait_timeout(state, PATIENCE)
                .unwrap_or_else(PoisonError::into_inner);
            state = after;
            if wait.timed_out() && state.len == before {
                break;
            }
        }
        drop(state);
        if self.can_try {
            // Others may hold the same open pipe. If it cannot be set back, nothing is lost.
            let _ = platform::set_nonblocking(self.file, false);
        }
    }

    /// Writes as much of `bytes` as there is room for, and returns the rest.
    fn try_write<'b>(&mut self, mut bytes: &'b [u8]) -> io::Result<&'b [u8]> {
        while !bytes.is_empty() {
            match self.file.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(len) => bytes = bytes.get(len..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(bytes)
    }

    /// Has a thread write the queue; without one, writes it here, waiting.
    fn start_thread(&mut self) -> io::Result<()> {
        if self.has_thread {
            return Ok(());
        }
        let queue = Arc::clone(&self.queue);
        let started = self.file.try_clone().and_then(|file| {
            thread::Builder::new()
                .name("output".to_owned())
                .spawn(move || queue.write_to(file))
        });
        if started.is_ok() {
            self.has_thread = true;
            return Ok(());
        }
        // No thread and no descriptor to be had: waiting is all that is left.
        self.can_try = false;
        let file = self.file.try_clone()?;
        self.file = platform::set_nonblocking(file, false)?;
        let mut state = self.queue.lock();
        state.len = 0;
        state.is_draining = false;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting
            .iter()
            .try_for_each(|bytes| self.file.write_all(bytes))
    }
}

impl Write for Output {
    /// Takes all of `bytes`: they are written, or in the queue.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.can_try {
            return self.file.write(bytes);
        }
        let mut state = self.queue.lock();
        if !state.is_draining {
            drop(state);
            let rest = self.try_write(bytes)?;
            if rest.is_empty() {
                return Ok(bytes.len());
            }
            self.queue.lock().push(rest);
            self.queue.changed.notify_all();
            self.start_thread()?;
            return Ok(bytes.len());
        }
        while state.len > MAX_QUEUE && state.error.is_none() {
            state = self
                .queue
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(kind) = state.error {
            return Err(kind.into());
        }
        state.push(bytes);
        self.queue.changed.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is between the server and the thread.
#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Vec<u8>>,
    /// Bytes that are not written: of what waits and of what the thread is writing.
    len: usize,
    /// Whether the thread is at work, so that nobody else may write.
    is_draining: bool,
    error: Option<ErrorKind>,
}

impl State {
    fn push(&mut self, bytes: &[u8]) {
        self.waiting.push_back(bytes.to_vec());
        self.len += bytes.len();
        self.is_draining = true;
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread: writes what waits, waiting for the host, and hands the pipe back when nothing is left.
    fn write_to(&self, mut file: File) {
        loop {
            let mut state = self.lock();
            while !state.is_draining {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            drop(state);
            match self.drain(file) {
                Ok(drained) => file = drained,
                Err(error) => {
                    self.lock().error = Some(error.kind());
                    return self.changed.notify_all();
                }
            }
        }
    }

    fn drain(&self, file: File) -> io::Result<File> {
        let mut file = platform::set_nonblocking(file, false)?;
        loop {
            let mut state = self.lock();
            let Some(bytes) = state.waiting.pop_front() else {
                file = platform::set_nonblocking(file, true)?;
                state.is_draining = false;
                return Ok(file);
            };
            drop(state);
            for piece in bytes.chunks(PIECE_BYTES) {
                file.write_all(piece)?;
                self.lock().len -= piece.len();
                self.changed.notify_all();
            }
        }
    }
}

/// Makes writes to a pipe or socket return at once when there is no room; whether they do.
fn without_waiting(file: File) -> (File, bool) {
    if !platform::is_pipe(&file) {
        return (file, false);
    }
    match file
        .try_clone()
        .and_then(|copy| platform::set_nonblocking(copy, true))
    {
        Ok(copy) => (copy, true),
        Err(_) => (file, false),
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixStream;

    /// A descriptor of its own for standard output, without the standard library's buffer over it.
    pub(super) fn stdout() -> io::Result<File> {
        io::stdout().as_fd().try_clone_to_owned().map(File::from)
    }

    pub(super) fn is_pipe(file: &File) -> bool {
        file.metadata().is_ok_and(|metadata| {
            metadata.file_type().is_fifo() || metadata.file_type().is_socket()
        })
    }

    /// `std` lets only sockets be asked not to wait, but asks in a way (`ioctl` `FIONBIO`) that every descriptor
    /// understands: so a pipe goes through the type of a socket, without being used as one.
    pub(super) fn set_nonblocking(file: File, is_on: bool) -> io::Result<File> {
        let stream = UnixStream::from(OwnedFd::from(file));
        stream.set_nonblocking(is_on)?;
        Ok(File::from(OwnedFd::from(stream)))
    }
}

/// Elsewhere there is no such way: the server waits for a host that does not read.
#[cfg(not(unix))]
mod platform {
    use std::fs::File;
    use std::io;

    pub(super) fn stdout() -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn is_pipe(_: &File) -> bool {
        false
    }

    pub(super) fn set_nonblocking(file: File, _: bool) -> io::Result<File> {
        Ok(file)
    }
}
