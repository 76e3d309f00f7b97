"""The views, one module each: what a notebook shows of a session, a pad, an audit or a comparison."""
