    # Bash splits `--option=value` at the equals sign.
    if [[ "${COMP_WORDS[COMP_CWORD]}" == "=" ]]; then
        cur=""
        prev="${COMP_WORDS[COMP_CWORD-1]}"
    elif [[ "${prev}" == "=" && "${COMP_CWORD}" -ge 2 ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
