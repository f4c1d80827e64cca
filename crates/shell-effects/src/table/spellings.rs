//! Tests of the spellings that the table lists for each option.

use super::Table;
use super::spec::Spec;

/// A command and pairs of a short option and its long name.
const PAIRS: &[(&str, &str)] = &[
    (
        "git commit",
        "-m --message -a --all -n --no-verify -s --signoff -S --gpg-sign -F --file",
    ),
    (
        "git commit",
        "-C --reuse-message -c --reedit-message -v --verbose -q --quiet -e --edit",
    ),
    (
        "git push",
        "-f --force -d --delete -n --dry-run -u --set-upstream -o --push-option",
    ),
    (
        "git fetch",
        "-f --force -p --prune -t --tags -a --append -j --jobs -k --keep",
    ),
    (
        "git pull",
        "-f --force -r --rebase -s --strategy -X --strategy-option -p --prune",
    ),
    (
        "git clone",
        "-b --branch -o --origin -c --config -u --upload-pack -n --no-checkout",
    ),
    (
        "git add",
        "-f --force -A --all -u --update -p --patch -N --intent-to-add -n --dry-run",
    ),
    ("git rm", "-f --force -n --dry-run -q --quiet"),
    ("git mv", "-f --force -n --dry-run -v --verbose"),
    (
        "git branch",
        "-d --delete -m --move -c --copy -f --force -l --list -r --remotes -a --all",
    ),
    ("git branch", "-u --set-upstream-to -t --track"),
    (
        "git tag",
        "-d --delete -f --force -l --list -a --annotate -s --sign -u --local-user",
    ),
    (
        "git checkout",
        "-f --force -m --merge -t --track -d --detach -p --patch",
    ),
    (
        "git switch",
        "-c --create -C --force-create -f --force -d --detach -m --merge",
    ),
    (
        "git restore",
        "-s --source -S --staged -W --worktree -p --patch",
    ),
    (
        "git clean",
        "-f --force -i --interactive -e --exclude -n --dry-run -q --quiet",
    ),
    ("git reset", "-p --patch -N --intent-to-add -q --quiet"),
    (
        "git merge",
        "-m --message -s --strategy -X --strategy-option -F --file -e --edit",
    ),
    (
        "git rebase",
        "-i --interactive -x --exec -f --force-rebase -r --rebase-merges",
    ),
    (
        "git cherry-pick",
        "-n --no-commit -m --mainline -s --signoff -e --edit",
    ),
    (
        "git stash push",
        "-m --message -u --include-untracked -a --all -k --keep-index",
    ),
    (
        "git log",
        "-p --patch -n --max-count -g --walk-reflogs -i --regexp-ignore-case",
    ),
    (
        "git diff",
        "-p --patch -s --no-patch -U --unified -M --find-renames -w --ignore-all-space",
    ),
    (
        "git grep",
        "-i --ignore-case -v --invert-match -c --count -O --open-files-in-pager",
    ),
    ("git worktree add", "-f --force -d --detach"),
    ("git worktree remove", "-f --force"),
    ("git submodule update", "-f --force -j --jobs -N --no-fetch"),
    ("git remote add", "-f --fetch -t --track -m --master"),
    ("git config", "-f --file -l --list -e --edit"),
    (
        "curl",
        "-f --fail -o --output -O --remote-name -k --insecure -L --location -X --request",
    ),
    (
        "curl",
        "-A --user-agent -e --referer -d --data -F --form -H --header -u --user -s --silent",
    ),
    (
        "curl",
        "-T --upload-file -x --proxy -K --config -b --cookie -c --cookie-jar -I --head",
    ),
    (
        "curl",
        "-S --show-error -v --verbose -D --dump-header -E --cert -m --max-time -V --version",
    ),
    (
        "wget",
        "-O --output-document -o --output-file -a --append-output -r --recursive -m --mirror",
    ),
    (
        "wget",
        "-e --execute -P --directory-prefix -i --input-file -c --continue -q --quiet",
    ),
    ("docker", "-H --host -c --context -D --debug"),
    ("docker logs", "-f --follow -n --tail -t --timestamps"),
    ("docker rm", "-f --force -v --volumes -l --link"),
    ("docker rmi", "-f --force"),
    (
        "docker run",
        "-d --detach -e --env -v --volume -p --publish -P --publish-all -u --user",
    ),
    (
        "docker run",
        "-i --interactive -t --tty -w --workdir -l --label -m --memory -h --hostname",
    ),
    (
        "docker exec",
        "-d --detach -e --env -i --interactive -t --tty -u --user -w --workdir",
    ),
    (
        "docker build",
        "-f --file -t --tag -o --output -q --quiet -m --memory",
    ),
    (
        "docker ps",
        "-a --all -f --filter -q --quiet -n --last -l --latest -s --size",
    ),
    ("docker inspect", "-f --format -s --size"),
    ("docker stop", "-t --timeout -s --signal"),
    ("docker system prune", "-a --all -f --force"),
    ("docker volume prune", "-a --all -f --force"),
    ("docker volume rm", "-f --force"),
    ("docker image prune", "-a --all -f --force"),
    ("docker image rm", "-f --force"),
    ("docker container prune", "-f --force"),
    ("docker network rm", "-f --force"),
    ("docker builder prune", "-a --all -f --force"),
    (
        "docker compose up",
        "-d --detach -V --renew-anon-volumes -t --timeout -w --watch",
    ),
    ("docker compose down", "-v --volumes -t --timeout"),
    ("docker compose rm", "-f --force -v --volumes -s --stop"),
    (
        "docker compose logs",
        "-f --follow -n --tail -t --timestamps",
    ),
    ("docker compose", "-f --file -p --project-name"),
    ("docker pod rm", "-f --force -a --all -t --time"),
    ("docker service logs", "-f --follow -n --tail"),
    ("docker-compose down", "-v --volumes"),
    (
        "docker-compose exec",
        "-u --user -e --env -w --workdir -d --detach",
    ),
    ("podman rm", "-f --force -v --volumes"),
    (
        "kubectl",
        "-n --namespace -l --selector -o --output -A --all-namespaces -s --server",
    ),
    (
        "kubectl apply",
        "-f --filename -k --kustomize -R --recursive",
    ),
    (
        "kubectl delete",
        "-f --filename -i --interactive -R --recursive",
    ),
    ("kubectl logs", "-f --follow -p --previous -c --container"),
    ("kubectl exec", "-i --stdin -t --tty -c --container"),
    ("kubectl patch", "-p --patch"),
    ("kubectl get", "-w --watch -L --label-columns -f --filename"),
    ("kubectl run", "-i --stdin -t --tty -l --labels"),
    ("helm", "-n --namespace"),
    ("helm upgrade", "-i --install -f --values"),
    (
        "helm list",
        "-a --all -A --all-namespaces -f --filter -q --short",
    ),
    (
        "helm template",
        "-a --api-versions -s --show-only -g --generate-name",
    ),
    (
        "npm install",
        "-f --force -g --global -D --save-dev -E --save-exact -w --workspace",
    ),
    ("npm exec", "-c --call -y --yes"),
    (
        "pnpm add",
        "-D --save-dev -g --global -r --recursive -F --filter -C --dir",
    ),
    ("pnpm update", "-L --latest -i --interactive"),
    ("yarn add", "-D --dev -E --exact"),
    (
        "pip install",
        "-r --requirement -e --editable -t --target -U --upgrade -i --index-url",
    ),
    ("pip uninstall", "-y --yes -r --requirement"),
    (
        "cargo build",
        "-p --package -F --features -j --jobs -r --release -v --verbose",
    ),
    ("cargo install", "-f --force -n --dry-run"),
    ("cargo tree", "-i --invert -e --edges"),
    (
        "tar",
        "-c --create -x --extract -t --list -f --file -C --directory -P --absolute-names",
    ),
    (
        "tar",
        "-r --append -u --update -T --files-from -I --use-compress-program -z --gzip",
    ),
    (
        "zip",
        "-r --recurse-paths -m --move -d --delete -T --test -e --encrypt",
    ),
    (
        "rsync",
        "-a --archive -n --dry-run -e --rsh -r --recursive -z --compress -v --verbose",
    ),
    (
        "rsync",
        "-b --backup -u --update -M --remote-option -T --temp-dir -f --filter",
    ),
    (
        "sed",
        "-i --in-place -n --quiet -e --expression -f --file -s --separate",
    ),
    (
        "grep",
        "-r --recursive -e --regexp -f --file -i --ignore-case -v --invert-match",
    ),
    (
        "grep",
        "-n --line-number -l --files-with-matches -c --count -q --quiet -o --only-matching",
    ),
    (
        "rg",
        "-e --regexp -g --glob -t --type -z --search-zip -u --unrestricted -F --fixed-strings",
    ),
    (
        "sort",
        "-o --output -u --unique -r --reverse -k --key -c --check -n --numeric-sort",
    ),
    (
        "ln",
        "-f --force -s --symbolic -n --no-dereference -T --no-target-directory",
    ),
    (
        "cp",
        "-r --recursive -f --force -a --archive -n --no-clobber -t --target-directory",
    ),
    (
        "mv",
        "-f --force -n --no-clobber -i --interactive -t --target-directory",
    ),
    ("rm", "-r --recursive -f --force -d --dir -v --verbose"),
    ("mkdir", "-p --parents -m --mode -v --verbose"),
    ("touch", "-c --no-create -d --date -r --reference"),
    (
        "chmod",
        "-R --recursive -f --quiet -v --verbose -c --changes",
    ),
    ("chown", "-R --recursive -h --no-dereference -v --verbose"),
    ("tee", "-a --append -i --ignore-interrupts"),
    (
        "systemctl",
        "-H --host -M --machine -f --force -q --quiet -s --signal -a --all",
    ),
    (
        "journalctl",
        "-f --follow -u --unit -n --lines -k --dmesg -b --boot -x --catalog",
    ),
    (
        "apt-get",
        "-y --yes -q --quiet -f --fix-broken -d --download-only -o --option",
    ),
    (
        "dnf",
        "-y --assumeyes -q --quiet -x --exclude -c --config -b --best",
    ),
    ("brew uninstall", "-f --force"),
    ("brew install", "-s --build-from-source -n --dry-run"),
    (
        "gh pr merge",
        "-d --delete-branch -m --merge -r --rebase -s --squash -b --body",
    ),
    (
        "gh pr create",
        "-f --fill -d --draft -B --base -H --head -t --title -F --body-file",
    ),
    (
        "gh api",
        "-X --method -f --raw-field -F --field -H --header",
    ),
    (
        "gh release create",
        "-d --draft -p --prerelease -n --notes -F --notes-file",
    ),
    ("gh workflow run", "-F --field -f --raw-field -r --ref"),
    ("gh codespace delete", "-f --force -c --codespace"),
    ("gh secret set", "-b --body -e --env -o --org"),
    (
        "psql",
        "-c --command -f --file -h --host -U --username -d --dbname -p --port -W --password",
    ),
    (
        "mysql",
        "-e --execute -u --user -p --password -h --host -D --database -f --force",
    ),
    (
        "make",
        "-C --directory -f --file -n --dry-run -B --always-make -k --keep-going -j --jobs",
    ),
    ("python3", "-V --version"),
    (
        "node",
        "-e --eval -p --print -r --require -c --check -i --interactive",
    ),
    ("bash", "-l --login -r --restricted"),
    (
        "sudo",
        "-u --user -g --group -i --login -s --shell -E --preserve-env -n --non-interactive",
    ),
    ("kill", "-s --signal -l --list -L --table"),
    (
        "pkill",
        "-f --full -u --euid -P --parent -x --exact -n --newest",
    ),
    (
        "gpg",
        "-d --decrypt -e --encrypt -s --sign -c --symmetric -o --output -r --recipient",
    ),
    (
        "gpg",
        "-a --armor -n --dry-run -b --detach-sign -k --list-keys -K --list-secret-keys",
    ),
    (
        "jq",
        "-r --raw-output -n --null-input -f --from-file -s --slurp -e --exit-status",
    ),
    (
        "yq",
        "-i --inplace -o --output-format -s --split-exp -n --null-input",
    ),
];

