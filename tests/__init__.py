"""The tests, and what they share: the table of cases and the generators of random ones."""
