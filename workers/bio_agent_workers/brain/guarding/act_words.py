"""General vocabulary of acts and things in English, Chinese and Vietnamese, and the commands that carry them out.

One concept a line: its name and its words. Words of several syllables or parts are joined with "_".
"""

from __future__ import annotations

from collections.abc import Iterable

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.act_things import THINGS, TRANSLATED, concept_table
from bio_agent_workers.brain.guarding.vocabulary import gerund, is_stem, past, third, vocabulary

ACTIONS = concept_table(
    """
delete: remove removed removal deletion erase wipe purge unlink get_rid_of xóa xoá gỡ_bỏ loại_bỏ hủy_bỏ 删除 删掉 删 清除 移除 清空
destroy: tear_down teardown phá_hủy phá_huỷ hủy_hạ_tầng 销毁 拆除
push: pushed đẩy 推送 推到 推
pull: pulled kéo_về 拉取
commit: committed 提交代码 提交
merge: merged gộp trộn_nhánh 合并
rebase: rebased 变基
clear: cleared clear_out flush flushed flushall flushdb làm_trống dọn_sạch xóa_sạch xoá_sạch
downgrade: downgraded hạ_cấp 降级
rollback: roll_back rolled_back rollbacks quay_lui hoàn_tác 回滚
reset: đặt_lại 重置
checkout: 检出 切换分支
deploy: deployed rollout roll_out triển_khai 部署 上线
publish: published phát_hành xuất_bản 发布
release: released thả 放行
restart: restarted reboot rebooted bounce khởi_động_lại 重启 重新启动
stop: stopped halt shutdown shut_down dừng ngừng 停止 停掉 停用
power off: turn_off switch_off switched_off turned_off shut_off cut_power unplug tắt 关机 关闭电源 关掉
shut: 关闭 关上
power off: ngắt_điện cắt_điện ngắt_nguồn tắt_nguồn rút_điện 断电 切断电源 拔掉电源
power on: turn_on switch_on bật mở_máy cấp_điện đóng_điện 通电 接通电源 开机 打开电源
start: launch started khởi_động khởi_chạy 启动
kill: giết 杀掉
install: installed add_package cài cài_đặt 安装
uninstall: uninstalled gỡ_cài_đặt 卸载
update: upgrade updated upgraded cập_nhật nâng_cấp 更新 升级
migrate: migrated migration chạy_migration 迁移
heat: heated heating warm_up microwave hâm hâm_nóng đun đun_nóng làm_nóng nung 加热 热一下 烧热
cool: cooled chill làm_lạnh làm_nguội 冷却
vacuum: vacuumed hút_bụi 吸尘
mop: mopped lau 拖地
mow: mowed cắt_cỏ 割草
wash: washed rinse rửa giặt 清洗 洗
cut: slice chop cắt thái 切
pour: poured rót đổ 倒 倾倒
pick: pick_up grasp grab lift cầm nhấc gắp nâng 拿起 抓取 抓 拿 提起
place: put put_down set_down đặt để_xuống 放下 放置 放到 放
open: open_lid opened mở 开放
switch: 打开 开启
close: closed close_lid đóng 合上
move: moved relocate di_chuyển dời chuyển 移动 搬
navigate: go_to drive walk enter entered đi_đến đi_vào 前往 导航 驶入 进入
touch: touched chạm sờ đụng đụng_vào đụng_đến đụng_tới động_vào động_đến chạm_vào 触碰 碰 触动
throw: discard throw_away vứt ném 丢弃 扔
post: posted book booked ghi_sổ hạch_toán 过账 记账 入账
approve: approved phê_duyệt duyệt 审批 批准
cancel: cancelled canceled cancelling canceling void hủy huỷ 取消 作废
reverse: reversed đảo_bút_toán 冲销
pay: paid payout thanh_toán chi_tiền trả_tiền khoản_chi chi_trả 付款 支付 打款
reimburse: reimbursed hoàn_ứng 报销
refund: refunded hoàn_tiền 退款
ship: shipped stock_issue goods_issue deliver delivered giao_hàng đã_giao xuất_kho 发货 出库
create: created make_new tạo lập 创建 新建
edit: modify modified change changed alter adjust adjusted điều_chỉnh 调整 sửa chỉnh_sửa thay_đổi đổi 修改 更改 改动 编辑
write: written wrote overwrite overwritten ghi_đè ghi_vào ghi viết 写入 覆盖
rewrite: rewritten rewrote viết_lại 改写 重写
sync: synchronise synchronize synced đồng_bộ 同步
lower: lowered reduce reduced decrease hạ giảm 调低 降低 下调
raise: raised increase increased nâng tăng 调高 提高 上调
take off: taken_off takeoff cất_cánh 起飞
land: landed hạ_cánh 降落
renew: renewed gia_hạn 续期 续订
hand over: hand_over handed_over hand handed give_to pass_to đưa trao 递给 交给
alter schema: schema_change schema_changes change_the_schema changes_to_the_schema alter_the_schema đổi_cấu_trúc_bảng
alter schema: thay_đổi_cấu_trúc_bảng 表结构变更 修改表结构 改表结构
archive: archived lưu_trữ 归档
rename: renamed đổi_tên 重命名 改名
copy: copied sao_chép chép 复制 拷贝
send: sent email e-mail mail nhắn_tin nhắn 发信息 gửi gửi_tin gửi_thư 发送 发给 发邮件 发消息 发短信 群发 发信
share: shared chia_sẻ 分享
export: exported kết_xuất 导出
import: imported nhập_dữ_liệu 导入
upload: uploaded tải_lên 上传
download: downloaded fetch tải_về tải_xuống 下载
print: printed dump in_ra 打印
read: cat view display đọc xem 读取 查看
drop: dropped 删表 删库
truncate: truncated 截断 清表
disable: disabled turn_off_feature vô_hiệu_hóa tắt_tính_năng 禁用
enable: enabled kích_hoạt 启用
scale: scaled mở_rộng thu_nhỏ 扩容 缩容 缩减 缩到 缩至
format: formatted định_dạng_ổ 格式化
mount: mounted gắn_ổ 挂载
unmount: unmounted umount gỡ_ổ 卸载磁盘
grant: granted cấp_quyền 授权
terminate: terminated chấm_dứt 终止
transfer: transferred wire chuyển_tiền chuyển_khoản 转账 汇款 划款
exec: exec_into 进入容器
apply: applied áp_dụng_cấu_hình
revoke: revoked thu_hồi_quyền 撤销
test: tested kiểm_thử 测试
build: built compile biên_dịch dựng 构建 编译
call: dial phone gọi_điện 拨打 打电话
exit: exited rời_khỏi rời 离开 驶离
countersign: signed ký ký_kết 签署 签字 签订
enrol: enrolled đăng_ký 注册 登记
restore: restored phục_hồi khôi_phục 恢复 还原
lock: locked khóa_cửa khoá_cửa 锁上 上锁
unlock: unlocked mở_khóa mở_khoá 解锁 开锁
"""
)
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
    "place": {"place", "write", "create"},
    "move": {"move", "rename", "transfer"},
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

