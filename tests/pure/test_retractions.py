"""What takes a rule back, in three languages, and which rule is meant."""

from __future__ import annotations

import time

import pytest

from bio_agent_workers.brain.directives import retractions
from bio_agent_workers.brain.directives.retraction_words import Manner
from bio_agent_workers.brain.directives.speakers_wish import about_speaker
from bio_agent_workers.models.offline_compile import compile_memories

OTHERS = {
    "en": "Always add a changelog entry.", "en2": "Never edit generated files.", "zh": "以后回复要简短",
    "zh2": "不要删除备份", "vi": "Luôn thêm ghi chú thay đổi.", "vi2": "Đừng sửa file sinh tự động.",
}  # fmt: skip


def fallen(rule: str, said: str, **more: str) -> tuple[list[str], list[str]]:
    """(ids that fall, ids that are asked about) of what is said after the rule "old"."""
    meant = [retractions.meant(one, {"old": rule, **OTHERS, **more}) for one in retractions.find(said)]
    return [i for m in meant for i in m.lifted], [i for m in meant for i in m.asked]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Never run terraform apply.", "You're allowed to run terraform apply again."),
        ("Always run the linter before committing.", "You don't need to run the linter before committing any more."),
        ("Don't touch the billing folder.", "The billing folder is no longer off limits."),
        ("Never email customers directly.", "I take back what I said about emailing customers."),
        ("Always write commit messages in German.", "Drop the German commit messages rule."),
        ("Use yarn for everything.", "Switch to bun instead of yarn from now on."),
        ("Always indent with two spaces.", "From now on indent with tabs, not two spaces."),
        ("Don't use emojis in replies.", "Emojis in replies are okay now."),
        ("Never use sudo.", "Actually, sudo is fine from now on."),
        ("Never deploy on Fridays.", "From now on deploy on Fridays too."),
        ("以后不要直接改生产数据库", "现在可以直接改生产数据库了"),
        ("每次提交前都要跑测试", "以后提交前不用再跑测试了"),
        ("禁止使用 rm -rf", "rm -rf 的禁令取消了"),
        ("永远不要给客户发邮件", "之前说的不能给客户发邮件那条作废"),
        ("周五不要部署", "从今以后周五也可以部署"),
        ("不要碰 legacy 目录", "忘掉关于 legacy 目录的规则"),
        ("以后别自动重启服务", "自动重启服务又允许了"),
        ("Từ nay đừng đụng vào thư mục billing.", "Thư mục billing giờ đụng vào được rồi."),
        ("Không bao giờ force push.", "Cho phép force push lại nhé."),
        ("Luôn chạy lint trước khi commit.", "Khỏi cần chạy lint trước khi commit nữa."),
        ("Đừng gửi email cho khách.", "Rút lại chuyện không được gửi email cho khách."),
        ("Từ nay dùng yarn.", "Từ giờ dùng pnpm thay cho yarn nhé."),
        ("Không deploy vào thứ sáu.", "Từ nay thứ sáu cũng được deploy."),
        ("Đừng xóa log cũ.", "Hủy lệnh cấm xóa log cũ."),
        ("Always write tests first.", "The tests-first rule no longer applies."),
        ("Never call the payment API from scripts.", "We lifted the ban on calling the payment API from scripts."),
        ("别动 config 目录", "config 目录现在可以动了"),
        ("永远不要自动合并", "之前说不要自动合并，那条不算了"),
        ("每次回复都要附上链接", "以后回复不用附链接了"),
        ("Cấm dùng docker.", "Dùng docker lại được rồi."),
        ("Luôn dùng black để format.", "Từ nay dùng ruff thay vì black."),
        ("Never use sudo.", "现在可以用 sudo 了"),
    ],
)
def test_the_rule_that_is_taken_back_is_meant_and_no_other(rule: str, said: str) -> None:
    assert fallen(rule, said) == (["old"], [])


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Never use sudo.", "Don't use sudo again."),
        ("Never use sudo.", "May I use sudo again?"),
        ("Never use sudo.", 'Bob said: "You may use sudo again."'),
        ("Never use sudo.", "> Forget the rule about sudo."),
        ("Never use sudo.", "Bob says you may use sudo again."),
        ("Never use sudo.", "If the owner agrees you may use sudo again."),
        ("Never use sudo.", "You can not use sudo from now on."),
        ("Never deploy.", "You may only deploy on Mondays from now on."),
        ("Never deploy on Fridays.", "You may deploy on Mondays again."),
        ("Never restart the server.", "The server is fine again."),
        ("Always run the tests.", "The tests are fine now."),
        ("Never push to main.", "You may push to the feature branch again."),
        ("Always run npm audit before release.", "From now on use pnpm instead of npm."),
        ("以后不要用 sudo", "不要再用 sudo 了"),
        ("以后不要用 sudo", "以后不可以用 sudo 了"),
        ("以后不要用 sudo", "现在可以用 sudo 了吗？"),
        ("以后不要用 sudo", "他说现在可以用 sudo 了"),
        ("不要动分支", "现在可以删除旧分支了"),
        ("Từ nay đừng dùng sudo.", "Giờ được dùng sudo rồi à?"),
        ("Từ nay đừng dùng sudo.", "Giờ không được dùng sudo nữa."),
        ("Đừng gửi email cho khách.", "Giờ được gửi tin nhắn cho khách rồi."),
    ],
)
def test_what_takes_nothing_back_lets_every_rule_stand(rule: str, said: str) -> None:
    assert fallen(rule, said)[0] == []


