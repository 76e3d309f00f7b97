"""Oracles of other make: parsers and validators that we didn't write, held against masks and verdicts.

    earley      lark's Earley parser, led byte by byte: each token of a vocabulary at a state (`automaton`, `earley`)
    patterns    Python's own reader of patterns, `re` for whole texts, the package `regex` for prefixes
    lark        the package lark: its reader of grammars, its lexers, its parsers
    jsonschema  the validator, with exact numbers

A disagreement is sorted by a program (`classes`): into a class that a document describes, or it is a finding.
"""
