"""Acts that send a file or data to somebody else: uploads, copies to another host or store, publications, secrets made part
of a repository, a port opened to everybody.

Told by the parse of an act, by classes. Such an act may have been what fixed a failure; what leaves the house is a person's
decision. What stays on this machine (`localhost`, `rsync src/ build/`) and what is only fetched is none of them.
"""

from __future__ import annotations

import re

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import INTERPRETERS, TASK_RUNNERS, word_set
from bio_agent_workers.brain.remedies.fetched import LOCAL_HOST

__all__ = ["sends_out"]

_READ = 2_000  # characters of one word that are read
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://", re.I)
#: `host:`, `user@host:path`, `remote:bucket`; one letter before `:\` or `:/` is a drive.
_HOST_PATH = re.compile(r"^(?:[\w.+-]+@)?(?:\[?[\w.-]{2,}\]?:(?!/{2})|\w:(?![\\/]))")
_LOOKS = word_set("--help --version --dry-run --dryrun --list --list-only --download -download")

_REQUESTS = word_set("curl wget http https xh httpie iwr irm Invoke-WebRequest Invoke-RestMethod")
_BODY = re.compile(
    r"^--?(?:data(?:-\w+)?|form(?:-\w+)?|multipart|upload-file|json|(?:post|body)-(?:file|data)|infile|body|raw)(?:$|=)",
    re.I,
)
_SENDING_METHODS = word_set("POST PUT PATCH")
_BODY_ITEM = re.compile(r"^[\w.-]*:?=?@\S")  # of httpie: `file@a.txt`, `@a.txt`
#: A part of a word that is filled with what a file or the environment holds.
_READS_IN = re.compile(
    r"(?:\$\(|`|<\()\s*(?:sudo\s+)?(?:<|(?:cat|base64|base32|xxd|od|hexdump|head|tail|tar|gzip|zip|env|printenv|openssl|jq|sed|awk"
    r"|grep|tr|find|strings|gpg|history)\b)"
)
_LOOK_UPS = word_set("dig nslookup host ping")

#: Programs that copy to where their last word says.
_COPIERS = word_set("scp rsync pscp rcp")
_STORES = word_set("aws gsutil gcloud rclone s3cmd s5cmd azcopy mc kubectl oc skopeo oci ossutil obsutil b2 lxc")
_COPIES = word_set("cp copy copyto mv move moveto sync rsync scp mirror put")
#: Programs whose every use opens a way out, or hands something over.
_HAND_OVER = word_set(
    "sftp ftp lftp tftp ncftpput psftp mail mailx mutt sendmail msmtp swaks sendemail s-nail pastebinit wgetpaste gist croc",
    "wormhole onionshare onionshare-cli ffsend tmate ngrok lt localtunnel bore cloudflared sprunge termbin",
)
_SOCKETS = word_set("nc ncat netcat socat")
_PUBLISHES = re.compile(
    r"(?:upload|publish|put-object|send-email|import-image)(?:[-_:](?!api-|template)[\w-]+)?"
    r"|run (?:publish|upload|release)",
    re.I,
)
_PUSHERS = word_set("docker podman buildah skopeo helm crane oras nerdctl gem nuget dotnet conan cargo")
_CREATES = word_set("gist snippet release")
_INLINE_SENDS = re.compile(
    r"\b(?:requests|httpx|session|axios|aiohttp|client)\.(?:post|put|patch)\b|\burlopen\([^)]*\bdata\s*=|smtplib|sendmail\("
    r"|\bsendall\(|\bput_object\b|\bupload_file\w*\b|\bstorbinary\b|method\s*[:=]\s*['\"](?:POST|PUT)|Net::HTTP\.post",
    re.I,
)
_TAKES_IN = re.compile(r"\bcat\s*>|\btee\b|\bdd\b.*\bof=|\btar\b[^|;]*\bx|\bcpio\b|\bbase64\s+-d", re.S)
_SECRET_FILE = re.compile(
    r"(?:^|/)(?:\.env(?!\.(?:example|sample|template|dist|defaults?)$)(?:\.[\w.-]+)?|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfstate"
    r"|tfvars|asc|gpg)|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*credentials?(?:\.\w+)?|[^/]*secrets?(?:\.\w+)?|\.(?:netrc|pypirc|htpasswd|pgpass|ssh"
    r"|aws|gnupg|kube)|kubeconfig|service[-_]account[^/]*\.json)(?:/|$)",
    re.I,
)  # fmt: skip


