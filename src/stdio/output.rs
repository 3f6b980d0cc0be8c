//! Standard output, the answers that the host has not taken yet, and how standard input is read meanwhile.
//!
//! A host may write many requests before it reads one answer. If the server waited for room in its output while the
//! host waits for room in its own, both would wait for ever. So a pipe is written without waiting; what does not
//! fit goes into a queue that a thread of its own writes, waiting, until it is empty. The thread is started when it is first
//! needed: a host that reads what it asked for never sees it, and pays nothing for it.
//!
//! With a full queue the server waits for the host. Another thread then reads on, but slowly and not far: only a read
//! tells that a host has closed its side, and such a host need not be waited for.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::CHUNK_BYTES;

/// Bytes of answers that wait for the host. With more the server answers nothing until the host reads. Together with
/// [`MAX_AHEAD`] these are the 64 MiB that a host which does not read can fill.
pub(super) const MAX_QUEUE: usize = 60 << 20;

/// Bytes of requests that are read while the queue is full.
const MAX_AHEAD: usize = 4 << 20;

/// The rest after two reads of them; each further one is half as long again, so that the room lasts for days. A pipe holds
/// [`CHUNK_BYTES`] on Linux: the second read after a host has closed its side sees it.
const FIRST_REST: Duration = Duration::from_millis(400);

/// How long a host that has closed its side may take none of the answers before they are given up.
const PATIENCE: Duration = Duration::from_millis(500);

/// Bytes of answers that are moved into the queue, not copied.
const LONG_BYTES: usize = 256 << 10;

/// Bytes that the thread writes at once, so that progress shows.
const PIECE_BYTES: usize = 16 << 10;

/// Standard output.
pub(super) struct Output {
    pipe: Arc<Pipe>,
    /// Whether a write returns at once when there is no room.
    can_try: bool,
    has_writer: bool,
    has_reader: bool,
}

/// Standard input, by way of what was read ahead of it.
pub(super) struct Input(Arc<Pipe>);

/// What the server and the threads share.
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
    /// Whether a thread reads standard input, so that nobody else may.
    is_ahead: bool,
    /// Bytes that were read ahead.
    ahead: VecDeque<u8>,
    /// How standard input ended.
    end: Option<Result<(), ErrorKind>>,
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
            has_writer: false,
            has_reader: false,
        })
    }

    /// Standard input.
    pub(super) fn input(&self) -> Input {
        Input(Arc::clone(&self.pipe))
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
            // Without a thread the host's end is seen later: when it closes the other side too.
            self.has_reader = self.has_reader || start(&self.pipe, "input", Pipe::read_ahead);
            queue.is_ahead = self.has_reader;
            queue = self.pipe.wait_for_host(queue);
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
        queue.end.get_or_insert(Ok(()));
        while queue.len > 0 && queue.error.is_none() {
            queue = self.pipe.wait_for_host(queue);
        }
        // Others may hold the same open pipe. If it cannot be set back, nothing is lost.
        let _ = self.pipe.switch.set_nonblocking(false);
    }

    /// Has a thread write the queue; if none can be had, writes it here, waiting.
    fn drain(&mut self) -> io::Result<()> {
        self.pipe.changed.notify_all();
        self.has_writer = self.has_writer || start(&self.pipe, "output", Pipe::write_for_ever);
        if self.has_writer {
            Ok(())
        } else {
            self.pipe.write_queue()
        }
    }
}

/// Starts a thread; whether one could be had.
fn start(pipe: &Arc<Pipe>, name: &str, work: fn(&Pipe)) -> bool {
    let pipe = Arc::clone(pipe);
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(move || work(&pipe)).is_ok()
}

impl Read for Input {
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        let mut queue = self.0.lock();
        if !queue.is_ahead {
            drop(queue);
            return io::stdin().read(chunk);
        }
        loop {
            if !queue.ahead.is_empty() {
                self.0.changed.notify_all();
                return queue.ahead.read(chunk);
            }
            if let Some(end) = queue.end {
                return end.map(|()| 0).map_err(io::Error::from);
            }
            queue = self.0.wait(queue);
        }
    }
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change.
    fn wait<'q>(&self, queue: MutexGuard<'q, Queue>) -> MutexGuard<'q, Queue> {
        let waited = self.changed.wait(queue);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change. A host that has closed its side has gone if it takes nothing for a while.
    fn wait_for_host<'q>(&self, queue: MutexGuard<'q, Queue>) -> MutexGuard<'q, Queue> {
        if queue.end.is_none() {
            return self.wait(queue);
        }
        let before = queue.len;
        let (mut queue, is_over) = self.wait_up_to(PATIENCE, queue);
        if is_over && queue.len == before {
            queue.error = Some(ErrorKind::BrokenPipe);
        }
        queue
    }

    /// Waits for a change, but no longer than `time`; whether there was none.
    fn wait_up_to<'q>(
        &self,
        time: Duration,
        queue: MutexGuard<'q, Queue>,
    ) -> (MutexGuard<'q, Queue>, bool) {
        let waited = self.changed.wait_timeout(queue, time);
        let (queue, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        (queue, waited.timed_out())
    }

    /// The thread that reads ahead: two reads, then a rest, unless the server takes what was read.
    fn read_ahead(&self) {
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut rest = FIRST_REST;
        loop {
            for _ in 0..2 {
                let read = io::stdin().read(&mut chunk);
                let mut queue = self.lock();
                match read {
                    Ok(0) => queue.end = Some(Ok(())),
                    Ok(len) => queue.ahead.extend(chunk.get(..len).unwrap_or_default()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => queue.end = Some(Err(error.kind())),
                }
                self.changed.notify_all();
                if queue.end.is_some() {
                    return;
                }
            }
            let mut queue = self.lock();
            let mut is_rested = false;
            while !queue.ahead.is_empty() && (!is_rested || queue.ahead.len() >= MAX_AHEAD) {
                (queue, is_rested) = self.wait_up_to(rest, queue);
            }
            rest = if queue.ahead.is_empty() {
                FIRST_REST
            } else {
                rest + rest / 2
            };
        }
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

    /// The thread that writes.
    fn write_for_ever(&self) {
        loop {
            let mut queue = self.lock();
            while !queue.is_draining {
                queue = self.wait(queue);
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
