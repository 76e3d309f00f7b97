# Two commands for a newcomer: `make lab` opens the workbench, `make test` runs every test.
# The recipes only name what runs; the set-up itself is tools/bootstrap.py, standard library alone.
#   XG2LAB_PYTHON=python3.12   the Python to make .venv with        ARGS="-k chart"   words for pytest or the benchmark
SETUP := @sh tools/with_python.sh tools.bootstrap
VENV_PYTHON := .venv/bin/python
START := notebooks/00_start_here.ipynb
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help lab demo test check format tidy stubs sanitize bench campaign wheel clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 18

lab:  ## sets everything up and opens JupyterLab on the first notebook
	$(SETUP) lab
	@test -f $(START) || { echo "xg2lab: $(START) is missing from this checkout" >&2; exit 1; }
	@$(VENV_PYTHON) -m jupyterlab $(AS_ROOT) $(START)

demo:  ## the same set-up without a browser: one prompt, unconstrained and constrained
	$(SETUP) lab
	@test -f xg2lab/lab/demo.py || { echo "xg2lab: xg2lab/lab/demo.py is missing from this checkout" >&2; exit 1; }
	@$(VENV_PYTHON) -m xg2lab.lab.demo $(ARGS)

test:  ## every test: Python, C++ through Python, notebooks, TypeScript, a real browser
	$(SETUP) test
	@$(VENV_PYTHON) -m tools.run_tests $(ARGS)

check:  ## the gate before a commit: format, lint, types, layers, stub, the quick tests
	$(SETUP) dev
	@$(VENV_PYTHON) -m tools.check $(ARGS)

format:  ## rewrites Python, C++ and TypeScript in the project's format
	$(SETUP) dev
	@$(VENV_PYTHON) -m tools.check --format

tidy:  ## clang-tidy over the engine
	$(SETUP) dev
	@$(VENV_PYTHON) -m tools.tidy $(ARGS)

stubs:  ## rewrites what is generated: the engine's stub, the page's types and their tables
	$(SETUP) test
	@$(VENV_PYTHON) -m tools.check_stubs --write
	@$(VENV_PYTHON) -m tools.check_schema --write

sanitize:  ## the engine's tests under sanitizers: memory and undefined operations; races with ARGS=--thread
	$(SETUP) test
	@$(VENV_PYTHON) -m tools.sanitize $(ARGS)

bench:  ## the benchmarks beside the peers; ARGS chooses
	$(SETUP) bench
	@$(VENV_PYTHON) -m benchmarks $(ARGS)

campaign:  ## hours of hostile inputs, fuzzing and more; ARGS chooses, a run that was cut short goes on
	$(SETUP) bench
	@$(VENV_PYTHON) -m campaign $(ARGS)

wheel:  ## dist/*.whl, with the notebook bundle in it
	$(SETUP) lab
	@$(VENV_PYTHON) -m pip wheel -q --no-deps --no-build-isolation -w dist . && ls -l dist

clean:  ## removes what was built, and .venv
	rm -rf .venv build build-asan build-fuzz build-tidy dist xg2lab/widgets/static widgets/node_modules xg2lab/_core*.so compile_commands.json
