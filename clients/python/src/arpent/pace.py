from __future__ import annotations

import re
import threading
import time
from collections import deque
from email.message import Message

WINDOW = 60  # seconds in which the API counts the requests of a minute

LEFT = re.compile(r'"(?:minute|address)";r=(\d+);t=(\d+)')


class Pace:
    """The requests that one limit of the minute lets through. Threads may share it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._left = 1  # that may be sent now; one, until its answer says more
        self._busy = 0
        self._entered = 0
        self._reset_at = 0.0  # when a place becomes free again
        self._answered: deque[float] = deque()  # when what still takes a place was answered, the oldest first

    def enter(self) -> int:
        """Waits for a place. The answer is given to leave with the number that is returned."""
        with self._changed:
            while self._left <= 0:
                wait = self._reset_at - time.monotonic()
                if self._busy > 0:
                    self._changed.wait()
                elif wait > 0:
                    self._changed.wait(wait)
                else:
                    self._left = 1
                    if self._answered:
                        self._answered.popleft()
            alone = self._busy == 0
            self._left -= 1
            self._busy += 1
            self._entered += 1
            return self._entered if alone else 0

    def leave(self, number: int, headers: Message | None, partial: bool = False) -> None:
        """Takes in what an answer says is left, None where nothing was answered; partial where it may be about a lower limit."""
        said = LEFT.search(headers.get("RateLimit", "")) if headers else None
        with self._changed:
            self._busy -= 1
            if said:
                # Answers to requests under way at a time come in any order, and each leaves out what was admitted after it.
                left, newest, now = int(said[1]), number == self._entered, time.monotonic()
                reset_at, refused = now + min(int(said[2]), WINDOW), "Retry-After" in headers
                while self._answered and self._answered[0] <= now - WINDOW:
                    self._answered.popleft()
                if not refused:
                    self._answered.append(now)
                if partial:
                    self._left = max(self._left, left) if newest else self._left
                    if self._reset_at <= now:
                        # When the next place becomes free it may not say; that of the oldest of our own is sure to.
                        self._reset_at = reset_at if refused or not self._answered else self._answered[0] + WINDOW
                else:
                    self._left = left if newest else min(self._left, left)
                    self._reset_at = reset_at
            self._changed.notify_all()
