"""Progress: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import logging
import time

import pytest

from cot_entropy.base.progress import LOG_SECONDS, StageProgress


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


def test_quiet_when_not_a_terminal(
    clock: Clock, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing on either stream, and no log line in the first half minute."""
    caplog.set_level(logging.INFO)
    with StageProgress("chains a/b", done=0, total=10) as progress:
        clock.now = LOG_SECONDS - 1
        progress.update(done=1, tokens=10)
    assert caplog.text == ""
    assert capsys.readouterr() == ("", "")


def test_a_line_gives_rate_and_time_left(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """After 40 s with 2 of 8 remaining questions done, six more take 120 s; 800 tokens are 20/s."""
    caplog.set_level(logging.INFO)
    with StageProgress("chains a/b", done=2, total=10) as progress:
        clock.now = 40.0
        progress.update(done=4, tokens=800)
    assert caplog.messages == ["chains a/b: 4 of 10 questions, 20 tokens/s, 120 s left"]


def test_lines_are_half_a_minute_apart(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """Ten minutes of updates every second are 20 lines."""
    caplog.set_level(logging.INFO)
    with StageProgress("chains a/b", done=0, total=1000) as progress:
        for second in range(1, 601):
            clock.now = float(second)
            progress.update(done=second, tokens=second)
    assert len(caplog.messages) == 20


def test_a_stage_without_tokens_names_its_unit(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """One of four settings in 40 s: three more take 120 s."""
    caplog.set_level(logging.INFO)
    with StageProgress("calibration", done=0, total=4, unit="settings") as progress:
        clock.now = 40.0
        progress.update(done=1)
    assert caplog.messages == ["calibration: 1 of 4 settings, 120 s left"]
