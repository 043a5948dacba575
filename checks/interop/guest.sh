# shellcheck shell=bash
# Boots the guest and runs commands in it. To be sourced.
#
#   boot_guest VARIANT FOLDER   boots with this build of siw; the console's text goes into a file in FOLDER
#   in_guest SECONDS COMMAND    runs some shell in the guest: its output and exit status are the function's
#   end_guest                   ends it; harmless if there is none
#
# From the guest, $host_in_guest is this machine's 127.0.0.1. From this machine, the guest's TCP port P of
# $guest_ports is reached at 127.0.0.1, port $(guest_port_here P). Both ways go through QEMU's user-mode TCP, which
# cuts and joins segments as it likes.

# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# shellcheck disable=SC2034 # used by those who source this
{
    guest_address=10.0.2.15
    host_in_guest=10.0.2.2
}
guest_ports=(7174 7175 7176 7177 7178 7179 7180 7181 7471)
readonly command_port=7000
# A guest never lives longer, even if whoever booted it was killed: seconds.
readonly guest_lifetime=1200
readonly boot_limit=90
# Host ports are taken below those that Linux hands out by itself.
readonly lowest_host_port=20000 highest_host_port=32000

guest_pid=
guest_port_base=

boot_guest() {
    local variant=$1 console=$2/console-$1.log attempt
    for attempt in 1 2 3 4 5; do
        guest_port_base=$((lowest_host_port + RANDOM % (highest_host_port - lowest_host_port)))
        start_qemu "$variant" "$console"
        if await_guest "$console"; then
            return 0
        fi
        end_guest
        grep -qs "Could not set up host forwarding" "$console" || break # otherwise a port was taken: try others
    done
    say "the guest did not start within $boot_limit s (attempt $attempt): see $console"
    return 1
}

start_qemu() {
    local variant=$1 console=$2 forwarding='' index
    for index in "${!guest_ports[@]}"; do
        forwarding+=",hostfwd=tcp:127.0.0.1:$((guest_port_base + 1 + index))-:${guest_ports[index]}"
    done
    # In this shell's process group: what ends the group ends the guest.
    timeout --foreground --signal=KILL "$guest_lifetime" qemu-system-x86_64 \
        -accel tcg -cpu max -m 512 -display none -monitor none -no-reboot -nodefaults \
        -kernel "$guest_cache/vmlinuz" -initrd "$guest_cache/initrd.gz" -serial stdio \
        -append "console=ttyS0 quiet panic=-1 siw=$variant command_port=$command_port" \
        -netdev "user,id=net,hostfwd=tcp:127.0.0.1:$guest_port_base-:$command_port$forwarding" \
        -device virtio-net-pci,netdev=net,romfile= \
        >"$console" 2>&1 </dev/null &
    guest_pid=$!
}

await_guest() {
    local console=$1 deadline=$((SECONDS + boot_limit))
    while [ "$SECONDS" -lt "$deadline" ]; do
        kill -0 "$guest_pid" 2>/dev/null || return 1
        if grep -qs '^guest ready' "$console" && in_guest 2 true >/dev/null; then
            return 0
        fi
        sleep 0.2
    done
    return 1
}

guest_port_here() {
    local index
    for index in "${!guest_ports[@]}"; do
        [ "${guest_ports[index]}" != "$1" ] || echo $((guest_port_base + 1 + index))
    done
}

in_guest() {
    local limit=$1 answer
    # The guest ends the command in time; the second limit is for a guest that does not answer at all.
    # shellcheck disable=SC2016 # the inner shell expands
    answer=$(timeout --foreground $((limit + 5)) bash -c '
        exec 3<>"/dev/tcp/127.0.0.1/$0" && printf "%s %s\n" "$1" "$2" >&3 && cat <&3' \
        "$guest_port_base" "$limit" "${2//$'\n'/$'\001'}" 2>&1)
    if [[ $answer =~ (.*)"exit status "([0-9]+)$ ]]; then
        printf '%s' "${BASH_REMATCH[1]}"
        return "${BASH_REMATCH[2]}"
    fi
    printf '%s\n' "$answer" "the guest gave no answer within $limit s"
    return 124
}

end_guest() {
    [ -n "$guest_pid" ] || return 0
    # The limit's process is the parent of QEMU, and hands on what it is told.
    kill "$guest_pid" 2>/dev/null || true
    wait "$guest_pid" 2>/dev/null || true
    guest_pid=
}
