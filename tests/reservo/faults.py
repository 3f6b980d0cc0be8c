"""What a disk does to a desk: it is full, read-only, not allowed, dying. Needs root, for the mounts.

Each fault must come back as a call that failed and says where and why; nothing may count that was not confirmed; and
the same desk must serve again when the fault is gone.
"""

import os
import pathlib
import re
import shutil
import subprocess

from desk import PROGRAM, Desk, counted, id_of, need, refused, scratch

NOBODY = 65534
BOOKED, CANCELLED = "No se reservó nada", "No se canceló nada"
assert os.geteuid() == 0, "mounts need root"


def still_lists(desk):
    listed = desk.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert len(listed["tools"]) == 4
    for tool, arguments in (("list_rooms", {}), ("get_quote", {"room": "Focus", "tier": "pro", "hours": 1})):
        text, is_error = desk.call(tool, arguments)
        assert not is_error, text


def during(desk, data, reason, cancels=CANCELLED):
    """Booking 1 stands: neither a booking nor its cancellation goes through while the fault lasts."""
    before = sorted(os.listdir(data)) if os.access(data, os.R_OK) else None
    for _ in range(3):
        refused(desk.book(), BOOKED, str(data), reason)
        refused(desk.cancel(1), cancels, str(data), reason)
    still_lists(desk)
    assert before == (sorted(os.listdir(data)) if before is not None else None)
    with Desk(data) as other:
        # A later start is no wiser, and no less useful.
        refused(other.book(), BOOKED, str(data), reason)
        still_lists(other)


def after(desk, data):
    assert id_of(desk.book()) == 2
    assert id_of(desk.cancel(1)) == 1
    assert counted(data) == ({2}, {1})
    assert not [name for name in os.listdir(data) if name.startswith(".")]


class Mount:
    def __init__(self, path, options):
        self.path = path
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.path], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.path], check=True)


