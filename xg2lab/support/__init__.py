"""What the package stands on: arguments checked, files written whole, locks and forks, nesting, JSON text, places."""
