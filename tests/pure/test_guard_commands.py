"""What commands do by the table of commands: sub-commands, options, trials, programs behind others, and rules on them."""

from __future__ import annotations

import pytest

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding import commands
from bio_agent_workers.brain.guarding.act_forms import is_dry, is_read, make_act
from bio_agent_workers.shell.canonical import acts_in
from tests.pure.guard_tables import Given, held_against

DONE = [
    ("aws s3 rb s3://x --force", {"delete"}, {"bucket"}),
    ("aws --profile ops s3 rb s3://x", {"delete"}, {"bucket"}),
    ("aws docdb delete-db-cluster --db-cluster-identifier x", {"delete"}, {"db", "cluster"}),
    ("kubectl drain n1", {"drain", "evict"}, {"node"}),
    ("git tag v1", {"create"}, {"tag"}),
    ("git tag --force v1", {"move"}, {"tag"}),
    ("git tag -d v1", {"delete"}, {"tag"}),
    ("git push --force-with-lease", {"push", "rewrite"}, {"history"}),
    ("docker compose down", {"stop"}, {"container"}),
    ("docker compose down -v", {"stop", "delete"}, {"volume"}),
    ("docker buildx build --push -t a .", {"build", "push"}, {"image"}),
    ("init 6", {"restart"}, {"server"}),
    ("telinit 0", {"power off"}, {"server"}),
    ("crontab -ri", {"delete"}, {"cron"}),
    ("pacman -Rns nginx", {"uninstall"}, {"package"}),
    ("pacman -Syu", {"update"}, {"package"}),
    ("liquibase --url jdbc:x update", {"migrate", "apply"}, {"migration", "database"}),
    ("eksctl --region eu-west-1 delete cluster x", {"delete"}, {"cluster"}),
    ("gh release delete v1", {"delete"}, {"release"}),
    ("npm pub", {"publish"}, {"registry", "registries"}),
    ("mvn -B deploy", {"publish", "deploy"}, {"registry"}),
    ("./gradlew publish", {"publish"}, {"registry"}),
    ("redis-cli -h cache flushall", {"delete"}, {"redis"}),
    # behind what runs them
    ("npx prisma migrate deploy", {"migrate"}, {"database"}),
    ("pnpm dlx wrangler deploy", {"deploy"}, {"worker"}),
    ("bundle exec rails db:drop", {"drop"}, {"db"}),
    ("php artisan migrate:fresh", {"drop", "migrate"}, {"database"}),
    ("python manage.py flush", {"delete"}, {"database"}),
    ("python -m twine upload dist/*", {"publish"}, {"registry"}),
    ("heroku run rails db:migrate -a x", {"migrate"}, {"database"}),
    # no line of their own: by the last word that says what commands usually do
    ("tkn triggerbinding delete x", {"delete"}, set()),
    ("doctl registry logs delete x", {"delete"}, set()),
]


def act_of(line: str) -> Act:
    return list(acts_in(line))[-1]


@pytest.mark.parametrize(("line", "does", "to"), DONE, ids=lambda value: value if isinstance(value, str) else "")
def test_a_command_does_what_its_words_and_options_say(line: str, does: set[str], to: set[str]) -> None:
    found = commands.meaning(act_of(line))
    assert does <= found.does
    assert to <= found.to
    assert not found.looks
    assert not found.dry


@pytest.mark.parametrize(
    ("line", "undone"),
    [
        ("git tag -d v1", "create"),
        ("git branch -m a b", "create"),
        ("docker compose down", "delete"),
        ("systemctl reload nginx", "restart"),
        ("pacman -Syu", "uninstall"),
        ("./migrate up", "migrate"),
        ("npm run docs --strict", "looks"),
    ],
)
def test_an_option_or_a_name_alone_says_no_more_than_it_does(line: str, undone: str) -> None:
    assert undone not in commands.meaning(act_of(line)).does
    assert not commands.meaning(act_of(line)).looks


LOOKS = (
    "aws s3 ls s3://x", "aws ec2 describe-instances", "aws logs describe-log-groups", "kubectl rollout status deploy/x",
    "kubectl get pods", "gh pr list", "git tag", "git branch -a", "git stash list", "terraform plan", "helm list", "pulumi preview",
    "liquibase status", "liquibase --url x update-sql", "alembic history", "rails db:migrate:status", "iptables -nvL", "nft list ruleset",
    "crontab -l", "passwd -S bo", "fdisk -l /dev/sdb", "wipefs /dev/sdb", "systemctl is-enabled x", "vault status", "restic snapshots",
    "npm outdated", "pip list", "pacman -Ss x", "pytest -x", "cargo test", "npm run test:unit", "gcloud compute instances list",
    "az vm list", "doctl compute droplet list", "fly status -a x", "cat x", "argo get deploy",
)  # fmt: skip
CHANGES = (
    "aws s3api put-bucket-acl --bucket x", "kubectl rollout restart deploy/x", "git branch x", "git stash drop", "terraform apply",
    "liquibase update", "iptables -F", "crontab -r", "passwd bo", "wipefs -a /dev/sdb", "ruff check --fix", "npm version patch",
    "pg_dump x", "fly deploy", "systemctl reload x",
)  # fmt: skip


