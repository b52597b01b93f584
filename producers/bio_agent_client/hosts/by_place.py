"""How a file that a host loads in its own environment finds this package: by its place, so that nothing has to be
installed there, and nothing else of this installation becomes visible to the host."""

#: Lines of such a file; to be formatted with `package`, the folder of bio_agent_client.
BY_PLACE = """import sys
import types

if "bio_agent_client" not in sys.modules:
    package = types.ModuleType("bio_agent_client")
    package.__path__ = [{package!r}]
    sys.modules["bio_agent_client"] = package
"""
