"""The same run, audited under another lock: identical verdicts, floats within the tolerance."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from projects import PROJECT
from runs import Tiny

from cot_entropy.prereg.archive import archive

LOCK = PROJECT / "requirements/older.txt"
AUDIT = """\
import json, sys
from importlib.metadata import version
from pathlib import Path
from cot_entropy.prereg.audit import audit
report = audit(Path(sys.argv[1]), jobs=1)
releases = {name: version(name) for name in ("numpy", "scipy", "pandas", "pyarrow")}
print(json.dumps({"releases": releases, "report": report.model_dump(mode="json")}))
"""


@pytest.fixture(scope="module")
def older_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the older lock, made by uv."""
    uv = shutil.which("uv", path=f"{PROJECT / '.tools/bin'}") or shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not there; `make setup` brings it")
    folder = tmp_path_factory.mktemp("older") / "venv"
    subprocess.run([uv, "venv", "--quiet", "--python", "3.11", str(folder)], check=True)
    python = folder / "bin/python"
    install = [uv, "pip", "sync", "--quiet", "--python", str(python), str(LOCK)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the older lock cannot be installed here: {done.stderr.strip()[-200:]}")
    return python


@pytest.mark.full
def test_an_older_numpy_scipy_and_pandas_give_the_same_tables(
    tiny: Tiny, tmp_path: Path, older_python: Path
) -> None:
    packed = tmp_path / "run.zip"
    archive(tiny.results, packed)
    (tmp_path / "elsewhere").mkdir()
    done = subprocess.run(
        [str(older_python), "-c", AUDIT, str(packed)],
        cwd=tmp_path / "elsewhere",
        env={"PYTHONPATH": str(PROJECT / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    recorded = json.loads((tiny.results / "provenance/run.json").read_text())["packages"]
    assert all(found["releases"][name] != recorded[name] for name in found["releases"])
    assert found["report"]["findings"] == []
    assert found["report"]["confirmatory_rows"] > 0
