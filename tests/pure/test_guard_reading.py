"""What the guard reads off words and calls: numbers in words, endpoints, what ansible has its hosts do, objects in stores."""

from __future__ import annotations

import pytest

from bio_agent_ops.service.guard_calls import stored_at
from bio_agent_workers.brain.guarding.amounts import take_bounds
from bio_agent_workers.brain.guarding.ansible import ansible_acts
from bio_agent_workers.brain.guarding.http_calls import endpoint_of, named_endpoints
from bio_agent_workers.brain.guarding.rule_commands import read_rule
from bio_agent_workers.shell import act_of, parse_command


@pytest.mark.parametrize(
    ("clause", "limit"),
    [
        ("over ten thousand dollars", 10_000), ("more than two hundred and fifty", 250), ("above a million VND", 1_000_000),
        ("more than three replicas", 3), ("trên hai mươi lăm triệu đồng", 25_000_000), ("trên năm trăm nghìn", 500_000),
        ("quá một tỷ hai trăm triệu", 1_200_000_000), ("超过两万元", 20_000), ("超过三万五千元", 35_000), ("超过两万五", 25_000),
        ("超过一千零五十元", 1_050), ("十万元以上", 100_000), ("heavier than 20 kg", 20),
    ],
)  # fmt: skip
def test_a_bound_in_words_is_a_number(clause: str, limit: int) -> None:
    bounds, _ = take_bounds(clause)
    assert [bound.limit for bound in bounds] == [limit]


@pytest.mark.parametrize("said", ["一律不行", "万一出错", "千万不要推", "hai người", "one of them"])
def test_small_words_are_no_bounds(said: str) -> None:
    assert take_bounds(said) == ([], said)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("curl -X DELETE https://a.example/v1/orders/7", "DELETE /v1/orders/7"), ("curl -d x=1 https://a.example/jobs", "POST /jobs"),
        ("curl https://a.example/jobs?x=1", "GET /jobs"), ("curl -I https://a.example/jobs", "HEAD /jobs"),
        ("wget --method=PUT a.example/x", "PUT /x"), ("http POST https://a.example/x a=1", "POST /x"), ("http a.example/x", "GET /x"),
        ("gh api -X PATCH repos/a/b", "PATCH /repos/a/b"),
    ],
)  # fmt: skip
def test_the_endpoint_of_a_call(command: str, told: str) -> None:
    found = endpoint_of(parse_command(command)[-1])
    assert found is not None
    assert found.told == told


def test_an_endpoint_of_a_rule_covers_any_prefix_and_any_id() -> None:
    ((_, _, named),) = named_endpoints("never call POST /orders/<id>/cancel here")
    (act,) = act_of("http_request", {"method": "POST", "url": "https://a.example/v2/orders/9/cancel"}, "")
    other = endpoint_of(parse_command("curl -X POST https://a.example/v2/orders/9/ship")[-1])
    called = endpoint_of(act)
    assert called is not None
    assert other is not None
    assert named.covers(called)
    assert not named.covers(other)


@pytest.mark.parametrize(
    ("command", "families"),
    [
        ("ansible web -b -m service -a 'name=nginx state=restarted'", ["systemctl restart"]),
        ("ansible web -m user -a 'name=bob state=absent'", ["user delete"]),
        ("ansible web -m apt -a 'name=jq state=present'", ["apt install"]), ("ansible web -a 'rm -rf /srv'", ["rm"]),
        ("ansible web -m ping", []), ("ansible web --check -m service -a 'name=a state=stopped'", []),
    ],
)  # fmt: skip
def test_what_ansible_has_its_hosts_do(command: str, families: list[str]) -> None:
    (act,) = parse_command(command)
    assert [f"{done.tool} {done.verb}".strip() for done in ansible_acts(act)] == families


def test_objects_in_stores_have_bucket_and_key() -> None:
    assert stored_at(["s3://crown/tmp/a.json"]) == {"bucket": "crown", "key": "tmp/a.json", "prefix": "tmp/a.json"}
    assert stored_at(["gs://a/x", "gs://b/y"])["key"] == ["x", "y"]
    assert stored_at(["a.txt"]) == {}


@pytest.mark.parametrize(
    ("rule", "condemned", "recommended"),
    [
        ("Never use `pip install` globally; `pipx install` is fine.", ("pip install",), ("pipx install",)),
        ("Force-pushing is banned; `--force-with-lease` is fine.", (), ()), ("Never drop the `invoices` table.", (), ()),
        ("Never run `make`.", ("make",), ()), ("`deploy.sh` failed; use `./ship`.", ("deploy.sh",), ("./ship",)),
        ("Never use `--no-cache` with `docker build`.", ("docker build --no-cache",), ()),
        ("Don't run docker compose down -v here.", ("docker compose down -v",), ()),
    ],
)  # fmt: skip
def test_a_quoted_word_is_a_command_only_where_it_is_run(
    rule: str, condemned: tuple[str, ...], recommended: tuple[str, ...]
) -> None:
    reading = read_rule(rule)
    assert reading.condemned == condemned
    assert reading.recommends == recommended
