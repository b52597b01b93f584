"""English names of what an agent makes or handles and of whom it serves, and cues of what holds for good."""

from __future__ import annotations

import re

IGNORECASE = re.IGNORECASE


def any_of(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), IGNORECASE)


#: What an agent makes or handles; of nature, machines and strangers one tells facts.
MADE = (
    r"(?:answers?|repl(?:y|ies)|responses?|reports?|summar(?:y|ies)|recaps?|(?:e-?)?mails?"
    r"|messages?|letters?|updates?|texts?"
    r"|(?:subject )?lines?|tickets?|issues?|commits?|branches|tests?|comments?|changes?"
    r"|releases?|deploy(?:ment)?s?|builds?|files?"
    r"|file names?|folders?|documents?|docs|drafts?|tables?|charts?|figures?|numbers?|totals?|amounts?"
    r"|sums?|prices?|quotes?"
    r"|quotations?|estimates?|offers?|invoices?|receipts?|bills?|payments?|refunds?|discounts?|deposits?"
    r"|orders?|bookings?"
    r"|reservations?|appointments?|meetings?|(?:phone )?calls?|visits?|deliver(?:y|ies)"
    r"|shipments?|parcels?|packages?|samples?"
    r"|labels?|tags?|photos?|pictures?|images?|captions?|headings?|titles?|headlines?|posters?|flyers?|leaflets?"
    r"|brochures?"
    r"|newsletters?|slides?|menus?|recipes?|dish(?:es)?|portions?|allergens?|measurements?|units?"
    r"|dates?|opening times|deadlines?"
    r"|weights?|temperatures?|readings?|names?|surnames?|addresses|contracts?|leases?|translations?"
    r"|paragraphs?|sentences?"
    r"|lists?|rosters?|shifts?|schedules?|timetables?|meeting minutes|notes?|entries|records?|logs?"
    r"|backups?|passwords?|keys?"
    r"|complaints?|requests?|claims?|applications?|expenses?|prescriptions?|doses?|dosages?|results?"
    r"|grades?|essays?"
    r"|assignments?|functions?|variables?|classes|modules?|endpoints?|quer(?:y|ies)|migrations?|secrets?"
    r"|ids|timestamps?|errors?"
    r"|exceptions?|imports?|constants?|apis?|services?|containers?|scripts?|jobs?|configs?|prs?|pull requests"
    r"|merges|reviews?"
    r"|hotfix(?:es)?|features?|columns?|tokens?|hooks?|holidays?|purchases?|returns?|rooms?|seats?"
    r"|spare parts|goods|stock)"
)
WHO = (
    r"(?:guests?|patients?|customers?|clients?|tenants?|visitors?|volunteers?|members?"
    r"|suppliers?|vendors?|students?|contractors?|new hires)"
)
STYLE = (
    r"(?:bullets?(?: points?)?|bullet lists?|lists?|tables?|prose|paragraphs?|charts?|diagrams?|outlines?"
    r"|headings?)"
)
LEAD = (
    r"^\W*(?:(?:and|but|so|also|oh|hey|hi|hello|ok(?:ay)?|please|kindly|just|now|look|honestly|seriously"
    r"|right|well|by the way"
    r"|btw|sorry|thanks|thank you|cheers|no|yes|anyway|actually)\b[\s,:;.!—-]*)*"
)
STANDING = any_of(
    r"\b(?:always|never|whenever|each time|every (?:single )?time|from (?:now|here|today|this \w+|(?:mon|tues"
    r"|wednes|thurs|fri"
    r"|satur|sun)day|next \w+) on(?:wards?)?|(?:going|moving) forward|in (?:the )?future|henceforth"
    r"|by default|as a (?:rule|matter of"
    r" (?:course|routine|habit))|as standard|as routine|routinely|without exception|no exceptions|at all times"
    r"|any ?more|ever again"
    r"|until further notice)\b"
)
OFTEN = any_of(
    r"\b(?:one|two|a|three|single|an) (?:[\w-]+ )?[\w-]+ (?:a|per|each|every) (?:day|week|month|year|hour)\b"
    r"|\b(?:once|twice|(?:three|four|five|\d+) times) (?:a|an|per|each|every) (?:hour|day|week|month|shift"
    r"|year|night)\b"
    r"|\b(?:hourly|daily|weekly|fortnightly|monthly|quarterly|nightly)\W*$|\bevery (?:other )?(?:hour"
    r"|day|week|month|morning|evening"
    r"|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day|two|three|four|\d+)\b"
)
EACH = any_of(
    r"\b(?:each|every|any) (?:(?!time\b|one of|of (?:the|these|those))[\w'-]+)|\b(?:in"
    rf"|on|to|with|for|from) all (?!the|these|those|of)(?:our |my |your )?{MADE}\b"
)
# On a set at hand these are done once: "delete every draft", "rename the column in all tables".
TASK_VERBS = (
    r"(?:delete|remove|rename|print|move|convert|replace|export|import|send|clean(?: up)?"
    r"|reformat|update|fix|translate|merge|close"
    r"|archive|copy|count|list|re-?run|run|install|migrate|refactor|rewrite|cancel|order|buy|download|upload"
    r"|sort|find|fetch|get"
    r"|show me|give me a|change|drop|clear|empty|reset|scan|e-?mail|pack|collect|bring|check|review|summari[sz]e"
    r"|go through|read)"
)
OCCASION = any_of(
    r"\b(?:when(?:ever)?|if|unless|once|before|after|every time|each time|as soon as|until|without) (?:an?"
    r"|any|some\w*|no|every|each"
    r"|two|you \w+ (?:an?|any|to an?)|\w+ing (?:an?|any|to an?))\b",
    rf"\b(?:when(?:ever)?|if|unless|before|after|once) (?:[\w'-]+ )?(?:{MADE}|{WHO})\b",
)
