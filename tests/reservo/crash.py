"""Kills desks with SIGKILL at random moments while four of them book and cancel in one directory: 1,000 times.

Whatever a desk has confirmed must be on disk, what is on disk must be whole and have been asked for, and no number may
be given out twice. The seed is printed; the moments depend on the machine all the same.
"""

import json
import os
import random
import sys
import threading
import time

from desk import Desk, call, counted, id_of, read, scratch

CYCLES, DESKS, CALLS = 1000, 4, 12
seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20260728

lock = threading.Lock()
booked = {}  # id → member, as confirmed
asked = set()  # members for whom a booking was asked
cancelled = set()  # ids, as confirmed
to_cancel = set()  # ids whose cancellation was asked
cut_off = 0  # calls without an answer
pace = 0.002  # seconds of a call, as measured: the kills keep to the speed of the disk
faults = []


def cycle(data, random, label):
    global cut_off, pace
    calls = []
    for n in range(CALLS):
        with lock:
            known = list(booked)[-40:]
        if known and random.random() < 0.4:
            calls.append(("cancel_booking", {"id": random.choice(known)}))
        else:
            member = f"{label}-{n}"
            calls.append(("book_room", {"room": "Studio", "tier": "basic", "hours": 1 + n, "member": member}))
    with lock:
        asked.update(arguments["member"] for tool, arguments in calls if tool == "book_room")
        to_cancel.update(arguments["id"] for tool, arguments in calls if tool == "cancel_booking")
    with Desk(data) as desk:
        # Every start serves, whatever the last kill has left behind.
        text, is_error = desk.call("get_quote", {"room": "Focus", "tier": "pro", "hours": 1})
        assert not is_error, text
        told = [call(tool, arguments, n) for n, (tool, arguments) in enumerate(calls)]
        lines = []
        if random.random() < 0.5:
            # All at once: the kill comes somewhere in the work, and takes the answers that were not yet sent along.
            desk.tell(*told)
            time.sleep(random.random() * CALLS * pace)
        else:
            # One by one: some are confirmed, and the kill comes somewhere in the next.
            confirmed = random.randrange(CALLS)
            for line in told[:confirmed]:
                start = time.perf_counter()
                desk.tell(line)
                lines.append(desk.process.stdout.readline().decode())
                pace = 0.9 * pace + 0.1 * (time.perf_counter() - start)
            desk.tell(told[confirmed])
            time.sleep(random.random() * pace)
            calls = calls[: confirmed + 1]
        desk.kill()
        # The last piece is empty, or a line that the kill has cut: not confirmed.
        lines += desk.process.stdout.read().decode().split("\n")[:-1]
    for line in lines:
        answer = json.loads(line)
        tool, arguments = calls[answer["id"]]
        text, is_error = read(answer["result"])
        with lock:
            if tool == "book_room":
                id = id_of((text, is_error))
                assert id not in booked, f"{id} was confirmed twice"
                booked[id] = arguments["member"]
            elif is_error:
                assert "ya estaba cancelada" in text, text
            else:
                assert arguments["id"] not in cancelled, f"{arguments['id']} was cancelled twice"
                cancelled.add(arguments["id"])
    with lock:
        cut_off += len(calls) - len(lines)


def work(data, worker):
    try:
        for n in range(CYCLES // DESKS):
            cycle(data, random.Random(f"{seed}-{worker}-{n}"), f"{worker}-{n}")
    except BaseException as fault:
        faults.append(fault)
        raise


with scratch() as data:
    workers = [threading.Thread(target=work, args=(data, worker)) for worker in range(DESKS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not faults, faults

    kept, gone, temporary = {}, set(), 0
    for name in os.listdir(data):
        if name.startswith("."):
            temporary += 1
            continue
        text = open(os.path.join(data, name), encoding="utf-8").read()
        record = json.loads(text)
        assert text.endswith("\n"), name
        id, end = name.split(".")
        if end == "json":
            kept[int(id)] = record["member"]
            assert record["total_cents"] == 2500 * record["hours"], record
        else:
            assert (end, record) == ("cancelled", {"status": "cancelled"}), name
            gone.add(int(id))
    wrong = {id: member for id, member in booked.items() if kept.get(id) != member}
    assert not wrong, f"confirmed, but not on disk: {wrong}"
    assert cancelled <= gone, f"cancelled, but not on disk: {cancelled - gone}"
    assert gone <= to_cancel, f"nobody cancelled {gone - to_cancel}"
    assert set(kept.values()) <= asked, "a booking that nobody asked for"
    assert len(set(kept.values())) == len(kept), "one call, two bookings"
    # The kills came while the desks were at work, or this has shown nothing.
    assert cut_off > CYCLES / 2 and len(booked) > CYCLES / 2, (cut_off, len(booked))

    with Desk(data) as desk:
        next_id = id_of(desk.book())
        assert next_id == max(kept) + 1, (next_id, max(kept))
        desk.close()
    standing, _ = counted(data)
    assert standing == set(kept) - gone | {next_id}
print(
    f"seed {seed}: {CYCLES} kills; {len(booked)} bookings and {len(cancelled)} cancellations confirmed, all on disk;"
    f" {cut_off} calls cut off, of which {len(kept) - len(booked)} had booked and {len(gone) - len(cancelled)} had cancelled;"
    f" {temporary} temporary files left, none counted"
)
