"""Whether a name says "what follows is a secret", and whether a value under such a name is one. Standard library only.

Two questions keep look-alikes alone: `password_changed_at` is not a password's name, and `required`, `$TOKEN`,
`<your-key>`, `os.environ["X"]` are not values.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import Final

from bio_agent_client.secret_budget import any_of


class Strength(IntEnum):
    """How much a name promises. NONE: nothing. WEAK: only a random-looking value counts, and no hash.
    SESSION: only a random-looking value. TOKEN: a machine's secret;
    plain words are not one. PASSWORD: a person's secret; plain words may be one."""

    NONE = 0
    WEAK = 1
    SESSION = 2
    TOKEN = 3
    PASSWORD = 4


_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PASSWORD: Final = _words(
    """
    password passwd passphrase passcode pwd pass pw passw passwort kennwort contrasena senha matkhau mk psk pswd
    storepass keypass bindpw userpass rootpw dbpass dbpw smtppass sshpass mypass pgpassword requirepass masterauth
    mnemonic psswd passin passout srcstorepass deststorepass srckeypass destkeypass pgpass
    """
)
_TOKEN: Final = _words(
    """
    secret token apikey authtoken accesstoken refreshtoken secretkey privatekey accesskey authkey jwt bearer
    credential credentials apitoken clientsecret appsecret oauthtoken idtoken sharedsecret hashkey signingkey
    authorization xapikey sessiontoken appkey encryptionkey masterkey accountkey licensekey webhooksecret totp
    """
)
_WEAK: Final = _words("auth keys secrets tokens creds code hmac salt seed pat sign webhook nonce dsn")
_SESSION: Final = _words("cookie session sid sess sessionid jsessionid phpsessid csrf xsrf csrftoken signature sig sas")
_KEY_STRONG: Final = _words(
    """
    api secret access private auth encryption encrypt signing sign master account storage service server client
    license webhook deploy app consumer hash hmac jwt session data shared subscription admin root bot ssh priv enc
    cipher aes application integration merchant pay payment production prod live
    """
)
_KEY_NONE: Final = _words(
    """
    public pub sort primary foreign cache idempotency dedup deduplication partition object index row hot lock map dict
    unique group shard routing translation i18n cursor path lookup join composite natural surrogate candidate order
    range message event record item config column field json hash_ sorted redis memcache arrow enter escape tab shift
    ctrl alt cmd fn function home end page turn low no by
    """
)
# A word after the secret's name that makes it the name of something else.
_AFTER_NONE: Final = _words(
    """
    type types id ids name names count counts length len size limit limits max min hash hashed hashes digest changed
    created updated expires expiry expiration expired expire at date time ttl age policy policies field fields column
    label title placeholder hint prompt reset resets required enabled disabled valid invalid url uri endpoint path
    paths file files filename dir location header headers param params format pattern regex prefix suffix version
    usage used budget cost price ref refs reference arn manager scanner store stores provider providers service
    handler factory template email form page input validator encoder generator bucket index pos position scope scopes
    audience issuer algorithm alg method mode strategy rotation rotated status state error errors exception message
    msg env var variable variables source command script helper cmd santa per rate quota strength rules rule check
    checker confirmation authentication auth_ verification attempts attempt retries hashing salt_ lifetime fingerprint
    details info desc description example docs kind class text_ needs is
    """
)
_AFTER_NEUTRAL: Final = _words(
    """
    value values val prod production staging stage dev test live old new current next previous prev plain plaintext
    raw b64 base64 string str env_ primary secondary backup main default root admin user db app key k v x y a b
    encoded literal data text base
    """
)
_NOT_PASS: Final = ("bypass", "compass", "trespass", "surpass", "encompass", "overpass", "underpass")
_BEFORE_NONE: Final = _words(
    """
    no non max min num n count total prompt completion input output eos bos pad unk sep cls mask stop special
    reasoning cached public next forgot reset change invalid wrong missing syntax unexpected page continuation cursor
    sync
    """
)


