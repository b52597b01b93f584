"""Credentials that are known by their own shape: published prefixes and forms of many vendors. Standard library only.

Each form is anchored at the start of a run of token characters, so it costs nothing on ordinary words.
Publishable keys, account ids and object ids are not secrets and are not listed.
"""

from __future__ import annotations

import re
from typing import Final

# (kind, form). Bodies are written with a lower bound only where vendors have lengthened them over time.
_FORMS: Final[tuple[tuple[str, str], ...]] = (
    ("aws_access_key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7][A-Z0-9]{15}(?![A-Za-z0-9])"),
    ("aws_session_token", r"(?:FwoGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9+/=]{40,}|(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/=]{60,}"),
    ("github_token", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{30,}"),
    ("gitlab_token", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|rtr|wt)-[A-Za-z0-9_.\-]{16,}|GR1348941[\w\-]{16,}"),
    ("slack_token", r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9\-]{10,}|xapp-\d-[A-Za-z0-9\-]{20,}|xwfp-[A-Za-z0-9\-]{20,}"),
    ("anthropic_key", r"sk-ant-[A-Za-z0-9_\-]{16,}"),
    ("api_key", r"sk-[A-Za-z0-9][A-Za-z0-9_\-]{18,}|sess-[A-Za-z0-9]{30,}"),
    ("stripe_key", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9_]{10,}|whsec_[A-Za-z0-9+/=]{20,}"),
    ("google_key", r"AIza[\w\-]{30,}|ya29\.[\w\-.]{20,}|GOCSPX-[\w\-]{20,}|1//0[\w\-]{30,}|AQ\.A[\w\-]{30,}"),
    ("sendgrid_key", r"SG\.[\w\-]{16,}\.[\w\-]{16,}"),
    ("mail_key", r"key-[0-9a-f]{32}(?![0-9a-z])|[0-9a-f]{32}-us\d{1,2}(?!\w)|x(?:keysib|smtpsib)-[0-9a-f]{32,}[\w\-]*"),
    ("twilio_key", r"SK[0-9a-f]{32}(?!\w)"),
    ("package_registry_token", r"npm_[A-Za-z0-9]{30,}|pypi-[\w\-]{30,}|rubygems_[0-9a-f]{40,}|cio[A-Za-z0-9]{32}(?!\w)"
     r"|oy2[a-z0-9]{43}(?!\w)|dckr_[po]at_[\w\-]{20,}|NpmToken\.[0-9a-f\-]{36}|CLOJARS_[a-z0-9]{60}|AKCp[A-Za-z0-9]{60,}"
     r"|cmVmd[A-Za-z0-9]{56,}"),
    ("cloud_token", r"do[opr]_v1_[0-9a-f]{40,}|HRKU-[\w\-]{30,}|f(?:o1|m1[ar]|m2)_[\w\-+/=.]{30,}|FlyV1[\w\-+/=]{30,}"
     r"|nf[pucb]_[A-Za-z0-9]{30,}|v[cp]{2}_[A-Za-z0-9]{20,}|vck_[A-Za-z0-9]{30,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"
     r"|cf(?:ut|at|k)_[\w\-]{30,}|pul-[0-9a-f]{40}|dapi[0-9a-f]{32}(?:-\d)?|rnd_[A-Za-z0-9]{20,}|hvs\.[\w\-]{20,}"
     r"|hv[br]\.[\w\-]{20,}|s\.[A-Za-z0-9]{24}(?![\w.])|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w\-.]{30,}"
     r"|ops_eyJ[\w\-+/=]{60,}|[A-Za-z0-9]{14}\.atlasv1\.[\w\-]{40,}|LTAI[A-Za-z0-9]{12,26}(?!\w)|AKID[A-Za-z0-9]{28,}"
     r"|AKLT[\w\-]{30,}|bce-v3/[\w\-/]{30,}|AQVN[\w\-]{34,}|y0_[\w\-]{50,}|t1\.[A-Z0-9a-z_\-]+={0,2}\.[\w\-]{80,}"
     r"|sha256~[\w\-]{40,}|SWMTKN-\d-[0-9a-z]{40,}-[0-9a-z]{20,}|tskey-[\w\-]{16,}|nbp_[A-Za-z0-9]{30,}"
     r"|token-[a-z0-9]{5}:[a-z0-9]{50,}|ovhb?_[A-Za-z0-9]{30,}|hcp_[\w\-]{30,}|koyeb_[\w\-]{30,}"),
    ("azure_secret", r"[A-Za-z0-9_~.\-]{3}[78]Q~[A-Za-z0-9_~.\-]{31,34}(?!\w)|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    ("shop_token", r"shp(?:at|ca|pa|ss|tka|ua)_[0-9a-fA-F]{32,}|sq0(?:atp|csp|idp)-[\w\-]{22,}|EAAA[\w\-]{58,}"
     r"|access_token\$[a-z]+\$[a-z0-9]+\$[0-9a-f]{32}|FLWSECK(?:_TEST)?-[0-9a-zA-Z\-]{12,}|EZ[AT]K[A-Za-z0-9]{50,}"
     r"|(?:shippo|duffel|polar|lmsqzy)_[a-z]+_[\w\-]{20,}|zpka_[\w\-]{20,}|cal_live_[0-9a-f]{30,}"),
    ("social_token", r"EAA[A-Za-z]{1,4}[A-Za-z0-9]{60,}|IG[A-Z]{2}[\w\-]{50,}|AAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%+/=]{30,}"
     r"|[MNO][A-Za-z0-9_\-]{22,28}\.[\w\-]{6}\.[\w\-]{27,}|sl\.(?:u\.)?[\w\-]{60,}"),
    ("workspace_token", r"secret_[A-Za-z0-9]{40,}|ntn_[A-Za-z0-9]{30,}|lin_(?:api|oauth|wh)_[A-Za-z0-9]{30,}"
     r"|fig[dor]h?_[\w\-]{30,}|pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}|ATATT3[\w\-=]{40,}|ATCTT3[\w\-=]{40,}|ATBB[A-Za-z0-9]{20,}"
     r"|ATSTT3[\w\-=]{40,}|ATTA[0-9a-zA-Z]{40,}|BBDC-[A-Za-z0-9+/=]{30,}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|CFPAT-[\w\-]{30,}"
     r"|pat-(?:na|eu)\d-[0-9a-f\-]{36}|tfp_[\w\-.]{30,}|1000\.[0-9a-f]{32}\.[0-9a-f]{32}|rdme_[a-z0-9]{40,}"
     r"|[12]/\d{15,17}(?:/\d+)?:[0-9a-f]{32}"),
    ("monitoring_token", r"gl(?:c_eyJ|sa_)[\w+/=]{30,}|eyJrIjoi[\w+/=]{40,}|NR(?:AK|JS|AA|II|RA|SP)-[\w\-]{20,}|NRIQ-[\w\-]{20,}"
     r"|sntry[su]_[\w\-+/=.]{30,}|hc[ab]ik_[\w\-]{30,}|hcxik_[\w\-]{30,}|dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{60,}"
     r"|sq[pua]_[0-9a-f]{40}|CCI(?:PAT|PRJ)_[\w\-]{20,}|bkua_[0-9a-f]{30,}|pnu_[A-Za-z0-9]{30,}|ph[xcsr]_[A-Za-z0-9]{30,}"
     r"|bkct_[\w\-]{30,}|phc_[A-Za-z0-9]{30,}|logfire_[\w\-]{30,}|ico-[A-Za-z0-9]{30,}|snyk_[\w\-.]{30,}"),
    ("database_token", r"pscale_(?:tkn|pw|oauth|otkn)_[\w\-.=]{20,}|napi_[a-z0-9]{40,}|sbp_[0-9a-f]{40,}|sb_secret_[\w\-]{20,}"
     r"|mdb_sa_sk_[\w\-]{30,}|CCDB1_[\w\-]{30,}|pcsk_[\w\-]{30,}|npg_[A-Za-z0-9]{10,}|xau_[A-Za-z0-9]{30,}"),
    ("ai_key", r"hf_[A-Za-z0-9]{24,}|api_org_[A-Za-z0-9]{24,}|r8_[A-Za-z0-9]{24,}|gsk_[A-Za-z0-9]{24,}|xai-[A-Za-z0-9_\-]{24,}"
     r"|pplx-[A-Za-z0-9]{24,}|tgp_v1_[\w\-]{24,}|fw_[A-Za-z0-9]{20,}|csk-[a-z0-9]{24,}|nvapi-[\w\-]{30,}|lsv2_[a-z]{2}_[\w]{30,}"
     r"|tvly-[\w\-]{20,}|fc-[0-9a-f]{32}|jina_[A-Za-z0-9]{30,}|re_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}|sk_[0-9a-f]{40,}"
     r"|e2b_[0-9a-f]{30,}|rpa_[A-Z0-9]{30,}|bb_live_[\w\-]{20,}|pa-[A-Za-z0-9_\-]{40,}|waka_[0-9a-f\-]{36}"
     r"|wandb_v\d_[\w\-]{30,}|[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![\w.])"),
    ("age_key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}|AGE-PLUGIN-[A-Z]+-1[A-Z0-9]{40,}"),
    ("adobe_secret", r"p8e-[\w\-]{30,}"),
)  # fmt: skip

VENDOR: Final = re.compile("|".join(f"(?:{form})" for _, form in _FORMS))
_ONE: Final = tuple((kind, re.compile(form)) for kind, form in _FORMS)

JWT: Final = re.compile(r"eyJ[A-Za-z0-9_\-]{6,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]{8,})?(?:\.[A-Za-z0-9_\-]+){0,2}")

# A prefix in the style of the vendors above that is not listed: `name_` or `name-live-` before a long random body.
PREFIXED: Final = re.compile(
    r"(?P<prefix>[A-Za-z][a-z0-9]{1,11})[_\-](?:[a-z0-9]{1,8}[_\-]){0,3}(?P<body>[A-Za-z0-9]{32,})"
)
_ID_PREFIXES: Final = frozenset(
    """
    sha sha1 sha256 sha384 sha512 md5 pk pub public cs pi evt cus req msg run toolu chatcmpl call resp thread asst
    file item sub ch txn seti acct job task trace span build commit image layer blob etag rev uid uuid id hash digest
    chunk main vendor vendors index app page module cache ssh ecdsa tree object checksum integrity
    """.split()  # noqa: SIM905 - a list of this length would fill a screen
)


def vendor_at(text: str, start: int) -> tuple[int, str] | None:
    """(end, kind) of a credential of a known form that starts at `start`."""
    found = VENDOR.match(text, start)
    if not found:
        return None
    for kind, form in _ONE:
        if (one := form.match(text, start)) and one.end() == found.end():
            return found.end(), kind
    return found.end(), "token"


def prefixed_at(text: str, start: int) -> int | None:
    """The end of a prefixed random token of an unlisted vendor: upper, lower and digits well mixed after the prefix."""
    found = PREFIXED.match(text, start)
    if not found or found["prefix"].lower() in _ID_PREFIXES:
        return None
    body = found["body"]
    digits = sum(map(str.isdigit, body))
    upper = sum(map(str.isupper, body))
    lower = len(body) - digits - upper
    return found.end() if min(digits, upper, lower) >= 3 and len(set(body)) >= 14 else None
