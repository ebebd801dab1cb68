# Targets install what they need: demo, docs, docs-serve, envtest, browser, image, manifests, test, test-all, coverage,
# format, lint, audit, lock, golden, bench, mutants, pictures, clean.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= demo
INSTALLED := $(VENV)/.installed
DEVELOPED := $(VENV)/.developed
# Bytecode, linter caches, and coverage data go into the virtual environment, not into the checkout.
# Unset PYTHONDONTWRITEBYTECODE, because otherwise each `ipam` compiles all modules again.
HERE := $(abspath $(VENV))
PY := env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(HERE)/pycache COVERAGE_FILE=$(HERE)/coverage.db $(BIN)/python

# Install with uv, which is much faster than pip. If the machine has no uv, pip installs it first.
HAS_UV := $(shell command -v uv)
BUILD := --quiet --require-hashes -r requirements-build.lock
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
PYTEST := $(PY) -m pytest -n 2 --dist loadgroup

.PHONY: demo docs docs-serve envtest browser image manifests test test-all coverage format lint audit lock golden bench mutants pictures clean

# The locks contain hashes of all packages, including build tools.
$(INSTALLED): pyproject.toml constraints.txt requirements.lock requirements-build.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed: make PYTHON=python3.11"; exit 1; }
	@echo "Creating $(VENV) (some seconds)"
	@test -x $(BIN)/python || $(if $(HAS_UV),uv venv --quiet --python $(PYTHON),$(PYTHON) -m venv --without-pip) $(VENV)
	@echo "Installing build tools (requirements-build.lock)"
ifneq ($(HAS_UV),)
	@uv pip install --python $(BIN)/python $(BUILD)
else # The machine's pip is faster than installing another one into the environment.
	@pip="$(PYTHON) -m pip --python $(BIN)/python"; $$pip --version >/dev/null 2>&1 || { \
	  $(BIN)/python -m ensurepip >/dev/null 2>&1 && pip="$(BIN)/python -m pip" \
	  || { echo "venv is missing: apt-get install python3-venv"; exit 1; }; }; \
	  $$pip install --no-compile --disable-pip-version-check $(BUILD)
endif
	@echo "Installing dependencies (requirements.lock)"
	@$(UV) --require-hashes -r requirements.lock
	@echo "Installing ipam from this checkout"
	@$(UV) --no-build-isolation --no-deps -e .
	@touch $@

$(DEVELOPED): $(INSTALLED) requirements-dev.lock
	@$(UV) --require-hashes -r requirements-dev.lock
	@touch $@

# Build the documentation site into SITE. Dead links fail the build.
SITE ?= $(HERE)/site
MKDOCS := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs
docs: $(VENV)/.documented
	@$(MKDOCS) build --strict --site-dir $(SITE)

docs-serve: $(VENV)/.documented
	@$(MKDOCS) serve

$(VENV)/.documented: $(INSTALLED) requirements-docs.lock
	@$(UV) --require-hashes -r requirements-docs.lock
	@touch $@

# Keep the folder of an earlier demo: the next one gets a number.
demo: $(INSTALLED)
	@folder=$(DEMO); number=1; \
	while [ -n "$$(ls -A "$$folder" 2>/dev/null)" ]; do number=$$((number + 1)); folder="$(DEMO)-$$number"; done; \
	$(BIN)/ipam demo "$$folder"

# Run unit tests and a sample of the others. TESTS=tests/planning runs all tests of a folder.
test: $(DEVELOPED)
	@$(PYTEST) $(or $(TESTS),-m quick)

test-all: TESTS = tests
test-all: test

# Build real API servers for tests, once, from pinned Go modules, into the user's cache folder.
envtest: $(DEVELOPED)
	@$(PY) -m tests.envtest

# Install Chromium and a type checker for tests of the report page, once, into the user's cache folder.
browser: $(DEVELOPED)
	@$(PY) -m tests.page

# Run the steps of the container image without a container engine. Needs root on Debian.
image: $(DEVELOPED)
	@$(PY) -m tests.image

# Generate the files in deploy/ that follow from others: role rules and plain manifests.
manifests: $(DEVELOPED)
	@$(PY) -m tests.chart

# Generate docs/pictures: a comment, a terminal, a map, and the report page. Needs Chromium.
pictures: $(DEVELOPED)
	@$(PY) -m tests.pictures

# Run all tests that need no servers and no browser. Coverage of the pure packages must be at least 98%.
coverage: $(DEVELOPED)
	@$(PYTEST) $(or $(TESTS),-m 'not served and not page') --cov

format: $(DEVELOPED)
	@$(BIN)/ruff format --quiet --cache-dir $(HERE)/ruff .

lint: $(DEVELOPED)
	@$(BIN)/ruff format --check --cache-dir $(HERE)/ruff .
	@$(BIN)/ruff check --cache-dir $(HERE)/ruff .
	@$(BIN)/mypy --cache-dir $(HERE)/mypy
	@$(BIN)/lint-imports --no-logo --cache-dir $(HERE)/imports
	@$(PY) -m tests.prose

# Check the code, dependencies, and workflows for known vulnerabilities.
audit: $(DEVELOPED)
	@$(PY) -m tests.audit

# Update the locks to the versions in constraints.txt. Other versions stay unless they conflict.
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --python-version 3.11 \
  --custom-compile-command "make lock" --constraint constraints.txt
lock: $(DEVELOPED)
	@$(LOCK) --output-file requirements.lock --extra clusters pyproject.toml
	@$(LOCK) --output-file requirements-check.lock pyproject.toml
	@printf 'hatchling\neditables\nfastjsonschema\nuv\n' | $(LOCK) --output-file requirements-build.lock -
	@printf 'mkdocs-material\n' | $(LOCK) --output-file requirements-docs.lock -
	@$(LOCK) --output-file requirements-dev.lock --extra clusters --extra dev --extra audit pyproject.toml

# Regenerate expected outputs, examples of findings, and the generated parts of README and docs/. Tables are first,
# because they report a field without a unit.
GOLDENS := tests/golden tests/story tests/chart/test_chart.py tests/cli/test_import.py tests/report/text/test_apply.py
golden: $(DEVELOPED)
	@$(PY) -m tests.documentation tables
	@$(PYTEST) $(GOLDENS) --update-golden -q
	@$(PY) -m tests.bad_input.examples
	@$(PY) -m tests.documentation

bench: $(DEVELOPED)
	@$(BIN)/python -m benchmarks

# Find changes of the code that no test notices. This takes hours. To limit it to one module:
# make mutants MUTANTS='reconciler.planning.space.*'
mutants: $(DEVELOPED)
	@$(PY) -m mutmut run $(MUTANTS)
	@$(PY) -m mutmut results

clean:
	rm -rf $(VENV) $(DEMO) $(DEMO)-[0-9]*
