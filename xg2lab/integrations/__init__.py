"""Where tokens are made: xg2lab inside the servers that people run, a server of its own for a lab, and sweeps.

Each module needs an extra of its own (`pip install xg2lab[serve]`), and `import xg2lab` imports none of them.
"""
