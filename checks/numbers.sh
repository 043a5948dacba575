# shellcheck shell=bash
# Arguments of a script that are numbers. To be sourced.
#
#   require_numbers SCRIPT NAME...   ends the script with status 2 and a line if one of these variables is no number

require_numbers() {
    local script=$1 name
    shift
    for name in "$@"; do
        local -n value=$name
        case $value in '' | *[!0-9]*) echo "$script: --$name $value is not a number" >&2; exit 2 ;; esac
        [ ${#value} -le 18 ] || { echo "$script: --$name $value is greater than any number that makes sense" >&2; exit 2; }
        # With zeros before it, bash takes it for octal.
        value=$((10#$value))
    done
}
