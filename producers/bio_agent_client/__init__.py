"""The agent's side of bio-agent-os: what observes and what reads back. Needs redis and the standard library only."""

from bio_agent_client.client import Memory
from bio_agent_client.observation import Observation, Refused
from bio_agent_client.redact import redact

__all__ = ["Memory", "Observation", "Refused", "redact"]
