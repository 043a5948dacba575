# shellcheck shell=bash
# What the scripts in this folder share. To be sourced.

# How siw is built: as in the kernel, with CRC required, and with peer-to-peer set-up (RFC 6581).
# shellcheck disable=SC2034 # used by those who source this
siw_variants=(std crc p2p)

guest_cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/iwarp-interop
readonly cannot_run_status=77

say() { echo "interop: $*" >&2; }

fail() {
    say "$*"
    exit 1
}

# Ends with the status by which callers know that it is the machine's fault.
cannot_run() {
    say "this machine cannot run it: $*"
    exit "$cannot_run_status"
}

# Changes with the scripts that make the guest.
guest_fingerprint() {
    local folder
    folder=$(dirname "${BASH_SOURCE[0]}")
    cat "$folder/prepare" "$folder/guest-init" | sha256sum
}

guest_is_prepared() {
    local file
    for file in vmlinuz initrd.gz versions fingerprint; do
        [ -s "$guest_cache/$file" ] || return 1
    done
    [ "$(cat "$guest_cache/fingerprint")" = "$(guest_fingerprint)" ]
}
