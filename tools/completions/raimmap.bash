# SPDX-License-Identifier: MIT
# Completes the commands, options and files of raimmap in bash.

_raimmap() {
    local word=${COMP_WORDS[COMP_CWORD]}
    if ((COMP_CWORD > 1)) && [[ $word != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -W 'import export draw --output --version --help --usage
            -o -u -V -h' -- "$word")
    fi
}

complete -o filenames -F _raimmap raimmap
