"""What must hold in the trace of a job (WEFT_TRACE), on however many machines: what was stolen ran on its victim at that moment, and no
thread goes on before it has left its last rank, as far as the trace says that its clocks agree."""

import json

ROUNDS = 10e-3  # us: times are printed in ns


def read(path):
    """What the file says of the job, and its events."""
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    return whole["otherData"], whole["traceEvents"]


def of_kind(events, kind):
    return [event for event in events if event.get("cat") == kind]


def end_of(event):
    return event["ts"] + event["dur"]


class TraceChecks:
    """Of unittest.TestCase: what is wrong with a trace is told by its assertions."""

    def errors_of(self, about, ranks):
        """How far the times of each rank may be off."""
        clocks = about.get("clocks", [{"error_us": 0}] * ranks)
        self.assertEqual(len(clocks), ranks)
        return [clock["error_us"] + ROUNDS for clock in clocks]

    def check_arrows(self, about, events, ranks):
        """Each begins inside a turn: viewers draw it from the slice that lies there. Where clocks differ, that turn may seem to begin
        after the thief's, by as much as they are off: then nothing that leads forward begins in it."""
        turns = of_kind(events, "turn")
        margin = sum(sorted(self.errors_of(about, ranks))[-2:]) if "clocks" in about else 0
        for arrow in of_kind(events, "flow"):
            if arrow["ph"] == "s":
                self.assertTrue(any(turn["tid"] == arrow["tid"] and turn["ts"] - margin <= arrow["ts"] < end_of(turn) + margin
                                    for turn in turns), arrow)

    def check_steals(self, about, events, ranks):
        """How many there were."""
        errors, turns = self.errors_of(about, ranks), of_kind(events, "turn")
        stolen = [turn for turn in turns if turn["args"].get("stolen")]
        phases, arrows = of_kind(events, "steal"), of_kind(events, "flow")
        for turn in stolen:
            since, thief = turn["args"]["since"], turn["tid"]
            own = [each for each in phases if each["args"]["thread"] == turn["args"]["thread"]]
            self.assertEqual(({each["tid"] for each in own}, len({each["args"]["victim"] for each in own})), ({thief}, 1), turn)
            victim = own[0]["args"]["victim"]
            margin = errors[victim] + errors[thief]
            self.assertTrue(any(each["args"]["thread"] == turn["args"]["by"] and each["tid"] == victim and
                                each["ts"] - margin <= since <= end_of(each) + margin for each in turns), turn)
            self.assertLessEqual(since, turn["ts"], turn)
            self.assertLessEqual({each["name"] for each in own}, {"claim", "copy", "take up"})
            self.assertTrue(any(abs(each["ts"] - since) <= ROUNDS for each in own if each["name"] != "claim"), turn)
            self.assertTrue(all(end_of(each) <= turn["ts"] + ROUNDS for each in own), turn)
            heads = [each["id"] for each in arrows if each["ph"] == "f" and (each["tid"], each["ts"]) == (thief, turn["ts"])]
            tails = [each["tid"] for each in arrows if each["ph"] == "s" and each["id"] in heads and each["name"] == "steal"]
            self.assertEqual(tails, [victim], turn)
        return len(stolen)

    def check_threads(self, about, events, ranks):
        """A thread runs on one rank at a time, and goes on only if it has waited."""
        errors, turns_of = self.errors_of(about, ranks), {}
        for turn in sorted(of_kind(events, "turn"), key=lambda turn: turn["ts"]):
            turns_of.setdefault(turn["args"]["thread"], []).append(turn)
        for turns in turns_of.values():
            turns.sort(key=lambda turn: turn["args"]["why"] == "wake")
            self.assertEqual([turn["args"]["why"] == "wake" for turn in turns], [False] + [True] * (len(turns) - 1))
            self.assertEqual(sorted(turn["args"]["left"] for turn in turns), ["end"] + ["park"] * (len(turns) - 1))
            for before, turn in zip(turns, turns[1:]):
                self.assertGreaterEqual(turn["ts"] + errors[turn["tid"]] + errors[before["tid"]], end_of(before), turn)

    def check_planted_clocks(self, about, ranks):
        """Of tests/dist/traced.cpp on ranks that are nodes of their own."""
        for rank, clock in enumerate(about["clocks"]):
            self.assertGreaterEqual(clock["ahead_us"], 1e6 * rank, clock)
            self.assertTrue(clock["node"], clock)
        self.assertEqual(len(about["clocks"]), ranks)
