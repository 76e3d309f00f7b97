"""What sets the project up, checks it and runs its tests; `make` calls these modules, they are not installed."""
