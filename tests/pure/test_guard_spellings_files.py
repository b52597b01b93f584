"""Rules on files and learned commands against many spellings of what they forbid, and against harmless neighbours."""

from __future__ import annotations

import pytest

from tests.pure.guard_tables import Given, Told, held_against

# Each: the rule, calls that it stops, calls that it lets pass.
FILES: list[Told] = [
    (
        "`kubectl apply -f <file>` failed (forbidden); use `kubectl --context ops apply -f <file>`.",
        ["kubectl apply -f deploy.yml"],
        ["kubectl --context ops apply -f deploy.yml", "kubectl get -f deploy.yml"],
    ),
    (
        "`ssh <host>` failed (permission denied); use `ssh -i ~/.ssh/ops <host>`.",
        ["ssh web3.example"],
        ["ssh -i ~/.ssh/ops web3.example"],
    ),
    (
        "`go test ./...` 报错（build constraints）；改用 `go test -tags integration ./...`。",
        ["go test ./...", "go test -v ./..."],
        ["go test -tags integration ./...", "go vet ./..."],
    ),
    (
        "`mvn package` lỗi (tests failed); dùng `mvn package -DskipTests`.",
        ["mvn package", "mvn -q package"],
        ["mvn package -DskipTests", "mvn test"],
    ),
    (
        "`terraform apply` failed (state locked); use `terraform apply -lock-timeout=60s`.",
        ["terraform apply", "terraform -chdir=infra apply -auto-approve"],
        ["terraform apply -lock-timeout=60s", "terraform plan"],
    ),
    (
        "`sed -i 's/a/b/' <file>` failed on macOS; use `sed -i '' 's/a/b/' <file>`.",
        ["sed -i 's/a/b/' x.txt"],
        ["sed -n 1p x.txt"],
    ),
    (
        "Never delete a namespace in the live cluster.",
        ["kubectl --context live delete ns billing"],
        ["kubectl --context live delete pod x -n billing", "kubectl --context dev delete ns billing"],
    ),
    ("Disabling the firewall is forbidden.", ["ufw disable"], ["systemctl stop ufw", "ufw status", "ufw enable"]),
    (
        "The cron table of the user deploy must not be edited.",
        ["crontab -u deploy -e"],
        ["crontab -u deploy -l", "crontab -u web -e"],
    ),
    (
        "Never change file permissions under /opt/app.",
        ["chmod 600 /opt/app/x"],
        ["ls -l /opt/app", "chmod 600 /opt/other/x"],
    ),
    (
        "Ask Lan before touching nginx.conf.",
        ["vim /etc/nginx/nginx.conf", "sudo cp nginx.conf /etc/nginx/nginx.conf"],
        ["nginx -t", "cat /etc/nginx/nginx.conf", "sed -i s/a/b/ site.conf"],
    ),
    (
        "Don't create issues in the repo acme/site without asking.",
        ["gh issue create -R acme/site -t x"],
        ["gh issue list -R acme/site", "gh issue create -R acme/api -t x"],
    ),
    (
        "Never approve pull requests.",
        ["gh pr review 12 --approve"],
        ["gh pr review 12 --comment -b x", "gh pr view 12"],
    ),
    ("Cấm xóa volume du-lieu-khach.", ["docker volume rm du-lieu-khach"], ["docker volume rm tam", "docker volume ls"]),
    (
        "Trước khi triển khai lên môi trường production phải xin phép anh Tuấn.",
        ["kubectl --context production apply -f a.yml"],
        ["kubectl --context staging apply -f a.yml", "kubectl --context production get pods"],
    ),
    (
        "删除用户之前必须先问我。",
        [("admin", {"action": "delete_user", "user": "u1"}), "userdel bob"],
        [("admin", {"action": "get_user", "user": "u1"})],
    ),
    ("修改 nginx.conf 前先征求我的同意。", ["vim nginx.conf"], ["cat nginx.conf"]),
    (
        "Never delete anything in /srv/photos.",
        ["rm /srv/photos/a.jpg", "find /srv/photos -name '*.tmp' -delete"],
        ["ls /srv/photos", "cp /srv/photos/a.jpg /tmp", "find /srv/photos -name '*.tmp'", "rm /srv/videos/a"],
    ),
    ("Never reboot the gateway host gw-01.", ["ssh gw-01 sudo reboot"], ["ssh gw-02 sudo reboot", "ssh gw-01 uptime"]),
    (
        "Never run `terraform apply` without a plan file.",
        ["terraform apply"],
        ["terraform apply tf.plan", "terraform plan -out tf.plan"],
    ),
    (
        "Do not use `docker run --network host`.",
        ["docker run --network host img", "docker run --network=host -it img"],
        ["docker run --network bridge img", "docker run img"],
    ),
    ("Ask before you change DNS.", [("dns", {"action": "update_record", "name": "www"})], ["dig www.example"]),
    (
        "Never write outside /workspace.",
        ["echo a > /etc/x", "cp a /usr/local/bin/a"],
        ["echo a > /workspace/x", "cat /etc/passwd", "echo a > notes.txt"],
    ),
    (
        "Never kubectl exec into production pods.",
        ["kubectl --context production exec -it api-1 -- sh"],
        ["kubectl --context staging exec -it api-1 -- sh", "kubectl --context production logs api-1"],
    ),
    ("Helm rollbacks need my approval.", ["helm rollback web 3"], ["helm history web"]),
    (
        "Cấm chạy `php artisan migrate:fresh`.",
        ["php artisan migrate:fresh --seed"],
        ["php artisan migrate", "php artisan migrate:status"],
    ),
    (
        "Không được sửa trực tiếp tệp Dockerfile.",
        ["sed -i s/a/b/ Dockerfile"],
        ["docker build -f Dockerfile .", "cat Dockerfile"],
    ),
    ("Việc tắt máy chủ web-3 phải được anh Long đồng ý.", ["ssh web-3 'sudo poweroff'"], ["ssh web-4 'sudo poweroff'"]),
    (
        "切勿在 /opt/models 下删除任何文件。",
        ["rm /opt/models/a.bin", "find /opt/models -name '*.tmp' -delete"],
        ["ls /opt/models", "rm /opt/tmp/a"],
    ),
    ("不要把容器 pay-gw 重启。", ["docker restart pay-gw"], ["docker restart web", "docker inspect pay-gw"]),
    (
        "不要给 team-all@pine.example 发送邮件。",
        [("send_email", {"to": ["team-all@pine.example"], "subject": "hi"}), "mail -s hi team-all@pine.example < a"],
        [("send_email", {"to": ["bo@pine.example"], "body": "team-all@pine.example?"})],
    ),
    (
        "Never restart the message broker rabbit-1 without asking.",
        ["systemctl restart rabbit-1", "docker restart rabbit-1"],
        ["docker restart rabbit-2", "rabbitmqctl status"],
    ),
    ("`make release` failed 3 times; do not run it.", ["make release"], ["make test", "make -n release"]),
    ("Never use `--no-cache` with docker build.", ["docker build --no-cache ."], ["docker build ."]),
    ("Do not remove packages with apt-get autoremove.", ["sudo apt-get autoremove -y"], ["apt-get update"]),
    (
        "Never overwrite report-final.docx.",
        ["cp draft.docx report-final.docx", "pandoc a.md > report-final.docx", "mv draft.docx report-final.docx"],
        ["cp report-final.docx backup.docx"],
    ),
    (
        "Do not touch anything under vendor/ without asking.",
        ["rm -r vendor/lib", "sed -i s/a/b/ vendor/x.py"],
        ["grep -r foo vendor/", "ls vendor", "rm src/vendor.py"],
    ),
    (
        "Cấm chạy docker system prune trên máy chủ build-2.",
        ["ssh build-2 'docker system prune -af'"],
        ["ssh build-3 'docker system prune -af'", "ssh build-2 'docker system df'"],
    ),
    (
        "禁止修改 /etc/fstab。",
        ["sudo vim /etc/fstab", "echo x >> /etc/fstab"],
        ["cat /etc/fstab", "sudo vim /etc/hosts"],
    ),
    (
        "不要在服务器 db-9 上运行 apt upgrade。",
        ["ssh db-9 'sudo apt upgrade -y'"],
        ["ssh db-8 'sudo apt upgrade -y'", "ssh db-9 'apt list --upgradable'"],
    ),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), [*FILES], ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_rule_stops_its_act_in_all_spellings_and_nothing_else(
    rule: str, stopped: list[Given], passed: list[Given]
) -> None:
    assert held_against(rule, stopped, passed) == []
