# SPDX-License-Identifier: MIT
# Completes the options of raimd in bash.

_raimd() {
    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
    # Any number of recordings follows --verify.
    [[ " ${COMP_WORDS[*]} " == *" --verify "* && $word != -* ]] && last=--verify
    case $last in
    -c | --config | --draw-map) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    --verify | --audit)
        mapfile -t COMPREPLY < <(
            compgen -f -X '!*.raimrec' -- "$word"
            compgen -d -- "$word"
        )
        ;;
    *)
        mapfile -t COMPREPLY < <(compgen -W '--config --check-config --json --print-config
            --config-reference --demo --draw-map --verify --audit --version --help --usage -c -t -T -V
            -h' -- "$word")
        ;;
    esac
}

complete -o filenames -F _raimd raimd
