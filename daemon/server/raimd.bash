# SPDX-License-Identifier: MIT
# Completes the options of raimd in bash.

_raimd() {
    local word=${COMP_WORDS[COMP_CWORD]}
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    -c | --config | --draw-map) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    *)
        mapfile -t COMPREPLY < <(compgen -W '--config --check-config --json --print-config
            --dump-config --demo --draw-map --version --help --usage -c -t -T -V -h' -- "$word")
        ;;
    esac
}

complete -o filenames -F _raimd raimd
