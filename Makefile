# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

export OMP_NUM_THREADS ?= 2
export HF_HUB_OFFLINE ?= 1

.PHONY: demo demo-full train-demo train-full test check lint typing perf clean

$(READY): pyproject.toml requirements/assets.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "bridgebench needs Python 3.11 or newer; set PYTHON=python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module is incomplete; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools
	# torch first and pinned: an open range would pull a CUDA build of several GB
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet -e '.[train,syntax,metrics,dev]'
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements/assets.txt
	@touch $@

demo: $(READY)
	$(BIN)/bridgebench run suites/demo.yaml
	$(BIN)/bridgebench leaderboard logs/demo -o out/demo

demo-full: $(READY)
	$(BIN)/bridgebench run suites/demo.yaml --limit 60 --log-dir logs/demo-full
	$(BIN)/bridgebench leaderboard logs/demo-full -o out/demo-full

# Stopped, either goes on where it was; remove out/train-* to start anew.
train-demo: $(READY)
	$(BIN)/bridgebench train all train_demo -o out/train-demo

train-full: $(READY)
	for seed in 0 1 2; do $(BIN)/bridgebench train all train_full -o out/train-full-$$seed \
	  --set sft.seed=$$seed --set dpo.seed=$$seed || exit 1; done

test: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder

check: $(READY) lint typing test

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# mypy does not follow the editable import hook: it is given the packages as one tree of links, and must report
# as many files as there are.
typing: $(READY)
	@rm -rf .typing && mkdir -p .typing/bridgebench
	@for f in src/bridgebench/*; do case $$f in *__pycache__*) ;; *) ln -s ../../$$f .typing/bridgebench/;; esac; done
	@for d in benchmarks leaderboard models scorers solvers suites; do ln -s ../../$$d .typing/bridgebench/$$d; done
	@MYPYPATH=.typing $(BIN)/mypy --no-namespace-packages -p bridgebench > .typing/report.txt; status=$$?; cat .typing/report.txt; \
	  files=$$(find -L .typing/bridgebench -name '*.py' | wc -l); \
	  test $$status -eq 0 && grep -q "in $$files source files" .typing/report.txt || { echo "mypy failed or did not look at all $$files files"; exit 1; }

perf: $(READY)
	@for script in tests/perf/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) .typing build dist *.egg-info
