"""A desk in a directory of 1,000,000 bookings: what does not grow with them, as ratios measured in this run."""

import itertools
import os
import statistics
import time

from desk import Desk, id_of, scratch

MANY, FEW = 1_000_000, 1_000
# Under the number of names that a file may have: 65,000 on ext4.
NAMES_OF_A_FILE = 50_000
RATIO_MAX = 3


def fill(data, count):
    for id in range(1, count + 1):
        path = os.path.join(data, f"{id}.json")
        if id % NAMES_OF_A_FILE == 1:
            first = path
            with open(first, "w") as file:
                file.write('{"room":"Focus","tier":"pro","hours":2,"member":"Ana","total_cents":2400}\n')
        else:
            os.link(first, path)


def seconds(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def start_and_list(data):
    with Desk(data) as desk:
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
        desk.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        listed = desk.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert len(listed["tools"]) == 4


def medians(few, many, times):
    """Of each work, measured in turn so that both meet the same machine."""
    took = [], []
    for _ in range(times):
        for work, into in zip((few, many), took):
            into.append(seconds(work)[0])
    return [statistics.median(it) for it in took]


def report(what, few, many, names):
    ratio = many / few
    print(f"{what}: {few * 1e3:.3f} ms with {names[0]}, {many * 1e3:.3f} ms with {names[1]}: ratio {ratio:.2f}")
    assert ratio < RATIO_MAX, what


with scratch() as none, scratch() as some, scratch() as full:
    fill(some, FEW)
    took, _ = seconds(lambda: fill(full, MANY))
    print(f"{MANY:,} bookings laid out in {took:.1f} s")
    few, many = medians(lambda: start_and_list(none), lambda: start_and_list(full), 101)
    report("start, initialize, tools/list", few, many, ("none", f"{MANY:,}"))
    with Desk(some) as few_desk, Desk(full) as many_desk:
        # The one look at the whole directory.
        few, id = seconds(lambda: id_of(few_desk.book()))
        assert id == FEW + 1
        many, id = seconds(lambda: id_of(many_desk.book()))
        assert id == MANY + 1
        print(f"first booking of a process: {few * 1e3:.3f} ms with {FEW:,}, {many * 1e3:.3f} ms with {MANY:,}")
        few, many = medians(few_desk.book, many_desk.book, 301)
        report("later booking", few, many, (f"{FEW:,}", f"{MANY:,}"))
        ids = {desk: itertools.count(1) for desk in (few_desk, many_desk)}
        cancel = lambda desk: lambda: id_of(desk.cancel(next(ids[desk])))
        few, many = medians(cancel(few_desk), cancel(many_desk), 301)
        report("cancellation", few, many, (f"{FEW:,}", f"{MANY:,}"))
