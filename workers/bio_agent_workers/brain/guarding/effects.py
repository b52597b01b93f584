"""What well-known commands bring about that neither their name nor their verb says, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import options, spelling, word_set
from bio_agent_workers.brain.guarding.call_words import EVERYBODY

_ADDS = "add append insert"
_TAKES = "delete del flush destroy"
_OTHER = "change replace set create rename reset"
#: Programs that change what they serve when one of these words or options is given, else only show it.
_CHANGES: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("iptables", "ip6tables"),
        word_set("-A -I -D -R -F -X -P -N -Z -E --append --insert --delete --replace --flush --policy --new-chain"),
    ),
    "nft": word_set(_ADDS, _TAKES, _OTHER, "-f --file"),
    "ufw": word_set(_TAKES, "allow deny reject limit insert enable disable reset reload default route"),
    "ip": word_set(_ADDS, _TAKES, _OTHER),
    "route": word_set("add del delete"),
    "sysctl": word_set("-w --write -p --load"),
    "crontab": word_set("-r -e"),
    "hostnamectl": word_set("set-hostname hostname"),
    "timedatectl": word_set("set-time set-timezone set-ntp"),
    "passwd": word_set("-l -d -u"),
}
#: Options by whose beginning a program changes what it serves.
_CHANGES_BY = {
    "firewall-cmd": ("--add", "--remove", "--set", "--reload", "--change", "--new", "--delete", "--panic-on")
}
#: Programs that change what they serve whatever they are given.
_ALWAYS = word_set("iptables-restore ip6tables-restore netplan chown chgrp setfacl usermod chsh visudo passwd chpasswd")
#: What programs that work on whole devices or databases do.
_BRINGS = {
    "mkfs": word_set("format write"),
    "passwd": frozenset({"reset"}), "chpasswd": frozenset({"reset"}), "mkswap": word_set("format write"), "wipefs": word_set("write delete"),
    "blkdiscard": word_set("write delete"), "shred": frozenset({"write"}), "pg_restore": frozenset({"restore"}),
    **dict.fromkeys(("pg_dump", "mysqldump", "mongodump", "pg_dumpall"), word_set("export backup")),
    **dict.fromkeys(("touch", "unzip"), word_set("create write")), "ddrescue": frozenset({"write"}),
}  # fmt: skip
_FIREWALLS = word_set("ufw iptables ip6tables firewall-cmd nft")
#: Verbs that open a port to an address, whatever the program.
_OPENS = re.compile(r"authorize-security-group|(?:firewall|security|nsg)\S*(?: \S+)* (?:create|add|allow|update)")
#: Of the words above, those that do more than change: what they do besides.
_BESIDES = {
    **dict.fromkeys(("-r", "-D", "-F", "-X", "--delete", "--flush", "delete", "del", "flush", "destroy"), "delete"),
    "disable": "disable", "enable": "enable", "allow": "open", "deny": "close", "reset": "reset",
}  # fmt: skip
#: What a program works on, by its first operand.
_SERVED = {
    "ip": {"route": "route routes routing table", "addr": "address network", "address": "address network", "link": "network interface"},
    "route": {"add": "route routing table", "del": "route routing table", "delete": "route routing table"},
}  # fmt: skip
#: Managers of services, and what people call some of them.
_MANAGERS = frozenset({"systemctl", "service", "rc-service"})
_SERVERS = {
    **dict.fromkeys(("postgresql", "postgres", "mysql", "mysqld", "mariadb", "mongod"), word_set("database db")),
    **dict.fromkeys(("nginx", "apache2", "httpd", "caddy"), word_set("web webserver")),
    **dict.fromkeys(("redis", "valkey", "memcached"), word_set("cache")),
    **dict.fromkeys(("nftables", "firewalld", "iptables"), word_set("firewall")),
}
_OWNERS = frozenset({"chown", "chgrp"})
_IMAGES = frozenset({"docker", "podman", "nerdctl", "buildah", "skopeo"})
_ON_IMAGES = word_set("push pull build tag rmi save load copy prune")
_REPLICAS = re.compile(r"replica(?:s|_?count)?[\"']?\s*[:=]\s*[\"']?(\d+)", re.I)
_SIZED = re.compile(r"(?:--scale=)?[\w.-]+=(\d+)")
#: Acts that go from one place to another, the fields that say from where, and those that say where to.
_GOES = frozenset({"navigate", "move"})
_FROM = word_set("location from origin current_location current_room current_position start source_room")


#: Programs that make users members of a group, and the options with which they do.
_MEMBERS = word_set("usermod gpasswd adduser")
_JOINS = word_set("-a -G -aG --append --groups --add")
#: What the groups of cloud programs hold.
_GROUPS = {
    "ec2": "vm vms instance machine server", "compute": "vm vms instance machine", "vm": "vms instance machine server",
    "rds": "database db", "sql": "database db", "dynamodb": "table database", "s3": "bucket", "s3api": "bucket", "storage": "bucket",
    "iam": "user role permission rights", "eks": "cluster", "aks": "cluster", "ecs": "cluster service", "container": "cluster",
    "route53": "dns zone record", "dns": "zone record", "kms": "key", "lambda": "function", "secretsmanager": "secret",
}  # fmt: skip


def actions_brought(act: Act) -> set[str]:
    """Action concepts of what a command brings about."""
    given = [*options(act), *act.operands]
    changing = [word for word in given if word.partition("=")[0] in _CHANGES.get(act.tool, ())]
    changes = bool(changing) or any(word.startswith(_CHANGES_BY.get(act.tool, ("\0",))) for word in given)
    out = {"edit"} if changes or act.tool in _ALWAYS else set()
    out |= _BRINGS.get(act.tool.partition(".")[0], frozenset())
    if act.tool == "shutdown" and {"-r", "--reboot"} & set(act.flags):
        out.add("restart")
    if act.tool == "tar" and "--extract" in act.flags:
        out |= {"create", "write"}
    if act.tool in _MEMBERS and (_JOINS & set(given) or (act.tool == "adduser" and len(act.operands) > 1)):
        out.add("ad")  # the stem of "add"
    out |= {"open"} if _OPENS.search(f"{act.verb} {' '.join(act.operands[:3])}") else set()
    out |= {_BESIDES[word] for word in changing if word in _BESIDES}
    if act.tool in ("iptables", "ip6tables") and changing and not {"-D", "--delete"} & set(given):
        out |= {"open"} if "ACCEPT" in given else {"close"} if {"DROP", "REJECT"} & set(given) else set()
    if act.tool == "crontab" and act.operands:
        out.add("edit")  # a file, or "-" for what it is fed, takes its place
    out |= {"open"} if opens_to_all(act) else set()
    return out | ({"scale"} if replicas(act) is not None else set())


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
    return (
        bool(_OPENS.search(f"{act.verb} {' '.join(act.operands[:3])}"))
        and act.tool == "gcloud"
        and ("create" in act.operands and "--source-ranges" not in given)
    )


def served(act: Act) -> frozenset[str]:
    """Words for what the command works on."""
    if act.tool in _FIREWALLS or "open" in actions_brought(act):
        return word_set("port ports") | (EVERYBODY if opens_to_all(act) else frozenset())
    if act.tool == "crontab" and spelling(act).startswith("sudo") and not any(f.startswith("-u") for f in act.flags):
        return frozenset({"root"})
    if act.tool in _MEMBERS:
        return word_set("user users group groups")
    if act.tool in ("passwd", "chpasswd"):
        return word_set("password user account")
    if act.verb and act.tool in ("aws", "gcloud", "az"):
        return word_set(_GROUPS.get(act.verb.split(" ")[0], ""))
    if act.tool in _OWNERS:
        return word_set("owner ownership" if act.tool == "chown" else "group ownership")
    if act.tool in _IMAGES and act.verb.rsplit(" ", 1)[-1] in _ON_IMAGES:
        return word_set("image images")
    if act.tool in _MANAGERS:
        return frozenset().union(*(_SERVERS.get(name.removesuffix(".service"), frozenset()) for name in act.operands))
    first = act.operands[0] if act.operands else ""
    return word_set(_SERVED.get(act.tool, {}).get(first, ""))


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