def _word_strength(word: str) -> Strength:
    if word in _PASSWORD:
        return Strength.PASSWORD
    if word in _TOKEN:
        return Strength.TOKEN
    if word in _SESSION:
        return Strength.SESSION
    if word in _WEAK:
        return Strength.WEAK
    if word.endswith(("password", "passwd", "passphrase", "passcode", "pwd")):
        return Strength.PASSWORD
    if word.endswith("pass") and word not in _NOT_PASS:
        return Strength.PASSWORD
    if word.endswith(("secret", "token", "apikey", "secretkey", "privatekey", "accesskey", "authkey")):
        return Strength.TOKEN
    return Strength.NONE


_STRONG_PART = re.compile(any_of((*sorted(_PASSWORD | _TOKEN | _SESSION), "key")))


def may_be_strong(name: str) -> bool:
    """Whether `name_strength` could be above WEAK: a quick look at a name among thousands."""
    return _STRONG_PART.search(name.lower()) is not None


@lru_cache(maxsize=4096)
def name_strength(name: str) -> Strength:
    """How much `name` (an identifier, a header, a flag) promises that its value is a secret."""
    words = [word.lower() for word in _WORDS.findall(name)]
    for at in range(len(words) - 1, -1, -1):
        word = words[at]
        strength = _word_strength(word)
        if word in ("key", "keys"):
            before = words[at - 1] if at else ""
            if before in _KEY_NONE or (not at and len(words) > 1):
                return Strength.NONE
            strength = Strength.TOKEN if before in _KEY_STRONG and word == "key" else Strength.WEAK
        if strength is Strength.NONE:
            continue
        after = words[at + 1 :]
        if any(w in _AFTER_NONE for w in after):
            return Strength.NONE
        if at and words[at - 1] in _BEFORE_NONE and strength is not Strength.PASSWORD:
            return Strength.NONE
        if word in ("tokens", "keys") and at and words[at - 1] not in ("api", "access", "secret", "auth", "refresh"):
            return Strength.NONE
        if any(w not in _AFTER_NEUTRAL and not w.isdigit() for w in after):
            return min(strength, Strength.SESSION)
        return strength
    return Strength.NONE


# ---------------------------------------------------------------------------------------------------------------- values

_PLACEHOLDER_WORD = re.compile(
    r"(?i)change[_\-]?me|replace[_\-]?(?:me|with|this)|your[_\-\s]|[_\-]your|\byour|example|placeholder|redacted|dummy|xxxx|insert[_\-]|"
    r"todo|fixme|sample|fake|_here$|-here$|\.\.\.|…|\*\*\*|•••|●●|<[^>]*>|not[_\-]?set|undefined|to[_\-]?be[_\-]|masked|hidden"
    r"|foobar|lorem|put[_\-](?:your|the)|enter[_\-](?:your|the)|my[_\-](?:secret|token|password|api|key)\b"
)
_REFERENCE = re.compile(
    r"\$[A-Za-z_{(]|%[A-Za-z_]\w*%|\$?\{\{?|\[\[|<|!(?:Ref|Sub|GetAtt|vault)\b|@[A-Za-z]+\(|arn:|op://|vault:|ssm:|sm://|secretsmanager"
    r"|env[.:(\[]|ENV\[|process\.env|os\.(?:environ|getenv)|getenv|System\.|import\.meta|secrets\.|vars\.|var\.|config[.\[(]"
    r"|settings\.|self\.|this\.|ctx\.|req\.|request\.|params\.|args\.|opts?\.|options\.|data\.|file://|https?://|kms:|ENC\["
)
_CODE = re.compile(r"[A-Za-z_][\w.]*(?:\(|\[|->|::|\.[A-Za-z_]\w*$)")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_.]*[A-Za-z_]$")
_STOP: Final = _words(
    """
    required optional string str text none null nil true false yes no on off empty bytes int integer boolean bool
    object any unknown default varchar char not missing invalid expired wrong incorrect valid is was are has the a an
    and or for must should can cannot will needs need in of to from with without by at as if it be been redacted
    secret password passwd pass token key apikey user username admin_ name value test_ type bearer basic digest
    negotiate field column var variable prompt stdin env file vault changed reset rotated updated protected encrypted
    hashed provided given mismatch failed failure error denied authentication authorization rejected accepted auto
    generated random login cookie session credentials keyring disabled enabled never always ask void undefined number
    """
)
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.\-@]+(?:/[\w.\-@]*)*|[A-Za-z]:\\.*|[\w.\-]+(?:/[\w.\-]+)+\.[a-z]{1,5}")
_TYPE = re.compile(r"(?i)(?:var)?char\(\d+\)|optional\[|list\[|dict\[|union\[|secretstr|string\b.*;?$")
_PLAIN_NUMBER = re.compile(r"[\d.,:_\-+%]+(?:ms|s|m|h|d|kb|mb|gb|k)?", re.IGNORECASE)


