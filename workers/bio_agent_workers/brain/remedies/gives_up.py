"""Acts that give up what is stored, agreed or checked elsewhere: deletions of remote or stored things, locks broken, one side
of a merge dropped, an approval in a person's stead, access opened to everybody, a scanner told to look away.

Told by the parse of an act, by classes. Such an act may have been what fixed a failure; it is no advice before a person agreed.
"""

from __future__ import annotations

import re

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import is_read, word_set
from bio_agent_workers.brain.remedies.leaves_out import leaves_tests_out

__all__ = ["gives_up"]

_READ = 300  # characters of one word that are read
_FIRST = 3  # words after the program among which its verb stands
_WORD = re.compile(r"[A-Za-z][\w:-]*")
#: Whatever the tool: the word ends something that others hold.
_ENDS = re.compile(
    r"(?:\w+:)?(?:destroy|drop|purge|terminate|wipe|truncate|flush|evict|drain|unpublish|yank|break-lock|force-unlock)(?:[-_:].*)?"
    r"|(?:\w+:)?reset(?:[-_:]?(?:all|db|data|database|hard|state|cluster))?|(?:db|database)[-_:]reset|approve(?:-\w+)?",
    re.I,
)
_DELETES = re.compile(r"(?:\w+:)?(?:delete|del|unlock)(?:[-_:].*)?|(?:deregister|disable|remove)-\w.*", re.I)
_REMOVES = word_set("rm remove rb unlink")
_STORED = word_set(
    "volume state s3 s3api gsutil bucket buckets secret service stack repo database table storage stage node vault"
)
#: Programs whose `remove` and `delete` are about a project's own packages, and whose cache or settings are made again.
_PACKAGERS = word_set(
    "npm pnpm yarn bun pip pip3 uv poetry pdm pipenv pipx conda mamba brew apt apt-get dnf yum apk pacman cargo gem bundle go",
    "composer dotnet nvm asdf mise rustup volta fnm pyenv rbenv",
)
_OTHERS = word_set("git make just task tmux screen bw op security loginctl tput reset jq yq tr systemctl echo printf")
_MADE_AGAIN = word_set("cache config context alias builder")
_NOT_YET = re.compile(r"^--?(?:dry[-_]?run|what-?if|plan|simulate)(?:$|=(?!none|false))", re.I)

_OPTION = re.compile(
    r"^--?accept[-_](?:\w+[-_])*(?:loss|risks?|invalid|untrusted|certs?|keys?|unsigned|breaking)"
    r"|^--?allow[-_](?:\w+[-_])*(?:loss|destr\w+|delet\w+|anonymous|public|unsigned|unverified|unauth\w*|any|everyone|empty[-_]passwords?)(?:$|[-_=])"
    r"|^--?no-disable-|^--disable-(?:eviction|deletion|backup|encryption|logging|rollback|pdb)|^--(?:admin|approve|exit-zero|soft-fail|deselect|as-root)(?:$|=)"
    r"|^--no-fail(?!-fast)|^--(?:[\w-]+-)?fail-(?:under|on|severity|level|threshold)(?:$|=)"
    r"|^--(?:update|refresh|rewrite|overwrite|regenerate)-(?:\w+-)*(?:checksums?|hash(?:es)?|integrity)"
    r"|^--push-option=\S*(?:skip|bypass)|^--reset-(?:offsets|data|db|database|state)|^--(?:no-|skip-)(?:final-snapshot|backup|encryption)"
    r"|^--skip-final-snapshot|danger",
    re.I,
)
_DELETE_OPTION = re.compile(r"^--delete(?:$|=|-(?:topics?|emptydir-data|all|data|local-data|branch-data))", re.I)
_HTTP_DELETE = re.compile(r"^(?:-X|--?request|--?method)=?delete$", re.I)
_HTTP_CHANGES = re.compile(r"^(?:-X|--?request|--?method)=?(?:put|patch|post)$", re.I)
_GUARDED_PATH = re.compile(
    r"/(?:protection|rulesets?|required_\w+|vulnerability-alerts|secret-scanning|code-scanning|policies)(?:[/?]|$)",
    re.I,
)
_OPEN_VALUE = re.compile(
    r"^(?:\S*=)?(?:public-read(?:-write)?|authenticated-read|allusers|allauthenticatedusers|0\.0\.0\.0/0|::/0)(?:$|:)",
    re.I,
)
_OPENED = re.compile(
    r"^--(?:default-action|public-network-access|[\w-]*public-access|bypass|visibility|access-level)(?:$|=)", re.I
)
_OPEN_WORDS = word_set("allow enabled public true container blob internet all")