#: Programs that send mail.
MAILERS = word_set("mail mailx s-nail mutt neomutt sendmail swaks msmtp ssmtp sendemail")
#: What well-known commands do, by tool and verb ("" for tools without one).
COMMANDS: dict[str, str] = {
    "rm": "delete", "rmdir": "delete", "unlink": "delete", "shred": "delete", "del": "delete", "srm": "delete",
    "dropdb": "drop", "dropuser": "drop", "userdel": "delete", "git rm": "delete", "git clean": "delete", "aws s3 rm": "delete",
    "aws s3 cp": "copy", "gsutil cp": "copy", "gsutil rm": "delete", "gsutil mv": "move",
    "aws s3 mv": "move", "aws s3 sync": "copy", "aws s3 rb": "delete",
    "docker rm": "delete", "docker rmi": "delete", "docker volume rm": "delete", "docker system prune": "delete",
    "docker compose rm": "delete", "helm uninstall": "delete", "apt-get autoremove": "uninstall", "apt-get remove": "uninstall",
    "apt-get purge": "uninstall", "dnf remove": "uninstall", "brew uninstall": "uninstall", "snap remove": "uninstall",
    "umount": "unmount",
    **dict.fromkeys((f"{tool} add" for tool in ("uv", "poetry", "yarn", "pnpm", "bun", "cargo", "npm", "pdm")), "install"),
    "npm uninstall": "uninstall", "pip uninstall": "uninstall",
    "mv": "move", "cp": "copy", "scp": "copy", "rsync": "copy", "git mv": "move", "rename": "rename", "mkdir": "create",
    "reboot": "restart", "shutdown": "power off", "poweroff": "power off", "halt": "power off", "kill": "kill",
    "pkill": "kill", "killall": "kill", "docker stop": "stop", "docker compose down": "stop", "docker compose "
    "up": "start",
    "kubectl apply": "deploy", "kubectl rollout restart": "restart", "helm upgrade": "deploy", "helm install": "deploy",
    "terraform apply": "deploy", "npm publish": "publish", "cargo publish": "publish", "twine upload": "publish",
    "poetry publish": "publish", "gh release create": "release", "gh pr merge": "merge", "alembic upgrade": "migrate",
    "cat": "read", "less": "read", "head": "read", "tail": "read",
    "printenv": "print", "env": "print", "mkfs": "format",
    "wget": "download", **dict.fromkeys(MAILERS, "send"), "chmod": "edit", "chown": "edit", "sed": "edit",
    "pg_restore": "write",  "pg_dump": "read", "mysqldump": "read", "touch": "touch", "install": "copy", "ln": "create",
    **dict.fromkeys(("sbatch", "srun", "salloc", "qsub", "bsub"), "start"), "make": "build",
    "gcc": "build", "pytest": "test", "git tag": "create", "crontab": "edit",
    **dict.fromkeys(("vim", "vi", "nvim", "nano", "emacs", "ed", "pico"), "edit"), "truncate": "truncate", "dd": "write",
    "tee": "write", "kubectl edit": "edit", "kubectl patch": "edit", "psql": "", "mysql": "",
}  # fmt: skip