def full_disk(path):
    with Mount(path, "size=256k"), Desk(path) as desk:
        assert id_of(desk.book()) == 1
        filler = pathlib.Path(path, "filler")
        with open(filler, "wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError as full:
                assert full.strerror == "No space left on device"
        during(desk, path, "No space left on device")
        filler.unlink()
        after(desk, path)


def no_more_files(path):
    with Mount(path, "size=1m,nr_inodes=20"), Desk(path) as desk:
        assert id_of(desk.book()) == 1
        fillers = [pathlib.Path(path, f"filler-{n}") for n in range(30)]
        try:
            for filler in fillers:
                filler.touch()
        except OSError as full:
            assert full.strerror == "No space left on device"
        during(desk, path, "No space left on device")
        for filler in fillers:
            filler.unlink(missing_ok=True)
        after(desk, path)


def read_only(path):
    with Mount(path, "size=256k") as mount, Desk(path) as desk:
        assert id_of(desk.book()) == 1
        mount.remount("ro")
        during(desk, path, "Read-only file system")
        mount.remount("rw")
        after(desk, path)


def not_allowed(path):
    """The desk runs as nobody, and what nobody may do changes under it."""
    os.chmod(path, 0o755)
    program = os.path.join(path, "barewire")
    shutil.copy(PROGRAM, program)
    data = os.path.join(path, "data")
    os.mkdir(data)
    os.chown(data, NOBODY, NOBODY)
    as_nobody = {"program": program, "user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
    with Desk(data, **as_nobody) as desk:
        assert id_of(desk.book()) == 1
        for mode in (0o555, 0o444, 0o000):
            os.chmod(data, mode)
            for _ in range(3):
                refused(desk.book(), BOOKED, data, "Permission denied")
                refused(desk.cancel(1), CANCELLED, data, "Permission denied")
            still_lists(desk)
            with Desk(data, **as_nobody) as other:
                refused(other.book(), BOOKED, data, "Permission denied")
                still_lists(other)
            assert os.listdir(data) == ["1.json"]
        # May be written, but not looked at: which numbers are taken can't be known.
        os.chmod(data, 0o333)
        with Desk(data, **as_nobody) as other:
            refused(other.book(), BOOKED, data, "Permission denied")
        assert os.listdir(data) == ["1.json"]
        os.chmod(data, 0o755)
        after(desk, data)
        # A booking that may not be read is not cancelled.
        os.chmod(os.path.join(data, "2.json"), 0o000)
        refused(desk.cancel(2), CANCELLED, os.path.join(data, "2.json"), "Permission denied")
        os.chmod(os.path.join(data, "2.json"), 0o644)
        assert id_of(desk.cancel(2)) == 2


def dying(path, shim, fault, skip, count):
    """Six bookings and the cancellation of each, of which some calls meet EIO.

    Returns how many were refused, and the bookings that could not even be taken back.
    """
    data = os.path.join(path, f"{fault}-{skip}-{count}")
    os.mkdir(data)
    environment = {**os.environ, "LD_PRELOAD": shim, "FAULT": fault, "FAULT_SKIP": str(skip), "FAULT_COUNT": str(count)}
    standing, gone, unsure, left, failed = set(), set(), set(), set(), 0
    with Desk(data, env=environment) as desk:
        for _ in range(6):
            for cancels in (False, True):
                if cancels and not standing:
                    continue
                id = max(standing) if cancels else None
                answer = desk.cancel(id) if cancels else desk.book()
                text, is_error = answer
                if not is_error:
                    done = id_of(answer)
                    assert done not in gone
                    standing, gone = (standing - {done}, gone | {done}) if cancels else (standing | {done}, gone)
                elif cancels and "está cancelada, pero un corte de luz" in text:
                    # It has happened, but the disk has not promised to keep it. Asking again gets the promise.
                    refused(answer, data, "Input/output error")
                    standing, gone, unsure = standing - {id}, gone | {id}, unsure | {id}
                    failed += 1
                else:
                    refused(answer, CANCELLED if cancels else BOOKED, data, "Input/output error")
                    failed += 1
                still_standing, withdrawn = counted(data)
                if is_error and "is left, unconfirmed" in text:
                    # Neither cancelled nor removed: all that remains is to name it.
                    assert "remove" in fault
                    left.add(int(re.search(r"(\d+)\.json is left", text)[1]))
                assert still_standing == standing | left, (fault, skip, count, text, os.listdir(data))
                assert gone <= withdrawn
        if count < 100:
            # The fault has gone: the same desk books and cancels.
            booked = id_of(desk.book())
            assert id_of(desk.cancel(booked)) == booked
    with Desk(data) as desk:
        booked = id_of(desk.book())
        assert booked not in standing | gone | left
        for id in unsure:
            refused(desk.cancel(id), "ya estaba cancelada")
        assert counted(data)[0] == standing | left | {booked}
    return failed, left


for test in (full_disk, no_more_files, read_only, not_allowed):
    with scratch() as path:
        test(path)
    print(f"{test.__name__}: told with path and reason, nothing counted, served again")

need("gcc", "gcc")
with scratch() as path:
    shim = os.path.join(path, "fault.so")
    source = pathlib.Path(__file__).with_name("fault.c")
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    for fault in (
        "open",
        "write",
        "fsync-file",
        "link",
        "fsync-directory",
        "write,fsync-directory",
        "link,fsync-directory",
        "fsync-file,fsync-directory",
        "link,fsync-directory,remove",
    ):
        failed, runs, all_left = 0, 0, 0
        for skip in range(8):
            # Once; twice, so that what tidies up after the first meets the second; and for good.
            for count in (1, 2, 3, 1000):
                refusals, left = dying(path, shim, fault, skip, count)
                # A temporary file that stays is nobody's trouble.
                assert refusals > 0 or "remove" in fault, (fault, skip, count)
                failed, runs, all_left = failed + refusals, runs + 1, all_left + len(left)
        assert (all_left > 0) == ("remove" in fault), fault
        print(f"EIO at {fault}: {failed} calls refused in {runs} runs, {all_left} left behind and named")
    # What is left of a temporary name that can't be removed means nothing, and the booking is good.
    assert dying(path, shim, "remove", 0, 1000) == (0, set())
    print("EIO at remove: all confirmed")
