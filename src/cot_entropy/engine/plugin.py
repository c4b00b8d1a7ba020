"""What a process of vLLM runs as it loads plugins (`vllm.general_plugins` in pyproject.toml)."""

from __future__ import annotations

from cot_entropy.engine.orphans import end_with_stage
from cot_entropy.engine.start_errors import note_errors


def in_engine_process() -> None:
    """End with the stage that started this process, and note why the engine does not start."""
    end_with_stage()
    note_errors()
