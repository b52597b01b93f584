"""What commands bring about that neither their name and verb nor the table of commands says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import options, spelling, word_set
from bio_agent_workers.brain.guarding.call_words import EVERYBODY, is_disk
from bio_agent_workers.brain.guarding.commands import meaning

_FIREWALLS = word_set("ufw iptables ip6tables firewall-cmd nft")
#: Verbs that open a port to an address, whatever the program.
_OPENS = re.compile(r"authorize-security-group|(?:firewall|security|nsg)\S*(?: \S+)* (?:create|add|allow|update)")
#: Options of iptables with which a rule comes to those that are there.
_ADDS_RULE = word_set("-A -I -R -P --append --insert --replace --policy")
#: Managers of services, and what people call some of them.
_MANAGERS = frozenset({"systemctl", "service", "rc-service"})
_SERVERS = {
    **dict.fromkeys(("mysql", "mysqld", "mariadb", "mongod"), word_set("database db")),
    **dict.fromkeys(("postgresql", "postgres"), word_set("postgres database db")),
    **dict.fromkeys(("nginx", "apache2", "httpd", "caddy"), word_set("web webserver")),
    **dict.fromkeys(("redis", "valkey", "memcached"), word_set("cache")),
    **dict.fromkeys(("nftables", "firewalld", "iptables"), word_set("firewall")),
}
_REPLICAS = re.compile(r"replica(?:s|_?count)?[\"']?\s*[:=]\s*[\"']?(\d+)", re.I)
_SIZED = re.compile(r"(?:--scale=)?[\w.-]+=(\d+)")
#: Acts that go from one place to another, the fields that say from where, and those that say where to.
_GOES = frozenset({"navigate", "move"})
_FROM = word_set("location from origin current_location current_room current_position start source_room")
#: How git names a tag in full.
_TAGS = "refs/tags/"


def actions_brought(act: Act) -> set[str]:
    """Action concepts of what a command brings about."""
    out = {"open"} if _opens(act) or opens_to_all(act) else set()
    if act.tool in ("iptables", "ip6tables") and _ADDS_RULE & options(act):
        out |= {"open"} if "ACCEPT" in act.operands else {"close"} if {"DROP", "REJECT"} & set(act.operands) else set()
    return out | ({"scale"} if replicas(act) is not None else set())


def _opens(act: Act) -> bool:
    """Whether a command opens a port to an address."""
    return _OPENS.search(f"{act.verb} {' '.join(act.operands[:3])}") is not None


def pushed(act: Act) -> set[str]:
    """Words for what a `git push` changes on the other side: branches, or tags where it names nothing else."""
    named = act.operands[1:]
    tags = {"tag", "tags"} if "--tags" in act.flags or any(_TAGS in name for name in named) else set()
    only = bool(tags) and all(_TAGS in name for name in named)
    return tags if only else tags | {"branch"}


def opens_to_all(act: Act) -> bool:
    """Whether a command opens something to every address, because it names none."""
    given = {*(flag.partition("=")[0] for flag in act.flags), *act.operands}
    if act.tool == "ufw":
        return "allow" in given and not {"from", "out", "delete"} & given
    if act.tool in ("iptables", "ip6tables"):
        incoming = {"-A", "-I", "--append", "--insert"} & given and {"INPUT", "FORWARD"} & given
        return bool(incoming) and "ACCEPT" in given and not {"-s", "--source", "--src"} & given
    if act.tool == "firewall-cmd":
        return bool({"--add-port", "--add-service"} & given)
    return _opens(act) and act.tool == "gcloud" and "create" in act.operands and "--source-ranges" not in given


def served(act: Act) -> frozenset[str]:
    """Words for what the command works on."""
    out = meaning(act).to
    if act.tool in _FIREWALLS or _opens(act):
        out |= word_set("port ports") | (EVERYBODY if opens_to_all(act) else frozenset())
    elif (
        act.tool == "crontab"
        and spelling(act).startswith("sudo")
        and not any(f.startswith(("-u", "@as=")) for f in act.flags)
    ):
        out |= {"root"}
    elif act.tool in _MANAGERS:
        named = (name.removesuffix(".service") for name in act.operands)
        out = out.union(*(_SERVERS.get(name, frozenset()) for name in named))
    if any(is_disk(operand.removeprefix("of=")) for operand in act.operands):
        out |= word_set("block device disk drive")
    return out


def replicas(act: Act) -> Decimal | None:
    """How many replicas a command asks for, wherever it says so (`kubectl patch -p '{"spec":{"replicas":0}}'`)."""
    sized = act.verb.rsplit(" ", 1)[-1] == "scale" or any(flag.startswith("--scale=") for flag in act.flags)
    for said in (*act.operands, *act.flags):
        found = _REPLICAS.search(said) or (_SIZED.fullmatch(said) if sized else None)
        if found is not None:
            return Decimal(found[1])
    return None


def leaves(actions: set[str], texts: Mapping[str, str]) -> set[str]:
    """The words of the place that a structured call goes to, where it also says from which other one it leaves."""
    came = [value for key, value in texts.items() if key.lower() in _FROM]
    goes = [value for key, value in texts.items() if key.lower() not in _FROM]
    if not came or not goes or not _GOES & actions or came[0] in goes:
        return set()
    return {word for value in goes for word in (value.lower(), value.lower().replace("_", " "))}
