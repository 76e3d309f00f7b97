"""The base of the package: checks of arguments, files written whole, locks and forks, nesting, JSON text, places."""
