# SPDX-License-Identifier: MIT
# Bash completion of raimctl.

_raimctl_arenas() {
    # Only objects of arenas begin with these keys, and quotes in texts are escaped.
    raimctl ${1+-s "$1"} status --json 2>/dev/null |
        grep -o '{"name":"[a-z0-9_-]*","hostname":' | cut -d '"' -f 4
}

_raimctl_rooms() {
    raimctl ${1+-s "$1"} arena list --json 2>/dev/null |
        grep -o '{"id":"[A-Za-z0-9._-]*","state":' | cut -d '"' -f 4
}

_raimctl_templates() {
    raimctl ${1+-s "$1"} arena templates --json 2>/dev/null |
        grep -o '{"name":"[a-z0-9_-]*","maps":' | cut -d '"' -f 4
}

_raimctl_recordings() {
    raimctl ${1+-s "$1"} recording list --json 2>/dev/null |
        grep -o '{"name":"[A-Za-z0-9._-]*","arena":' | cut -d '"' -f 4
}

_raimctl() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' socket='' position=0 words='' i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -s | --socket) socket=${COMP_WORDS[++i]} ;;
        --timeout | --for | --until | --not-before | --key | --arena | --name | --server-key | \
            --template | --id | --players | --ends | --map | --places | --join-within | --metadata | \
            --since | --period | --limit | --master)
            ((i++)) ;;
        -*) ;;
        *)
            case $command in
            '') command=${COMP_WORDS[i]} ;;
            arena | log | recording | token | vote) command+=" ${COMP_WORDS[i]}" ;;
            *) ((position++)) ;;
            esac
            ;;
        esac
    done
    if [[ $before == -s || $before == --socket || $before == --key || $command == 'token key' ||
        ($command == 'arena map' && $position -eq 1) ||
        ($command == 'recording get' && $position -eq 1) ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
    fi
    case $before in
    --arena) command=arenas position=0 ;;
    --timeout | --for | --until | --not-before | --name | --server-key | --id | --players | --map | \
        --places | --join-within | --metadata | --since | --limit | --master) return ;;
    --period) command=period ;;
    --ends) command=ends ;;
    --template) command=templates ;;
    esac
    case $command in
    '')
        words='status players say kick mute unmute ban unban bans results leaderboard events discover drain'
        words+=' arena'
        words+=' vote recording reload log token password'
        words+=' --socket --version --help --usage'
        ;;
    status) words='--json --watch' ;;
    bans) words='--json' ;;
    ban)
        [[ $position -gt 0 ]] || words=$(_raimctl_arenas ${socket:+"$socket"})
        words+=' --for --until --yes --wide'
        ;;
    results) words='--since --arena --limit --json' ;;
    events) words='--since --follow' ;;
    leaderboard) words='--period --arena --map --limit --json' ;;
    period) words='day week month all' ;;
    discover) words='--master --json' ;;
    drain) words='--timeout' ;;
    token) words='key make show' ;;
    'token make') words='--key --arena --name --not-before --for --server-key' ;;
    vote) words='list cancel force' ;;
    'vote force')
        if [[ $position -gt 0 ]]; then words='yes no'; else words=$(_raimctl_arenas ${socket:+"$socket"}); fi
        ;;
    arena) words='add remove pause resume map clip create list show change end templates capacity' ;;
    ends) words='empty round never' ;;
    templates) words=$(_raimctl_templates ${socket:+"$socket"}) ;;
    'arena create')
        words='--template --id --players --ends --map --places --join-within --metadata --json'
        ;;
    'arena list' | 'arena templates' | 'arena capacity') words='--json' ;;
    'arena show' | 'arena change' | 'arena end')
        [[ $position -gt 0 ]] || words=$(_raimctl_rooms ${socket:+"$socket"})
        words+=' --json'
        [[ $command != 'arena change' ]] || words+=' --places --metadata'
        [[ $command != 'arena end' ]] || words+=' --drain --timeout'
        ;;
    recording) words='list get delete keep unkeep' ;;
    'recording list')
        [[ $position -gt 0 ]] || words=$(_raimctl_arenas ${socket:+"$socket"})
        words+=' --json'
        ;;
    'recording get' | 'recording delete' | 'recording keep' | 'recording unkeep')
        [[ $position -gt 0 ]] || words=$(_raimctl_recordings ${socket:+"$socket"})
        ;;
    log) words='level' ;;
    'log level') [[ $position -gt 0 ]] || words='error warning info' ;;
    arenas | players | say | kick | mute | unmute | 'arena remove' | 'arena pause' | \
        'arena resume' | 'arena map' | 'arena clip' | 'vote list' | 'vote cancel')
        [[ $position -gt 0 ]] || words=$(_raimctl_arenas ${socket:+"$socket"})
        [[ $command != players && $command != 'vote list' ]] || words+=' --json'
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o filenames -F _raimctl raimctl
