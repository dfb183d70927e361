"""Stub; filled by the registry."""
