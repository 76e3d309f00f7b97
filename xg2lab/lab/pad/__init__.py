"""A grammar or a template in the making: read, linted and compiled while it is typed, with its examples."""
