# SPDX-License-Identifier: MIT
# Bash completion of raimctl, which knows its commands and asks raimd for the names of what runs.

_raimctl() {
    local words
    words=$(raimctl --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case $? in
    0) mapfile -t COMPREPLY < <(printf '%s' "${words:+$words$'\n'}") ;;
    2) mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}") ;;
    esac
}

complete -o filenames -F _raimctl raimctl
