"""The git checkout that a registration is taken from."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cot_entropy.base import digest
from cot_entropy.base.errors import PlanError


class CheckoutError(PlanError):
    """The working folder is no checkout of one commit: no git, no repository, or changed files."""


def clean_commit(root: Path) -> str:
    """The commit that is checked out in `root`; raises CheckoutError where the tree differs.

    The stages' digests are those of the package that runs, which must be the one in the tree.
    """
    source = (root / "src" / digest.PACKAGE).resolve()
    if source != digest.ROOT.resolve():
        raise CheckoutError(
            f"{source}: not the package that runs this command; install it from here (make setup)"
        )
    changed = git(root, "status", "--porcelain", "--untracked-files=all").stdout.splitlines()
    if changed:
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        names = ", ".join(line[3:] for line in changed[:3])
        raise CheckoutError(f"uncommitted changes: {names}{more}; commit them, then freeze")
    return git(root, "rev-parse", "HEAD").stdout.strip()


def ignored(path: Path) -> bool:
    """Tell whether git ignores a file of the working folder's repository."""
    return not git(Path(), "check-ignore", "--quiet", str(path), allowed=(0, 1)).returncode


def git(
    root: Path, *arguments: str, allowed: Sequence[int] = (0,)
) -> subprocess.CompletedProcess[str]:
    """Run git in `root`; raises CheckoutError where it ends with a code that is not allowed."""
    program = shutil.which("git")
    if program is None:
        raise CheckoutError(
            "git is not installed; a freeze names the commit that it was taken from"
        )
    done = subprocess.run(  # noqa: S603
        [program, "--no-optional-locks", "-C", str(root), *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode not in allowed:
        message = (done.stderr.strip().splitlines() or ["git failed"])[-1]
        raise CheckoutError(
            f"{root.resolve().name}: {message}; a freeze is taken in a git repository"
        )
    return done
