# SPDX-License-Identifier: MIT
"""A row of the table of faults: a player who sends nothing but votes."""

import random
import time

from row import Skipped, arena_of, expect, harness, row, ticks_go_on


@row(64, "a player that sends votes without end, half of them damaged",
     "rejected and counted, ticks on time, others vote")
def flood_of_votes(trial):
    try:
        import voter
    except ImportError:
        raise Skipped("no python3-enet") from None
    trial.need_key("votes")
    daemon = trial.stage.serve(harness.arena(
        map=str(harness.ROOT / "config/maps/duel.conf"), address_validation=False,
        votes={"newcomer_delay": 0}))
    ada, bob, eve = everybody = [voter.Voter(daemon.ports[0], number, name)
                                 for number, name in ((2, "Ada"), (3, "Bob"), (4, "Eve"))]
    voter.pump_until(everybody, "welcome", lambda: all(each.welcomes for each in everybody))
    ada.call(voter.RESTART)
    voter.pump_until(everybody, "a vote", lambda: all(each.of_kind(voter.BEGAN)
                                                      for each in everybody))
    before, sent = arena_of(daemon), 0
    end = time.monotonic() + trial.often(20, 3)
    while time.monotonic() < end:
        for _ in range(8):
            if random.random() < 0.5:
                eve.call(voter.KICK, player=bob.player, reason="x" * 32)
            else:
                eve.send((voter.VOTE, 4), (random.getrandbits(64), 64))
            sent += 1
        eve.cast(random.randrange(3))
        for each in everybody:
            each.pump()
        time.sleep(1 / 60)
    bob.cast(voter.YES)
    ticks_go_on(daemon, 30)
    after = arena_of(daemon)
    rejected = after["rejections"]["vote"] - before["rejections"]["vote"]
    malformed = after["rejections"]["malformed"] - before["rejections"]["malformed"]
    answers = len(eve.of_kind(voter.REJECTED))
    tallies = len(bob.of_kind(voter.TALLY))
    voter.pump_until([ada, bob, eve], "the end of the vote", lambda: bob.of_kind(voter.ENDED))
    seconds = trial.often(20, 3)
    return sent, expect(
        rejected > 50 and malformed > 50 and answers <= 11 * seconds and tallies <= 5 * seconds + 4,
        f"{rejected} rejected, {malformed} malformed, {answers} answers to the flooder, {tallies} "
        f"tallies to another player, tick p99 {after['tick_us']['p99']} us")
