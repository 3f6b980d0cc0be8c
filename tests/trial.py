#!/usr/bin/env python3
"""A new user's first minute: clone, then paste what "Run it" in the README says, and see what it says.

In a home of its own, without network (as root: in a network namespace of its own), with nothing on PATH but the compiler, its
linker and a shell. Prints the seconds from the start of the clone to the first answer, and fails if they are over a minute.
"""
import os, re, shutil, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_SECONDS = 60


def tools(folder):
    """A folder with cargo, and what cargo calls."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    os.mkdir(folder)
    for name in ("cargo", "rustc"):
        os.symlink(os.path.join(sysroot, "bin", name), os.path.join(folder, name))
    for name in ("cc", "ld", "as", "sh"):
        os.symlink(shutil.which(name), os.path.join(folder, name))
    return folder


def blocks(readme):
    """The fenced blocks of "Run it": language and lines."""
    section = re.search(r"\n## Run it\n(.*?)\n## ", readme, re.S).group(1)
    return [(language, text) for language, text in re.findall(r"\n```(\w+)\n(.*?)\n```", section, re.S)]


def command_and_output(text):
    """A console block with one command: what is typed, and what it prints."""
    typed = re.match(r"\$ ((?:.*\\\n)*.*)\n?", text)
    return typed.group(1).replace("\\\n  ", "\\\n"), text[typed.end():]


def main():
    with tempfile.TemporaryDirectory() as work:
        clone, home = os.path.join(work, "barewire"), os.path.join(work, "home")
        os.mkdir(home)
        environment = {"PATH": tools(os.path.join(work, "bin")), "HOME": home}
        wall = [shutil.which("unshare"), "--net"] if os.geteuid() == 0 else []
        start = time.monotonic()
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True, timeout=60)
        cloned = time.monotonic()
        with open(os.path.join(clone, "README.md"), encoding="utf-8") as file:
            (_, build), (_, printed), (_, session) = blocks(file.read())
        for text, output in ((build, printed), (session, None)):
            command, expected = command_and_output(text)
            shell = [*wall, os.path.join(environment["PATH"], "sh"), "-c", "exec 2>&1\n" + command]
            done = subprocess.run(shell, cwd=clone, env=environment, capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, (command, done.stdout)
            if output is not None:
                built = time.monotonic()
                pattern = re.escape(output).replace(re.escape("/path/to/barewire"), re.escape(clone))
                pattern = re.sub(r"[0-9]+\\\.[0-9]+s$", r"[0-9m .]+s", pattern)
                assert re.fullmatch(pattern, done.stdout.strip("\n")), (output, done.stdout)
            else:
                assert done.stdout.splitlines() == expected.splitlines(), (expected, done.stdout)
        end = time.monotonic()
        assert os.listdir(home) in ([], [".cargo"]), os.listdir(home)
        print(f"from clone to answers {end - start:.1f} s: clone {cloned - start:.1f}, build {built - cloned:.1f}, session {end - built:.2f}")
        assert end - start <= MOST_SECONDS, f"more than {MOST_SECONDS} s"


if __name__ == "__main__":
    sys.exit(main())