#: What a program works on, where people call that by its own name.
SERVES: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("psql", "pg_dump", "dropdb", "createdb", "pgcli"), word_set("postgres postgresql pg database db")
    ),
    "pg_restore": word_set("postgres postgresql pg database db backup dump"),
    **dict.fromkeys(("mysql", "mysqldump", "mariadb", "mysqladmin"), word_set("mysql mariadb database db")),
    **dict.fromkeys(("mongo", "mongosh", "mongodump", "mongorestore"), word_set("mongo mongodb database db")),
    **dict.fromkeys(("sqlite3", "litecli"), word_set("sqlite database db")),
    **dict.fromkeys(("alembic", "flyway", "liquibase", "prisma", "dbmate", "knex", "sequelize"), word_set("database db")),
    **dict.fromkeys(("dropuser", "userdel", "usermod", "useradd", "deluser", "adduser"), word_set("user users")), "crontab": word_set("cron"),
    "redis-cli": word_set("redis cache database db"), "valkey-cli": word_set("valkey redis cache database db"),
    **dict.fromkeys(("kubectl", "oc"), word_set("kubernetes k8s")), "helm": word_set("kubernetes k8s release releases chart"),
    **dict.fromkeys(("kill", "pkill", "killall"), word_set("process processes")),
    **dict.fromkeys(("ufw", "firewall-cmd", "iptables", "iptables-restore", "ip6tables", "nft"), word_set("firewall rule rules")),
    "apt-get": word_set("apt system os"), "certbot": word_set("certificate cert"),
    **dict.fromkeys(("dnf", "apk", "pacman", "zypper", "brew", "snap"), word_set("system os")),
    "gh": word_set("github"), "glab": word_set("gitlab"), "tofu": word_set("terraform"),
}  # fmt: skip

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
    "robot agent bot đã sẽ còn vẫn nữa đâu nhé nha thứ vật",
)


_WITH_GERUNDS = {
    name: words | {form(w) for form in (gerund, past, third) for w in words if is_stem(w)}
    for name, words in ACTIONS.items()
}
_TRANSLATED_THINGS = set(TRANSLATED.values())
_ABROAD = {name: frozenset(w for w, n in TRANSLATED.items() if n == name) for name in _TRANSLATED_THINGS}
#: Only of kinds: "the payments namespace" is one name, no plural.
_WITH_PLURALS = {
    name: words | ({third(w) for w in words if is_stem(w)} if name in KINDS else set())
    for name, words in THINGS.items()
    if name not in _TRANSLATED_THINGS
}
#: English words of the things that a text in another language would have named by a word that is known.
KNOWN_ABROAD = frozenset(word for name in _TRANSLATED_THINGS for word in THINGS[name] if word.isascii())
ACTION_WORDS = vocabulary(_WITH_GERUNDS)
THING_WORDS = vocabulary(_WITH_PLURALS)
#: The same for a text in another language than English.
THING_WORDS_ABROAD = vocabulary(_WITH_PLURALS | _ABROAD)
ACTION_OF = ACTION_WORDS.of


def actions_of(words: Iterable[str]) -> set[str]:
    """Action concepts of single or joined words of a call ("power off", "post")."""
    return {ACTION_OF[word] for word in words if word in ACTION_OF}
