#!/usr/bin/env python3
"""What the README says of the built program, on Linux x86-64: its size, and how many different system calls a session makes.
The release build must not exceed either. Needs strace."""
import os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests/hostile"))
import run

BINARY = os.path.join(ROOT, "target/release/barewire")


def stated(pattern):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        found = re.findall(pattern, file.read(), re.M)
    assert len(found) == 1, f"README has {len(found)} of {pattern}"
    return float(found[0])


def main():
    used = run.syscalls()
    for name, value, most in (
        ("bytes of the release build", os.path.getsize(BINARY), 1e6 * stated(r"^\| barewire \|.*\| ([0-9.]+) MB \|$")),
        ("different system calls", len(used), stated(r"^At most ([0-9]+) different system calls in a session")),
    ):
        print(f"{name}: {value:,}, at most {most:,.0f} by the README")
        assert value <= most, f"{name}: {value:,} is more than README's {most:,.0f}"


if __name__ == "__main__":
    main()
