"""Acts that change where code or trust comes from, as whom one acts, or what guards the machine.

Told by classes, over any tool: an option, assignment or setting whose name says "registry", "proxy", "preload" …; a switch
to a name that holds more power; and programs that do nothing else (firewalls, schedulers, key stores, accounts, kernel).
Such an act may be what fixed a failure; whether others should do it too is a person's decision.
"""

from __future__ import annotations

import re

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import INTERPRETERS, word_set

_READ = 300  # characters of one word that are read
_ORIGIN = (
    r"registr(?:y|ies)|index(?:[-_]url)?|extra[-_]index[-_]url|find[-_]links|mirrors?|prox(?:y|ies)|goproxy|gosumdb|goprivate"
    r"|keyservers?|keyrings?|recv[-_]keys|channels?|insteadof|pushinsteadof|npmregistryserver|repositor(?:y|ies)(?:[-_]url)?"
    r"|repo[-_]url|source[-_]url|bottle[-_]domain|git[-_]remote|ca[-_]?(?:cert|bundle|file|info|path)s?|truststore|extra[-_]ca[-_]certs"
)
_INJECTED = (
    r"preload|ld[-_](?:library[-_]path|audit)|dyld\w*|gconv[-_]path|pythonstartup|pythonhome|pythonbreakpoint|pythoninspect|script[-_]shell|perl5(?:opt|lib|db)"
    r"|ruby(?:opt|lib)|bash[-_]env|prompt[-_]command|\w*[-_]wrapper|\w*[-_]?ssh[-_]?command|\w*askpass|git[-_](?:ssh|config\w*|template[-_]dir)"
    r"|\w*(?:editor|pager|browser)|classpath|hookspath|fsmonitor|init[-_]?file|rcfile|credential[.-]?helper|\w*[-_]hooks?|\w*sshcommand|protocol(?:\.\w+)?\.allow|\w*cli[-_]config[-_]file"
)
_NAME = re.compile(rf"(?:^|[-_.:])(?:{_ORIGIN}|{_INJECTED})$", re.I)
#: Where a program looks for a project's modules: a folder of the project itself leads nowhere else, like `PYTHONPATH=src`.
_SEARCH_PATHS = word_set("PERL5LIB RUBYLIB CLASSPATH LD_LIBRARY_PATH")
_OWN_FOLDER = re.compile(r"(?!.*\.\.)(?:\./)?\w[\w./-]*|\.")
#: Variables that hold options for another program, and what in them loads code.
_OPTIONS = re.compile(r"^_?[A-Z]\w*?(?:OPT|OPTS|OPTIONS|FLAGS)$", re.I)
_PLAIN_OPTION = re.compile(r"^-{1,2}[A-Za-z][\w-]*(?:[:=][\w.,+-]+)?$|^-[A-Za-z]\w*$|^-[IL][\w./-]+$")
_LOADS = re.compile(
    r"^-{1,2}(?:r|require|import|loader|experimental-loader|javaagent|agentlib|agentpath|inspect[\w-]*|e|eval|p|print|env-file"
    r"|Xbootclasspath\w*|toolexec|exec|overlay|modfile|fplugin|rulesdir|plugin|init-script|M)(?:$|[=:./])|^-r\W|^-[Mm][A-Z]",
)
#: Options that name a source whatever the tool; a few more do so for what installs.
_OPTION = re.compile(
    rf"^--?(?:[\w-]+-)?(?:{_ORIGIN})(?:$|=)|^--?(?:ignore-scripts=(?:false|no|0)|no-ignore-scripts|allow-scripts|enable-scripts"
    r"|import-keys?|init-script|rcfile|init-file|upload-pack|receive-pack|with-key|add-host|resolve|connect-to|dns|doh-url"
    r"|global-settings|script-shell)(?:$|=)|proxycommand|permitlocalcommand|localcommand|^-o=?proxyjump",
    re.I,
)
_HARMLESS_OPTION = re.compile(
    r"^--(?:no-index|index-state|index(?:=\d+)?$|channel=(?:conda-forge|defaults|main|bioconda)$)", re.I
)
_INSTALLERS = word_set(
    "pip uv poetry pdm pipenv pipx conda mamba npm pnpm yarn bun npx gem bundle cargo go brew apt-get apt dnf yum apk pacman",
    "zypper composer dotnet nuget helm mvn gradle terraform",
)
_INSTALL_OPTION = re.compile(
    r"^--?(?:source|repo|enablerepo|repofrompath|add-source|plugin-dir|from-module|registry|with)=", re.I
)
_NO_INDEX = word_set("git rg grep ls")  # programs whose `--index`, `--source` … are about something else
_LOADING_OPTION = re.compile(
    r"^(?:-r|--require|--import|--loader|--experimental-loader|-javaagent\S*|-agentlib\S*)(?:$|=)"
)

