zmodload zsh/zpty || exit
script=$1 out=$2; shift 2
zpty z 'zsh -f -i'
zpty -w z "PROMPT='@@ '; autoload -Uz compinit; compinit -u -D; source ${(q)script}
yuangs-verify() { print -r -- \"\$*\" >> ${(q)out} }; print REA''DY"
zpty -r -m z seen '*READY*@@ *'
for typed; do
    zpty -w -n z "yuangs-verify $typed"$'\t'
    zpty -w -n z $'\n'
    zpty -r -m z seen '*@@ *'
done
zpty -d z
