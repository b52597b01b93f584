"""Agent hosts: what they hand over as observations, and what the memory says in their own form."""
