// The program that holds all unit tests. Run by: tests/unit/test_unit.py
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
