"""Names under which an act brings in foreign code (packages, images, extensions), and who vouches for such a name.

A name that works may still be a squatter's. It is known when the workspace's own manifest holds it, when the failure
itself says that this very module is missing, or when an owner said it; every other name is new.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bio_agent_schema.types import Act, Episode, Kind, Provenance
from bio_agent_workers.brain.guarding.act_forms import is_edit, operand_kind, word_set

_VERSION = re.compile(r"(?<=[\w.)\]-])(?:[=<>~!]=?|@(?=[\w^~*]))[^\s]*$|\[[^\]]*\]$")
_MANAGERS = word_set(
    "pip uv poetry pdm pipenv pipx conda mamba npm pnpm yarn bun gem bundle cargo go brew apt-get apt dnf yum apk pacman zypper",
    "snap flatpak choco winget scoop composer dotnet nuget luarocks gh code codium cpan cpanm pecl opam cabal stack nix-env nix helm",
    "krew kubectl asdf mix easy_install docker podman cordova ionic ansible-galaxy R vcpkg conan pub flutter dart sdkman sdk port emerge guix",
    "pkg spack volta mise corepack",
)
#: Programs that install from the archive of the system's own distribution, where nobody can register a name at will.
ARCHIVERS = word_set("apt-get apt dnf yum apk pacman zypper")
_IN_ARCHIVE = re.compile(r"(?!.*\.(?:deb|rpm|apk|zst|xz)$)[a-z0-9][a-z0-9.+-]{1,79}", re.IGNORECASE | re.ASCII)
_ADDS = word_set(
    "install add require get tap i in pull plugin extension instal isntall ext -S -Sy -Syu -i -iA --install link prepare use"
)
_IMAGES = word_set("docker podman nerdctl")
_FILLER = word_set("package tool plugin extension global install add cask --cask -- dev krew run exec hex")
_EXTENSION = re.compile(r"^--(?:install-extension|package|with|from|image|extension|plugin)(?:=|$)")
_PATH = re.compile(r"^(?:\.{1,2}(?:/|$)|/|~|<)|^-|^[A-Za-z]:\\|\.(?:txt|whl|go|toml|ya?ml|json|lock|cfg)$")

#: Modules whose distribution has another name on the public index; both names are published by the projects.
_DISTRIBUTIONS = {
    "yaml": "pyyaml", "cv2": "opencv-python", "pil": "pillow", "sklearn": "scikit-learn", "bs4": "beautifulsoup4",
    "dotenv": "python-dotenv", "dateutil": "python-dateutil", "jwt": "pyjwt", "git": "gitpython", "psycopg2": "psycopg2-binary",
    "crypto": "pycryptodome", "attr": "attrs", "mysqldb": "mysqlclient", "serial": "pyserial", "docx": "python-docx",
    "pptx": "python-pptx", "magic": "python-magic", "openssl": "pyopenssl", "zmq": "pyzmq", "pkg_resources": "setuptools",
    "github": "pygithub", "skimage": "scikit-image", "usb": "pyusb", "ldap": "python-ldap", "slugify": "python-slugify",
    "jose": "python-jose", "multipart": "python-multipart", "nacl": "pynacl", "fitz": "pymupdf", "win32api": "pywin32",
    "telegram": "python-telegram-bot", "levenshtein": "python-levenshtein", "google.protobuf": "protobuf", "rest_framework":
    "djangorestframework", "corsheaders": "django-cors-headers", "flask_cors": "flask-cors", "xdist": "pytest-xdist",
}  # fmt: skip
_MISSING = re.compile(
    r"(?:No module named|Cannot find (?:module|package)|no required module provides package|cannot load such file --"
    r"|there is no package called|can't find crate for|Module not found: Error: Can't resolve"
    r"|error while loading shared libraries:|cannot find package)\s*[:]?\s*['\"‘`]?(?P<a>@?[\w][\w@./-]{0,80})"
    r"|(?:^|:\s)(?P<b>[\w][\w.+-]{0,40}): command not found\b"
    r"|(?:\bsh|\d): (?P<d>[\w][\w.+-]{0,40}): not found\b|command not found: (?P<c>[\w][\w.+-]{0,40})",
    re.I | re.M,
)
# What a failure names as lacking where its package has a name of its own: told beside the remedy, vouching for nothing.
_LACKS = re.compile(
    r"\b(?:extension|module|package|library|plugin|driver|program|binary|command|dependency|provider|codec|font|header|gem|crate)"
    r"(?: file)? [\"'`“‘]?(?P<a>[A-Za-z][\w.+-]{1,39})[\"'`”’]? (?:is|was|are)(?: not|n't) (?:available|installed|found|present|loaded|supported)"
    r"|(?:missing|requires?|needs?|no|cannot find|could not find|unable to find) (?:the |an? )?(?:extension|module|package|library|plugin|driver"
    r"|program|binary|dependency|provider|codec|font|gem|crate)[: ]+[\"'`“‘]?(?P<b>[A-Za-z][\w.+-]{1,39})"
    r"|fatal error: (?P<c>[A-Za-z][\w.+/-]{1,39}\.h(?:pp)?): No such file"
    r"|(?P<d>[A-Za-z][\w.+-]{1,39})[\"'`”’]? (?:executable )?(?:is not installed|not found on (?:your |the )?\$?PATH)"
    r"|cannot find -l(?P<e>[A-Za-z][\w.+-]{1,39})",
    re.I,
)
_MANIFEST = re.compile(
    r"(?:^|/)(?:package(?:-lock)?\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|npm-shrinkwrap\.json|(?:[\w.-]*requirements[\w.-]*|constraints)\.txt"
    r"|requirements/[\w.-]+\.txt|pyproject\.toml|poetry\.lock|uv\.lock|pdm\.lock|Pipfile(?:\.lock)?|setup\.(?:py|cfg)|environment\.ya?ml"
    r"|Gemfile(?:\.lock)?|[\w-]+\.gemspec|Cargo\.(?:toml|lock)|go\.(?:mod|sum)|composer\.(?:json|lock)|pom\.xml|build\.gradle(?:\.kts)?"
    r"|[\w.-]+\.csproj|Dockerfile[\w.-]*|(?:docker-)?compose[\w.-]*\.ya?ml|mix\.(?:exs|lock)|Brewfile|deno\.jsonc?|Podfile(?:\.lock)?"
    r"|pubspec\.(?:yaml|lock)|renv\.lock|DESCRIPTION|\.pre-commit-config\.yaml|\.tool-versions)$"
)
_NOT_OWN = re.compile(r"(?:^|/)(?:node_modules|site-packages|vendor|\.cache|tmp|Downloads)/|^~|(?:^|/)\.\./|://")
_SHOWERS = word_set("cat head tail less more bat jq grep rg sed cd ls type nl")
_READ_TOOL = re.compile(r"^(?:read|view|open|cat|get)(?:[_-]?(?:file|text))?\w*$", re.I)


def package_name(word: str) -> str:
    """A package without version and extras: `foo[bar]==1.2` → `foo`, `@scope/x@2` → `@scope/x`."""
    return _VERSION.sub("", _VERSION.sub("", word))


def is_install(act: Act) -> bool:
    """Whether an act does nothing but bring in, or run, what it names."""
    return bool(foreign_names(act)) or act.tool in ("npx", "pipx")


def archive_names(act: Act) -> list[str]:
    """Of the foreign names of an act those that stand in the archive of the system's distribution."""
    return [n for n in foreign_names(act) if _IN_ARCHIVE.fullmatch(n)] if act.tool in ARCHIVERS else []


