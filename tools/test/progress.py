"""What steps (steps.py) show while they run: which step of how many each is, how much of it is done, how much of that failed, and how long
it has taken. On a terminal that is a line for each step that runs, written over; elsewhere a line at the begin and at the end of each step,
and a sign of life of each every LIFE_SIGN_S seconds. What is done is read from what ninja and ctest write, while they write it."""

import os
import re
import shutil
import sys
import threading
import time

REDRAW_S = 1
LIFE_SIGN_S = 30
NINJA = re.compile(r"\[([1-9]\d*)/(\d+)\] ")  # [0/2]: before it builds
CTEST = re.compile(r" *(\d+)/(\d+) Test +#\d+: \S+ \.*(.*)")
CTEST_SKIPPED = re.compile(r"\*\*\*(Skipped|Not Run \(Disabled\))")


def clock(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Screen:
    """Standard output while steps run; any thread may call it."""

    def __init__(self):
        self.out, self.lock, self.running, self.lines_drawn = sys.stdout, threading.RLock(), [], 0
        self.is_terminal = self.out.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.ended = threading.Event()
        self.ticker = threading.Thread(target=self.tick, daemon=True)

    def __enter__(self):
        self.ticker.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.ticker.join()
        self.clear()
        self.out.flush()

    def tick(self):
        while not self.ended.wait(REDRAW_S if self.is_terminal else LIFE_SIGN_S):
            with self.lock:
                if self.is_terminal:
                    self.draw()
                else:
                    self.write("".join(each.line(" ...") + "\n" for each in self.running))

    def begin(self, progress):
        with self.lock:
            self.running.append(progress)
            if not self.is_terminal:
                self.write(f"{progress.title} ...\n")

    def end(self, progress, note):
        with self.lock:
            self.running.remove(progress)
            self.write(progress.line(":", note) + "\n")

    def write(self, text):
        """Above the lines of what runs."""
        with self.lock:
            self.clear()
            self.out.write(text)
            self.draw()
            self.out.flush()

    def draw(self):
        with self.lock:
            if not self.is_terminal or not self.running:
                return
            self.clear()
            columns = shutil.get_terminal_size().columns
            self.out.write("\n".join("\r\033[K" + each.line(" ...")[:columns - 1] for each in self.running))
            self.out.flush()
            self.lines_drawn = len(self.running)

    def clear(self):
        with self.lock:
            if self.lines_drawn:
                self.out.write("\r\033[K" + "\033[A\r\033[K" * (self.lines_drawn - 1))
            self.lines_drawn = 0


class Progress:
    """Of one step. Without a screen it only counts."""

    def __init__(self, screen=None, title=""):
        self.screen, self.title, self.since = screen, title, 0.0
        self.lock = threading.Lock()
        self.done = self.total = self.failed = 0
        self.unit = ""  # what is counted: "tests"

    def begin(self):
        self.since = time.monotonic()
        self.screen.begin(self)

    def end(self, note=""):
        """note: what else there is to say, such as that nothing could be built."""
        self.screen.end(self, note)

    def line(self, mark, note=""):
        with self.lock:
            count = f"{self.done}/{self.total} {self.unit}" if self.total else ""
            failed = f"{self.failed} failed" if self.total and (self.failed or self.unit != "built") else ""
        parts = filter(None, (count, failed, note, clock(time.monotonic() - self.since)))
        return f"{self.title}{mark} {', '.join(parts)}"

    def write(self, text):
        """What a command said, in full."""
        (self.screen or sys.stdout).write(text)

    def draw(self):
        if self.screen:
            self.screen.draw()

    def expect(self, total, unit):
        with self.lock:
            self.done, self.total, self.unit, self.failed = 0, total, unit, 0
        self.draw()

    def one_ended(self, has_failed):
        with self.lock:
            self.done += 1
            self.failed += has_failed
        self.draw()

    def read(self, line, is_of_ctest):
        """A line that ctest, or else ninja, wrote."""
        if is_of_ctest:
            found = CTEST.match(line)
            has_failed = found and "***" in found[3] and not CTEST_SKIPPED.search(found[3])
        else:
            found, has_failed = NINJA.match(line), line.startswith("FAILED: ")
        if not found and not has_failed:
            return
        with self.lock:
            if found:
                self.done, self.total = int(found[1]), int(found[2])
                self.unit = "tests" if is_of_ctest else "built"
            self.failed += bool(has_failed)
        self.draw()
