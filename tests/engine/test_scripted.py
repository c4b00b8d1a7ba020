"""The stand-in's promises."""

from __future__ import annotations

from dataclasses import replace
from math import log
from pathlib import Path

import pytest
from tests.generation import byte_level_tokenizer, model_folder

from cot_entropy.engine.base import Finished, Request
from cot_entropy.engine.scripted import ScriptedBackend, script


def run(folder: Path, *requests: Request, width: int = 4) -> dict[str, Finished]:
    backend = ScriptedBackend(folder, width=width)
    for request in requests:
        backend.add(request)
    finished: dict[str, Finished] = {}
    while len(finished) < len(requests):
        finished |= {one.id: one for one in backend.step()}
    return finished


def request(name: str, *, max_tokens: int = 500) -> Request:
    return Request(name, [9, 8, 7], 0.7, max_tokens, seed=5, n=2)


def test_tokens_do_not_depend_on_the_batch(tmp_path: Path) -> None:
    """Alone or among others, in wide steps or narrow ones: the same tokens."""
    folder = model_folder(tmp_path / "model")
    alone = run(folder, request("a"))["a"]
    others = [Request(str(index), [index], 0.7, 500, seed=index) for index in range(7)]
    assert run(folder, *others, request("a"), width=2)["a"] == alone


def test_requests_finish_out_of_order(tmp_path: Path) -> None:
    """So that tests of ordering test something."""
    folder = model_folder(tmp_path / "model")
    names = list(run(folder, *(request(str(index)) for index in range(9))))
    assert names != sorted(names)


def test_text_ends_with_the_end_token(tmp_path: Path) -> None:
    """A whole response is the script's text and the model's end-of-text token."""
    folder = model_folder(tmp_path / "model")
    output = run(folder, request("a"))["a"].outputs[1]
    tokenizer = byte_level_tokenizer()
    assert tokenizer.decode(output.token_ids[:-1]) == script([9, 8, 7], 6)
    assert output.token_ids[-1] == tokenizer.token_to_id("<|end|>")
    assert output.finish_reason == "stop"


def test_the_most_probable_tokens_are_halves(tmp_path: Path) -> None:
    """1/2 and 1/4 at every position, if asked; the tokens do not change."""
    folder = model_folder(tmp_path / "model")
    asked = replace(request("a"), top_logprobs=2)
    found, plain = (run(folder, one)["a"].outputs[0] for one in (asked, request("a")))
    assert found.top_logprobs == [pytest.approx([log(1 / 2), log(1 / 4)])] * len(found.token_ids)
    assert (found.token_ids, plain.top_logprobs) == (plain.token_ids, [])


def test_budget_is_kept(tmp_path: Path) -> None:
    """Cut at the budget, without the end token."""
    folder = model_folder(tmp_path / "model")
    output = run(folder, request("a", max_tokens=4))["a"].outputs[0]
    assert (len(output.token_ids), output.finish_reason) == (4, "length")