@pytest.mark.parametrize("line", LOOKS)
def test_a_command_that_only_looks(line: str) -> None:
    assert is_read(act_of(line))


@pytest.mark.parametrize("line", CHANGES)
def test_a_command_that_does_more_than_look(line: str) -> None:
    assert not is_read(act_of(line))
    assert not is_dry(act_of(line))


@pytest.mark.parametrize(
    ("line", "dry"),
    [
        ("kubectl delete ns x --dry-run=client", True),
        ("kubectl delete ns x --dry-run=none", False),
        ("git push -n origin main", True),
        ("rsync -an a/ b/", True),
        ("zfs destroy -n tank/a", True),
        ("mkfs.ext4 -n /dev/sdb1", True),
        ("mkfs.vfat -n DATA /dev/sdb1", False),  # a label
        ("cargo publish -n", True),
        ("nginx -t", True),
        ("nginx -c /etc/nginx.conf", False),
        ("visudo -c", True),
        ("black -l 100 .", False),
        ("alembic upgrade head --sql", True),
        ("apt-get -s upgrade", True),
        ("unknown-tool delete x --whatif", True),
        ("terraform apply -auto-approve", False),
    ],
)
def test_an_option_for_a_trial_is_the_program_s_own(line: str, dry: bool) -> None:
    assert is_dry(act_of(line)) is dry


RULES: list[tuple[str, list[Given], list[Given]]] = [
    (
        "Never delete an S3 bucket.",
        ["aws --profile ops s3 rb s3://x", "aws s3api delete-bucket --bucket x", "s3cmd rb s3://x"],
        ["aws s3 ls s3://x", "aws s3 mb s3://x", "aws s3api list-buckets"],
    ),
    (
        "Never deploy to production without asking.",
        ["vercel --prod", "netlify deploy --prod", "helm upgrade web ./c -n production"],
        ["vercel ls --prod", "helm history web -n production", "kubectl rollout status deploy/web -n production"],
    ),
    (
        "No migration is applied to the orders database on db-live.",
        [
            "liquibase --url=jdbc:postgresql://db-live/orders update",
            "flyway -url=jdbc:postgresql://db-live/orders migrate",
        ],
        [
            "liquibase --url=jdbc:postgresql://db-live/orders status",
            "flyway -url=jdbc:postgresql://db-live/orders info",
        ],
    ),
    (
        "Never write to a block device directly.",
        ["dd if=a.img of=/dev/sdb", "zcat a.gz | sudo tee /dev/nvme0n1", "mkfs.ext4 /dev/sdb1", "wipefs -a /dev/sdc"],
        ["dd if=/dev/sdb of=a.img", "wipefs /dev/sdc", "fdisk -l /dev/sdb"],
    ),
    (
        "Ask me before you reboot a gateway host.",
        ["ssh gateway-2 sudo init 6", "ssh gateway-2 sudo shutdown -r now"],
        ["ssh gateway-2 uptime", "ssh gateway-2 systemctl status ssh"],
    ),
    (
        "Never delete a Kubernetes cluster.",
        ["kind delete cluster", "eksctl delete cluster --name x", "az aks delete -n x -g y"],
        ["eksctl get cluster", "kubectl get nodes"],
    ),
    (
        "Never drop a database.",
        ["mysqladmin -u root drop shop", "bin/rails db:drop", "dotnet ef database drop", "php artisan db:wipe"],
        ["createdb shop", "rails db:migrate:status", "psql -l"],
    ),
    ("不要删除快照。", ["doctl compute snapshot delete 3", "zfs destroy tank/a@x"], ["zfs list -t snapshot"]),
    ("Không được xóa bucket.", ["gcloud storage buckets delete gs://x"], ["aws s3 ls", "gcloud storage buckets list"]),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), RULES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_rule_on_an_act_stops_the_commands_that_do_it(rule: str, stopped: list[Given], passed: list[Given]) -> None:
    assert held_against(rule, stopped, passed) == []


def test_every_line_of_the_table_can_be_reached_and_says_something() -> None:
    lines = [line for body in commands._sections()[0].values() for line in body]
    assert [line for line in lines if ": " not in line and not line.endswith(":")] == []
    seen = {entry: program for program in commands.programs() for entry in commands._entries_of(program)}
    for entry, program in seen.items():
        assert entry.does or entry.to, (program, entry)
        assert all(option.startswith("-") for group in entry.options for option in group), (program, entry)
        if entry.words and not entry.options and "*" not in "".join(entry.words):
            act = make_act(program, "", (), entry.words, " ".join((program, *entry.words)))
            assert entry.does <= commands.meaning(act).does | {"looks", "dry"}, (program, entry)
