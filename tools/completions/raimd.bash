# SPDX-License-Identifier: MIT
# Completes the options of raimd in bash.

_raimd() {
    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
    case $last in
    -c | --config) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    *)
        mapfile -t COMPREPLY < <(compgen -W '--config --check-config --json --print-config
            --check-state --config-reference --demo --version --help --usage -c -t -T -V
            -h' -- "$word")
        ;;
    esac
}

complete -o filenames -F _raimd raimd
