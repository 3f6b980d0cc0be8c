#!/usr/bin/env python3
"""What the README says of the built program under "measured": the release build must not exceed it. Linux x86-64; needs strace."""
import os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests/hostile"))
import run

BINARY = os.path.join(ROOT, "target/release/barewire")


def stated(name):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        found = re.findall(rf"^\| {re.escape(name)} \| ([0-9,]+) \|$", file.read(), re.M)
    assert len(found) == 1, f"README has {len(found)} rows of {name}"
    return int(found[0].replace(",", ""))


def main():
    measured = {
        "release binary, kB": os.path.getsize(BINARY) / 1000,
        "different system calls of a session": len(run.syscalls()),
    }
    for name, value in measured.items():
        most = stated(name)
        print(f"{name}: {value:g}, at most {most} by the README")
        assert value <= most, f"{name}: {value:g} is more than README's {most}"


if __name__ == "__main__":
    main()
