"""Alembic migrations; one head. `migrate()` in db.py runs them under an advisory lock."""
