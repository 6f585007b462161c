# SPDX-License-Identifier: MIT
# Completes the commands, options and files of raimrec in bash.

_raimrec() {
    local word=${COMP_WORDS[COMP_CWORD]} words=" ${COMP_WORDS[*]:1:COMP_CWORD-1} "
    case $words in
    *" verify "* | *" audit "*)
        mapfile -t COMPREPLY < <(
            [[ $words == *" audit "* ]] && compgen -W '--json' -- "$word"
            compgen -f -X '!*.raimrec' -- "$word"
            compgen -d -- "$word"
        )
        ;;
    *)
        mapfile -t COMPREPLY < <(compgen -W 'verify audit --json --version --help --usage -j
            -u -V -h' -- "$word")
        ;;
    esac
}

complete -o filenames -F _raimrec raimrec
