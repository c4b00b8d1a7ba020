"""A GPU node whose driver or compiler will not do is named before anything loads."""

from pathlib import Path

import pytest

from cot_entropy.base.errors import DeviceError
from cot_entropy.engine.gpu_node import check_compiler, check_driver


@pytest.mark.parametrize(("driver", "torch"), [(13000, "13.0"), (13010, "13.0"), (12040, "12.9")])
def test_a_driver_of_the_same_major_release_or_later_will_do(driver: int, torch: str) -> None:
    """NVIDIA's minor version compatibility: 12.9 runs on a driver for 12.4."""
    check_driver(driver, torch)


def test_a_driver_for_cuda_12_is_refused_under_a_build_for_cuda_13() -> None:
    with pytest.raises(DeviceError, match=r"supports CUDA 12\.8 .* built for CUDA 13\.0.*R580"):
        check_driver(12080, "13.0")


def test_no_compiler_is_one_line_that_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"no C compiler .*install gcc"):
        check_compiler({"PATH": str(tmp_path)})


def test_a_named_compiler_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="CC=my-cc is not on PATH"):
        check_compiler({"PATH": str(tmp_path), "CC": "my-cc"})


@pytest.mark.parametrize("name", ["cc", "gcc", "clang"])
def test_any_of_the_compilers_will_do(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    check_compiler({"PATH": str(tmp_path)})
