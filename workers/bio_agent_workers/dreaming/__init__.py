"""The dream: once a night and tenant, in the tenant's own time zone, or on request.

    windows.py   when a tenant may dream: its night, and the windows in which no dream starts or goes on
    run.py       the dream from its first step to its last; each page of a step is one transaction with its journal
    runs.py      the run's row: lease, fence, allowance of changes, the question to a person
    steps/       merge twins · skills · open conflicts · re-validate · archive · retention · summaries · the graph
    reading.py   the journal as a person reads it

A killed dream goes on at the page where it stood. A second one at the same moment finds nothing to do. Nothing is ever
hard-deleted. What it may change in a night is bounded: beyond that it stops and asks a person.
"""

from bio_agent_workers.dreaming.run import SLICE_S, dream, dream_due, due, due_slot
from bio_agent_workers.dreaming.runs import AlreadyDreaming
from bio_agent_workers.dreaming.steps import STEPS
from bio_agent_workers.dreaming.windows import HOUR, zone

__all__ = ["HOUR", "SLICE_S", "STEPS", "AlreadyDreaming", "dream", "dream_due", "due", "due_slot", "zone"]
