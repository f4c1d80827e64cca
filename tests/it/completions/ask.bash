source "$1"; shift
specification=$(complete -p yuangs-verify)
function=${specification##*-F }; function=${function%% *}
for typed; do
    COMP_WORDS=($typed); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMP_LINE=$typed; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
    "$function" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[*]}"
done
