# Two commands for a newcomer: `make lab` opens the workbench, `make test` runs every test.
#   XG2LAB_PYTHON=python3.12   the Python to make .venv with        ARGS="-k chart"   words for pytest or the benchmark
#   XG2LAB_VLLM_PYTHON=PATH    the Python of an environment with vLLM that is there already, for `make serving`
SETUP := @sh tools/setup.sh
PYTHON := .venv/bin/python
START := notebooks/00_start_here.ipynb
# Notebooks show pictures of docs/, so the whole repository is served; tools/jupyter keeps a question about news away.
LAB := --ServerApp.root_dir=$(CURDIR)
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help lab demo test check format tidy stubs sanitize bench campaign serving wheel lock clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 18

lab:  ## sets everything up and opens JupyterLab on the first notebook
	$(SETUP) lab
	@JUPYTER_CONFIG_PATH="$(CURDIR)/tools/jupyter$${JUPYTER_CONFIG_PATH:+:$$JUPYTER_CONFIG_PATH}" $(PYTHON) -m jupyterlab $(AS_ROOT) $(LAB) $(START)

demo:  ## the same set-up without a browser: one prompt, unconstrained and constrained
	$(SETUP) lab
	@$(PYTHON) -m xg2lab.lab.demo $(ARGS)

test:  ## every test: Python, C++ through Python, notebooks, TypeScript, a real browser
	$(SETUP) test
	@$(PYTHON) -m tools.run_tests $(ARGS)

check:  ## the gate before a commit: format, lint, types, layers, stub, the quick tests
	$(SETUP) dev
	@$(PYTHON) -m tools.check $(ARGS)

format:  ## rewrites Python, C++ and TypeScript in the project's format
	$(SETUP) dev
	@$(PYTHON) -m tools.check --format

tidy:  ## clang-tidy over the engine
	$(SETUP) dev
	@$(PYTHON) -m tools.tidy $(ARGS)

stubs:  ## rewrites what is generated: the engine's stub, the page's types and their tables
	$(SETUP) test
	@$(PYTHON) -m tools.check_stubs --write
	@$(PYTHON) -m tools.check_schema --write

sanitize:  ## the engine's tests under sanitizers: memory and undefined operations; races with ARGS=--thread
	$(SETUP) test
	@$(PYTHON) -m tools.sanitize $(ARGS)

bench campaign: export XG2LAB_LTO ?= ON

bench:  ## the benchmarks beside the peers; ARGS chooses
	$(SETUP) bench
	@$(PYTHON) -m benchmarks $(ARGS)

campaign:  ## hours of hostile inputs, fuzzing and more; ARGS chooses, a run that was cut short goes on
	$(SETUP) bench
	@$(PYTHON) -m campaign $(ARGS)

serving:  ## a real vLLM with our plug-in, in an environment of its own (3 GB) or in that of XG2LAB_VLLM_PYTHON: minutes
	$(SETUP) test
	@$(PYTHON) -m tools.serving $(ARGS)

wheel:  ## dist/*.whl, with the code of the views in it
	$(SETUP) lab
	@$(PYTHON) -m pip wheel -q --no-deps --no-build-isolation -w dist . && ls -l dist

lock:  ## renews constraints.txt; ARGS="--upgrade-package ruff" takes a newer one
	$(SETUP) dev
	@$(PYTHON) -m tools.lock $(ARGS)

clean:  ## removes what was built, and .venv
	rm -rf .venv build build-asan build-tsan build-fuzz build-tidy dist xg2lab/widgets/static widgets/node_modules xg2lab/_core*.so compile_commands.json
