"""Accounts and their payments."""
from .book import Book  # noqa: F401
from .reader import Reader  # noqa: F401
