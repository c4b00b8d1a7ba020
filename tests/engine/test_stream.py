"""The driver that feeds a backend, watches it, and restarts it once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.generation import model_folder, scripted_settings

from cot_entropy.engine.base import BackendLostError, EngineFailedError, Finished, Request
from cot_entropy.engine.scripted import Faults, ScriptedBackend
from cot_entropy.engine.stream import QUEUE_FACTOR, Engine


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder(tmp_path_factory.mktemp("model") / "tiny")


def request(index: int, *, n: int = 1) -> Request:
    return Request(
        id=f"r{index}",
        prompt_token_ids=[10, 11, index + 20],
        temperature=0.7,
        max_tokens=30,
        seed=index,
        n=n,
    )


def engine(folder: Path, *faults: Faults, stall_timeout_s: int = 600) -> Engine:
    """An engine whose first starts have these faults, and later ones none."""
    script = iter(faults)
    return Engine(
        lambda: ScriptedBackend(folder, faults=next(script, None)),
        scripted_settings(stall_timeout_s=stall_timeout_s),
    )


def outputs(finished: Iterator[Finished]) -> dict[str, Finished]:
    return {one.id: one for one in finished}


def test_every_request_finishes_once(folder: Path) -> None:
    """What goes in comes out, each once, each with its n samples."""
    with engine(folder) as running:
        got = list(running.stream(request(index, n=2) for index in range(50)))
    assert sorted(one.id for one in got) == sorted(f"r{index}" for index in range(50))
    assert {len(one.outputs) for one in got} == {2}


def test_a_sample_depends_on_its_own_seed_only(folder: Path) -> None:
    """Sample j of seed s is sample 0 of seed s + j."""
    with engine(folder) as running:
        both = next(running.stream([request(5, n=2)])).outputs
    with engine(folder) as running:
        later = Request("x", [10, 11, 25], 0.7, 30, seed=6)
        alone = next(running.stream([later])).outputs
    assert both[1] == alone[0]


def test_nothing_starts_without_requests(folder: Path) -> None:
    """An engine without work loads no model."""

    def start() -> ScriptedBackend:
        raise AssertionError("started")

    with Engine(start, scripted_settings()) as running:
        assert list(running.stream([])) == []


def test_requests_are_drawn_as_others_finish(folder: Path) -> None:
    """Never more sequences in flight than twice the batch, plus the request that reached it."""
    settings = scripted_settings()
    drawn = 0

    def source() -> Iterator[Request]:
        nonlocal drawn
        for index in range(200):
            drawn += 1
            yield request(index, n=2)

    finished = 0
    with engine(folder) as running:
        for _ in running.stream(source()):
            finished += 1
            assert (drawn - finished) * 2 <= QUEUE_FACTOR * settings.max_num_seqs + 2
    assert finished == 200


def test_a_rejected_request_leaves_the_others_alone(folder: Path) -> None:
    """The engine's objection is the result of that request."""
    with engine(folder, Faults(reject_prompts_with=23)) as running:
        got = outputs(running.stream(request(index) for index in range(6)))
    assert got["r3"].error == "rejected by the engine: token 23 is not allowed"
    assert [one.id for one in got.values() if one.error] == ["r3"]


def test_a_dead_backend_is_restarted_and_loses_nothing(folder: Path) -> None:
    """After a restart the results are those of an undisturbed run."""
    requests = [request(index) for index in range(20)]
    with engine(folder) as running:
        undisturbed = outputs(running.stream(requests))
    with engine(folder, Faults(die_after=7)) as running:
        restarted = outputs(running.stream(requests))
        assert running.usage.restarts == 1
    assert restarted == undisturbed


def test_a_backend_that_dies_twice_without_work_is_a_clear_failure(folder: Path) -> None:
    """One restart, then an error that says what to do."""
    faults = Faults(die_after=0)
    with (
        engine(folder, faults, faults) as running,
        pytest.raises(EngineFailedError, match=r"failed twice .* run again"),
    ):
        list(running.stream([request(0)]))


def test_deaths_with_work_in_between_are_survived(folder: Path) -> None:
    """Each restart that finishes something earns another."""
    with engine(folder, Faults(die_after=4), Faults(die_after=4)) as running:
        assert len(list(running.stream(request(index) for index in range(20)))) == 20
        assert running.usage.restarts == 2


def test_a_stall_is_bounded_and_restarted(folder: Path) -> None:
    """An engine that stops answering is given up after the timeout, and started anew."""
    with engine(folder, Faults(stall_after=4), stall_timeout_s=1) as running:
        assert len(list(running.stream(request(index) for index in range(10)))) == 10
        assert running.usage.restarts == 1


def test_a_second_stall_names_the_setting(folder: Path) -> None:
    """Two stalls in a row fail, naming the timeout."""
    faults = Faults(stall_after=0)
    with (
        engine(folder, faults, faults, stall_timeout_s=1) as running,
        pytest.raises(EngineFailedError, match=r"no answer for 1 s .engine.stall_timeout_s."),
    ):
        list(running.stream([request(0)]))


def test_a_lost_backend_is_closed(folder: Path) -> None:
    """The backend that failed is closed before the next one starts."""
    events: list[str] = []

    class Watched(ScriptedBackend):
        def __init__(self) -> None:
            super().__init__(folder)
            events.append("start")

        def step(self) -> list[Finished]:
            if events == ["start"]:
                raise BackendLostError("gone")
            return super().step()

        def close(self) -> None:
            events.append("close")

    with Engine(Watched, scripted_settings()) as running:
        list(running.stream([request(0)]))
    assert events == ["start", "close", "start", "close"]


def test_generated_tokens_are_counted(folder: Path) -> None:
    """Usage is the sum over all samples."""
    with engine(folder) as running:
        got = list(running.stream(request(index, n=3) for index in range(5)))
    total = sum(len(output.token_ids) for one in got for output in one.outputs)
    assert running.usage.generated_tokens == total
