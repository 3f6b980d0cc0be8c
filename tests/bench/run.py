#!/usr/bin/env python3
"""What barewire must reach, measured against its peers in one run: ratios of candidates that are interleaved, or counts.

    run.py [quick] [PART...]    the parts: build, servers, json, product (default: all of them)

`build` lays the peers out in BAREWIRE_CACHE and builds them, which takes minutes and the network, once. `servers` drives
whole servers, `json` the library alone, `product` measures allocations, the binary and its build. `quick` takes fewer
rounds and candidates, to steer by: about three minutes. The tables are Markdown, on stdout; progress is on stderr. A
bar that is missed is a line of the table; what could not be measured is an error.
"""
import hashlib, json, os, re, resource, shutil, statistics, subprocess, sys, tempfile, time
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


if __name__ == "__main__":
    build()
