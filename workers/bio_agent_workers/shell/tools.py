"""What is known of common command-line tools: sub-commands, options that take a value, and spellings of one option.

A table of general knowledge, taken from the tools' manuals. A tool that is not listed gets no sub-command, its
options are kept as written, and only `--name=value` is read as an option with a value.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.shell.tool_spec import ToolSpec
from bio_agent_workers.shell.tool_spec import spec as _spec

_NPM = _spec(
    subs=1,
    deep="run run-script config dist-tag access cache npm",
    values="-w --workspace --prefix -C --dir --cwd -F --filter --registry --tag --userconfig --cache --loglevel --otp --access",
    long="-D:--save-dev -g:--global -f:--force -w:--workspace -F:--filter -S:--save -E:--save-exact -P:--save-prod "
    "-W:--workspace-root",
    cluster=False,
    verbs="i:install in:install add:install rm:uninstall un:uninstall remove:uninstall r:uninstall t:run_test "
    "test:run_test tst:run_test start:run_start stop:run_stop up:update upgrade:update c:ci clean-install:ci "
    "x:exec run-script:run ls:list",
    runs="exec dlx",
)
_NPM_ITSELF = replace(
    _NPM,
    abbreviates=word_set(
        "access adduser audit bugs cache ci completion config dedupe deprecate diff dist-tag docs doctor edit exec explain explore",
        "find-dupes fund get help hook init install install-ci-test install-test link list login logout ls org outdated owner",
        "pack ping pkg prefix profile prune publish query rebuild remove repo restart root run run-script sbom search set",
        "shrinkwrap star stars start stop team test token trust undeprecate uninstall unpublish unstar update upgrade version view",
        "whoami add",
    ),
)
_APT = _spec(
    subs=1,
    values="-o -t -c",
    long="-y:--yes --assume-yes:--yes -q:--quiet -s:--simulate --just-print:--simulate --dry-run:--simulate "
    "-t:--target-release",
)
_COMPILER = _spec(values="-o -I -L -x -include -isystem -MF -MT", long="--output:-o", cluster=False)
_PIP_VALUES = (
    "-r --requirement -i --index-url --extra-index-url -f --find-links -t --target -c --constraint -e --editable "
    "--prefix --root --python -d --dest --trusted-host --proxy --timeout --cache-dir --only-binary --no-binary"
)
_PIP_LONG = (
    "-r:--requirement -U:--upgrade -i:--index-url -f:--find-links -t:--target -c:--constraint -e:--editable "
    "-q:--quiet -v:--verbose -y:--yes -d:--dest"
)
_SHELL = _spec(values="-o -O --rcfile --init-file")

SPECS: dict[str, ToolSpec] = {
    "git": _spec(
        subs=1,
        deep="remote stash worktree submodule bisect notes lfs",
        values="-C -c --git-dir --work-tree --namespace --config-env -m --message -F --file -b -B -S --author --date --depth --branch "
        "--since --until --format --pretty --onto -X --strategy -s --strategy-option --push-option",
        long="-f:--force -n:--dry-run -q:--quiet -v:--verbose -a:--all -m:--message -d:--delete -D:--delete-force",
        verbs="",
    ),
    "git push": _spec(
        values="-o --push-option --repo --receive-pack",
        long="-f:--force -u:--set-upstream -n:--dry-run -d:--delete -q:--quiet -v:--verbose -o:--push-option",
    ),
    "git commit": _spec(
        values="-m --message -F --file -C -c --author --date --fixup -t",
        long="-m:--message -a:--all -n:--no-verify -q:--quiet -v:--verbose -s:--signoff -F:--file",
    ),
    "git branch": _spec(
        values="-u --set-upstream-to --contains --merged",
        long="-d:--delete -D:--delete-force -m:--move -M:--move-force",
    ),
    "git log": _spec(values="-n -S -G -L --since --until --author --format", long="-n:--max-count -p:--patch"),
    "git clean": _spec(values="-e", long="-f:--force -n:--dry-run -d:-d -x:-x -q:--quiet"),
    "git pull": _spec(values="-s -X", long="-r:--rebase -f:--force -q:--quiet -v:--verbose"),
    "git clone": _spec(values="-b --branch --depth -o -j -c", long="-b:--branch -q:--quiet"),
    "npm": _NPM_ITSELF,
    "pnpm": _NPM,
    "yarn": _NPM,
    "bun": _NPM,
    "npx": _spec(values="-p --package", long="-y:--yes", cluster=False),
    "pip": _spec(subs=1, values=_PIP_VALUES, long=_PIP_LONG, verbs="", deep="config cache"),
    "uv": _spec(
        subs=1,
        deep="pip tool python cache",
        values=_PIP_VALUES + " --with --project --directory --group --extra",
        long=_PIP_LONG + " -p:--python",
        runs="run",
    ),
    "poetry": _spec(
        subs=1, deep="env self config", values="-C --directory -P --project --group -G", runs="run", long="-G:--group"
    ),
    "pipenv": _spec(subs=1, runs="run"),
    "pdm": _spec(subs=1, runs="run"),
    "hatch": _spec(subs=1, deep="env"),
    "bundle": _spec(subs=1, runs="exec"),
    "pipx": _spec(subs=1, runs="run"),
    "conda": _spec(
        subs=1,
        deep="env config",
        values="-n --name -c --channel -p --prefix -f --file",
        long="-n:--name -c:--channel -p:--prefix -y:--yes",
    ),
    "pytest": _spec(
        values="-k -m -n -p -c -o -W -r --import-mode --maxfail --rootdir --tb --durations --basetemp --junitxml "
        "--ignore --deselect --confcutdir",
        long="-q:--quiet -v:--verbose -x:--exitfirst --co:--collect-only --collectonly:--collect-only "
        "-n:--numprocesses "
        "--lf:--last-failed",
    ),
    "jest": _spec(
        long="-i:--runInBand -w:--maxWorkers -t:--testNamePattern", values="-w -t --config -c", cluster=False
    ),
    "python": _spec(values="-c -m -W -X", cluster=False),
    "node": _spec(values="-e --eval -r --require -p --print", long="-e:--eval -r:--require -p:--print", cluster=False),
    "bash": _SHELL,
    "sh": _SHELL,
    "zsh": _SHELL,
    "docker": _spec(
        subs=1,
        deep="compose container image volume network system builder buildx context swarm service stack",
        values="-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey -t --tag -f --file -p --publish "
        "-v --volume -e --env --name --network "
        "--platform "
        "--build-arg -w --workdir -u --user --target --filter --format --entrypoint --env-file --label",
        long="-d:--detach -t:--tag -f:--file -p:--publish -v:--volume -e:--env -w:--workdir -u:--user -q:--quiet",
        verbs="",
    ),
    "docker compose": _spec(
        values="-f --file -p --project-name --profile --env-file --project-directory --scale -t --timeout --ansi --progress "
        "--parallel",
        long="-f:--file -p:--project-name -d:--detach -v:--volumes -t:--timeout -q:--quiet",
    ),
    "docker run": _spec(
        values="-p --publish -v --volume -e --env --name --network --platform -w --workdir -u --user --entrypoint "
        "--env-file -l --label --mount --memory -m --cpus",
        long="-d:--detach -p:--publish -v:--volume -e:--env -w:--workdir -u:--user -t:--tty -i:--interactive",
    ),
    "docker rm": _spec(long="-f:--force -v:--volumes"),
    "docker ps": _spec(values="-f --filter --format -n", long="-a:--all -f:--filter -q:--quiet"),
    "docker logs": _spec(values="-n --tail --since", long="-f:--follow -n:--tail"),
    "kubectl": _spec(
        subs=1,
        deep="rollout config set auth certificate top",
        values="-n --namespace -f --filename -l --selector -o --output --context --cluster --kubeconfig -c --container "
        "-k --kustomize --replicas --timeout --field-selector -s --server --as --as-group --as-uid --user --token --cache-dir "
        "--certificate-authority --client-certificate --client-key --request-timeout --tls-server-name --username --password",
        long="-n:--namespace -f:--filename -l:--selector -o:--output -A:--all-namespaces -k:--kustomize -c:--container",
    ),
    "helm": _spec(
        subs=1,
        deep="repo dependency plugin get",
        values="-n --namespace -f --values --set --version --kube-context --kubeconfig --kube-apiserver --kube-as-user "
        "--kube-as-group --kube-ca-file --kube-token --registry-config --repository-cache --repository-config",
        long="-n:--namespace -f:--values -i:--install",
        verbs="delete:uninstall del:uninstall un:uninstall",
    ),
    "terraform": _spec(
        subs=1,
        deep="state workspace providers",
        values="-var -var-file -target -state -out -chdir -backend-config",
        cluster=False,
    ),
    "cargo": _spec(
        subs=1,
        values="-p --package --features --target --manifest-path -j --bin --example --config -C -Z --color --registry --index",
        long="-p:--package -r:--release -q:--quiet -v:--verbose -F:--features",
        verbs="b:build t:test r:run c:check",
    ),
    "go": _spec(subs=1, deep="mod work tool", values="-run -o -tags -timeout -count -C -ldflags", cluster=False),
    "dotnet": _spec(
        subs=1,
        deep="tool nuget ef",
        values="-c --configuration -f --framework -o --output -r --runtime",
        long="-c:--configuration -f:--framework -o:--output",
    ),
    "systemctl": _spec(
        subs=1, values="-t --type -n --lines -H --host -M --machine --root", long="-f:--force -q:--quiet"
    ),
    "gh": _spec(
        subs=1,
        deep="pr issue repo release run workflow auth api secret variable label",
        values="-R --repo -t --title -b --body -B --base -H --head -F --field -X --method -l --label",
        long="-R:--repo -t:--title -b:--body -B:--base -H:--head -X:--method",
    ),
    "aws": _spec(
        subs=1,
        deep="s3 s3api ec2 iam lambda ecs ecr rds sts logs cloudformation dynamodb sqs sns eks ssm "
        "secretsmanager route53 kms",
        values="--region --profile --output --bucket --key --endpoint-url --ca-bundle --query --color",
        plain="--delete --recursive --dryrun --dry-run --quiet --force --human-readable --summarize --only-show-errors --size-only "
        "--exact-timestamps --follow-symlinks --debug --version --help --cascade --all --apply-immediately --skip-final-snapshot",
        cluster=False,
    ),
    "az": _spec(
        subs=1,
        deep="vm aks group storage webapp acr network",
        values="-g --resource-group -n --name --subscription -o --output --query",
        long="-g:--resource-group -n:--name",
        cluster=False,
    ),
    "gcloud": _spec(
        subs=1,
        deep="compute container run sql projects config auth iam functions storage",
        values="--project --region --zone --account --configuration --format",
        cluster=False,
    ),
    "alembic": _spec(subs=1, values="-c --config -m --message -n -x", long="-c:--config -m:--message"),
    "flask": _spec(subs=1, deep="db", values="-A --app -e --env-file -p --port -h --host", long="-A:--app -p:--port"),
    "celery": _spec(
        subs=1,
        deep="inspect control",
        values="-A --app -b --broker -l --loglevel -Q --queues -c --concurrency",
        long="-A:--app -b:--broker -l:--loglevel -Q:--queues -c:--concurrency",
    ),
    "apt-get": _APT,
    "dnf": _APT,
    "brew": _spec(subs=1, deep="services tap", long="-f:--force -q:--quiet"),
    "apk": _spec(subs=1, verbs="add:install del:remove", values="-t --virtual -X --repository"),
    "snap": _spec(subs=1),
    "gem": _spec(subs=1, values="-v --version", long="-v:--version"),
    "composer": _spec(subs=1),
    "svn": _spec(subs=1),
    "hg": _spec(subs=1),
    "crontab": _spec(values="-u"),
    **dict.fromkeys(
        ("sbatch", "srun", "salloc"),
        _spec(
            values="-t --time -p --partition -J --job-name -n --ntasks -N --nodes -c --cpus-per-task -A --account --gres --mem -G --gpus",
            long="-t:--time -p:--partition -J:--job-name -n:--ntasks -N:--nodes -c:--cpus-per-task -A:--account -G:--gpus",
        ),
    ),
    "shutdown": _spec(long="-c:--cancel -r:--reboot -h:--poweroff -P:--poweroff -H:--halt -k:--dry-run"),
    "rm": _spec(long="-r:--recursive -R:--recursive -f:--force -i:--interactive -v:--verbose -d:--dir"),
    "cp": _spec(
        values="-t --target-directory",
        long="-r:--recursive -R:--recursive -a:--archive -f:--force -v:--verbose -p:--preserve -n:--no-clobber",
    ),
    "mv": _spec(values="-t --target-directory", long="-f:--force -v:--verbose -n:--no-clobber"),
    "ls": _spec(long="-a:--all"),
    "mkdir": _spec(values="-m --mode", long="-p:--parents -v:--verbose -m:--mode"),
    "rmdir": _spec(long="-p:--parents -v:--verbose"),
    "ln": _spec(long="-s:--symbolic -f:--force -v:--verbose -n:--no-dereference"),
    "chmod": _spec(long="-R:--recursive -v:--verbose"),
    "chown": _spec(long="-R:--recursive -v:--verbose"),
    "touch": _spec(values="-d -t -r"),
    "tar": _spec(
        values="-f --file -C --directory -X --exclude --exclude-from -T --files-from --strip-components -I "
        "--use-compress-program",
        long="-x:--extract --get:--extract -c:--create -t:--list -z:--gzip --gunzip:--gzip -j:--bzip2 -J:--xz "
        "-v:--verbose "
        "-f:--file -C:--directory -p:--preserve-permissions -k:--keep-old-files -r:--append -u:--update",
    ),
    "unzip": _spec(values="-d", long=""),
    "rsync": _spec(
        values="-e --rsh --exclude --include",
        long="-n:--dry-run -a:--archive -v:--verbose -r:--recursive -z:--compress -e:--rsh",
    ),
    "grep": _spec(
        values="-e -f -m -A -B -C --include --exclude",
        long="-r:--recursive -R:--recursive -i:--ignore-case -v:--invert-match -n:--line-number -q:--quiet",
    ),
    "sed": _spec(values="-e -f", long="-n:--quiet -E:--regexp-extended -r:--regexp-extended"),
    "curl": _spec(
        values="-X --request -H --header -d --data --data-raw --data-binary --json -o --output -u --user -F "
        "--form -A -e "
        "-b --cookie -c -x --proxy -T --upload-file -m --max-time --connect-timeout --retry --cacert --cert --key",
        long="-X:--request -H:--header -d:--data -o:--output -u:--user -F:--form -s:--silent -L:--location "
        "-k:--insecure "
        "-f:--fail -x:--proxy -T:--upload-file -I:--head -m:--max-time -v:--verbose -b:--cookie -S:--show-error "
        "-O:--remote-name",
    ),
    "wget": _spec(values="-O --output-document -P --directory-prefix -T", long="-q:--quiet -O:--output-document"),
    "ssh": _spec(
        values="-p -i -l -o -F -J -L -R -D -b -c -m -W",
        long="-o=Port:-p -o=User:-l -o=IdentityFile:-i -o=ProxyJump:-J -o=LocalForward:-L -o=RemoteForward:-R -o=DynamicForward:-D",
    ),
    "scp": _spec(
        values="-P -i -o -F -J -c -l",
        long="-r:--recursive -o=Port:-P -o=IdentityFile:-i -o=ProxyJump:-J -C:-C -o=Compression:-C",
    ),
    "sftp": _spec(values="-P -i -o -F -J -b", long="-o=Port:-P -o=IdentityFile:-i -o=ProxyJump:-J"),
    "ffmpeg": _spec(
        values="-i -c -c:v -c:a -c:s -f -b:v -b:a -r -s -t -to -ss -vf -af -map -crf -preset -pix_fmt -hwaccel -filter_complex -q:v",
        long="-vcodec>-c:v -acodec>-c:a -codec>-c -codec:v>-c:v -codec:a>-c:a -filter:v>-vf -filter:a>-af -qscale:v>-q:v",
        cluster=False,
    ),
    **dict.fromkeys(("zfs", "zpool"), _spec(subs=1, values="-o -t -S -s -d", long="-n:--dry-run -r:-r -v:--verbose")),
    "psql": _spec(
        values="-U --username -h --host -p --port -d --dbname -c --command -f --file -v --set --variable -o "
        "--output -L -F",
        long="-U:--username -h:--host -p:--port -d:--dbname -c:--command -f:--file -v:--set --variable:--set "
        "-A:--no-align "
        "-t:--tuples-only -q:--quiet -X:--no-psqlrc -w:--no-password -W:--password -l:--list -o:--output "
        "-1:--single-transaction",
    ),
    "pg_dump": _spec(
        values="-U --username -h --host -p --port -d --dbname -f --file -F --format -t --table",
        long="-U:--username -h:--host -p:--port -d:--dbname -f:--file -F:--format -t:--table",
    ),
    "mysql": _spec(
        values="-u --user -h --host -P --port -D --database -e --execute",
        long="-u:--user -h:--host -P:--port -D:--database -e:--execute -p:--password",
    ),
    "redis-cli": _spec(values="-h -p -n -a -u -i -r --pattern --user --pass --count --type", cluster=False),
    **dict.fromkeys(
        ("mail", "mailx", "mutt"),
        _spec(values="-s -c -b -a -r -A", long="-s:--subject -c:--cc -b:--bcc", cluster=False),
    ),
    "sqlite3": _spec(values="-cmd", cluster=False),
    "make": _spec(
        values="-C --directory -f --file --makefile -I -o -W",
        long="-C:--directory -f:--file --makefile:--file -n:--just-print --dry-run:--just-print "
        "--recon:--just-print -s:--silent --quiet:--silent -k:--keep-going -B:--always-make",
    ),
    "gcc": _COMPILER,
    "g++": _COMPILER,
    "clang": _COMPILER,
    "clang++": _COMPILER,
    "cc": _COMPILER,
    "c++": _COMPILER,
    "kill": _spec(values="-s", cluster=False),
    "tail": _spec(values="-n --lines -c --bytes", long="-f:--follow -n:--lines"),
    "head": _spec(values="-n --lines -c --bytes", long="-n:--lines"),
    "uvicorn": _spec(values="--host --port --workers --app-dir --log-level", cluster=False),
    "ruff": _spec(subs=1, values="--config --select --ignore", cluster=False),
    "mypy": _spec(values="-p -m -c --config-file", cluster=False),
    "tsc": _spec(values="-p --project", long="-p:--project", cluster=False),
    "ansible-playbook": _spec(
        values="-i --inventory -e --extra-vars -l --limit -t --tags",
        long="-i:--inventory -e:--extra-vars -l:--limit -t:--tags -C:--check",
    ),
    "ansible": _spec(
        values="-m --module-name -a --args -i --inventory -u --user -e --extra-vars -l --limit -f --forks --become-user",
        long="-m:--module-name -a:--args -i:--inventory -u:--user -e:--extra-vars -l:--limit -C:--check -b:--become",
    ),
    "find": _spec(cluster=False),
    **dict.fromkeys(
        word_set(
            "twine flyctl fly vercel netlify heroku firebase pulumi cdk argocd eksctl lerna restic gsutil rclone azcopy"
        ),
        _spec(subs=1, cluster=False),
    ),
}

SPECS |= dict.fromkeys(("podman", "nerdctl"), SPECS["docker"])

DEFAULT = ToolSpec()

#: Other names of one program.
PROGRAMS = {
    "pip3": "pip",
    "python2": "python",
    "python3": "python",
    "py": "python",
    "nodejs": "node",
    "apt": "apt-get",
    "aptitude": "apt-get",
    "yum": "dnf",
    "docker-compose": "docker compose",
    "mamba": "conda",
    "micromamba": "conda",
    "py.test": "pytest",
    "pytest-3": "pytest",
    "tofu": "terraform",
    "gtar": "tar",
    "bsdtar": "tar",
    "gmake": "make",
    "egrep": "grep",
    "fgrep": "grep",
    "bunx": "npx",
    "pnpx": "npx",
    "uvx": "pipx run",
    "k3s kubectl": "kubectl",
}

#: Python modules that are the same program as their console command.
MODULE_COMMANDS = word_set(
    "pip pytest ruff black mypy flake8 coverage uvicorn gunicorn flask celery alembic "
    "poetry tox nox isort twine pylint "
    "pre_commit uv pipx hypercorn streamlit jupyter"
)


@cache
def spec_of(tool: str, verb: str = "") -> ToolSpec:
    """The spec of a tool, or of one of its sub-commands where these differ; a sub-command keeps the tool's globals."""
    base = SPECS.get(tool, DEFAULT)
    first = verb.split(" ", 1)[0]
    own = SPECS.get(f"{tool} {first}") if first else None
    if own is None:
        return base
    return replace(own, subs=base.subs, deep=base.deep, verbs=base.verbs, runs=base.runs, abbreviates=base.abbreviates)
