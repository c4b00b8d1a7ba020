"""The errors a user can cause, each one line: what is wrong, where, and what to do.

The command line prints the message and exits with `exit_code`; a traceback appears only
with `--debug`. Everything that is not a `UserError` is a defect of this project.
"""

from __future__ import annotations

from pathlib import Path


class UserError(Exception):
    """Bad input or a missing resource. One line: what, where and the way out."""

    exit_code = 2


class ConfigError(UserError):
    """The configuration or the protocol blocks are not valid."""


class DataError(UserError):
    """A dataset file, or a file of an earlier stage, cannot be used."""


class ModelError(UserError):
    """A model cannot be loaded: gated, unreachable, without a chat template, wrong revision."""


class DeviceError(UserError):
    """The configuration asks for a device that this machine does not have, or has too little of."""


class PlanError(UserError):
    """The plan is not valid: an unknown name, a missing bound, a rule with one outcome."""


class StorageError(UserError):
    """The results folder cannot be written: full, read-only, or not permitted."""

    exit_code = 4


def storage_error(path: Path, error: OSError) -> StorageError:
    """What the system said about a file, as one line that says what to do."""
    return StorageError(
        f"{path}: cannot be written ({error.strerror}); free space or permit writing there, and "
        "run again: finished questions are kept"
    )
