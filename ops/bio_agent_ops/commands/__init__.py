"""The commands of `bio-agent`, a module for each group. `bio_agent_ops.cli` puts them together."""