def foreign_names(act: Act) -> list[str]:
    """Packages, images and extensions that an act installs or runs by name, without versions; local paths are none."""
    words = [*act.verb.split(), *act.operands]
    named = [f.partition("=")[2] for f in act.flags if _EXTENSION.search(f) and "=" in f]
    if any(f == "--install-extension" for f in act.flags):
        named += act.operands
    if act.tool == "npx":
        named += words[:1]
    elif act.tool == "deno" and words[:1] == ["run"]:
        named += [w for w in words[1:] if w.startswith(("npm:", "jsr:"))]
    elif act.tool == "go" and words[:1] == ["run"]:
        named += [w for w in words[1:2] if "." in w.split("/")[0] and not _PATH.search(w)]
    elif act.tool in _MANAGERS:
        named += _after_verb(act, words)
    elif words[:1] == ["install"] and act.tool not in ("make", "ninja", "cmake", "install"):
        named += words[1:]
    names = [package_name(w) if "://" not in w else w for w in named if w and not _PATH.search(w)]
    return list(dict.fromkeys(n for n in names if n and "=" not in n))


def _after_verb(act: Act, words: Sequence[str]) -> list[str]:
    runs_first = {"pipx": "run", "pnpm": "dlx", "yarn": "dlx", "npm": "exec", "bun": "x", "nix": "run"}
    if act.tool in _IMAGES:
        return (
            [w for at, w in enumerate(act.operands) if operand_kind(act, at) == "image"] if words[:1] != ["rmi"] else []
        )
    if act.tool == "uv" and words[:2] == ["tool", "run"]:
        return list(words[2:3])
    if words and (runs_first.get(act.tool) == words[0] or (act.tool in _MANAGERS and words[0] in ("dlx", "create"))):
        return list(words[1:2])
    if act.tool in ("npm", "yarn", "pnpm") and words[:1] == ["init"]:
        return list(words[1:2])
    if act.tool in ("cpan", "cpanm", "easy_install", "emerge"):
        return list(words)
    if act.tool in ("dart", "flutter", "pub") and "activate" in words:
        return list(words[words.index("activate") + 1 :])
    if act.tool == "nix-env":
        return list(words)
    at = next((i for i, w in enumerate(words[:3]) if w in _ADDS or w.endswith(".install")), None)
    if at is None:
        return []
    rest = list(words[at + 1 :])
    if act.tool == "helm":  # `helm install <release> <chart>`
        rest = [w for w in rest if "/" in w]
    while rest and rest[0] in _FILLER:
        rest.pop(0)
    return rest


