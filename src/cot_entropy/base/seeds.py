"""One seed per request, from what the request is, never from where it stands in a batch."""

import hashlib
import json
from typing import Literal

Role = Literal["chain", "completion", "self_consistency"]


def request_seed(
    *, study_seed: int, run: int, cell: str, question_id: str, role: Role, index: int
) -> int:
    """The seed of one request, in [0, 2**62).

    `run` is the chain block's own seed: another value is another decoding run, of chains and
    completions alike (prefix 0 is the same prompt in every run, and must not repeat its samples).
    `index` is the prefix k of a completion (sample j uses the seed plus j), 0 for a reference
    chain. Cut from a sha256, so that neighbouring questions share nothing.
    """
    key = json.dumps([study_seed, run, cell, question_id, role, index], ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 2
