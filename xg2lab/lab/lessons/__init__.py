"""Exercises that check each step: a column of the Earley chart, filled by hand."""
