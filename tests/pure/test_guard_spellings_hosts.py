"""Rules on machines and containers against many spellings of what they forbid, and against harmless neighbours."""

from __future__ import annotations

import pytest

from tests.pure.guard_tables import Given, Told, held_against

# Each: the rule, calls that it stops, calls that it lets pass.
MACHINES: list[Told] = [
    (
        "Production pods must never be deleted.",
        ["kubectl delete pod api-1 -n prod", "kubectl --context prod delete pod api-1"],
        ["kubectl delete pod api-1 -n staging", "kubectl get pods -n prod"],
    ),
    (
        "Never email the list board@kiwi.example.",
        ["sendmail board@kiwi.example < a.txt", ("send_email", {"to": "board@kiwi.example", "body": "hi"})],
        [
            ("send_email", {"to": "ann@kiwi.example", "body": "forward to board@kiwi.example"}),
            ("draft_email", {"to": "board@kiwi.example", "body": "hi"}),
            ("send_email", {"to": "board-test@kiwi.example"}),
        ],
    ),
    (
        "Do not stop the service billing-api.",
        ["systemctl stop billing-api", "docker stop billing-api"],
        ["systemctl restart billing-web", "systemctl status billing-api"],
    ),
    (
        "Ask me before you remove the user svc-backup.",
        ["userdel svc-backup", "sudo userdel -r svc-backup"],
        ["id svc-backup", "userdel svc-web"],
    ),
    (
        "Muốn dừng postgres trên prod thì phải xin phép chị trước.",
        ["ssh db.prod 'sudo systemctl stop postgres'", "ansible prod -m systemd -a 'name=postgres state=stopped'"],
        [
            "ssh db.staging 'sudo systemctl stop postgres'",
            "ssh db.prod 'systemctl status postgres'",
            "ansible prod -m systemd -a 'name=postgres state=started'",
        ],
    ),
    (
        "Never delete users on the prod hosts.",
        ["ansible prod -m user -a 'name=bob state=absent'"],
        ["ansible prod -m user -a 'name=bob state=present'", "ansible staging -m user -a 'name=bob state=absent'"],
    ),
    (
        "Never run `docker compose down -v`.",
        ["docker compose down -v", "docker-compose -f prod.yml down --volumes", "docker compose -p web down -v"],
        ["docker compose down", "docker compose up -d"],
    ),
    (
        "Không bao giờ docker compose down -v.",
        ["docker compose down -v", "docker --context prod compose down --volumes"],
        ["docker compose down"],
    ),
    ("Don't use docker compose down -v on this machine.", ["docker compose down -v"], ["docker compose down"]),
    (
        "Đừng chạy rm -rf trong thư mục /srv/du-lieu.",
        ["rm -rf /srv/du-lieu/cu", "cd /srv/du-lieu && rm -rf cu", "rm -f -r /srv/du-lieu"],
        ["rm -rf /srv/tam", "ls /srv/du-lieu"],
    ),
    ("Cấm rm -rf trong thư mục data.", ["rm -rf data/old", "cd data && rm -rf old", "rm -rf ./data"], ["rm -rf build"]),
    (
        "不要在 /var/lib/app 目录下执行 rm -rf。",
        ["rm -rf /var/lib/app/cache", "sudo rm -r -f /var/lib/app"],
        ["rm -rf /tmp/app"],
    ),
    ("Never run rm -rf in the uploads folder.", ["rm -rf uploads/2024"], ["rm -rf dist"]),
    (
        "Never run kubectl delete against prod.",
        ["kubectl --context prod delete deploy web", "kubectl -n prod delete deploy web"],
        ["kubectl --context staging delete deploy web", "kubectl --context=prod get deploy"],
    ),
    (
        "Never run `kubectl drain`.",
        [
            "kubectl --kubeconfig k.yml drain node-1",
            "kubectl -s https://a:6443 drain n",
            "kubectl --as admin drain node-3",
        ],
        ["kubectl get nodes"],
    ),
    (
        "Never run `docker system prune`.",
        [
            "docker -H tcp://h:2375 system prune -f",
            "docker --log-level debug system prune",
            "docker -l debug system prune",
            "docker --tls system prune",
        ],
        ["docker system df"],
    ),
    (
        "Never run `terraform destroy`.",
        ["terraform -chdir=infra destroy", "terraform -chdir=infra apply -destroy", "tofu destroy"],
        ["terraform -chdir=infra plan -destroy"],
    ),
    (
        "Never run `helm uninstall`.",
        ["helm --kube-context prod uninstall web", "helm -n web delete web", "helm --kubeconfig x uninstall web"],
        ["helm list"],
    ),
    (
        "Never write to /etc/hosts.",
        ["echo '1.2.3.4 a' >> /etc/hosts", "echo a | sudo tee -a /etc/hosts", "cp h /etc/hosts"],
        ["cat /etc/hosts", "cat /etc/hosts > /tmp/h"],
    ),
    (
        "Do not overwrite config/prod.yaml.",
        ["cat new.yaml > config/prod.yaml", "sed -i s/a/b/ config/prod.yaml"],
        ["jq . a > config/dev.yaml", "sed -n 1p config/prod.yaml > /tmp/x"],
    ),
    ("不要修改 .env 文件。", ["echo A=1 >> .env", "sed -i s/a/b/ .env"], ["cat .env > /dev/null", "cp .env .env.bak"]),
    ("Đừng ghi đè tệp bao_gia.xlsx.", ["python gen.py > bao_gia.xlsx"], ["cp bao_gia.xlsx /tmp/"]),
    (
        "Never deploy on the prod cluster without asking.",
        ["kubectl --context prod apply -f a.yml", "helm --kube-context prod upgrade web ./c"],
        [
            "kubectl --context dev apply -f a.yml",
            "kubectl --context prod diff -f a.yml",
            "helm --kube-context prod history web",
        ],
    ),
    (
        "不要重启 payment 服务。",
        ["systemctl restart payment", "ssh a 'sudo systemctl restart payment'"],
        ["systemctl reload payment", "systemctl restart web", "journalctl -u payment"],
    ),
    (
        "Never touch the folder legacy/.",
        ["rm legacy/a.py", "sed -i s/a/b/ legacy/a.py", "mv legacy/a.py src/"],
        ["cat legacy/a.py", "rm src/a.py"],
    ),
    (
        "Never scale the checkout deployment below three replicas.",
        ["kubectl scale deploy/checkout --replicas=1"],
        [
            "kubectl scale deploy/checkout --replicas=5",
            "kubectl scale deploy/search --replicas=1",
            "kubectl get deploy checkout",
        ],
    ),
    ("Never use sudo.", ["sudo make install"], ["make install", "echo sudo"]),
    ("Never chmod 777 anything.", ["chmod 777 a", "chmod -R a+rwx a"], ["chmod 755 a", "ls -l"]),
    (
        "Do not edit generated files under api/gen.",
        ["sed -i s/a/b/ api/gen/x.go", "echo x > api/gen/y.go", "rm api/gen/x.go"],
        ["sed -i s/a/b/ api/x.go", "cat api/gen/x.go"],
    ),
    (
        "Never delete the volume pgdata.",
        ["docker volume rm pgdata"],
        ["docker volume rm cache", "docker volume inspect pgdata", "docker volume ls"],
    ),
    (
        "Never delete DNS records of vela.example.",
        [("dns", {"action": "delete_record", "zone": "vela.example", "name": "www"})],
        [
            "aws route53 list-resource-record-sets",
            ("dns", {"action": "create_record", "zone": "vela.example", "name": "www"}),
            ("dns", {"action": "delete_record", "zone": "test.example", "name": "www"}),
        ],
    ),
    (
        "Không tự ý khởi động lại dịch vụ thanh-toan.",
        ["systemctl restart thanh-toan", "sudo service thanh-toan restart", "docker restart thanh-toan"],
        ["systemctl status thanh-toan", "systemctl restart kho"],
    ),
    (
        "Đừng sửa tệp cau_hinh.yaml khi chưa hỏi anh.",
        [
            "sed -i s/a/b/ cau_hinh.yaml",
            "vim cau_hinh.yaml",
            ("edit_file", {"path": "app/cau_hinh.yaml", "content": "x"}),
        ],
        ["cat cau_hinh.yaml", ("edit_file", {"path": "app/khac.yaml", "content": "cau_hinh.yaml"})],
    ),
    ("Đừng tắt máy chủ db-1.", ["ssh db-1 'sudo shutdown -h now'"], ["ssh db-2 'sudo shutdown -h now'", "ping db-1"]),
    ("Don't delete with rm; use trash instead.", ["rm a.txt"], ["trash a.txt"]),
    ("Never kill the process of the trainer.", ["pkill -f trainer"], ["pkill -f tensorboard", "ps aux | grep trainer"]),
    (
        "Do not run database migrations on prod without asking.",
        ["alembic -x env=prod upgrade head", "DJANGO_ENV=prod python manage.py migrate"],
        ["alembic -x env=dev upgrade head", "alembic -x env=prod history"],
    ),
    ("Never run anything with --privileged.", ["docker run --privileged x"], ["docker run x"]),
    (
        "`docker-compose up` failed (command not found); use `docker compose up`.",
        ["docker-compose up -d"],
        ["docker compose up -d", "docker compose down"],
    ),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), [*MACHINES], ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_rule_stops_its_act_in_all_spellings_and_nothing_else(
    rule: str, stopped: list[Given], passed: list[Given]
) -> None:
    assert held_against(rule, stopped, passed) == []
