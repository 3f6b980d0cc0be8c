//! How often a call allocates once the buffers have grown: served in process, 10,000 calls to warm up, then 1,000 that count.
//!
//! Prints a line for each kind of call and each way in which the lines arrive: allocations, a tab, the name. Fails if one is not 0.
//! With `sites` as its argument it also says where each allocation came from.

use barewire::catalog::{Arguments, Call, Catalog, Info, Tool, ToolError, demo::Demo};
use barewire::stdio::{Options, serve};
use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, which counts while it is told to.
struct Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicUsize = AtomicUsize::new(0);
static WANTS_SITES: AtomicBool = AtomicBool::new(false);
static SITES: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

impl Counting {
    fn note(&self) {
        if IS_COUNTING.load(Relaxed) {
            COUNT.fetch_add(1, Relaxed);
            if WANTS_SITES.load(Relaxed) {
                IS_COUNTING.store(false, Relaxed); // what the backtrace allocates is not the server's
                let site = site(&Backtrace::force_capture().to_string());
                *SITES.lock().unwrap().entry(site).or_default() += 1;
                IS_COUNTING.store(true, Relaxed);
            }
        }
    }
}

// SAFETY: the system's allocator does the work, with the arguments as they came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.note();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.note();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        self.note();
        unsafe { System.realloc(memory, layout, len) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The functions of barewire in a backtrace, the innermost first, each with its place.
fn site(backtrace: &str) -> String {
    let lines: Vec<&str> = backtrace.lines().map(str::trim).collect();
    let frames = lines.iter().zip(lines.iter().skip(1));
    let frames = frames.filter_map(|(function, place)| {
        let name = function.split_once(": ")?.1;
        let place = place.strip_prefix("at ")?.rsplit_once("/src/")?.1;
        name.contains("barewire::")
            .then(|| format!("    {name} ({place})"))
    });
    frames.take(6).collect::<Vec<_>>().join("\n")
}

/// One line again and again, `at_once` of them a read, or as many as it has room for.
struct Input {
    lines: Vec<u8>,
    /// Bytes of them that were read.
    read: usize,
    at_once: usize,
    warm_up: usize,
    left: usize,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read > 0 {
            // The rest of the last ones.
        } else if self.warm_up > 0 {
            self.warm_up = self.warm_up.saturating_sub(self.at_once);
        } else if self.left > 0 {
            IS_COUNTING.store(true, Relaxed);
            self.left = self.left.saturating_sub(self.at_once);
        } else {
            IS_COUNTING.store(false, Relaxed);
            return Ok(0);
        }
        let len = (&self.lines[self.read..]).read(buffer)?;
        self.read = (self.read + len) % self.lines.len();
        Ok(len)
    }
}

/// Compares each answer with the first one.
struct Output {
    first: Vec<u8>,
    answers: usize,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.first.is_empty() {
            let end = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            self.first = bytes[..end].to_vec();
        }
        for answer in bytes.chunks(self.first.len()) {
            assert!(answer == self.first, "another answer");
            self.answers += 1;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const WARM_UP: usize = 10_000;
const COUNTED: usize = 1_000;

/// A catalog whose tools allocate twice a call, to see that it is counted.
struct Wasteful(Demo);

impl Catalog for Wasteful {
    fn info(&self) -> &Info {
        self.0.info()
    }

    fn tools(&self) -> &[Tool] {
        self.0.tools()
    }

    fn call(&self, name: &str, given: Arguments<'_>, call: &mut Call<'_>) -> Result<(), ToolError> {
        let name = name.to_owned();
        black_box(name.repeat(2));
        self.0.call(&name, given, call)
    }
}

/// Allocations in `COUNTED` calls of `request`, whose answers hold `expected`.
fn count(catalog: &dyn Catalog, request: &str, expected: &str, at_once: usize) -> usize {
    let lines = format!("{request}\n").repeat(at_once).into_bytes();
    let mut input = Input {
        lines,
        read: 0,
        at_once,
        warm_up: WARM_UP,
        left: COUNTED,
    };
    let mut output = Output {
        first: Vec::new(),
        answers: 0,
    };
    COUNT.store(0, Relaxed);
    serve(catalog, Options::default(), &mut input, &mut output).unwrap();
    let first = String::from_utf8_lossy(&output.first);
    assert!(first.contains(expected), "{first}");
    assert_eq!(output.answers, WARM_UP + COUNTED);
    COUNT.load(Relaxed)
}

const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn main() -> ExitCode {
    let wants_sites = std::env::args().any(|argument| argument == "sites");
    // `ping` is a method of the legacy era only, `server/discover` of the modern one.
    let add = r#""name":"add","arguments":{"a":2.5,"b":4}"#;
    let echo = r#""name":"echo","arguments":{"text":"hola, \"mundo\""}"#;
    let rows = [
        ("legacy ping", "ping", "", r#""result":{}"#),
        ("legacy tools/list", "tools/list", "", r#""name":"echo""#),
        ("legacy add", "tools/call", add, r#""text":"6.5""#),
        ("legacy echo", "tools/call", echo, r#"hola, \"mundo\""#),
        (
            "modern server/discover",
            "server/discover",
            "",
            "2026-07-28",
        ),
        ("modern tools/list", "tools/list", "", r#""ttlMs""#),
        ("modern add", "tools/call", add, r#""resultType""#),
        ("modern echo", "tools/call", echo, r#""resultType""#),
    ];
    let (demo, wasteful) = (Demo::new().unwrap(), Wasteful(Demo::new().unwrap()));
    let mut most = 0;
    for (name, method, params, expected) in rows {
        let meta = if name.starts_with("modern") {
            MODERN
        } else {
            ""
        };
        let comma = if params.is_empty() || meta.is_empty() {
            ""
        } else {
            ","
        };
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{{params}{comma}{meta}}}}}"#
        );
        for (way, at_once) in [("alone", 1), ("100 a read", 100)] {
            if params == add {
                assert_eq!(count(&wasteful, &request, expected, at_once), 2 * COUNTED);
            }
            WANTS_SITES.store(wants_sites, Relaxed);
            let allocations = count(&demo, &request, expected, at_once);
            WANTS_SITES.store(false, Relaxed);
            println!("{allocations}\t{name}, {way}");
            most = most.max(allocations);
        }
    }
    for (site, times) in SITES.lock().unwrap().iter() {
        println!("{times} allocations at\n{site}");
    }
    if most == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
