"""Words of English, Chinese and Vietnamese text: folding, language, tokens, stop words.

Numbers, times, dates and units are read in `quantities`; this module re-exports `values` from there.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from bio_agent_workers.brain.quantities import values
from bio_agent_workers.brain.wordlists import word_list

__all__ = ["STOP_WORDS", "content_tokens", "detect_lang", "fold", "strip_marks", "tokens", "values"]

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_HAN_RE = re.compile(f"[{HAN}]")
_LATIN_RE = re.compile(r"[^\W\d_]", re.UNICODE)
_VI_LETTERS = re.compile(
    "[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịĩọỏốồổỗộớờởỡợụủũứừửữựỳỵỷỹ]",
)
# Vietnamese typed without marks: syllables that are frequent there and are no English words.
_VI_BARE = frozenset(
    word_list(
        "khong duoc nhe luon thi cua phai moi truoc khi nao cung nay vao voi cho nua neu gio bao dung giup"
        " nhung mot hai"
        " ngay tuan thang nam ghi sua xoa chay lenh tep thu muc may chu kho hang hoa don khach"
    )
)
_VI_BARE_STRONG = frozenset(word_list("khong duoc nhe luon cua phai truoc cung nua giup nhung dung"))
# A Han share of letters this high means the sentence is Chinese with foreign names in it, not the reverse.
_HAN_SHARE = 0.12
# Accents that other languages share (dán nhãn bên trái) tell Vietnamese where this share of the words has one.
_MARKED = re.compile("[àáâãèéêìíòóôõùúý]")
_NOT_VIETNAMESE = re.compile("[äëïöüßçñœ]")
_LATIN_WORD = re.compile(r"[^\W\d_]+")
_VI_MARKED_SHARE = 0.4
# Characters looked at for Vietnamese without marks; a language shows early.
_BARE_CHARS = 400

STOP_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(
        word_list(
            "a an the this that these those it its is are be been being was were am do does did done doing have"
            " has had i"
            " you we they he she me us them my your our their his her of to in on at for with and or but so as by"
            " from into"
            " there here then than too very just also please ok okay will would can could shall s t re ve ll d"
            " m let lets"
            " get gets got which who whom whose what when where while if up out about"
        )
    ),
    "zh": frozenset(
        word_list(
            "的 了 着 过 地 得 吧 吗 呢 啊 呀 嘛 哈 请 把 将 给 让 被 对 和 与 及 或 在 是 也 就 还 又 再 要 个 这"
            " 那 这个 那个"
            " 我 你 您 他 她 它 我们 你们 咱们 他们 大家 一下 时候 的时候 所有 都 会 去 来 到 里 上 下 中 有"
        )
    ),
    "vi": frozenset(
        word_list(
            "là thì mà và hoặc hay của cho với ở tại trong trên dưới vào ra lên xuống các những một cái con này"
            " kia đó ấy"
            " anh em chị tôi mình bạn tao mày ông bà chúng ta họ nó nhé nha ạ à ừ dạ vâng rồi đã đang sẽ được"
            " bị do bởi"
            " cũng lại còn nữa hãy xin vui lòng giúp việc khi lúc để từ về theo"
        )
    ),
}

# Two-syllable words common in the tool's domains; joined so that overlap counts words, not syllables.
_VI_COMPOUNDS = frozenset(
    tuple(pair.split("_"))
    for pair in word_list(
        "hóa_đơn báo_cáo báo_giá ghi_sổ hạch_toán mã_thuế mặt_hàng khách_hàng nhà_cung đơn_hàng phê_duyệt kiểm_kê"
        " kiểm_tra sao_lưu triển_khai phát_hành máy_chủ cơ_sở dữ_liệu tài_khoản mật_khẩu đăng_nhập doanh_thu giám_đốc"
        " trưởng_phòng nhân_viên chấm_công tạm_ứng tiền_mặt chứng_từ phiếu_chi phiếu_thu kế_toán kỳ_kế tồn_kho"
        " xuất_kho"
        " nhập_kho trả_lại cách_ly chi_nhánh công_ty quý_khách thư_mục tập_tin đường_dẫn cấu_hình khởi_động phiên_bản"
        " giấy_phép kinh_doanh thử_việc tăng_ca nghỉ_phép bảng_công bảng_lương hợp_đồng thanh_toán chiết_khấu"
        " vận_chuyển"
        " giao_hàng sản_phẩm sản_xuất nguyên_liệu quy_trình quy_định ngoại_lệ xác_nhận thông_báo tin_nhắn cuối_tuần"
        " hằng_ngày hằng_tuần hằng_tháng mỗi_ngày chủ_nhật thứ_hai thứ_ba thứ_tư thứ_năm thứ_sáu thứ_bảy"
    )
)
# Chinese words of grammar, longest first; cut out before the rest is read as bigrams.
_ZH_FUNCTION = sorted(
    word_list(
        "的时候 的话 这个 那个 我们 你们 咱们 他们 她们 大家 一下 之后 以后 之前 以前 之内 以内 以下 以上 如果 除非"
        " 只有 才能 可以"
        " 必须 不得 不要 不能 不许 不准 不可 禁止 严禁 应该 应当 需要 以及 或者 并且 而且 因为 所以 但是 的 了 着"
        " 吧 吗 呢 啊 呀 嘛"
        " 请 把 被 和 与 及 或 在 是 也 就 都 还 又 再 要 这 那 我 你 您 他 她 它 时 须 先 才 则 从 起 到"
    ),
    key=len,
    reverse=True,
)
_ZH_SPLIT = re.compile("|".join(map(re.escape, _ZH_FUNCTION)))
# A run of Han, a dotted or slashed identifier (".env.example", "a/b.py", "--force"), or a plain word.
_TOKEN_RE = re.compile(
    rf"[{HAN}]+|--?[a-z][\w-]*|={{2,3}}|[.@]?[^\W_](?:[\w]|[./:@+'’-](?=\w))*",
    re.UNICODE,
)


@lru_cache(maxsize=512)
def fold(text: str, *, marks: bool = True) -> str:
    """Text for matching: compatibility forms to plain ones (full-width digits, ligatures), NFC, case folded, white
    space collapsed. `marks=False` also removes diacritics, for queries typed without them. Display text is never
    folded."""
    out = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'").casefold()
    out = " ".join(unicodedata.normalize("NFC", out).split())
    return out if marks else strip_marks(out)


def strip_marks(text: str) -> str:
    """Without diacritics; đ becomes d. Hàng → Hang."""
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return bare.replace("đ", "d").replace("Đ", "D")


@lru_cache(maxsize=512)
def detect_lang(text: str) -> str:
    """ "en", "zh" or "vi"; text without any letters counts as English."""
    folded = fold(text)
    letters = len(_LATIN_RE.findall(folded))
    han = len(_HAN_RE.findall(folded))
    if han and han >= _HAN_SHARE * letters:
        return "zh"
    if _VI_LETTERS.search(folded):
        return "vi"
    spoken = _LATIN_WORD.findall(folded[:_BARE_CHARS])
    marked = sum(bool(_MARKED.search(w)) for w in spoken)
    if marked >= 2 and not _NOT_VIETNAMESE.search(folded) and marked >= _VI_MARKED_SHARE * len(spoken):
        return "vi"
    words = re.findall(r"[a-z]+", strip_marks(folded[:_BARE_CHARS]))
    bare = sum(w in _VI_BARE for w in words)
    if bare >= 2 and bare >= 0.3 * len(words) and any(w in _VI_BARE_STRONG for w in words):
        return "vi"
    return "en"


def _han_tokens(run: str) -> list[str]:
    out: list[str] = []
    for piece in _ZH_SPLIT.split(run):
        if len(piece) <= 2:
            if piece:
                out.append(piece)
        else:
            out.extend(piece[i : i + 2] for i in range(len(piece) - 1))
    return out


@lru_cache(maxsize=512)
def tokens(text: str, lang: str | None = None, *, marks: bool = True) -> tuple[str, ...]:
    """Folded words in order, grammar words included (for Chinese, function words are cut out and what is left is read
    as overlapping bigrams). Vietnamese compounds that are known come as one token joined by "_"."""
    lang = lang or detect_lang(text)
    out: list[str] = []
    for token in _TOKEN_RE.findall(fold(text)):
        if _HAN_RE.match(token):
            out.extend(_han_tokens(token))
        else:
            out.append(token.rstrip("'’-.:/"))
    if lang == "vi":
        joined: list[str] = []
        i = 0
        while i < len(out):
            if i + 1 < len(out) and (out[i], out[i + 1]) in _VI_COMPOUNDS:
                joined.append(f"{out[i]}_{out[i + 1]}")
                i += 2
            else:
                joined.append(out[i])
                i += 1
        out = joined
    if not marks:
        out = [strip_marks(t) for t in out]
    return tuple(t for t in out if t)


@lru_cache(maxsize=512)
def content_tokens(text: str, lang: str | None = None) -> tuple[str, ...]:
    """`tokens` without the stop words of the language."""
    lang = lang or detect_lang(text)
    stop = STOP_WORDS[lang]
    return tuple(t for t in tokens(text, lang) if t not in stop)