_POWERFUL = re.compile(
    r"(?:^|[-_/:.@\\])(?:admins?|administrators?|root|super(?:user|admin)?|sudo|owner|system|postgres|sa|dba|master|power\w*|prod"
    r"|production|privileged|elevated|god|sysadmin|masters|rootish|break-?glass)(?:$|[-_/:.@\\\d])|administrator(?:access)?$|admin$",
    re.I,
)
_WHO = re.compile(
    r"(?:^|[-_.])(?:profile|role(?:[-_]arn)?|account|user(?:name)?|as|as-group|identity|context|subscription|impersonate[\w-]*|principal)$"
    r"|^(?:pguser|kubeconfig|google_application_credentials)$",
    re.I,
)
_CREDENTIAL = re.compile(r"(?:access[-_]key\w*|secret[-_]?\w*|credentials?\w*|session[-_]token|kubeconfig)$", re.I)
_SWITCHES = word_set("use-context use set switch select activate assume-role login")
_CONFIGURES = word_set("config configure set settings env-set")

#: Programs that do nothing else, with the words and options under which they only look.
_GUARDS = word_set(
    "iptables ip6tables iptables-restore nft ufw firewall-cmd pfctl netsh ipset ebtables crontab at batch systemd-run schtasks",
    "launchctl modprobe insmod rmmod kexec setcap mount nsenter usermod useradd adduser groupadd groupmod gpasswd passwd chpasswd",
    "visudo chsh apt-key rpmkeys pacman-key add-apt-repository apt-add-repository keytool certutil update-ca-certificates",
    "update-ca-trust trust ssh-keyscan ssh-copy-id mkcert auditctl setsebool semanage chattr resolvectl ip route nmcli networksetup",
    "update-alternatives ldconfig dscl wmic reg setfacl swapoff defaults csrutil xattr spctl bcdedit fsutil timedatectl hwclock",
)
_LOOKS = word_set(
    "-l -L -S -nL -vnL --list --list-rules --state status show list -list print query get-zones --get-active-zones a addr",
    "link -s --help -h --version",
)
_KEYS = re.compile(
    r"^--(?:recv-keys?|import|keyserver|receive-keys|fetch-keys|locate-keys|auto-key-\w+|lsign-key|edit-key)(?:$|=)"
)
#: (program, words that must all be among its first ones): sources, keys and persistence as sub-commands.
_SUBCOMMANDS = tuple(
    (tool, frozenset(words.split()))
    for tool, words in (
        ("helm", "repo add"), ("helm", "plugin install"), ("brew", "tap"), ("gem", "sources"), ("dotnet", "nuget add"),
        ("nuget", "sources"), ("nuget", "setapikey"), ("dnf", "config-manager"), ("yum-config-manager", ""), ("zypper", "addrepo"),
        ("zypper", "ar"), ("flatpak", "remote-add"), ("poetry", "source add"), ("git", "remote add"), ("git", "remote set-url"),
        ("git", "submodule add"), ("asdf", "plugin add"), ("systemctl", "enable"), ("systemctl", "link"), ("security", "add-trusted-cert"),
        ("choco", "source add"), ("winget", "source add"), ("conan", "remote add"), ("cargo", "login"), ("vagrant", "box add"),
        ("docker", "plugin install"), ("docker", "swarm join"), ("kubectl", "create clusterrolebinding"), ("kubectl", "certificate approve"),
        ("aws", "sts assume-role"), ("aws", "iam"), ("gcloud", "projects add-iam-policy-binding"), ("az", "role assignment create"),
        ("terraform", "login"), ("snap", "connect"), ("sc", "create"), ("rustup", "toolchain link"), ("docker", "load"), ("docker", "import"),
        ("pm2", "startup"),
    )
)  # fmt: skip
#: Variables that name the program to run, where the value is a file of no known place.
_PROGRAM = re.compile(
    r"^(?:CC|CXX|LD|AR|SHELL|MAKE|PYTHON|NODE|RUSTC|JAVA|GIT|NPM|SUDO|PIP|MAKESHELL)=(?:\.{1,2}/|~|/tmp/|/var/tmp/|/dev/shm/)"
)
#: Places from which programs start by name, or that are read at every start.
_STARTED_FROM = re.compile(
    r"(?:^|/)\.?s?bin(?:/|$)|^/(?:etc|usr|lib|opt|boot)/|(?:^|/)\.git/hooks|/\.(?:ssh|bashrc|zshrc|profile|bash_profile)\b"
)
_SAFE_PATH = re.compile(
    r"^(?:\$\{?PATH\}?|(?:\./)?node_modules/\.bin|(?:\$PWD/|\./)?\.?venv/bin|(?:~|\$\{?HOME\}?)/(?:\.local/bin|\.cargo/bin|go/bin|bin)"
    r"|/usr/(?:local/)?s?bin|/s?bin|/opt/homebrew/bin|\$\(go env GOPATH\)/bin)?$"
)

