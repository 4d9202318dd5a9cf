# Every target sets itself up: a fresh machine needs Python 3.11 with pip, and make.
PYTHON ?= python3
BIN := .venv/bin
DONE := .venv/.installed

.PHONY: setup demo chromium test check bench judge soak pictures docs

setup: $(DONE)

$(DONE): pyproject.toml
	@echo "Setting up .venv (once) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[all]"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps brisque==0.2.0 scikit-video==1.1.11
	@touch $(DONE)

demo: setup
	@$(BIN)/osmofuse demo --output out/demo --overwrite

# For the tests of the report's page. Playwright drives the system's Chromium; Debian's is installed
# where that is possible (root, apt), without a window system.
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::http::Timeout=30
chromium:
	@if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null \
	    && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Debian's chromium (once) ..."; \
	  { $(APT) update; $(APT) install -y --no-install-recommends chromium; } >/dev/null 2>&1 \
	    || echo "chromium cannot be installed; the tests of the report's page will skip"; \
	fi

# axe-core comes where npm is; without it, and without Chromium, tests skip and say so.
test: setup chromium
	@if command -v npm >/dev/null; then npm ci --prefix tests/page --no-audit --no-fund --silent; fi
	$(BIN)/python -m pytest -m "not soak" -n 2 --dist loadfile $(ARGS)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m benchmarks $(ARGS)

# Fuse drawn and real pairs with any settings, e.g. make judge ARGS="auto 'reach=20 eta=0.3'"
judge: setup
	$(BIN)/python -m benchmarks.judge $(ARGS)

# Long runs, seeded; PART chooses one, e.g. make soak PART=laws
soak: setup
	$(BIN)/python -m pytest -m soak $(if $(PART),-k $(PART)) $(ARGS)

pictures: setup
	$(BIN)/python docs/pictures.py $(ARGS)

docs: setup
	@if command -v npm >/dev/null; then npm ci --prefix docs --no-audit --no-fund --silent; fi
	$(BIN)/sphinx-build -q -W --keep-going docs docs/_build/html
	@echo "docs/_build/html/index.html"
