PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: studio test test-engines check bench system clean help

help:
	@echo "make studio   set up and open the studio on the sample book"
	@echo "make test     set up and run every check and test"
	@echo "make test-engines   the tests of engines that are installed apart (2 GB, some ten minutes)"
	@echo "make check    the checks alone: ruff, types, import contracts"
	@echo "make bench    the benchmarks of tests/perf"

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Rhapsode needs Python 3.11 or newer; set PYTHON=/path/to/python3.11") if sys.version_info < (3, 11) else None'
	@echo "Setting up $(VENV) (about 250 MB to download, once) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Adding what the tests need …"
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

# System libraries: installed where this user may install them, named otherwise.
system:
	@.ci/system

studio: $(VENV)/.installed
	@$(BIN)/rhapsode open --sample

check: $(VENV)/.installed-dev
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Bytecode is kept, or every process that a test starts compiles the studio again.
test: system check
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 3 --dist worksteal -m 'not perf' $(REPORT) || .ci/again

test-engines: $(VENV)/.installed-dev
	@.ci/engines

bench: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m perf -s tests/perf

clean:
	rm -rf $(VENV) .venv-engines .venv-engines-qwen .mypy_cache .ruff_cache .pytest_cache .hypothesis