/// Options with one long name and two letters.
const TWO_LETTERS: &[&str] = &[
    "rm -R, -r --recursive",
    "cp -R, -r --recursive",
    "ln -F, -d --directory",
    "sed -E, -r --regexp-extended",
    "trash-put -R, -r --recursive",
    "java -?, -X, -h, -help --help-extra",
    "apt-file -D, -F, -I, -a, -o, -s, -x --option",
];

#[test]
fn a_short_option_is_listed_with_its_long_name_and_no_other() {
    let table = Table::builtin();
    let mut wrong = Vec::new();
    for (command, pairs) in PAIRS {
        let mut words = command.split(' ').map(str::to_owned);
        let program = words.next().unwrap();
        let args: Vec<String> = words.collect();
        let pairs: Vec<&str> = pairs.split(' ').collect();
        for pair in pairs.chunks(2) {
            let &[short, long] = pair else {
                panic!("{command}: {pair:?}");
            };
            for option in [short, long] {
                let groups = table.option_groups(&program, &args, option);
                let spelled = |group: &&Vec<&str>| {
                    let mut names = group.iter().filter(|name| name.starts_with("--"));
                    group.contains(&short) && names.next() == Some(&long) && names.next().is_none()
                };
                if !groups.iter().any(|group| spelled(&group)) {
                    wrong.push(format!("{command}: {short} is {long}: {groups:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_key_with_one_long_name_is_one_option() {
    fn check(program: &str, spec: &Spec, wrong: &mut Vec<String>) {
        for number in 0..spec.flag_list.len() {
            let mut names: Vec<&str> = spec
                .flags
                .iter()
                .filter(|(_, n)| **n == number)
                .map(|(name, _)| name.as_str())
                .collect();
            names.sort_unstable();
            let (long, short): (Vec<&str>, Vec<&str>) =
                names.iter().partition(|name| name.starts_with("--"));
            let key = format!("{program} {} {}", short.join(", "), long.join(", "));
            if long.len() == 1 && short.len() > 1 && !TWO_LETTERS.contains(&key.as_str()) {
                wrong.push(key);
            }
        }
        for sub in spec.sub_list.iter().chain(spec.otherwise.as_deref()) {
            check(program, sub, wrong);
        }
    }
    let table = Table::builtin();
    let mut wrong = Vec::new();
    for entry in table.list().unwrap() {
        check(&entry.name, table.get(&entry.name).unwrap(), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn options_of_nested_subcommands_are_found() {
    let table = Table::builtin();
    let args = |words: &str| -> Vec<String> { words.split(' ').map(str::to_owned).collect() };
    let up = args("compose up -d");
    assert!(
        table
            .options("docker", &up)
            .any(|option| option == "--detach")
    );
    assert!(table.is_switch("docker", &up, "-d"));
    // Before the subcommand the letter takes a value.
    assert!(!table.is_switch("git", &args("-C sub branch -C a b"), "-C"));
    assert!(!table.is_switch("docker", &args("run -l a=b x"), "-l"));
}

#[test]
fn a_letter_after_a_subcommand_is_not_the_version() {
    for line in [
        "git push -v",
        "git commit -vm x",
        "docker exec -v x ls",
        "npm install -v x",
    ] {
        assert_ne!(crate::risk_of(line), crate::RiskLevel::Low, "{line}");
    }
    for line in [
        "git -v",
        "docker -v",
        "cargo -V",
        "git branch -v",
        "git remote -v",
    ] {
        assert_eq!(crate::risk_of(line), crate::RiskLevel::Low, "{line}");
    }
}
