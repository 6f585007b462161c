# SPDX-License-Identifier: MIT
# Completes the words of raimctl in bash.

_raimctl_arenas() {
    # From the table: everything else would need a reader of JSON.
    raimctl ${1+-s "$1"} status 2>/dev/null | awk 'NR > 2 { print $1 }'
}

_raimctl() {
    local word=${COMP_WORDS[COMP_CWORD]} command='' socket='' place=0 i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -s | --socket) socket=${COMP_WORDS[++i]} ;;
        --timeout | --for) ((i++)) ;;
        -*) ;;
        *)
            if [[ -z $command ]]; then
                command=${COMP_WORDS[i]}
            else
                ((place++))
            fi
            ;;
        esac
    done
    local words=''
    if [[ ${COMP_WORDS[COMP_CWORD - 1]} == -s || ${COMP_WORDS[COMP_CWORD - 1]} == --socket ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
    fi
    case $command in
    '') words='status players say kick mute unmute ban unban bans drain --socket --version --help' ;;
    status) words='--json --watch' ;;
    bans) words='--json' ;;
    ban) words='--for' ;;
    drain) words='--timeout' ;;
    players | say | kick | mute | unmute)
        [[ $place -gt 0 ]] || words=$(_raimctl_arenas ${socket:+"$socket"})
        [[ $command != players ]] || words+=' --json'
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _raimctl raimctl
