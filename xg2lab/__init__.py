"""xg2lab: a workbench for constrained decoding."""