def is_placeholder(value: str) -> bool:
    """Stands for a secret without being one: a mask, an instruction to the reader, a repeated character."""
    return bool(_PLACEHOLDER_WORD.search(value)) or len(set(value)) < 4


def is_random(value: str, minimum: int = 16) -> bool:
    """Looks drawn, not written: letters and digits mixed within one run of at least `minimum` characters."""
    if len(value) < minimum or len(set(value)) < min(10, minimum * 5 // 8):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if digits < 2 or letters < 4:
        upper = sum(map(str.isupper, value))
        return not digits and letters >= 20 and 4 <= upper <= letters - 4 and "_" not in value and _switches(value) > 8
    if _switches(value) * 5 < len(value):  # written names change class rarely: at word borders only
        return bool(_HEX.fullmatch(value)) and len(value) >= 32
    return True


def _switches(value: str) -> int:
    """How often neighbours differ in class (lower, upper, digit, other), a capital before a lower not counted."""
    count, before = 0, ""
    for char in value:
        now = "l" if char.islower() else "u" if char.isupper() else "d" if char.isdigit() else "o"
        if now != before and not (before == "u" and now == "l"):
            count += 1
        before = now
    return count


def is_secret_value(value: str, strength: Strength, *, quoted: bool, env: bool) -> bool:
    """Whether `value` under a name of that strength is a secret. `env`: an assignment `UPPER_CASE=…`."""
    if len(value) < 4 or strength is Strength.NONE:
        return False
    if value.startswith("[redacted:"):
        return False
    if _REFERENCE.match(value) or is_placeholder(value) or _PATH.fullmatch(value):
        return False
    lower = value.lower()
    if lower in _STOP or lower.strip("'\"`.,;:!?()[]{}") in _STOP:
        return False
    if _name_words(lower):
        return False
    if strength is Strength.WEAK:
        return " " not in value and not _UUID.fullmatch(value) and is_random(value, 20) and not _HEX.fullmatch(value)
    if strength is Strength.SESSION:
        return " " not in value and not _UUID.fullmatch(value) and is_random(value)
    if " " in value or "\t" in value:
        return quoted and strength is Strength.PASSWORD and _is_phrase(value)
    if not quoted and (_CODE.match(value) or _TYPE.match(value)):
        return is_random(value, 20)
    if value.isalpha() or _IDENTIFIER.fullmatch(value):
        if strength is Strength.PASSWORD:
            return env or (quoted and value.isascii()) or is_random(value)
        return is_random(value) or (len(value) >= 20 and (quoted or env) and "_" not in value and "." not in value)
    if _PLAIN_NUMBER.fullmatch(value):
        return strength is Strength.PASSWORD and value.isdigit()
    if strength is Strength.TOKEN and not any(map(str.isdigit, value)):
        return len(value) >= 16 and (is_random(value) or quoted or env) and _switches(value) > 5
    return len(value) >= (4 if strength is Strength.PASSWORD else 6)


def _name_words(lower: str) -> bool:
    """The value only repeats names of secrets: `GITHUB_TOKEN`, `db-password`, `api_key`."""
    if any(map(str.isdigit, lower)) or not lower.isascii():
        return False
    words = re.split(r"[^a-z]+", lower)
    last = next((w for w in reversed(words) if w), "")
    return len(words) > 1 and last in (
        "token",
        "key",
        "password",
        "secret",
        "passwd",
        "pwd",
        "apikey",
        "credentials",
        "pass",
    )


_FUNCTION_WORD = re.compile(
    r"(?i)\b(?:the|a|an|is|are|must|be|at|to|of|your|for|with|and|or|not|in|on|please|forgot|enter|new|confirm|least|đã|là|của)\b"
)


def _is_phrase(value: str) -> bool:
    """A passphrase of several words: no function words, no sentence's end, three or more words or a digit."""
    words = value.split()
    return (
        2 <= len(words) <= 26
        and value.isascii()
        and value[-1] not in ".?!:"
        and not _FUNCTION_WORD.search(value)
        and (len(words) >= 4 or any(map(str.isdigit, value)))
    )


_NOT_SPOKEN = re.compile(
    r"(?:v?\d+(?:\.\d+)+\S*|\d{1,4}[-/.:T]\d{1,2}\S*|[\w.+\-]+@(?:[\w\-]+\.)+[\w\-]+|@?[\w./\-]+@[\^~]?v?\d\S*|(?:[a-z0-9\-]+\.)+[a-z]{2,}(?:[:/]\S*)?"
    r"|[A-Z]{1,8}[-_#]?\d+(?:[-/]\w+)*|[a-z]+(?:[._\-][a-z0-9]+)*\d*|#?\d+|\S*/\S*/\S*|\w+://\S+|\w+\(.*|[\w\-]+\.(?:py|js|ts|go|rs|java|md|txt|json|ya?ml|sh|sql|csv|xml|log|pem|pub|key|crt)"
    r"|SHA\d+:\S+|sha\d+[:\-]\S+|\d+(?:st|nd|rd|th|ms|s|h|d|kb|mb|gb|px|%|x)|[0-9A-HJKMNP-TV-Z]{26})[.,;:!?)\]'\"]*"
)


def is_spoken_secret(value: str, *, said: bool) -> bool:
    """Whether a word of a sentence that speaks of a secret is the secret. `said`: "is", ":" or the like stands before.

    Needs a digit and a letter; without `said` also a symbol or both cases: names, dates, hosts and versions are not.
    """
    if not 6 <= len(value) <= 512 or is_placeholder(value) or _REFERENCE.match(value):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(c.isalpha() for c in value)
    if not digits or not letters:
        return False
    if said and (_UUID.fullmatch(value) or (_HEX.fullmatch(value) and len(value) >= 20)):
        return True
    if _NOT_SPOKEN.fullmatch(value):
        return bool(said and is_random(value) and not re.search(r"[/:@]|\.[a-z]{2,}", value) and not value.isupper())
    if _HEX.fullmatch(value):
        return False
    upper = any(map(str.isupper, value))
    lower = any(map(str.islower, value))
    symbol = any(c in "!@#$%^&*+=~?" for c in value)
    mark = symbol or "_" in value or "-" in value
    if said:
        return (upper and lower) or symbol or (mark and digits >= 2) or len(value) >= 8
    return (len(value) >= 8 and upper and lower and (symbol or mark or is_random(value, 12))) or (
        symbol and len(value) >= 8 and lower
    )


def is_argument(value: str) -> bool:
    """Whether what a flag of a known program gives is a secret itself: no reference, placeholder or option."""
    return (
        len(value) >= 3
        and value[0] not in "-$<%{[(@&|>"
        and not is_placeholder(value)
        and value.lower().strip("'\";,.")
        not in ("password", "passwd", "pass", "pwd", "secret", "token", "value", "required")
        and not value.isupper() | (value.startswith(("./", "/", "~/")) and "/" in value[1:])
    ) or (value.isupper() and any(map(str.isdigit, value)) and len(value) >= 6)