def test_where_two_rules_may_be_meant_both_are_asked_about() -> None:
    ask = {"other": "Never run sudo on the build host."}
    assert fallen("Never pipe anything into sudo.", "Forget the rule about sudo.", **ask) == ([], ["other", "old"])
    assert fallen("Never use sudo.", "Forget the rule about sudo.", **ask) == (["old"], []), "one is about nothing else"


@pytest.mark.parametrize(
    "said", ["Scratch that.", "Forget that rule.", "之前那条规定取消。", "忘掉那条", "Bỏ quy định đó đi."]
)
def test_what_only_points_back_names_nothing(said: str) -> None:
    (one,) = retractions.find(said)
    assert (one.manner, one.about) == (Manner.POINTED, "")


def test_what_is_named_tells_more_than_that() -> None:
    (one,) = retractions.find("Forget that, from now on use pnpm instead of npm")
    assert (one.manner, one.about) == (Manner.REPLACED, "npm")
    assert retractions.takes_the_place("From now on use pnpm instead of npm.", "Always use npm.")
    assert not retractions.takes_the_place("From now on use pnpm instead of npm.", "Never use npm.")
    assert not retractions.takes_the_place("From now on use pnpm.", "Always use npm.")


def test_a_rule_that_follows_in_the_same_sentence_is_more_than_a_retraction() -> None:
    (one,) = retractions.find("之前说的八点不算了，从下周起统一七点半备份。")
    assert (one.manner, one.whole) == (Manner.NAMED, False)
    (one,) = retractions.find("Forget the rule about sudo.")
    assert one.whole


@pytest.mark.parametrize(
    "said", ["又" * 290, "现在可以" * 70, "bỏ " * 95, "forget the " * 26, "的说" * 140 + "了", "từ nay " * 40]
)
def test_long_and_repeated_words_take_no_time(said: str) -> None:
    began = time.process_time()
    retractions.find(said)
    assert time.process_time() - began < 0.5


def test_what_is_taken_back_in_one_group_is_not_learned() -> None:
    def told(*said: str) -> list[str]:
        items = [
            {"n": n, "kind": "user", "provenance": "owner", "text": text, "lang": "en", "recalled": False}
            for n, text in enumerate(said, 1)
        ]
        return [m["text"] for m in compile_memories(items, {}) if m["is_rule"]]

    assert told("Never use sudo.", "Always use tabs.", "You may use sudo again.") == ["Always use tabs."]
    assert told("Never use sudo.", "Always use tabs.", "Scratch that.") == ["Never use sudo."]


@pytest.mark.parametrize(
    "said",
    [
        "Always address me as Captain.", "From now on always answer me in Vietnamese.", "My pronouns are they/them, always use them.",
        "Always give me short answers.", "I prefer short answers.", "Never call me by my last name.",
        "以后都叫我老王", "以后用中文回答我", "跟我说话要用敬语", "我的问题一律用英文回答", "我喜欢简短的回答",
        "Từ nay gọi tôi là Thuyền trưởng.", "Luôn trả lời anh bằng tiếng Việt.", "Luôn xưng em khi nói với anh.", "Tôi thích câu trả lời ngắn.",
    ],
)  # fmt: skip
def test_a_wish_about_how_the_speaker_is_treated(said: str) -> None:
    assert about_speaker(said)


@pytest.mark.parametrize(
    "said",
    [
        "Never push to main.", "Ask me before deploying.", "Always call me before you restart the server.", "Never touch my branch.",
        "Always answer customers in Vietnamese.", "Show me the diff before committing.", "Never merge without my approval.",
        "I prefer tabs over spaces.", "以后不要直接推送到主分支", "部署前先问我", "以后回复客户要用中文", "改数据库要经我同意", "我们的回复要用英文",
        "Trước khi deploy phải hỏi tôi.", "Luôn trả lời khách bằng tiếng Việt.", "Gọi tôi ngay khi server sập.", "Gọi anh trước khi xóa dữ liệu.",
    ],
)  # fmt: skip
def test_a_rule_about_the_work_is_everybodys(said: str) -> None:
    assert not about_speaker(said)
