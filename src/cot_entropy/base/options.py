"""What an option may name: checks that both command lines share."""

from __future__ import annotations

from pathlib import Path

from cot_entropy.base.errors import ConfigError


def into(path: Path) -> Path:
    """The folder that `--out` names to write into; raises ConfigError where it is a file."""
    if path.exists() and not path.is_dir():
        raise ConfigError(f"--out {path}: is a file; name a folder")
    return path
