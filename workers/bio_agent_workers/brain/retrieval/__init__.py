"""Memories: single facts, search terms, the score of recall, freshness, wishes, retention."""