#: Names of the stage that people depend on, and of those where one may try. `pre-prod` is one of the latter.
_LIVE = re.compile(r"(?:^|[-_/:.@=])(?<!pre[-_.])(?:prod|prd|production|live)(?=$|[-_/:.@=,\d])", re.I)
_TRIAL = re.compile(
    r"(?:^|[-_/:.@=])(?:dev|develop|development|test|testing|stag(?:e|ing)|stg|qa|uat|sandbox|pre-?prod\w*|local|localhost|demo)(?=$|[-_/:.@=,\d])",
    re.I,
)


def moves_to_production(failed: Act, fixed: Act) -> str:
    """The word that names production in the form that worked, where the form that failed named a stage to try things in;
    "" where there is none."""
    if failed.tool != fixed.tool:
        return ""
    before, after = ({*act.flags, *act.operands} for act in (failed, fixed))
    if not any(_TRIAL.search(word[:_READ]) for word in before - after):
        return ""
    return next((word for word in sorted(after - before) if _LIVE.search(word[:_READ])), "")


def moves_trust(act: Act) -> str:
    """The word of an act by which it changes a source, a trust, an identity or a guard; "" when it does not."""
    words = [*act.verb.split(), *act.operands]
    for given in act.flags:
        flag = given[:_READ]
        if flag.startswith("@"):
            continue
        if flag.startswith("-"):
            if _option(act, flag):
                return flag
        elif _assignment(flag):
            return flag
    if act.tool in ("export", "setx", "declare", "typeset", "set", "env") or (
        act.tool == "go" and act.verb.startswith("env")
    ):
        named = [o for o in act.operands if "=" in o]
        if act.tool == "setx" and len(act.operands) > 1:
            named.append("=".join(act.operands[:2]))
        if found := next((o for o in named if _assignment(o[:_READ])), ""):
            return found
    if act.tool in _GUARDS and not _LOOKS.intersection((*act.flags, *words[:1])):
        return act.tool
    if act.tool == "sysctl" and any("=" in o for o in act.operands):
        return act.tool
    if act.tool in ("gpg", "gpg2", "rpm") and any(_KEYS.search(f) for f in act.flags):
        return act.tool
    if found := _bare_identity(act):
        return found
    if act.tool == "pytest" and any(f.startswith("-p=") and not f.startswith("-p=no:") for f in act.flags):
        return "-p"
    if act.tool in ("mv", "cp", "ln", "install") and act.operands and _STARTED_FROM.search(act.operands[-1]):
        return act.operands[-1]
    if found := next((o for o in (*act.operands, *act.flags) if _PROGRAM.search(o)), ""):
        return found
    if act.tool == "git" and act.verb in ("pull", "fetch") and any("://" in o for o in act.operands):
        return act.verb
    first = frozenset(words[:4])
    for tool, needed in _SUBCOMMANDS:
        if act.tool == tool and needed <= first and act.verb != "test":  # `cargo test login` names a test
            return f"{tool} {' '.join(sorted(needed))}".strip()
    if act.tool == "go" and any(f.startswith(("-replace", "--replace")) for f in (*act.flags, *act.operands)):
        return "-replace"
    return _setting(act, words)


