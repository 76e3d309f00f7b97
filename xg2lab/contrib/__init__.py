"""Bridges to libraries that generate text; each is imported only when asked for."""
