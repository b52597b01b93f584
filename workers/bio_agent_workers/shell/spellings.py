"""Spellings of one act that are no matter of options alone, brought into one."""

from __future__ import annotations

from dataclasses import dataclass, field

_KUBE_KINDS = {
    "po": "pod",
    "pods": "pod",
    "svc": "service",
    "services": "service",
    "ns": "namespace",
    "namespaces": "namespace",
    "deploy": "deployment",
    "deployments": "deployment",
    "cm": "configmap",
    "configmaps": "configmap",
    "secrets": "secret",
    "pvc": "persistentvolumeclaim",
    "pv": "persistentvolume",
    "sts": "statefulset",
    "statefulsets": "statefulset",
    "ds": "daemonset",
    "ing": "ingress",
    "jobs": "job",
    "nodes": "node",
    "no": "node",
}


@dataclass(slots=True)
class Parsed:
    """The words of one command behind its program: its verb, its options (`name=value`) and its operands."""

    verb: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)


def _mode(mode: str) -> str:
    """A file mode in its shortest octal form; everything for everybody is 777 however it is written."""
    if mode.isdigit() and len(mode) > 3:
        return mode.lstrip("0").rjust(3, "0")
    return "777" if mode in ("a+rwx", "a=rwx", "ugo+rwx", "ugo=rwx", "a+rwX", "a=rwX") else mode


def one_spelling(tool: str, parsed: Parsed) -> None:
    """Different spellings of one act that are no matter of options alone."""
    verb = parsed.verb[0] if parsed.verb else ""
    if tool == "git" and verb == "push":
        for index, operand in enumerate(parsed.operands):
            name = operand
            if name.startswith("+") and len(name) > 1:
                parsed.flags.append("--force")
                name = name[1:]
            if name.startswith(":") and len(name) > 1:
                parsed.flags.append("--delete")
                name = name[1:]
            parsed.operands[index] = name
        repo = next((flag for flag in parsed.flags if flag.startswith("--repo=")), None)
        if repo is not None:
            parsed.flags.remove(repo)
            parsed.operands.insert(0, repo.partition("=")[2])
    elif tool == "yarn" and parsed.verb[:1] == ["npm"] and len(parsed.verb) > 1:
        parsed.verb = parsed.verb[1:]  # `yarn npm publish` of later versions is `yarn publish` of the first
    elif tool == "chmod" and parsed.operands:
        parsed.operands[0] = _mode(parsed.operands[0])
    elif tool == "terraform" and verb == "apply" and "-destroy" in parsed.flags:
        parsed.verb[0] = "destroy"
        parsed.flags.remove("-destroy")
    elif tool == "kubectl" and parsed.operands:
        first = parsed.operands[0]
        kind, slash, name = first.partition("/")
        kind = _KUBE_KINDS.get(kind, kind)
        parsed.operands[0:1] = [kind, name] if slash and kind.isalpha() else [kind]
    elif tool == "systemctl":
        parsed.operands = [operand.removesuffix(".service") for operand in parsed.operands]
    elif tool == "python" and not parsed.verb:
        parsed.operands += [flag[3:] for flag in parsed.flags if flag.startswith("-c=")]
        parsed.flags = ["-c" if flag.startswith("-c=") else flag for flag in parsed.flags]
