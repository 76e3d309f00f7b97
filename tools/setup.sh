#!/bin/sh
# Brings .venv up to date:  sh tools/setup.sh lab|test|bench|dev
#
# uv installs the packages of pyproject.toml's extras at the versions of constraints.txt, and says
# where that is done already. Meanwhile the engine is compiled (tools/engine.py) and the notebook
# views are built (tools/bundle.py), each if what it is made of has changed. Where pip can't get
# uv, or with XG2LAB_UV=OFF, pip installs, slower.
#   XG2LAB_PYTHON=python3.12    the Python to make .venv with: 3.11 or newer, with its C headers
set -eu
cd "$(dirname "$0")/.."
level=$1
bin=$PWD/.venv/bin
python=$bin/python
fail() { echo "xg2lab: $1" >&2; echo "  hint: $2" >&2; exit 1; }

# ---- The virtual environment, made for this folder ----------------------------------------------

# The first Python that is new enough, has its headers, and makes environments with pip in them.
find_python() {
  probe='import ensurepip, os, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 11) or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
  for name in ${XG2LAB_PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    "$name" -c "$probe" >/dev/null 2>&1 && echo "$name" && return
  done
  return 1
}

if ! "$python" -c '' 2>/dev/null || [ "$(cat .venv/made_for 2>/dev/null)" != "$PWD" ]; then
  rm -rf .venv
  if found=$(find_python); then
    "$found" -m venv .venv
  elif [ -z "${XG2LAB_PYTHON:-}" ] && command -v uv >/dev/null; then
    uv venv --quiet --seed --managed-python --python '>=3.11' .venv
  else
    fail "no Python 3.11 or newer with its C headers and its module ensurepip (tried ${XG2LAB_PYTHON:-python3 and others})" \
      "apt-get install python3-venv python3-dev, or install uv, which brings a Python; or name one: make XG2LAB_PYTHON=..."
  fi
  echo "$PWD" >.venv/made_for
fi

# What belongs to another environment stays out.
unset PYTHONHOME PYTHONPATH VIRTUAL_ENV CONDA_PREFIX PIP_TARGET PIP_USER PIP_PREFIX
export PATH="$bin:$PATH" PIP_DISABLE_PIP_VERSION_CHECK=1
# The system's compiler, not the one that this Python was once built with.
[ -n "${CXX:-}" ] || ! command -v c++ >/dev/null || export CXX=c++

# ---- The packages, the engine, the views --------------------------------------------------------

if [ "${XG2LAB_UV:-ON}" = OFF ]; then
  with_uv=
elif [ -x "$bin/uv" ] || "$python" -m pip install -q -c constraints.txt $("$python" -m tools.requirements uv); then
  eval "$("$python" tools/uv_settings.py constraints.txt)"
  with_uv=1
else
  echo "xg2lab: pip can't get uv; going on with pip" >&2
  with_uv=
fi
install() {
  if [ -n "$with_uv" ]; then
    "$bin/uv" pip install --python "$python" "$@"
  else
    "$python" -m pip install --no-input --progress-bar off -c constraints.txt "$@"
  fi
}
needed() { "$python" -m tools.requirements "$@"; }

case $level in
  lab) extras="lab pictures" ;;
  test | bench | dev) extras=$level ;;
  *) fail "no level $level" "sh tools/setup.sh lab|test|bench|dev" ;;
esac

install -q $(needed build)
"$python" -c 'import sys; from tools import node; sys.exit(node.system_npm() is None)' || install -q $(needed node)
"$python" -m tools.bundle &
views=$!
"$python" -m tools.engine &
engine=$!
install $(needed $extras)
wait $views || exit 1
wait $engine || exit 1
for wheel in build/editable/*.whl; do
  [ -e "$wheel" ] || continue
  install -q --no-deps --force-reinstall "$wheel"
  "$python" -m tools.engine installed
done
"$python" -m tools.bundle linked
[ "$level" != test ] || "$python" -m tools.unit_tests
