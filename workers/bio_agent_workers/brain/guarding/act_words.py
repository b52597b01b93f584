"""General vocabulary of acts and things in English, Chinese and Vietnamese, and the commands that carry them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.act_things import KNOWN, READ, READ_ABROAD
from bio_agent_workers.brain.guarding.vocabulary import by_concept, gerund, is_stem, lexicon, past, third, vocabulary

_LINES = tuple(lexicon("guard_acts.txt"))
#: The words of each act in three languages, as `words/guard_acts.txt` has them.
ACTIONS = by_concept((line.name, line.words) for line in _LINES if line.name)
#: Concepts that a person does not tell apart: a rule about one holds for the other.
ALIKE = {
    "destroy": {"destroy"},
    "terminate": {"terminate", "destroy", "delete", "kill"},
    "transfer": {"transfer", "pay"},
    "delete": {"delete", "drop", "uninstall", "truncate", "destroy", "clear"},
    "lower": {"lower", "edit", "set", "update", "scale", "patch"},
    "raise": {"raise", "edit", "set", "update", "scale", "patch"},
    "send": {"send"},
    "ad": {"ad", "create", "insert"},
    "stop": {"stop", "power off", "kill"},
    "disable": {"disable", "stop", "power off"},
    "power off": {"power off", "stop", "disable"},
    "edit": {
        "edit",
        "scale",
        "write",
        "update",
        "delete",
        "move",
        "rename",
        "truncate",
        "drop",
        "set",
        "replac",
        "patch",
    },
    "write": {"write", "edit", "create", "insert", "update", "alter"},
    "update": {"update"},
    "clear": {"clear", "delete", "truncate"},
    "deploy": {"deploy", "release", "publish"},
    "release": {"release", "deploy", "publish"},
    "switch": {"open", "power on", "start", "enable"},
    "countersign": {"countersign", "sign"},
    "shut": {"close", "power off", "stop", "disable"},
    "share": {"share", "send", "upload"},
    "cancel": {"cancel", "delete"},
    "leav": {"leav", "exit"},
    "alter schema": {"alter schema", "migrate"},
    "publish": {"publish", "release"},
    "touch": {
        "touch",
        "delete",
        "edit",
        "write",
        "move",
        "rename",
        "create",
        "truncate",
        "format",
        "drop",
        "update",
        "insert",
        "alter",
        "reset",
        "migrate",
        "import",
        "restore",
        "uninstall",
    },
    "run": {"run", "start"},
    "place": {"place", "write", "create", "lower"},
    "pick": {"pick", "take", "fetch", "grip"},
    "take": {"take", "pick", "fetch", "delete"},
    "fetch": {"fetch", "take", "pick"},
    "order": {"order", "purchase"},
    "uninstall": {"uninstall", "unmount"},
    "move": {"move", "rename", "transfer"},
    "hand over": {"hand over", "give", "pass", "ship", "serve"},
    "wipe": {"wipe", "wip", "clean"},  # "to wipe" alone is to delete
    "disassemble": {"disassemble", "delete", "disconnect", "unload"},
    "give": {"give", "hand over", "pass"},
    "pass": {"pass", "hand over", "give"},
    "serve": {"serve", "give", "hand over"},
    "feed": {"feed", "give", "serve", "dispens"},
    "carry": {"carry", "move", "ship", "hand over", "fetch"},
    "pick up child": {"pick up child", "pick", "hug", "carry"},
    "clean": {"clean", "wash", "wipe", "wip", "mop", "vacuum", "sweep", "disinfect"},
    "vacuum": {"vacuum", "clean", "sweep"},
    "mop": {"mop", "clean", "wipe", "wip"},
    "drive": {"drive", "navigate"},
    "photograph": {"photograph", "record", "captur"},
    "pause": {"pause", "stop"},
    "deactivate": {"deactivate", "disable", "lock", "pause", "block"},
    "charge customer": {"charge customer", "charge", "collect"},
    "collect": {"collect", "charge customer", "charge"},
    "book room": {"book room", "reserve", "post"},
    "dismiss": {"dismiss", "terminate"},
    "disclose": {"disclose", "share", "send"},
    "forward": {"forward", "send", "share"},
    "reply": {"reply", "send"},
    "notify": {"notify", "send"},
    "broadcast": {"broadcast", "send"},
    "publish post": {"publish post", "post", "publish", "share"},
    "invite": {"invite", "ad"},
}

#: Nouns that say no more than that there is something ("objects from the bucket"); a call need not show them.
GENERIC = word_set(
    "object objects resource resources item items entry entries record records row rows content contents bucket buckets "
    "details info information labelled labeled tagged named called marked "
    "image images registry registries remote package packages library libraries anyone anybody everyone "
    "someone instance instances address addresses stack hàng tool tools function functions action api laptop machine workstation computer "
    "local locally today now here amount amounts value values worth total đối tượng bản ghi máy công cụ giá trị số tiền chế độ trạng thái vị trí"
)
#: Verbs that only carry the noun behind them, and the acts such nouns stand for ("create_payment").
LIGHT_VERBS = word_set("create make submit initiate execute process issue perform run start schedule do new add")
#: Verbs that say nothing of an act beside an amount ("give discounts of more than 15%").
VAGUE_VERBS = word_set("give offer make set allow apply use do have let cho đặt để 给 设置")
NOMINAL_ACTIONS = {
    "payment": "pay", "payments": "pay", "payout": "pay", "refund": "refund", "deployment": "deploy", "deploy": "deploy",
    "release": "release", "rollout": "deploy", "restart": "restart", "shutdown": "power off", "deletion": "delete",
    "removal": "delete", "shipment": "ship", "delivery": "ship", "posting": "post", "cancellation": "cancel",
    "reversal": "reverse", "transfer": "transfer", "migration": "migrate", "export": "export", "import": "import",
    "email": "send", "message": "send", "mail": "send", "sms": "send", "expense": "reimburse", "reimbursement": "reimburse",
    "merge": "merge", "push": "push", "backup": "backup", "order": "order", "purchase": "order",
}  # fmt: skip
#: Things that only say what kind a name is ("the payments namespace", "môi trường prod"); a call need not say them.
KINDS = word_set(
    "schema node pod rights workspace namespace environment branch server service file folder database table user cluster volume "
    "period period tag person group",
)

#: Verbs by which a package goes to a registry, and the registry of each program that does so.
PUBLISHES = frozenset({"publish", "upload"})
REGISTRIES = {"npm": ("npm", "pnpm", "yarn", "bun"), "pypi": ("twine", "poetry", "uv", "flit", "hatch", "pdm")}
REGISTRY_OF = {tool: frozenset({registry}) for registry, tools in REGISTRIES.items() for tool in tools}

#: Programs that a sentence may name without quoting them. Those in AMBIGUOUS are also everyday words.
PROGRAMS = word_set(
    "git npm npx pnpm yarn bun pip pip3 uv poetry conda pytest python python3 node docker docker-compose podman "
    "kubectl helm",
    "terraform ansible cargo rustc go dotnet mvn gradle make cmake gcc g++ clang rm cp mv chmod chown chgrp dd "
    "mkfs tar curl",
    "wget ssh scp rsync psql mysql mongo redis-cli sqlite3 pg_dump systemctl service apt apt-get yum dnf brew apk "
    "snap gem",
    "bundle composer alembic flask celery gh aws az gcloud sed awk find xargs kill killall pkill sudo su crontab "
    "iptables",
    "reboot shutdown eslint prettier tsc jest vitest ruff black mypy tox nox env printenv truncate",
)
AMBIGUOUS = word_set(
    "make go find service kill black env shutdown reboot snap gem bundle node uv truncate python docker"
)

STOP = word_set(
    "a an the this that these those it its is are be been being was were to of in on at for with and or but so as "
    "by from into",
    "you your we our us me my i he she they them their any anything something things all every everything each "
    "some there here",
    "do does did not don't never no nothing nobody must should shall may can could would will please ever again "
    "always only just",
    "run running use using used execute call make let get when while if before after during ask first without "
    "under over above",
    "below which who what than then one ones out up down off until about also more less very via per it's dated "
    "or either same",
    "hand manually yourself myself themselves new need needs require requires tay inside within beneath anywhere",
    "directly straight permission confirm confirmation approval approve okay ok thing stuff whatever still now "
    "since because once whose",
    "thẳng trực tiếp",
    "lên xuống về đến theo là thì mà và hoặc hay của cho với ở tại trong trên dưới vào ra các những một ",
    "cái con này kia đó đây đấy ",
    "không đừng chớ bao giờ được",
    "cấm phải hãy chạy dùng lệnh khi đang lúc nếu trước sau hỏi tôi bạn anh chị em mình đồ gì bất cứ bất kỳ tuyệt "
    "đối chưa có",
    "whole entire full complete repo repository project codebase workspace toàn bộ dự án kho hết tất cả",
    "thêm mới gói việc số number tự ý tùy tiện tuỳ aloud again script scripts command commands job jobs task tasks program",
    "muốn cần mọi lần mỗi thì xong bên xin phép against through onto toward towards across",
    "given goes get gets getting have has had having asked become becomes made nào khỏi ai báo",
    "robot agent bot đã sẽ còn vẫn nữa đâu nhé nha thứ vật bằng giúp hộ luôn cùng",
)


def _verb_forms(words: Iterable[str]) -> frozenset[str]:
    plain = frozenset(words)
    return plain | {form(word) for form in (gerund, past, third) for word in plain if is_stem(word)}


#: A rule in English may name an act by any verb, so few of its words are read in one.
ACTION_WORDS = vocabulary(
    by_concept((line.name, _verb_forms(line.words) if line.read else line.abroad) for line in _LINES)
)
#: The act of each word of a call.
ACTION_OF: Mapping[str, str] = {
    **ACTION_WORDS.of,
    **vocabulary(by_concept((line.name, _verb_forms(line.english)) for line in _LINES)).of,
}
#: Only kinds have plurals: "the payments namespace" is one name.
_READ = {
    name: words | {third(word) for word in words if name in KINDS and is_stem(word)} for name, words in READ.items()
}
THING_WORDS = vocabulary(_READ)
#: The same for a text in another language than English.
THING_WORDS_ABROAD = vocabulary(READ_ABROAD | _READ)
#: English words of things that a rule in another language would have named by a word that is known.
KNOWN_ABROAD = KNOWN - GENERIC


def actions_of(words: Iterable[str]) -> set[str]:
    """Action concepts of single or joined words of a call ("power off", "post")."""
    return {ACTION_OF[word] for word in words if word in ACTION_OF}