_ALLOWS = re.compile(
    r"^\w*ALLOW(?:S|ED)?_(?:\w+_)?(?:ALL|ANY|EMPTY|ANON\w*|PLAINTEXT|ROOT|SUPERUSER|EVERY\w*|PUBLIC|UNAUTH\w*|LOSS|DELET\w*|DESTR\w*|PROD\w*)\w*"
    r"=(?!(?:0|false|no|off)?$)|^\w*(?:ALLOW|CORS|ORIGIN|TRUSTED)\w*=\*$|^\w*DANGER\w*=(?!(?:0|false|no|off)?$)"
    r"|^\w*(?:TOKEN|PASSWORD|PASSWD|SECRET|API_?KEY)=(?:root|admin|administrator|superuser|master)$",
    re.I,
)
_ASSIGNERS = word_set("export setx declare typeset set env")

#: What pins a project's dependencies, holds its data or its secrets: removed, a check or the data goes with it. A lock of
#: a process (`.git/index.lock`) is none of them.
_KEPT_FILE = re.compile(
    r"(?:^|/)(?:(?:package|packages|pnpm|yarn|npm|cargo|poetry|pipfile|gemfile|composer|uv|flake|bun|podfile|mix|pubspec|deno|pdm|conda"
    r"|pixi|chart|gradle|shard|stack)[.-]lock(?:b|file|\.\w+)?|npm-shrinkwrap\.json|go\.sum|package\.resolved|\.terraform\.lock\.hcl"
    r"|[^/]*\.(?:db|sqlite3?|mdb|rdb|aof|ldb|tfstate)(?:[.-]\w+)*|[^/]*\.tfstate\S*|[^/]*-(?:wal|journal)|\.env(?:\.\w+)?"
    r"|known_hosts|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p12|pfx|jks|gpg|asc|sha\d+))$",
    re.I,
)  # fmt: skip

_SCANNERS = word_set(
    "bandit trivy gitleaks trufflehog semgrep grype snyk checkov tfsec kics pip-audit safety osv-scanner detect-secrets dockle hadolint",
    "cargo-audit cargo-deny govulncheck gosec brakeman bundler-audit bundle-audit codeql sonar-scanner auditjs audit-ci better-npm-audit",
)
_LOOKS_AWAY = re.compile(
    r"^--?(?:[\w-]+-)?(?:ignore|exclude|skip|baseline|severity|threshold|level|allow|suppress|exit-code|fail|confidence|only|quiet-errors)"
    r"(?:$|[-_=])", re.I,
)  # fmt: skip
_CHECKING_TASK = re.compile(r"(?:\S*:)?(?:test|check|lint|verify)\w*", re.I)
_SQL = re.compile(
    r"\bdisable\s+(?:trigger|row\s+level\s+security|constraint)|\b(?:foreign_key_checks|unique_checks)\s*=\s*(?:0|off)"
    r"|\bsession_replication_role\b|\bgrant\s+all\b|\bsuperuser\b|\bno\s+force\s+row\s+level",
    re.I,
)
_SIDE = re.compile(r"^(?:-X|--strategy-option|--strategy|-s)=?(?:ours|theirs)$", re.I)


