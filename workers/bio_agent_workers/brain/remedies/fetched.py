"""Whether what was fetched or decoded is run: in one act or over several, renamed, unpacked, or as inline code.

What a file is and where it came from is followed over the acts of a session by its name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from bio_agent_schema.types import Act, Episode
from bio_agent_workers.brain.guarding.act_forms import INTERPRETERS, word_set

FETCHERS = word_set(
    "curl wget fetch aria2c http https scp rsync sftp ftp tftp lftp axel rclone gsutil nc ncat socat iwr irm yt-dlp"
)
_DECODERS = word_set(
    "base64 base32 xxd openssl gunzip zcat bzcat xzcat uudecode gpg uncompress unxz tr rev dig nslookup host printf"
)
_MOVERS = word_set("mv cp ln install rsync ditto")
_UNPACKERS = word_set("tar unzip 7z 7za bsdtar gunzip unxz bunzip2 cpio unar jar unrar zstd")
_SHELLS = word_set("bash sh zsh dash ksh ash fish pwsh powershell julia R osascript lua tclsh awk")
#: Tools that install or start what a local file or folder holds.
_RUNS_FILES = word_set(
    "dpkg rpm installer msiexec source . sh bash zsh dash ksh pip npm pnpm yarn uv poetry apt-get dnf yum apk brew gem cargo go mvn",
    "gradle make ninja cmake docker podman ruby perl php java kubectl helm terraform ansible-playbook composer pwsh powershell exec",
    "systemctl insmod open flatpak snap conda",
)
_BUILDERS = word_set("make ninja cmake npm pnpm yarn pip poetry uv cargo go mvn gradle gem docker bundle")
_INLINE = word_set("-c -e --eval -p -command -Command -r --exec -E -ne -pe -EncodedCommand -enc")
_TAKES = re.compile(
    r"https?://|\b(?:curl|wget|iwr|irm|urlopen|urlretrieve|urllib|requests\.|httpx|aiohttp|URI\.open|open-uri|net/http|LWP|DownloadString"
    r"|DownloadFile|Invoke-(?:WebRequest|RestMethod)|socket|XMLHttp\w*|dig|nslookup|base64|b64decode|atob|unhexlify|fromhex|xxd"
    r"|openssl|gunzip|zcat|uudecode|zlib|marshal|FromBase64String)|\bfetch\(|https?\.get\(|Buffer\.from\(|\.pack\(|unpack\(",
    re.I,
)
_SOCKET = re.compile(r"/dev/(?:tcp|udp)/")
_EXECUTES = re.compile(
    r"\b(?:exec|eval|iex|Invoke-Expression|__import__|new Function)\b\W|\bsource\b|child_process"
    r"|install\.packages|Pkg\.add|pip\.main",
    re.I,
)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,12}://([^\s'\"`)<>|]+)", re.I)
LOCAL_HOST = re.compile(r"^(?:[^/@]*@)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?)(?:[:/]|$)")
_NAMED_FILE = re.compile(r"[\w@%+~./-]*[\w-]+\.[A-Za-z]\w{0,6}\b|(?<=['\"])[\w./-]{1,80}(?=['\"])")
_REDIRECT = re.compile(r"(?<![<>&\d])>{1,2}\s*([^\s;&|<>()]+)")
_ARCHIVE = re.compile(r"(?:\.tar)?\.(?:gz|tgz|zip|xz|bz2|zst|tar|7z|txz|tbz2|jar|rar|crate|whl)$", re.I)
_OUTPUTS = tuple(
    word_set("--output= --output-document= -o= -O= --out= --dir= --directory= --directory-prefix= -d= -C=")
)
_READ = 2_000  # characters of a line of code that are read for names of files
ANY = "*"  # stands for every file that an archive may have held


def fetched_files(episodes: Iterable[Episode], acts: Mapping[str, tuple[Act, ...]]) -> frozenset[str]:
    """Names of files and folders that the acts of these episodes brought in from elsewhere, or made of what was."""
    out: set[str] = set()
    for episode in episodes:
        _follow(acts.get(episode.id, ()), episode.command, out)
    return frozenset(name for name in out if name and name not in (".", "..", "-"))


def _follow(acts: Sequence[Act], command: str, out: set[str]) -> None:
    takes = False
    for act in acts:
        brought = _brought(act)
        out |= brought
        takes = takes or bool(brought) or act.tool in FETCHERS or act.tool in _DECODERS
        words = [*act.operands, *(f.partition("=")[2] for f in act.flags)]
        if act.tool in (*_MOVERS, *_UNPACKERS) and any(_parts(w) & out for w in words):
            out.update(_base(w) for w in words if w)
            if act.tool in _UNPACKERS:
                out.add(ANY)
                out.update(_ARCHIVE.sub("", _base(w)) for w in words)
    if takes:
        out.update(_base(name) for name in _REDIRECT.findall(command) if not name.startswith("/dev/"))
        if any(act.tool == "tee" for act in acts):
            out.update(_base(o) for act in acts if act.tool == "tee" for o in act.operands)


def _brought(act: Act) -> set[str]:
    if act.tool == "git" and act.verb == "clone" and act.operands:
        return {_base(act.operands[-1]).removesuffix(".git")}
    if act.tool == "gh" and act.verb in ("repo clone", "release download"):
        return {_base(act.operands[0]), ANY} if act.operands else set()
    if act.tool in ("docker", "podman", "kubectl") and act.verb.split(" ")[-1] == "cp":
        return {_base(o.split(":", 1)[-1]) for o in act.operands}
    if act.tool == "rsync" and not any(":" in operand for operand in act.operands):
        return set()  # from one folder of this machine to another
    urls = [url for url in _URL.findall(act.text) if not LOCAL_HOST.search(url)]
    if act.tool in FETCHERS or (act.tool in ("aws", "az") and urls):
        told = [f.partition("=")[2] for f in act.flags if f.startswith(_OUTPUTS)]
        named = [operand for operand in act.operands if "/" in operand or "." in operand]
        if act.tool in ("scp", "rsync", "rclone", "gsutil", "aws") and act.operands:
            named.append(act.operands[-1])
        return {_base(name.split("?", 1)[0]) for name in (*told, *named)}
    if urls and (act.tool in INTERPRETERS or act.tool in _SHELLS):
        # A line of code that names an address writes to whatever else it names.
        return {_base(url.split("?", 1)[0]) for url in urls} | {
            _base(name) for name in _NAMED_FILE.findall(act.text[:_READ])
        }
    return set()


def runs_any(act: Act, files: frozenset[str]) -> bool:
    """Whether an act runs, sources or installs one of these files, or something in one of these folders."""
    if not files:
        return False
    if "/" in act.tool and (_parts(act.tool) & files or (ANY in files and act.tool.startswith("."))):
        return True
    if act.tool in files and act.tool not in INTERPRETERS and act.tool not in _RUNS_FILES:
        return True
    runs = act.tool in INTERPRETERS or act.tool in _RUNS_FILES
    words = [*act.operands, *(f.partition("=")[2] for f in act.flags)]
    if runs and any(_parts(word) & files for word in words):
        return True
    script = act.tool in _SHELLS or act.tool in ("source", ".")
    return ANY in files and script and bool(act.operands)


def runs_fetched(remedy: Sequence[Act], before: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]]) -> bool:
    """Whether a remedy runs what the session fetched or decoded, in one act or several. before: the session up to the fix.

    Looked at are all acts from the first of the remedy on: an act without arguments stands in no sentence and counts.
    """
    if any(runs_inline(act) or _runs_address(act) for act in remedy):
        return True
    wanted = set(remedy)
    first = next((e.seq for e in before if wanted & set(acts.get(e.id, ()))), None)
    lines = [e for e in before if first is None or e.seq >= first]
    for episode in lines:
        line = acts.get(episode.id, ())
        if wanted & set(line) and (_pipes_into_shell(line) or any(runs_inline(act) for act in line)):
            return True
        if wanted & set(line) and (_SOCKET.search(episode.command) or _fed(line, episode.command, wanted)):
            return True
    files = fetched_files(before, acts)
    if not files:
        return False
    window = [act for e in lines if first is not None and not e.is_failure for act in acts.get(e.id, ())]
    brings = any(_brought(act) for act in remedy)
    for act in [*remedy, *(window if brings else ())]:
        if runs_any(act, files):
            return True
    entered = any(act.tool in ("cd", "pushd") and any(_parts(o) & files for o in act.operands) for act in remedy)
    return entered and any(act.tool in _BUILDERS or "/" in act.tool for act in remedy)


def runs_inline(act: Act) -> bool:
    """Whether an act runs, as code, text that it fetches, decodes or builds: `eval "$(…)"`, `bash <(…)`, `-c "exec(…)"`."""
    text = act.text
    if act.tool.startswith(("$(", "`", "'$(")) or act.tool in ("eval", "source", "."):
        return _TAKES.search(text) is not None
    if act.tool not in INTERPRETERS and act.tool not in _SHELLS and not act.tool.startswith("<("):
        return False
    if any(o.startswith(("<(", "$(", "`")) for o in act.operands):
        return True
    inline = any(f.partition("=")[0] in _INLINE for f in act.flags) or any(f in _INLINE for f in act.operands)
    return inline and bool(_TAKES.search(text) or _EXECUTES.search(text))


def _runs_address(act: Act) -> bool:
    """Whether an act runs or installs straight from an address: `deno run https://…`, `kubectl apply -f https://…`."""
    words = [*act.operands, *(f.partition("=")[2] for f in act.flags if f.startswith("-"))]
    away = [w for w in words if (found := _URL.search(w)) and not LOCAL_HOST.search(found[1])]
    away += [w for w in words if re.search(r"^(?:github|gitlab|bitbucket|gist|git|npm):|^git\+|\bgit\+", w)]
    if not away:
        return False
    if act.tool == "python" or act.tool in ("node", "ruby", "perl", "php"):
        return False  # an argument of the project's own script
    if act.tool in _WITH_VERB:
        return act.verb.split(" ")[0] in _STARTS
    return act.tool in INTERPRETERS or act.tool in _SHELLS or act.tool in _TAKE_ADDRESS


_WITH_VERB = word_set("npm pnpm yarn go cargo docker podman helm kubectl terraform composer brew")
_TAKE_ADDRESS = word_set("deno pip pipx uv gem dpkg rpm npx conda dnf")
_STARTS = word_set("install add i exec dlx run create apply replace get require build init up upgrade template")


def _pipes_into_shell(line: Sequence[Act]) -> bool:
    """Whether a line feeds what it fetches or decodes to an interpreter that was given no script."""
    takes = False
    for act in line:
        bare = (
            not act.verb
            and not set(act.operands) - {"-", "/dev/stdin"}
            and not any(f.startswith("--") for f in act.flags)
        )
        if takes and bare and (act.tool in INTERPRETERS or act.tool in _SHELLS):
            return True
        takes = takes or act.tool in FETCHERS or act.tool in _DECODERS
    return False


def _fed(line: Sequence[Act], command: str, wanted: Collection[Act]) -> bool:
    """Whether an act of the remedy takes what the same line fetched from elsewhere: `curl … | tar xz`, `… | git apply`."""
    away = False
    for act in line:
        if away and act in wanted and act.tool in _CONSUMERS:
            return True
        if act.tool in FETCHERS and "|" in command:
            away = away or any(not LOCAL_HOST.search(url) for url in _URL.findall(act.text))
    return False


_CONSUMERS = word_set(
    "tar cpio git patch psql mysql mariadb sqlite3 kubectl docker podman xargs unzip bsdtar crontab apt-key gpg"
)


def _base(name: str) -> str:
    return name.rstrip("/").rsplit("/", 1)[-1].strip("'\"")


def _parts(path: str) -> frozenset[str]:
    return frozenset(part for part in path.strip("'\"").split("/") if part not in ("", ".", ".."))
