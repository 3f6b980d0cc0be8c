#!/usr/bin/env python3
"""Hostile input, hosts and machines, on the release binary; each prints what it saw and fails if it is not as it must be.

    run.py NAME...    of: terminal endless soak starts orphans never closed descriptors threads syscalls confined

What takes long, needs root, or needs a tool of the machine (strace, bwrap) is here; the rest is in tests/process.rs.
Linux only. Loads are bounded in count and in time; only processes that were started here are ended.
"""
import json, os, random, resource, shutil, signal, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("BAREWIRE_BINARY", os.path.join(ROOT, "target/release/barewire"))
PING = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'
PONG = b'{"jsonrpc":"2.0","id":%d,"result":{}}\n'
ADD = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"a":%d,"b":0.5}}}\n'
SUM = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%d.5"}],"isError":false}}\n'


def start(*arguments, **options):
    return subprocess.Popen([BINARY, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)


def status(process, *names):
    with open(f"/proc/{process.pid}/status") as file:
        found = dict(line.split(":", 1) for line in file if ":" in line)
    return [int(found[name].split()[0]) for name in names]


def descriptors(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def asked(process, line, answer):
    process.stdin.write(line)
    process.stdin.flush()
    got = process.stdout.readline()
    assert got == answer, (line[:100], got[:200])


def end(process, wait=5):
    """Closes the input and waits; the exit status and the CPU seconds that it took."""
    process.stdin.close()
    left = process.stdout.read()
    _, code, used = os.wait4(process.pid, 0) if wait is None else wait_for(process, wait)
    assert left == b"", left[:200]
    return os.waitstatus_to_exitcode(code), used.ru_utime + used.ru_stime


def wait_for(process, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pid, code, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(code)
            return pid, code, used
        time.sleep(0.002)
    process.kill()
    raise AssertionError("it did not end")


def endless():
    """10 GiB without LF: thrown away as they come, one error, and the next line is served."""
    process = start()
    asked(process, PING % 1, PONG % 1)
    (before,) = status(process, "VmRSS")
    chunk = b"a" * (1 << 20)
    for _ in range(10 << 10):
        process.stdin.write(chunk)
    process.stdin.write(b"\n")
    error = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":"expected a value at byte 0"}}\n'
    asked(process, PING % 2, error)
    assert process.stdout.readline() == PONG % 2
    (peak,) = status(process, "VmHWM")
    assert peak - before < 1024, (before, peak)
    assert end(process)[0] == 0
    print(f"10 GiB of one line: {peak - before} KiB over the {before} KiB before; one error, the next line served")


def messages(dice, count):
    """A random legal and illegal mix, and how many answers it must have."""
    modern = b'"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    kinds = [
        (b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"a":0.1,"b":%d}}}', 1),
        (b'{"jsonrpc":"2.0","id":"s%d","method":"tools/call","params":{"name":"echo","arguments":{"text":"\\u00e9 %d"}}}', 1),
        (b'{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"x":%d}}', 1),
        (b'{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"x":%d,' + modern + b"}}", 1),
        (b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"a":"%d"}}}', 1),
        (b'{"jsonrpc":"2.0","id":%d,"method":"m%d"}', 1),
        (b'{"jsonrpc":"2.0","id":%d,"method":"ping","x":nul%d}', 1),
        (b'{"jsonrpc":"2.0","id":%d,"id":%d,"method":"ping"}', 1),
        (b"[%d,%d]", 1),
        (b'{"jsonrpc":"2.0","method":"notifications/%d","params":{"n":%d}}', 0),
        (b'{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}', 0),
        (b'\xff{"id":%d,"x":%d', 1),
    ]
    lines, answers = [b" \t\r"] * (count // 20), 0
    for n in range(count - len(lines)):
        text, asks = dice.choice(kinds)
        lines.append(text % (n, dice.randrange(1 << 30)))
        answers += asks
    dice.shuffle(lines)
    return b"\n".join(lines) + b"\n", answers


def soak(total=10_000_000):
    """24 hours in small: after ten million messages it holds what it held after the first ten thousand."""
    seed = int(os.environ.get("SEED", "20260728"))
    dice = random.Random(seed)
    blocks = [messages(dice, 10_000) for _ in range(8)]
    # The log of --verbose would be one more thing to grow; it has a thread and a bound of its own.
    process = start()
    figures = []
    for n in range(total // 10_000):
        block, answers = blocks[n % len(blocks)]
        writer = threading.Thread(target=lambda: (process.stdin.write(block), process.stdin.flush()))
        writer.start()
        for _ in range(answers):
            assert process.stdout.readline().endswith(b"}\n")
        writer.join()
        if n in (0, total // 10_000 - 1):
            figures.append([*status(process, "VmRSS", "Threads"), descriptors(process)])
    first, last = figures
    assert end(process)[0] == 0
    print(f"seed {seed}: {total} messages; resident KiB, threads, descriptors: {first} after 10,000, {last} at the end")
    # How much of its buffers it touches depends on how the host happens to read: less than a tenth of a byte a message.
    assert last[0] <= first[0] + 1024 and last[1:] == first[1:], figures


def starts(count=1000):
    """Starts and ends leave no process, and each takes little."""
    most = 0.0
    for _ in range(count):
        process = start()
        code, used = end(process)
        most = max(most, used)
        assert code == 0
    print(f"{count} starts and ends: each exit 0, at most {most * 1000:.1f} ms of CPU")
    assert most < 0.05


def orphans(count=50):
    """A host that is killed leaves no server behind."""
    host = "import subprocess,sys,time\np=subprocess.Popen([sys.argv[1]],stdin=subprocess.PIPE,stdout=subprocess.PIPE)\n" \
        "p.stdin.write(sys.argv[2].encode()+b'\\n');p.stdin.flush();p.stdout.readline();print(p.pid,flush=True);time.sleep(60)"
    for n in range(count):
        parent = subprocess.Popen([sys.executable, "-c", host, BINARY, (PING % n).decode().strip()], stdout=subprocess.PIPE)
        server = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        until = time.monotonic() + 2
        while os.path.exists(f"/proc/{server}") and open(f"/proc/{server}/stat").read().rsplit(")", 1)[1].split()[0] != "Z":
            assert time.monotonic() < until, "a server was left behind"
            time.sleep(0.005)
    print(f"{count} hosts killed: no server left")


def never():
    """A host that never reads: the server stops at its bound, and ends within a second of the host's closing its side."""
    text = b"x" * 100_000
    long = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"' + text + b'"}}}\n'
    kinds = [("list", b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n'), ("add", ADD.replace(b"%d", b"7", 2)), ("echo", long)]
    for name, line in kinds:
        line = line.replace(b"%d", b"1")
        process = start()
        asked(process, PING % 1, PONG % 1)
        (rest,) = status(process, "VmRSS")
        os.set_blocking(process.stdin.fileno(), False)
        block = memoryview(line * max(1, (64 << 10) // len(line)))
        sent, at, since = 0, 0, time.monotonic()
        while time.monotonic() - since < 0.7:
            try:
                count = os.write(process.stdin.fileno(), block[at:])
                sent, at, since = sent + count, (at + count) % len(block), time.monotonic()
            except BlockingIOError:
                time.sleep(0.005)
            assert sent < 1 << 30, "it reads for ever"
        peak, rss = status(process, "VmHWM", "VmRSS")
        closed = time.monotonic()
        process.stdin.close()
        code, _ = wait_for(process, 5)[1:]
        took = time.monotonic() - closed
        process.stdout.close()
        print(f"never reads, {name}: stops after {sent} bytes at {rss} KiB ({peak - rest} over the start); ends {took:.2f} s after the end")
        assert code == 0 and took < 1, (code, took)
        # The bound that the README states, and 4 MiB.
        assert peak - rest < (64 + 4) << 10, (peak, rest)


def closed():
    """Any of the three standard descriptors is closed at the start: no crash, no noise on the others."""
    request = PING % 1
    for name in ("<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- 2>&-", "<&- >&- 2>&-"):
        shell = subprocess.run(["sh", "-c", f'exec "$0" {name}', BINARY], input=request, capture_output=True, timeout=10)
        reads, writes = "<" not in name, ">&-" not in name.replace("2>&-", "")
        assert shell.returncode == 0, (name, shell)
        assert shell.stdout == (PONG % 1 if reads and writes else b""), (name, shell)
        assert shell.stderr == b"", (name, shell)
    print("each of 0, 1, 2 closed at the start, and together: exit 0, quiet")


def flooded(process, count=30_000):
    """More answers than a pipe holds, before one is read: all come, in order."""
    writer = threading.Thread(target=lambda: (process.stdin.write(b"".join(ADD % (n, n) for n in range(count))), process.stdin.flush()))
    writer.start()
    time.sleep(0.3)
    for n in range(count):
        assert process.stdout.readline() == SUM % (n, n), n
    writer.join()


def descriptors_gone():
    """No descriptor is left to be had."""
    # With three the loader cannot open the C library.
    for most in (4, 5, 6):
        process = start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
        # Only without a duplicate of its output does it wait for the host, which reads as it writes here.
        if most >= 5:
            flooded(process)
        asked(process, ADD % (1, 1), SUM % (1, 1))
        assert end(process)[0] == 0
    data = tempfile.mkdtemp()
    book = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book_room","arguments":{"room":"Focus","tier":"pro","hours":1,"member":"Ana"}}}\n'
    process = start("--catalog", "reservo", "--data", data, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5)))
    process.stdin.write(book)
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert answer["result"]["isError"] and data in answer["result"]["content"][0]["text"], answer
    asked(process, PING % 2, PONG % 2)
    assert end(process)[0] == 0 and os.listdir(data) == []
    os.rmdir(data)
    print("with 4 to 6 descriptors: served; a booking without one is refused with its path")


def threads_gone():
    """No thread can be started: it waits for the host instead of queueing, and loses nothing."""
    def as_nobody():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        os.setgid(65534)
        os.setuid(65534)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        binary = shutil.copy(BINARY, os.path.join(folder, "barewire"))
        process = subprocess.Popen([binary, "--verbose"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=as_nobody)
        writer = threading.Thread(target=lambda: (process.stdin.write(b"".join(ADD % (n, n) for n in range(30_000))), process.stdin.flush()))
        writer.start()
        time.sleep(0.3)
        (count,) = status(process, "Threads")
        assert count == 1, count
        for n in range(30_000):
            assert process.stdout.readline() == SUM % (n, n), n
        writer.join()
        assert end(process)[0] == 0
    print("no thread to be had: 30,000 answers, in order, by the one there is")


# What a session of the demo asks of the kernel, besides what the loader and the runtime ask before `main`.
SESSION = {"read", "write", "fcntl", "statx", "ioctl", "close", "sigaltstack", "munmap", "exit_group", "brk", "mmap", "mremap",
           "futex", "madvise"}


def syscalls():
    """A whole session asks the kernel for nothing beyond the list in the README; gives the names of what it asked for."""
    strace = shutil.which("strace")
    assert strace, "strace is missing: apt-get install strace"
    lines = b"".join(ADD % (n, n) for n in range(5)) + b"{bad\n" + b'{"jsonrpc":"2.0","id":"s","method":"server/discover","params":{}}\n'
    with tempfile.NamedTemporaryFile() as trace:
        subprocess.run([strace, "-f", "-o", trace.name, BINARY], input=lines, stdout=subprocess.DEVNULL, check=True, timeout=30)
        calls = [line.split(None, 1)[1].split("(")[0] for line in trace.read().decode().splitlines() if "(" in line]
    # The first look at the terminal is the first thing that `main` does.
    began = next(n for n, line in enumerate(calls) if line == "ioctl")
    used = {call for call in calls[began:] if call.isidentifier()}
    print("a session uses:", ", ".join(sorted(used)))
    assert used <= SESSION, used - SESSION
    readme = open(os.path.join(ROOT, "README.md")).read()
    missing = {call for call in SESSION if f"`{call}`" not in readme}
    assert not missing, f"the README's list lacks {missing}"
    return used


def confined():
    """No network, an empty root, 64 descriptors, one process, little memory: the static binary serves."""
    bwrap = shutil.which("bwrap")
    assert bwrap, "bwrap is missing: apt-get install bubblewrap"
    target = os.environ.get("BAREWIRE_CACHE", tempfile.gettempdir()) + "/target-static"
    flags = dict(os.environ, RUSTFLAGS="-C target-feature=+crt-static", CARGO_TARGET_DIR=target)
    triple = "x86_64-unknown-linux-gnu"
    subprocess.run(["cargo", "build", "--release", "--quiet", "--target", triple], cwd=ROOT, env=flags, check=True)
    binary = f"{target}/{triple}/release/barewire"
    text = int(subprocess.run(["size", binary], capture_output=True, text=True, check=True).stdout.split("\n")[1].split()[3])

    def limits():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    data = tempfile.mkdtemp()
    wall = [bwrap, "--unshare-all", "--die-with-parent", "--bind", binary, "/barewire"]
    room = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"book_room","arguments":{"room":"Focus","tier":"pro","hours":1,"member":"Ana"}}}'
    # bwrap itself needs more than the server may have: a program that is as static sets the limits inside.
    inside = "/limit"
    limit = os.path.join(data, "limit")
    source = os.path.join(data, "limit.c")
    with open(source, "w") as file:
        file.write('#include <sys/resource.h>\n#include <unistd.h>\n#include <stdlib.h>\nint main(int n,char**a){struct rlimit m={atol(a[1]),atol(a[1])},'
                   'p={1,1};if(setrlimit(RLIMIT_AS,&m)||setrlimit(RLIMIT_NPROC,&p))return 99;execv(a[2],a+2);return 98;}\n')
    subprocess.run(["gcc", "-static", "-O2", "-o", limit, source], check=True)
    bookings = os.path.join(data, "bookings")
    os.mkdir(bookings)
    wall += ["--ro-bind", limit, inside, "--bind", bookings, "/bookings", inside, str((16 << 20) + text), "/barewire"]
    demo = subprocess.run(wall, input=PING % 1 + ADD % (2, 40), capture_output=True, preexec_fn=limits, timeout=20)
    assert demo.stdout == PONG % 1 + SUM % (2, 40) and demo.returncode == 0, demo
    desk = subprocess.run([*wall, "--catalog", "reservo", "--data", "/bookings"], input=(room % 1 + "\n").encode() * 3,
                          capture_output=True, preexec_fn=limits, timeout=20)
    assert desk.stdout.count(b'"status":"confirmed"') == 3 and desk.returncode == 0, desk
    assert sorted(os.listdir(bookings)) == ["1.json", "2.json", "3.json"]
    shutil.rmtree(data)
    print(f"confined with 16 MiB over the {text} bytes of the program: the demo and three bookings served")


def terminal():
    """A person who starts it at a terminal is told what it waits for and how to leave; a host is told nothing."""
    import pty
    person, server = pty.openpty()
    process = subprocess.Popen([BINARY], stdin=server, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(server)
    told = process.stderr.readline()
    assert told == b"barewire: waiting for JSON-RPC messages, one a line; leave with Ctrl-D\n", told
    os.write(person, PING % 1)
    assert process.stdout.readline() == PONG % 1
    os.write(person, b"\x04")
    assert wait_for(process, 5)[1] == 0 and process.stderr.read() == b""
    os.close(person)
    print("at a terminal:", told.decode().strip())

    def shown(*arguments, **variables):
        person, program = pty.openpty()
        process = subprocess.Popen([BINARY, *arguments], stdout=program, stderr=program, stdin=subprocess.DEVNULL,
                                   env={"TERM": "xterm", **variables})
        os.close(program)
        text = b""
        try:
            while piece := os.read(person, 4096):
                text += piece
        except OSError:
            pass  # Linux says so when nobody has the other side open
        os.close(person)
        process.wait()
        return text.decode().replace("\r\n", "\n")

    tools = ["--catalog", "reservo", "tools"]
    for columns, variables in [(80, {}), (80, {"COLUMNS": "wide"}), (44, {"COLUMNS": "44"})]:
        lines = shown(*tools, **variables, NO_COLOR="1").splitlines()
        assert columns - 10 < max(map(len, lines)) <= columns, (columns, lines)
    assert shown(*tools).startswith("\x1b[1mlist_rooms\x1b[0m  "), shown(*tools)
    assert "\x1b" in shown(*tools, NO_COLOR="")
    assert "\x1b" not in shown(*tools, NO_COLOR="1") + shown(*tools, TERM="dumb") + shown("nope")
    assert shown("call", "echo", r'{"text":"a\u001b[2J\nb"}') == "a\u241b[2J\nb\n"
    fault = shown("call", "add", '{"a":' + "1" * 200 + "x}", COLUMNS="40").splitlines()
    assert len(fault[1]) <= 40 and fault[1].index("x") == fault[2].index("^"), fault
    print("at a terminal: tools, faults and results fit it")


NAMES = {"terminal": terminal, "endless": endless, "soak": soak, "starts": starts, "orphans": orphans, "never": never,
         "closed": closed, "descriptors": descriptors_gone, "threads": threads_gone, "syscalls": syscalls, "confined": confined}

if __name__ == "__main__":
    wanted = sys.argv[1:]
    if not wanted or not set(wanted) <= set(NAMES):
        sys.exit(__doc__)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for name in wanted:
        NAMES[name]()
