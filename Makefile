# make demo · make test · make test-full · make lint · make bench · make docs
#
# TORCH_BACKEND=cpu takes PyTorch's small CPU build where its own index is reachable;
# the default takes whatever build the package index serves.

# any Python 3 starts uv, which finds or fetches the one that the locks need
PYTHON ?= python3
LOCKED_PYTHON := >=3.11,<3.13
UV_VERSION := 0.13.9
TORCH_BACKEND ?=

BIN := .venv/bin
UV := .tools/bin/uv
LOCKS := requirements/cpu.txt requirements/dev.txt
READY := .venv/.ready
SNAKEMAKE := $(BIN)/snakemake --cores all
BACKEND := $(if $(TORCH_BACKEND),--torch-backend $(TORCH_BACKEND))

export PATH := $(CURDIR)/$(BIN):$(PATH)
# a run starts many processes: each would compile the package again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo reference test test-full lint bench docs locks clean

setup: $(READY)

$(UV):
	@$(PYTHON) -c '' 2>/dev/null || \
	  { echo "error: no $(PYTHON); install Python 3, or name it with: make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "error: $(PYTHON) has no venv module; install it (Debian, Ubuntu: apt install python3-venv)" >&2; exit 2; }
	$(PYTHON) -m venv .tools
	.tools/bin/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

$(READY): $(LOCKS) pyproject.toml | $(UV)
	test -x $(BIN)/python || $(UV) venv --quiet --python "$(LOCKED_PYTHON)" .venv
	$(UV) pip sync --quiet --compile-bytecode --python $(BIN)/python $(BACKEND) $(LOCKS)
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@

# its freeze is made here, at the run, so that no change of the code breaks it
demo: $(READY)
	@$(BIN)/cot-entropy freeze --configfile config/demo.yaml --demonstration
	$(SNAKEMAKE)
	@$(BIN)/cot-entropy show results/demo

# results/demo.zip, the reference: from a clean checkout, run anew, audited and packed
reference: $(READY)
	rm -rf results/demo results/demo.new.zip
	$(MAKE) demo
	$(BIN)/cot-entropy audit results/demo
	$(BIN)/cot-entropy archive results/demo results/demo.new.zip
	mv results/demo.new.zip results/demo.zip

# the engine uses both cores: its tests run after the others, one at a time
test: lint
	$(BIN)/pytest -n 2 --dist loadfile -m "not full and not engine"
	$(BIN)/pytest -m "engine and not full"

test-full: test
	$(BIN)/pytest -m full

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo

bench: $(READY)
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

docs: $(READY)
	$(BIN)/mkdocs build --strict

# Rewrites requirements/*.txt from requirements/*.in; no index line is written.
COMPILE := $(UV) pip compile --quiet --python-version 3.11 \
  --python-platform x86_64-manylinux_2_31 --no-emit-index-url --no-header --no-annotate
locks: | $(UV)
	$(COMPILE) --overrides requirements/overrides-cpu.txt requirements/cpu.in -o requirements/cpu.txt
	$(COMPILE) requirements/gpu.in -o requirements/gpu.txt
	$(COMPILE) requirements/gpu-r26.in -o requirements/gpu-r26.txt
	$(COMPILE) requirements/dev.in -o requirements/dev.txt

clean:
	rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache
