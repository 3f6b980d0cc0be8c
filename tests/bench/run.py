#!/usr/bin/env python3
"""What barewire must reach, measured against its peers in one run: ratios of candidates that are interleaved, or counts.

    run.py [quick] [PART...]    the parts: build, servers, json, product (default: all of them)

`build` lays the peers out in BAREWIRE_CACHE and builds them, which takes minutes and the network, once. `servers` drives
whole servers, `json` the library alone, `product` measures allocations, the binary and its build. `quick` takes fewer
rounds and candidates, to steer by: about three minutes. The tables are Markdown, on stdout; progress is on stderr. A
bar that is missed is a line of the table; what could not be measured is an error.
"""
import hashlib, json, os, re, resource, shutil, statistics, subprocess, sys, tempfile, threading, time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SHARED = Path(os.environ.get("BAREWIRE_SHARED") or ROOT.parent / "shared").resolve() / "bench"
HOME = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
BENCH = Path(os.environ.get("BAREWIRE_CACHE") or HOME / "barewire") / "bench"
SERVERS, JSON = BENCH / "servers", BENCH / "json"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").absolute()
BINARY = TARGET / "release/barewire"

PARTS = ["build", "servers", "json", "product"]
PEERS = ["floor", "serde-typed", "serde-json", "rmcp", "hand-written", "sdk-v1", "server-v2", "mcp"]
CORE = str(max(os.sched_getaffinity(0)))


def run(*command, seconds, **options):
    """Runs a command that must succeed; its lines go to stderr, unless they are asked for with `stdout`."""
    say(" ".join(str(word) for word in command))
    options.setdefault("stdout", sys.stderr)
    return subprocess.run([str(word) for word in command], check=True, timeout=seconds, **options)


def output(*command, seconds, **options):
    return run(*command, seconds=seconds, stdout=subprocess.PIPE, text=True, **options).stdout


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


# --- build: the peers and this crate, as programs


def build():
    lay_out_servers()
    lay_out_json()


def lay_out_servers():
    """By the set-up of the peers themselves, unless they are there and it has not changed."""
    source, mark = SHARED / "servers", SERVERS / "ready"
    files = sorted(path for path in source.rglob("*") if path.is_file())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files) + " ".join(PEERS).encode()).hexdigest()
    if not (mark.exists() and mark.read_text() == digest):
        plain = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"}
        run("nice", "bash", source / "setup.sh", SERVERS, *PEERS, seconds=3600, env=plain)
        mark.write_text(digest)
    build_barewire()
    rows = (source / "servers.tsv").read_text()
    write(SERVERS / "servers.tsv", f"{rows}barewire\t-\t{BINARY}\n")


def build_barewire():
    run("nice", "cargo", "build", "--release", "--quiet", seconds=600, cwd=ROOT, env={**os.environ, "CARGO_TARGET_DIR": str(TARGET)})


