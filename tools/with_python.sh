#!/bin/sh
# Runs a module of tools/ with a Python that is new enough:  sh tools/with_python.sh tools.bootstrap lab
# XG2LAB_PYTHON names one; else the first of the usual names that is >= 3.11, preferring one that has its C headers.
probe='import os, sys, sysconfig
sys.exit(1 if sys.version_info < (3, 11) else 0 if os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")) else 3)'
without_headers=
for name in "$XG2LAB_PYTHON" python3 python3.14 python3.13 python3.12 python3.11 python; do
  [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 || continue
  "$name" -c "$probe" >/dev/null 2>&1
  case $? in
    0) exec "$name" -m "$@" ;;
    3) [ -n "$without_headers" ] || without_headers=$name ;;
  esac
  if [ "$name" = "$XG2LAB_PYTHON" ] && [ "$without_headers" != "$name" ]; then
    echo "xg2lab: XG2LAB_PYTHON=$name is older than Python 3.11" >&2
    exit 2
  fi
done
[ -n "$without_headers" ] && exec "$without_headers" -m "$@"
echo "xg2lab: no Python >= 3.11 found." >&2
echo "  hint: apt-get install python3 python3-venv python3-dev (Debian 12, Ubuntu 24.04 or newer)," >&2
echo "        or name one: make XG2LAB_PYTHON=/path/to/python3.12 ..." >&2
exit 2
