"""Two desks race for the next number 10,000 times, and for the cancellation of one booking 1,000 times."""

import collections

from desk import ANA, Desk, call, id_of, read, scratch

ROUNDS, CANCELLATIONS = 10_000, 1_000

with scratch() as data, Desk(data) as first, Desk(data) as second:
    ids = collections.Counter()
    won = collections.Counter()

    def both(line):
        # Told to both before either is heard.
        first.tell(line)
        second.tell(line)
        return read(first.hear()), read(second.hear())

    for _ in range(ROUNDS):
        mine, yours = (id_of(answer) for answer in both(call("book_room", ANA)))
        ids.update((mine, yours))
        won["first" if mine < yours else "second"] += 1
    assert max(ids.values()) == 1, "a number was given out twice"
    assert sorted(ids) == list(range(1, 2 * ROUNDS + 1)), "there are gaps"
    # Both win at times, or it was no race.
    assert min(won["first"], won["second"]) > 0, won
    print(f"{ROUNDS} races for the next number: {len(ids)} numbers, each once, no gap; won by {dict(won)}")

    won = collections.Counter()
    for id in range(1, CANCELLATIONS + 1):
        answers = both(call("cancel_booking", {"id": id}))
        lost = [text for text, is_error in answers if is_error]
        assert len(lost) == 1 and "ya estaba cancelada" in lost[0], (id, answers)
        won["second" if answers[0][1] else "first"] += 1
    print(f"{CANCELLATIONS} races for a cancellation: one wins, the other says so; won by {dict(won)}")
