"""Rules on git and packages against many spellings of what they forbid, and against harmless neighbours."""

from __future__ import annotations

import pytest

from tests.pure.guard_tables import Given, Told, held_against

# Each: the rule, calls that it stops, calls that it lets pass.
GIT_AND_PACKAGES: list[Told] = [
    (
        "Force pushes are not allowed in this repo; --force-with-lease is OK.",
        ["git push -f", "git -C api push --force origin x"],
        ["git push --force-with-lease", "git push origin main"],
    ),
    (
        "Hard resets are forbidden; `git reset --soft` is fine.",
        ["git reset --hard HEAD~1"],
        ["git reset --soft HEAD~1", "git status"],
    ),
    (
        "Deleting branches on the remote is prohibited.",
        ["git push origin --delete feature/x", "git push origin :feature/x"],
        ["git push origin feature/x", "git branch --list"],
    ),
    (
        "Never run `git push`.",
        [
            "git -c user.name=x push",
            "git --no-pager push origin main",
            "git --git-dir=/a/.git push",
            "git --git-dir /a/.git --work-tree /a push",
        ],
        ["git -C push status"],
    ),
    (
        "Never run `npm publish`.",
        ["pnpm publish", "yarn publish", "bun publish", "yarn npm publish", "npm --prefix web publish"],
        ["npm pack", "npm publish --dry-run", "npm run publish-docs"],
    ),
    ("Đừng npm publish khi chưa hỏi tôi.", ["pnpm publish --access public"], ["npm version patch"]),
    (
        "Don't publish packages without asking.",
        [
            "npm publish",
            "pnpm -r publish",
            "yarn npm publish",
            "cargo publish",
            "poetry publish --build",
            "twine upload dist/*",
            "uv publish",
        ],
        ["cargo publish --dry-run"],
    ),
    (
        "Không được xóa nhánh release.",
        ["git branch -D release", "git push origin --delete release"],
        ["git checkout release", "git branch -D feature/release-notes"],
    ),
    ("Never commit .pem files.", ["git add key.pem && git commit -m x"], ["git add a.py && git commit -m 'drop .pem'"]),
    (
        "Ask Minh before you merge into the release branch.",
        ["git checkout release && git merge feature/x"],
        ["gh pr merge 41", "git checkout develop && git merge feature/x", "git log release"],
    ),
    ("Don't push tags.", ["git push --tags"], ["git push origin v1.2.0", "git tag v1.2.0", "git push origin main"]),
    (
        "Never run the seed script against production.",
        ["NODE_ENV=production npm run seed"],
        ["npm run seed", "NODE_ENV=test npm run seed"],
    ),
    (
        "No new dependencies without asking me.",
        ["npm install lodash", "pip install requests", "poetry add httpx", "cargo add serde"],
        ["npm ci", "npm install", "pip install -r requirements.txt"],
    ),
    (
        "Cấm đẩy thẳng lên nhánh main.",
        ["git push origin main", "git push origin HEAD:main"],
        ["git push origin feature/main-menu", "git pull origin main"],
    ),
    (
        "不要向 main 分支强制推送。",
        ["git push -f origin main"],
        ["git push origin main", "git push -f origin feature/x"],
    ),
    (
        "严禁把 secrets.json 提交到仓库。",
        ["git add secrets.json && git commit -m x"],
        ["git add a.json && git commit -m 'no secrets.json'"],
    ),
    ("发布到 npm 之前要先问我。", ["npm publish", "pnpm publish"], ["npm pack"]),
    ("Never use `pip install` globally; `pipx install` is fine.", ["pip install black"], ["pipx install black"]),
    ("Use `git revert`, never `git reset --hard`.", ["git reset --hard"], ["git revert HEAD", "git reset HEAD a"]),
    (
        "Ask me before deleting the branch `legacy-v1`.",
        ["git branch -D legacy-v1", "git push origin :legacy-v1"],
        ["git branch -D x", "git checkout legacy-v1"],
    ),
    (
        "`npm ci` failed (lock file out of sync); use `npm install`.",
        ["npm ci", "npm ci --silent"],
        ["npm install", "npm run ci"],
    ),
    (
        "`python setup.py install` failed (deprecated); use `pip install .`.",
        ["python3 setup.py install"],
        ["pip install .", "python setup.py --version"],
    ),
    (
        "`yarn test` failed (watch mode); use `yarn test --watchAll=false`.",
        ["yarn test"],
        ["yarn test --watchAll=false", "yarn test --watchAll=false src", "yarn lint"],
    ),
    (
        "Never run `git clean -fdx`.",
        ["git clean -fdx", "git clean -d -f -x", "git -C sub clean -xdf"],
        ["git clean -n"],
    ),
    (
        "Đừng đẩy code lên nhánh production khi chưa hỏi.",
        ["git push origin production"],
        ["git push origin dev", "git fetch origin production"],
    ),
    ("不要在 main 分支上直接提交。", ["git checkout main && git commit -m x"], ["git checkout dev && git commit -m x"]),
    ("不要安装 lodash。", ["npm install lodash", "yarn add lodash"], ["npm install dayjs", "npm ls lodash"]),
    (
        "Never run `rm -rf /data`.",
        ["rm -rf /data/"],
        [
            "echo 'never run rm -rf /data' >> NOTES.md",
            "grep -n 'rm -rf /data' a.sh",
            "rm -rf /data/tmp",
            "git commit -m 'docs: never rm -rf /data'",
        ],
    ),
    (
        "Check with me before merging anything into `stable`.",
        ["git checkout stable && git merge dev"],
        ["git checkout dev && git merge stable", "git diff stable"],
    ),
    (
        "Never run `git commit --no-verify`.",
        ["git commit -n -m x", "git commit --no-verify -am y", "git -C lib commit --no-verify -m z"],
        ["git commit -m 'no --no-verify here'"],
    ),
    (
        "Pushing directly to trunk is not allowed.",
        ["git push origin trunk", "git push origin HEAD:trunk"],
        ["git push origin fix/trunk-name"],
    ),
    ("禁止使用 git push --force。", ["git push --force", "git push -f origin x"], ["git push"]),
    ("Hỏi anh trước khi cài thêm gói npm mới.", ["npm install lodash"], ["npm ci", "npm ls"]),
    ("不要删除标签 v2.0。", ["git tag -d v2.0", "git push origin :v2.0"], ["git tag -d v1.9", "git tag"]),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), [*GIT_AND_PACKAGES], ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_rule_stops_its_act_in_all_spellings_and_nothing_else(
    rule: str, stopped: list[Given], passed: list[Given]
) -> None:
    assert held_against(rule, stopped, passed) == []
