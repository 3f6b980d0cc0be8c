"""What a desk asks of the system, in order, before it confirms: write, fsync, link, fsync of the directory. By strace."""

import os
import re

from desk import Desk, id_of, need, scratch

need("strace", "strace")
with scratch() as data, scratch() as notes:
    trace = os.path.join(notes, "trace")
    calls = "trace=openat,write,fsync,fdatasync,link,linkat,unlink,rename,renameat,renameat2"
    with Desk(data, before=("strace", "-f", "-y", "-s", "4096", "-e", calls, "-o", trace)) as desk:
        desk.call("list_rooms", {})
        for id in (1, 2):
            assert id_of(desk.book()) == id
        assert id_of(desk.cancel(1)) == 1
        desk.close()
    lines = open(trace).read().splitlines()

place = re.escape(os.path.realpath(data))
steps = {
    "write": rf"write\(\d+<{place}/\.\S+\.tmp>.* = \d+$",
    "fsync": rf"f(data)?sync\(\d+<{place}/\.\S+\.tmp>\) += 0$",
    "link": rf'link(at)?\(.*"{place}/(\d+\.\w+)".* = 0$',
    "fsync of the directory": rf"fsync\(\d+<{place}>\) += 0$",
    "answer": r"write\(\d+<pipe:.*jsonrpc.* = \d+$",
}
seen = []
for line in lines:
    for step, pattern in steps.items():
        if found := re.search(pattern, line):
            seen.append((step, found[2] if step == "link" else None))
names = [name for step, name in seen if step == "link"]
assert names == ["1.json", "2.json", "1.cancelled"], (names, lines)
order = [step for step, _ in seen]
assert order == ["answer", *3 * list(steps)], (order, lines)
assert not [line for line in lines if "rename" in line]
print("; ".join(f"{name}: {' → '.join(steps)}" for name in names))
