# demo · docs · docs-serve · envtest · browser · image · manifests · test · test-all · coverage · lint · audit · lock · golden · bench · mutants; each makes by itself what it needs.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= demo
INSTALLED := $(VENV)/.installed
DEVELOPED := $(VENV)/.developed
# Nothing is left in the checkout: bytecode, caches of linters and what coverage measures go to the
# environment; bytecode is written there even where that is forbidden, or each `ipam` compiles all anew.
HERE := $(abspath $(VENV))
PY := env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(HERE)/pycache COVERAGE_FILE=$(HERE)/coverage.db $(BIN)/python

# uv installs: that of the machine, or one that pip installs first. It takes seconds where pip takes a minute.
HAS_UV := $(shell command -v uv)
BUILD := --quiet --require-hashes -r requirements-build.lock
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
PYTEST := $(PY) -m pytest -n 2 --dist loadgroup

.PHONY: demo docs docs-serve envtest browser image manifests test test-all coverage lint audit lock golden bench mutants pictures clean

# Everything is installed by the hash in its lock, the build tools of the project too.
$(INSTALLED): pyproject.toml constraints.txt requirements.lock requirements-build.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed: make PYTHON=python3.11"; exit 1; }
	@echo "Creating $(VENV) (some seconds)"
	@test -x $(BIN)/python || $(if $(HAS_UV),uv venv --quiet --python $(PYTHON),$(PYTHON) -m venv --without-pip) $(VENV)
	@echo "Installing build tools (requirements-build.lock)"
ifneq ($(HAS_UV),)
	@uv pip install --python $(BIN)/python $(BUILD)
else # A pip of the machine saves the seconds that another one in the environment takes.
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

# The documentation site, in SITE. Links that lead nowhere fail the build.
SITE ?= $(HERE)/site
MKDOCS := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs
docs: $(VENV)/.documented
	@$(MKDOCS) build --strict --site-dir $(SITE)


docs-serve: $(VENV)/.documented
	@$(MKDOCS) serve

$(VENV)/.documented: $(INSTALLED) requirements-docs.lock
	@$(UV) --require-hashes -r requirements-docs.lock
	@touch $@

# The folder of an earlier demo stays: the next one gets a number.
demo: $(INSTALLED)
	@folder=$(DEMO); number=1; \
	while [ -n "$$(ls -A "$$folder" 2>/dev/null)" ]; do number=$$((number + 1)); folder="$(DEMO)-$$number"; done; \
	$(BIN)/ipam demo "$$folder"

# Unit tests, and one path through each verb. TESTS=tests/planning runs all tests of a folder.
test: $(DEVELOPED)
	@$(PYTEST) $(or $(TESTS),-m quick)

test-all: TESTS = tests
test-all: test

# Real API servers for tests, built once from pinned Go modules into the user's cache folder.
envtest: $(DEVELOPED)
	@$(PY) -m tests.envtest

# What the tests of the page need: Chromium, and a checker of types; once, into the user's cache folder.
browser: $(DEVELOPED)
	@$(PY) -m tests.page

# The steps of the image without a container engine, as root on Debian; elsewhere one line says why not.
image: $(DEVELOPED)
	@$(PY) -m tests.image

# What stands in deploy/ and follows from something else: rules of roles, plain manifests.
manifests: $(DEVELOPED)
	@$(PY) -m tests.chart

# Pictures of docs/pictures: a comment, a terminal, a map, the page of report. Needs Chromium.
pictures: $(DEVELOPED)
	@$(PY) -m tests.pictures

# All tests without servers and page: at least 98% of lines and branches of pure packages (pyproject.toml).
coverage: $(DEVELOPED)
	@$(PYTEST) $(or $(TESTS),-m 'not served and not page') --cov

lint: $(DEVELOPED)
	@$(BIN)/ruff format --check --cache-dir $(HERE)/ruff .
	@$(BIN)/ruff check --cache-dir $(HERE)/ruff .
	@$(BIN)/mypy --cache-dir $(HERE)/mypy
	@$(BIN)/lint-imports --no-logo --cache-dir $(HERE)/imports
	@$(PY) -m tests.prose

# What is known of weaknesses in our code, our packages and our workflows.
audit: $(DEVELOPED)
	@$(PY) -m tests.audit

# The locks anew, at the versions of constraints.txt; what stands in a lock stays unless that forbids it.
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --python-version 3.11 \
  --custom-compile-command "make lock" --constraint constraints.txt
lock: $(DEVELOPED)
	@$(LOCK) --output-file requirements.lock --extra clusters pyproject.toml
	@$(LOCK) --output-file requirements-check.lock pyproject.toml
	@printf 'hatchling\neditables\nfastjsonschema\nuv\n' | $(LOCK) --output-file requirements-build.lock -
	@printf 'mkdocs-material\n' | $(LOCK) --output-file requirements-docs.lock -
	@$(LOCK) --output-file requirements-dev.lock --extra clusters --extra dev --extra audit pyproject.toml

# Expected outputs, examples of findings, and the generated parts of README and docs/. Tables are first: they report
# a field without a unit.
GOLDENS := tests/golden tests/story tests/chart/test_chart.py tests/cli/test_import.py tests/report/text/test_apply.py
golden: $(DEVELOPED)
	@$(PY) -m tests.documentation tables
	@$(PYTEST) $(GOLDENS) --update-golden -q
	@$(PY) -m tests.bad_input.examples
	@$(PY) -m tests.documentation

bench: $(DEVELOPED)
	@$(BIN)/python -m benchmarks

# Changes of the code that no test notices. Takes hours; `make mutants MUTANTS='reconciler.planning.space.*'` does a part.
mutants: $(DEVELOPED)
	@$(PY) -m mutmut run $(MUTANTS)
	@$(PY) -m mutmut results

clean:
	rm -rf $(VENV) $(DEMO) $(DEMO)-[0-9]*