def missing_names(failure: str) -> frozenset[str]:
    """What a failure's own output says is missing: the module or command, folded, and its distribution's name."""
    out: set[str] = set()
    for found in _MISSING.finditer(failure):
        name = (found["a"] or found["b"] or found["c"] or found["d"] or "").rstrip(".'\"’`").lower()
        root = name if name.startswith("@") or "/" in name else name.split(".", 1)[0]
        scoped = "/".join(name.split("/")[:2]) if name.startswith("@") else name.split("/", 1)[0]
        for one in {name, root, scoped}:
            out.add(one.replace("_", "-"))
            out.add(one)
            if one in _DISTRIBUTIONS:
                out.add(_DISTRIBUTIONS[one])
    return frozenset(name for name in out if name)


def lacking(failure: str) -> str:
    """The one word for what a failure says is lacking, at most 40 characters of [A-Za-z0-9_.+/-], else ""."""
    found = _LACKS.search(failure)
    return next((word.rstrip(".") for word in found.groups() if word), "") if found else ""


def same_distribution(word: str, failed: Act) -> bool:
    """Whether a package is the other published name of one that the failed act asked for."""
    asked = {package_name(o).lower() for o in failed.operands}
    return any(_DISTRIBUTIONS.get(a) == word.lower() for a in asked)


def is_manifest(path: str) -> bool:
    """Whether a path names a manifest or lock file of the workspace itself."""
    return _MANIFEST.search(path) is not None and _NOT_OWN.search(path) is None


def manifest_text(episode: Episode, acts: Sequence[Act]) -> str:
    """What a manifest of the workspace held, where this act showed one and nothing else; "" otherwise."""
    if episode.kind is not Kind.TOOL or episode.is_failure or episode.provenance is Provenance.UNTRUSTED or not acts:
        return ""
    shown = False
    for act in acts:
        reads = act.tool in _SHOWERS and not is_edit(act)
        reader = _READ_TOOL.match(act.tool.rsplit("__", 1)[-1]) is not None
        if not reads and not reader:
            return ""
        paths = [o.partition("=")[2] if "=" in o else o for o in act.operands]
        files = [p for p in paths if "." in p.rsplit("/", 1)[-1] or is_manifest(p)]
        if act.tool in ("grep", "rg", "jq", "sed"):
            files = files[-1:]
        if act.tool not in ("cd",):
            if any(not is_manifest(p) for p in files) or not files:
                return ""
            shown = True
    return f"{episode.content}\n{episode.last_content}" if shown else ""