def sends_out(act: Act, *, routine: bool = True) -> str:
    """The word of an act by which a file, data or a port of this machine goes to somebody else; "" where none does.

    routine: whether that counts which a release of one's own does time and again: a copy of an ordinary file to a named
    host or store (`scp out.tar ci@host:`), a push to a registry (`docker push`), a task of the project that publishes (`make
    publish`). As the cure of a failure it does.
    """
    flags = [f[:_READ] for f in act.flags if not f.startswith("@")]
    operands = [o[:_READ] for o in act.operands]
    if _LOOKS.intersection(flags) or (not routine and act.tool in TASK_RUNNERS):
        return ""
    words = [*act.verb.split(), *operands]
    return (
        _by_request(act.tool, flags, operands) or _by_push(act, flags, words) or _by_copy(act.tool, words, routine)
        or _by_word(act, flags, words, routine) or _by_code(act.tool, flags, operands)
    )  # fmt: skip


def _away(word: str) -> bool:
    """Whether a word names a place on another machine: an address, a store, `host:path`."""
    if scheme := _SCHEME.match(word):
        return not word.lower().startswith("file:") and not LOCAL_HOST.search(word[scheme.end() :])
    return bool(_HOST_PATH.match(word)) and not LOCAL_HOST.search(word)


def _here(operands: list[str]) -> bool:
    """Whether the addresses of a request are all on this machine. One that is not to be seen (`$URL`) may be anywhere."""
    named = [_SCHEME.sub("", o) for o in operands if not _BODY_ITEM.match(o) and (":" in o or "." in o or "/" in o)]
    return any(LOCAL_HOST.search(n) or re.match(r":\d*(?:/|$)", n) for n in named) and not any(
        _away(o) for o in operands
    )


def _by_request(tool: str, flags: list[str], operands: list[str]) -> str:
    """The option or word by which a request carries a body or what a file holds."""
    if tool in _LOOK_UPS:
        return next((o for o in operands if _READS_IN.search(o)), "")
    if tool not in _REQUESTS or _here(operands):
        return ""
    if found := next((f for f in flags if _BODY.search(f)), ""):
        return found
    if tool in ("http", "https", "xh", "httpie") and (
        found := next((o for o in operands if _BODY_ITEM.match(o) or o in _SENDING_METHODS), "")
    ):
        return found
    headers = (f for f in flags if f.startswith("--header=@"))
    return next((w for w in (*flags, *operands) if _READS_IN.search(w)), "") or next(headers, "")


def _by_copy(tool: str, words: list[str], ordinary: bool) -> str:
    """The place elsewhere to which something is copied; where ordinary files do not count, the secret one."""
    if len(words) < 2 or not _away(words[-1]):
        return ""
    if tool not in _COPIERS and not (tool in _STORES and _COPIES.intersection(words[:3])):
        return ""
    return words[-1] if ordinary else next((w for w in words[:-1] if not _away(w) and _SECRET_FILE.search(w)), "")


def _by_push(act: Act, flags: list[str], words: list[str]) -> str:
    """The address, in place of a remote's name, to which git pushes."""
    if act.tool == "git" and words[:1] == ["push"]:
        given = (*words[1:], *(f.partition("=")[2] for f in flags if f.startswith("--repo=")))
        # `HEAD:main` names two branches.
        return next((w for w in given if _away(w) and ("@" in w or "/" in w.partition(":")[2][:2])), "")
    return ""


def _by_word(act: Act, flags: list[str], words: list[str], routine: bool) -> str:
    """The program or verb that hands over, publishes, or puts a secret where all who share a repository read it."""
    if act.tool in _HAND_OVER and (flags or words):
        return act.tool
    if act.tool in _SOCKETS:
        looks = any(re.match(r"-\w*z", f) for f in flags)
        local = any(LOCAL_HOST.search(w) for w in words)
        return "" if looks or local else act.tool
    if act.tool == "ssh":
        if any(f.startswith("-R") for f in flags):
            return "-R"
        return next((w for w in words[1:] if _TAKES_IN.search(w)), "")
    if act.tool == "git" and words[:1] == ["add"]:
        if "--force" in flags and (len(words) == 1 or words[-1] in (".", "*", ":/")):
            return "--force"
        return next((w for w in words[1:] if _SECRET_FILE.search(w)), "")
    first = words[:4]
    if act.tool in ("gh", "glab") and "create" in first and _CREATES.intersection(first):
        return "create"
    if act.tool in _PUSHERS and ("push" in first[:2] or "--push" in flags):
        return "" if not routine or any(LOCAL_HOST.search(w) for w in words) else "push"
    if act.tool == "mvn" and "deploy" in first:
        return "deploy" if routine else ""
    return act.verb if _PUBLISHES.fullmatch(act.verb) else next((w for w in first if _PUBLISHES.fullmatch(w)), "")


def _by_code(tool: str, flags: list[str], operands: list[str]) -> str:
    """The line of code that sends."""
    if tool not in INTERPRETERS and tool != "python3":
        return ""
    return next((t for t in (*flags, *operands) if _INLINE_SENDS.search(t)), "")