def write(path, text):
    """Writes a file unless that is what is in it, so that cargo does not build it again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def lay_out_json():
    """A copy of the harness with barewire as one more peer."""
    if not (BENCH / "data/canada.json").exists():
        shutil.copytree(SHARED / "data", BENCH / "data", dirs_exist_ok=True, copy_function=shutil.copyfile)
        run("chmod", "-R", "u+w", BENCH / "data", seconds=60)
    # Where barewire goes in: a file, a text of it that stands there once, and what stands there instead.
    rows = [
        ("Cargo.toml", "[dependencies]\n", f'[dependencies]\nbarewire = {{ path = "{ROOT}" }}\n'),
        ("src/main.rs", "mod adapter;\n", "mod adapter;\nmod bars;\n"),
        ("src/main.rs", '        "docs" =>', '        "bars" => bars::run(arg(1).parse().unwrap_or(25)),\n        "docs" =>'),
        ("src/peers/mod.rs", "mod actson;\n", "mod actson;\npub mod barewire;\n"),
        ("src/peers/mod.rs", "    vec![\n", "    vec![\n        &barewire::Barewire,\n"),
        ("src/floats.rs", '        ("ryu-js",', '        ("barewire", true, ::barewire::json::format_number),\n        ("ryu-js",'),
        (
            "src/floats.rs",
            '        ("fast-float2",',
            '        ("barewire", |b| ::barewire::json::parse(b).unwrap().root().unwrap().as_number().unwrap().to_f64()),\n        ("fast-float2",',
        ),
    ]
    texts = {path.relative_to(SHARED / "json"): path.read_text() for path in (SHARED / "json").rglob("*") if path.is_file()}
    for name, old, new in rows:
        assert texts[Path(name)].count(old) == 1, (name, old)
        texts[Path(name)] = texts[Path(name)].replace(old, new)
    texts[Path("src/peers/barewire.rs")] = (HERE / "json/barewire.rs").read_text()
    texts[Path("src/bars.rs")] = (HERE / "json/bars.rs").read_text()
    for name, text in texts.items():
        write(JSON / name, text)
    run("nice", "cargo", "build", "--release", "--quiet", seconds=1800, cwd=JSON, env={**os.environ, "CARGO_TARGET_DIR": str(JSON / "target")})



# --- the tables


class Table:
    """Rows of a question, its bar, what was measured, and whether that is enough."""

    def __init__(self):
        self.rows = []

    def row(self, question, bar, measured, is_met):
        self.rows.append((question, bar, measured, {True: "pass", False: "MISS", None: ""}[is_met]))

    def at_most(self, question, most, value, text, of=""):
        self.row(question, f"<= {most:g}{of}", text, value <= most)

    def at_least(self, question, least, value, text, of=""):
        self.row(question, f">= {least:g}{of}", text, value >= least)

    def print(self):
        print_rows(["question", "bar", "measured", ""], self.rows)


def print_rows(head, rows):
    print()
    for cells in [head, ["---"] * len(head), *rows]:
        print("| " + " | ".join(cells) + " |")
    sys.stdout.flush()


def machine():
    model = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    cores = len(os.sched_getaffinity(0))
    rustc = output("rustc", "--version", seconds=60).split(" (")[0]
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return f"{model}, {cores} cores, {time.strftime('%Y-%m-%d')}, {rustc}; load before the run {load}"


# --- servers: whole programs, by the driver of the peers


class Records:
    """What the driver wrote for one question. A record that says something was answered wrongly is an error."""

    def __init__(self, name, servers, pinned=False, **keys):
        out = SERVERS / f"results/{name}.jsonl"
        out.unlink(missing_ok=True)
        keys = [f"only={','.join(servers)}", *(f"{key}={value}" for key, value in keys.items())]
        pin = ["taskset", "-c", CORE] if pinned else []
        driver = SERVERS / "driver/target/release/mcp-driver"
        run(*pin, driver, "run", SERVERS / "servers.tsv", out, *keys, seconds=1800, stdout=subprocess.DEVNULL)
        self.all = [json.loads(line) for line in out.read_text().splitlines()]
        for record in self.all:
            is_right = not record.get("bad") and not record.get("wrong") and record.get("outcome", "ok") == "ok"
            assert is_right and record["metric"] != "failed", record
        assert {record["server"] for record in self.all} == set(servers), (servers, self.all)

    def of(self, server, metric, key):
        """The figure of each round, in the order of the rounds."""
        found = [record for record in self.all if record["server"] == server and record["metric"] == metric]
        return [record[key] for record in sorted(found, key=lambda it: it["round"])]

    def median(self, server, metric, key):
        return statistics.median(self.of(server, metric, key))

    def ratio(self, metric, key, base, best=min, scale=1, unit=""):
        """Of barewire to `base`: the median over the rounds, and as a text with the figures behind it, which `scale` makes `unit`."""
        ours, theirs = self.of("barewire", metric, key), self.of(base, metric, key)
        assert len(ours) == len(theirs) > 0, (metric, key, base)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        a, b = (short(statistics.median(figures) * scale) for figures in (ours, theirs))
        return ratio, f"{ratio:.3g} (best {best(ours) / best(theirs):.3g}; {a} : {b}{unit})"

    def others(self):
        return statistics.median(record["others"] for record in self.all)


def short(value):
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    if value >= 1e4:
        return f"{value / 1e3:.0f} k"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


FLOOR, TYPED, RMCP = "floor-line", "serde_json-typed", "rmcp-pipes"
# As they are called in the table for the README, and where the version for the gap in the name stands.
COMPARED = {
    "barewire": ("barewire {}", ROOT / "Cargo.toml", r'\nversion = "(.*?)"'),
    TYPED: ("serde_json {}, by hand, typed", SERVERS / "rust/serde-typed/Cargo.lock", r'"serde_json"\nversion = "(.*?)"'),
    "serde_json": ("serde_json {}, by hand, `Value`", SERVERS / "rust/serde-json/Cargo.lock", r'"serde_json"\nversion = "(.*?)"'),
    RMCP: ("rmcp {}, over pipes", SERVERS / "rust/rmcp/Cargo.lock", r'"rmcp"\nversion = "(.*?)"'),
    "ts-sdk-v1": ("TypeScript SDK {}", SERVERS / "node/sdk-v1/package.json", r'/sdk":"(.*?)"'),
    "ts-server-v2": ("TypeScript SDK {}", SERVERS / "node/server-v2/package.json", r'/server":"(.*?)"'),
    "node-hand-written": ("Node, by hand", None, None),
    "py-mcp": ("Python SDK {}", SERVERS / "python/dists-mcp.txt", r"(?m)^mcp==(.*)$"),
}


def servers(quick, table):
    """Returns the share of the machine that others had, and the rows of the table for the README."""
    rounds, quiet = (3, 0) if quick else (5, 1)
    compared = [] if quick else [name for name in COMPARED if name not in ("barewire", TYPED, RMCP)]
    few = {"rounds": rounds, "quiet": quiet}

    calls = Records("call", [FLOOR, TYPED, RMCP, *compared, "barewire"], modes="call", seconds=0.5 if quick else 2, **few)
    metric = "throughput_call"
    ratio, text = calls.ratio(metric, "cpu_s_per_100k", TYPED, scale=10, unit=" µs")
    table.at_most("pipelined `add`, CPU per call", 0.5, ratio, text, f" x {TYPED}")
    ratio, text = calls.ratio(metric, "cpu_s_per_100k", FLOOR, scale=10, unit=" µs")
    table.row("", f"below {FLOOR}", text, ratio < 1)
    ratio, text = calls.ratio(metric, "rps", TYPED, max)
    table.at_least("pipelined `add`, calls a second", 1.8, ratio, text, f" x {TYPED}")
    ratio, text = calls.ratio(metric, "rps", RMCP, max)
    table.at_least("", 25, ratio, text, f" x {RMCP}")

    instructions = callgrind(["barewire"] if quick else ["barewire", FLOOR, TYPED, "serde_json", RMCP])
    add, tools = instructions["barewire"]
    table.at_most("instructions, `add`", 2500, add, f"{add:,}")
    table.at_most("instructions, `tools/list`", 900, tools, f"{tools:,}")

    lone = Records("latency", [FLOOR, TYPED, RMCP, *compared, "barewire"], pinned=True, modes="latency", calls=5000, **few)
    ratio, text = lone.ratio("latency", "p50_us", FLOOR, unit=" µs")
    table.at_most("lone round trip on one core, p50", 1.10, ratio, text, f" x {FLOOR}")
    ratio, text = lone.ratio("latency", "cpu_us_per_call", FLOOR, unit=" µs")
    table.at_most("lone round trip on one core, CPU", 1.25, ratio, text, f" x {FLOOR}")

    start = Records("startup", [FLOOR, "barewire"], modes="startup", spawns=30 if quick else 200, quiet=0)
    ratio, text = start.ratio("startup", "ms", FLOOR, unit=" ms")
    table.at_most("start to `initialize` answered", 1.15, ratio, text, f" x {FLOOR}")

    memory(quick, table)
    large(table, few)
    busy = statistics.median(records.others() for records in (calls, lone))
    return busy, [] if quick else readme(calls, lone, instructions, compared)


def memory(quick, table):
    idle = Records("memory", [FLOOR, "barewire"], modes="memory", memory_calls=1000)
    floor, ours = (idle.median(name, "memory", "idle_rss_kib") for name in (FLOOR, "barewire"))
    table.row("idle resident memory", f"<= {FLOOR} + 512 KiB", f"{ours - floor:+.0f} KiB ({ours:.0f} : {floor:.0f})", ours <= floor + 512)
    count = 1_000_000 if quick else 10_000_000
    first, warm, last = after_calls(count)
    text = f"{last - warm:+} KiB (idle {first}, after 10,000 calls {warm}, at the end {last})"
    table.row(f"resident memory after {count:,} calls", "not a page more than after 10,000", text, last <= warm)


def large(table, few):
    echo = Records("large", [TYPED, "barewire"], modes="large", sizes="1,7", **few)
    for size in (1, 7):
        for kind, name in [("ascii", "plain"), ("escapes", "escapes")]:
            metric = f"echo_{kind}_{size}"
            ratio, text = echo.ratio(metric, "mb_per_s", TYPED, max)
            table.at_least(f"echo of {size} MiB, {name}, MB/s", 2, ratio, text, f" x {TYPED}")
            peak, bytes_ = (echo.median("barewire", metric, key) for key in ("peak_mib", "bytes"))
            times = peak * 2**20 / bytes_
            table.at_most(f"echo of {size} MiB, {name}, peak memory", 3, times, f"{times:.2f} ({peak:.1f} MiB)", " x the message")


def after_calls(count):
    """Resident KiB after one call, 10,000 and `count` of `add`, by 400 at once, which fit in the pipe both ways."""
    process = subprocess.Popen([BINARY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    watchdog = threading.Timer(300, process.kill)
    watchdog.start()
    try:
        line = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"a":%d,"b":0.5}}}\n'
        answer = '{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%d.5"}],"isError":false}}\n'
        numbers = range(1, 401)
        lines, answers = ("".join(text % (n, n) for n in numbers).encode() for text in (line, answer))

        def ask(request, expected):
            process.stdin.write(request)
            got = b""
            while len(got) < len(expected):
                piece = process.stdout.read(1 << 16)
                assert piece, "it ended"
                got += piece
            assert got == expected, got[:200]

        def resident():
            text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
            return int(re.search(r"(?m)^Rss: +(\d+) kB", text)[1])

        ask(*((text % (1, 1)).encode() for text in (line, answer)))
        found = [resident()]
        for rounds in (10_000 // 400, (count - 10_000) // 400):
            for _ in range(rounds):
                ask(lines, answers)
            found.append(resident())
        process.stdin.close()
        assert process.wait(timeout=10) == 0
        return found
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()


def callgrind(names):
    """Instructions of `add` and `tools/list`, by server."""
    out = SERVERS / "results/callgrind.jsonl"
    out.unlink(missing_ok=True)
    run("bash", SERVERS / "callgrind.sh", *names, seconds=900)
    found = {name: {} for name in names}
    for record in map(json.loads, out.read_text().splitlines()):
        assert record["answers"] == 10_001, record
        found[record["server"]][record["metric"]] = record["instructions_per_call"]
    return {name: (it["callgrind_call"], it["callgrind_list"]) for name, it in found.items()}


def readme(calls, lone, instructions, compared):
    names = ["barewire", TYPED, RMCP, *compared]
    names.sort(key=list(COMPARED).index)
    start = Records("startup-all", names, modes="startup", spawns=15, quiet=0)
    idle = Records("memory-all", names, modes="memory", memory_calls=1000)
    rows = []
    for name in names:
        title, file, pattern = COMPARED[name]
        version = re.search(pattern, file.read_text())[1] if file else ""
        cpu = calls.median(name, "throughput_call", "cpu_s_per_100k") * 10
        figures = [
            short(calls.median(name, "throughput_call", "rps")),
            short(cpu),
            short(lone.median(name, "latency", "p50_us")),
            short(start.median(name, "startup", "ms")),
            f"{idle.median(name, 'memory', 'idle_rss_kib') / 1024:.1f}",
            f"{instructions[name][0]:,}" if name in instructions else "",
        ]
        rows.append((title.format(version), *figures))
    return rows


# --- json: the library


def library(quick, table):
    """One line a candidate from the harness: question, candidate, median ns, best ns."""
    text = output(JSON / "target/release/peerbench", "bars", 7 if quick else 25, seconds=900)
    found = {}
    for line in text.splitlines():
        question, candidate, median, best = line.split("\t")
        found[question, candidate] = float(median), float(best)

    def ratio(question, candidate, base):
        """How much of the time of `base` the candidate takes."""
        (a, a_best), (b, b_best) = found[question, candidate], found[question, base]
        return a / b, f"{a / b:.3g} (best {a_best / b_best:.3g}; {duration(a)} : {duration(b)})"

    def times(question, candidate, base):
        """How many times as fast as `base` the candidate is."""
        (a, a_best), (b, b_best) = found[question, candidate], found[question, base]
        return b / a, f"{b / a:.3g} (best {b_best / a_best:.3g}; {duration(a)} : {duration(b)})"

    ours, pieces = "barewire", "barewire, 64-byte pieces"
    table.at_most("a `tools/call` line to a `Document`, time", 0.35, *ratio("read line", ours, "serde_json"), " x serde_json `Value`")
    table.at_most("", 0.9, *ratio("read line", ours, "sonic-rs"), " x sonic-rs")
    for document, least in [("twitter", 3), ("citm_catalog", 3), ("canada", 2)]:
        table.at_least(f"{document} to a `Document`, speed", least, *times(f"read {document}", ours, "serde_json"), " x serde_json `Value`")
        table.row("", "(beside)", times(f"read {document}", ours, "sonic-rs")[1] + " x sonic-rs", None)
    for document in ("twitter", "citm_catalog", "canada"):
        table.at_least(f"{document} in 64-byte pieces, speed", 0.35, *times(f"read {document}", pieces, ours), " x whole")
    for document in ("twitter", "citm_catalog", "canada", "line"):
        table.at_least(f"`Writer`, {document}, speed", 1, *times(f"write {document}", ours, "serde_json"), " x serde_json")
        table.row("", "(beside)", times(f"write {document}", "barewire, by calls", "serde_json")[1] + " numbers from `f64`", None)
    for values in ("random bits", "n/100", "small ints"):
        table.at_most(f"`f64` to text, {values}, time", 1.1, *ratio(f"number {values}", ours, "ryu-js"), " x ryu-js")


def duration(ns):
    return f"{ns / 1e6:.2f} ms" if ns >= 1e6 else f"{ns / 1e3:.1f} µs" if ns >= 1e4 else f"{ns:.0f} ns" if ns >= 100 else f"{ns:.1f} ns"


# --- product: allocations, the binary, its build


def product(quick, table):
    target = BENCH / "target-allocations"
    build = ["cargo", "build", "--offline", "--quiet", "--manifest-path", HERE / "allocations/Cargo.toml"]
    run("nice", *build, seconds=600, env={**os.environ, "CARGO_TARGET_DIR": str(target)})
    counted = subprocess.run([target / "debug/allocations"], stdout=subprocess.PIPE, text=True, timeout=300)
    rows = [line.split("\t") for line in counted.stdout.splitlines()]
    assert len(rows) == 16, counted
    bad = [f"{name}: {int(count) / 1000:g}" for count, name in rows if count != "0"]
    table.row("allocations a call, steady state", "0", "; ".join(bad) or f"0 of {len(rows)} kinds of call", not bad)

    if quick:
        size = BINARY.stat().st_size
    else:
        with tempfile.TemporaryDirectory(dir=BENCH) as clean:
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            run("cargo", "build", "--release", "--quiet", "--offline", seconds=600, cwd=ROOT, env={**os.environ, "CARGO_TARGET_DIR": clean})
            wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            size = (Path(clean) / "release/barewire").stat().st_size
        table.at_most("clean release build", 20, wall, f"{wall:.1f} s ({cpu:.1f} s of CPU)", " s")
    table.at_most("binary, stripped", 500, size / 1000, f"{size / 1000:.0f} kB", " kB")


def main():
    words = sys.argv[1:]
    quick = "quick" in words
    parts = [word for word in words if word != "quick"] or PARTS
    assert set(parts) <= set(PARTS), f"not a part: {parts}; there are {PARTS}"
    began, about, table, compared, busy = time.monotonic(), machine(), Table(), [], None
    build()
    if "servers" in parts:
        busy, compared = servers(quick, table)
    if "json" in parts:
        library(quick, table)
    if "product" in parts:
        product(quick, table)
    print(about)
    if busy is not None:
        print(f"Others had {busy:.0%} of the machine meanwhile.")
    if table.rows:
        table.print()
        missed = sum(row[3] == "MISS" for row in table.rows)
        print(f"\n{missed} missed, in {time.monotonic() - began:.0f} s")
    if compared:
        head = ["server", "calls a second", "CPU µs a call", "lone round trip µs", "start ms", "idle MiB", "instructions a call"]
        print_rows(head, compared)


if __name__ == "__main__":
    main()