def gives_up(act: Act) -> str:
    """The word of an act by which it gives up something stored, agreed or checked; "" where it does not."""
    flags = [f[:_READ] for f in act.flags if not f.startswith("@")]
    operands = [o[:_READ] for o in act.operands]
    if any(_NOT_YET.search(f) for f in flags):
        return ""
    return (
        _by_word(act, operands) or _by_option(act, flags, operands) or _by_access(act, flags, operands)
        or _by_file(act, operands) or _by_scan(act, flags, operands) or leaves_tests_out(act)
    )  # fmt: skip


def _by_word(act: Act, operands: list[str]) -> str:
    """The verb by which something remote or stored ends."""
    if act.tool in _OTHERS or is_read(act):
        return ""
    words = act.verb.split()
    for operand in operands[: max(0, _FIRST - len(words))]:
        if not _WORD.fullmatch(operand):
            break
        words.append(operand)
    lower = {w.lower() for w in words}
    if lower & _MADE_AGAIN:
        return ""
    if found := next((w for w in words if _ENDS.fullmatch(w)), ""):
        return found
    if act.tool in _PACKAGERS:
        return ""
    if found := next((w for w in words if _DELETES.fullmatch(w)), ""):
        return found
    if act.tool == "helm" and "uninstall" in lower:
        return "uninstall"
    return next((w for w in words if w.lower() in _REMOVES), "") if {act.tool, *lower} & _STORED else ""


def _by_option(act: Act, flags: list[str], operands: list[str]) -> str:
    """The option, assignment or statement that says so."""
    assigned = [*(f for f in flags if not f.startswith("-")), *(operands if act.tool in _ASSIGNERS else ())]
    if found := next((a for a in assigned if _ALLOWS.search(a)), ""):
        return found
    if found := next((f for f in flags if f.startswith("-") and _OPTION.search(f)), ""):
        return found
    if act.tool not in ("git", "tr", "sed") and (found := next((f for f in flags if _DELETE_OPTION.search(f)), "")):
        return found
    if act.tool == "git":
        return next((f for f in flags if _SIDE.search(f)), "")
    texts = (*(f for f in flags if f.startswith("-")), *operands)
    return next((m.group() for t in texts if " " in t and (m := _SQL.search(t))), "")


def _by_access(act: Act, flags: list[str], operands: list[str]) -> str:
    """The word by which a request deletes or changes a protection, or something is opened to everybody."""
    if found := next((f for f in flags if _HTTP_DELETE.search(f)), ""):
        return found
    if operands[:1] == ["DELETE"] or (act.verb == "DELETE"):
        return "DELETE"
    asked = [*act.verb.split(), *operands]
    if any(_HTTP_CHANGES.search(f) for f in flags) and (
        found := next((w for w in asked if _GUARDED_PATH.search(w)), "")
    ):
        return found
    if found := next((w for w in (*flags, *operands) if _OPEN_VALUE.search(w)), ""):
        return found
    for flag in (f for f in flags if _OPENED.search(f)):
        value = flag.partition("=")[2].lower()
        if value in _OPEN_WORDS or (not value and any(o.lower() in _OPEN_WORDS for o in operands)):
            return flag
    return ""


def _by_file(act: Act, operands: list[str]) -> str:
    """The file removed that pins versions or holds data or secrets."""
    if act.tool not in ("rm", "del", "trash", "unlink", "Remove-Item"):
        return ""
    return next((o for o in operands if _KEPT_FILE.search(o)), "")


def _by_scan(act: Act, flags: list[str], operands: list[str]) -> str:
    """The option by which a scanner or a run of tests leaves something out."""
    words = {act.tool, *act.verb.split(), *operands[:1]}
    if words & _SCANNERS or "audit" in act.verb.split():
        return next((f for f in flags if f.startswith("-") and _LOOKS_AWAY.search(f)), "")
    if act.tool in ("gradle", "gradlew"):
        left_out = [f.partition("=") for f in flags if f.startswith(("-x", "--exclude-task"))]
        tasks = [value for _, equals, value in left_out if equals] or (operands if left_out else [])
        return next((t for t in tasks if _CHECKING_TASK.fullmatch(t)), "")
    return ""
