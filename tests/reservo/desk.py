"""A desk as a process that is asked line by line. The scripts beside this file share it; standard library only."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("BAREWIRE", str(ROOT / "target/release/barewire"))
ANA = {"room": "Focus", "tier": "pro", "hours": 2, "member": "Ana"}


class Desk:
    def __init__(self, data, before=(), program=PROGRAM, **popen):
        command = [*before, program, "--catalog", "reservo", "--data", data]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **popen)
        self.pid = self.process.pid

    def tell(self, *lines):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def hear(self):
        """The next line: a result, or a fault that ends the test."""
        line = self.process.stdout.readline()
        assert line, "the server is gone"
        return json.loads(line)["result"]

    def ask(self, *line):
        self.tell(*line)
        return self.hear()

    def call(self, tool, arguments):
        return read(self.ask(call(tool, arguments)))

    def book(self):
        return self.call("book_room", ANA)

    def cancel(self, id):
        return self.call("cancel_booking", {"id": id})

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(5) == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


def call(tool, arguments, id=1):
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def read(result):
    """The text of a result, and whether it says that it failed."""
    return result["content"][0]["text"], result["isError"]


def id_of(answer):
    text, is_error = answer
    assert not is_error, text
    return json.loads(text)["id"]


def refused(answer, *parts):
    text, is_error = answer
    assert is_error, text
    for part in parts:
        assert part in text, (part, text)


def counted(data):
    """The numbers of the bookings that stand and of those that were cancelled."""
    names = os.listdir(data)
    of = lambda end: {int(name.removesuffix(end)) for name in names if name.endswith(end) and not name.startswith(".")}
    return of(".json") - of(".cancelled"), of(".cancelled")


def scratch():
    return tempfile.TemporaryDirectory(prefix="barewire-reservo-")


def need(program, package):
    """A program that the machine may lack: installed, or the script fails."""
    if shutil.which(program) is None:
        subprocess.run(["apt-get", "install", "-y", "-qq", package], check=True, stdout=sys.stderr)