def _bare_identity(act: Act) -> str:
    """A powerful name where an option and its value stand apart (`-u root`), or as the login of a host (`root@host`)."""
    named = next(
        (o for o in act.operands if (at := o.find("@")) > 0 and "/" not in o[:at] and _POWERFUL.search(o[:at])), ""
    )
    if named and act.tool in ("ssh", "scp", "sftp", "rsync", "mosh", "ssh-copy-id", "psql", "mysql"):
        return named
    if any(f in ("-u", "-U") or ("=" not in f and f.startswith("--") and _WHO.search(f)) for f in act.flags):
        return next((o for o in act.operands if _POWERFUL.fullmatch(o)), "")
    return ""


def _option(act: Act, flag: str) -> bool:
    name, _, value = flag.partition("=")
    if _HARMLESS_OPTION.search(flag):
        return False
    if name == "--find-links" and _OWN_FOLDER.fullmatch(value):
        return False  # the project's own folder: no place that somebody else fills
    if act.tool not in _NO_INDEX and _OPTION.search(flag):
        return True
    if act.tool in _INSTALLERS and _INSTALL_OPTION.search(flag):
        return True
    if act.tool in INTERPRETERS and _LOADING_OPTION.search(flag):
        return True
    if name in ("-c", "--config", "--config-env") and act.tool == "git" and _assignment(value):
        return True
    if act.tool in ("mvn", "gradle") and name in ("-s", "--settings", "-gs", "-I"):
        return True
    return bool(value and _WHO.search(name) and _POWERFUL.search(value))


def _assignment(given: str) -> bool:
    """Whether `NAME=value` in front of a command, or exported, leads elsewhere."""
    name, found, value = given.partition("=")
    if not found or not value:
        return False
    if name.upper() in ("NO_PROXY",):
        return False
    if name == "PATH":
        return any(not _SAFE_PATH.search(part) for part in value.strip("'\"").split(":"))
    if name in _SEARCH_PATHS and all(_OWN_FOLDER.fullmatch(part) for part in value.strip("'\"").split(":")):
        return False
    if _NAME.search(name) or name in ("ENV", "IFS", "GIT_SSH"):
        return True
    if _OPTIONS.search(name):
        return any(_LOADS.search(word) or not _PLAIN_OPTION.search(word) for word in value.split())
    if _CREDENTIAL.search(name):
        return True
    return bool(_WHO.search(name) and _POWERFUL.search(value))


def _setting(act: Act, words: list[str]) -> str:
    """Where settings are written (`npm config set registry …`, `git config url.….insteadOf`): the name that leads away."""
    lower = [w.lower() for w in words[:4]]
    if not (_CONFIGURES.intersection(lower) or _SWITCHES.intersection(lower)):
        return ""
    if act.tool in ("npm", "git") and {"get", "--get", "list"}.intersection((*lower, *act.flags)):
        return ""
    for word in [*words, *(f.lstrip("-") for f in act.flags if not f.startswith("@"))]:
        name = word[:_READ].partition("=")[0]
        if _NAME.search(name) or re.search(
            r"^(?:mirror\.|url\.|alias\.|filter\.|repositories\.|repo\.|source\.)|^remote\..+\.(?:push)?url$",
            name,
            re.I,
        ):
            return word
    switched = _SWITCHES.intersection(lower) and (act.tool not in INTERPRETERS)
    if switched and any(_POWERFUL.search(w) for w in words[1:]):
        return next(w for w in words[1:] if _POWERFUL.search(w))
    return ""
