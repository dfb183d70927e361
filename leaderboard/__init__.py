"""Logs to statistics to tables, figures and one self-contained HTML page."""
