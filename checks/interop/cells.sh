# shellcheck shell=bash
# The cells of the matrix. To be sourced by run, after guest.sh; each runs with its folder in $cell.
#
# Directions are written client>server. siw's programs run in the guest, ours (java) on this machine. All captures go to
# the judge, except those of programs that were killed.

readonly pings=5
readonly greatest_rping_size=65535 # of rdma-core's rping
readonly rping_port=7174 rdma_port=7471
readonly program_limit=60 listening_limit=30
# The rping of rdma-core 44 may end with this error when all is done, because it closes what one of its threads waits for.
readonly end_of_rping='rdma_get_cm_event: Bad file descriptor'
readonly guest_programs='rping ucmatose'
# A short life does not repay compilation, and the machine has few processors.
readonly java_options=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto)

# What siw does not know is judged by Wireshark alone: the demo, which has all operations, between two of ours.
cells_without_guest() {
    local setup segment
    cell - - "the judge knows good captures from bad" check_the_judge
    for setup in '' --enhanced --peer-to-peer; do
        for segment in 600 65535; do
            cell - 'java>java' "demo, ${setup:-plain}, segments of $segment" demo_as_wireshark_sees_it \
                "$segment" $setup
        done
    done
}

cells_with_guest() {
    local variant=$1 size peer=()
    # A build with peer-to-peer set-up gets clients that ask for it, too.
    [ "$variant" != p2p ] || peer=(--peer-to-peer)

    for size in 16 23 64 1500 4096 $greatest_rping_size; do
        cell "$variant" 'java>siw' "rping, $size bytes" rping_to_siw "$size" "${peer[@]}"
    done
    cell "$variant" 'java>siw' "rping without CRC" rping_to_siw 1000 --no-crc "${peer[@]}"
    cell "$variant" 'java>siw' "rping, 8 clients at once" many_to_siw 8 "${peer[@]}"
    cell "$variant" 'java>siw' "rping, a client is killed" killed_client_to_siw "${peer[@]}"
    cell "$variant" 'java>siw' "rping, the server is killed" killed_server_of_siw "${peer[@]}"
    cell "$variant" 'java>siw' "ucmatose, 8 x 50 messages of 10 KB" cmatose_to_siw 8 50 10000 "${peer[@]}"
    cell "$variant" 'java>siw' "ucmatose, 2 x 2 messages of 2 MB" cmatose_to_siw 2 2 2000000 "${peer[@]}"

    for size in 23 64 1500 4096 $greatest_rping_size; do
        cell "$variant" 'siw>java' "rping, $size bytes" rping_to_java "$size"
    done
    cell "$variant" 'siw>java' "rping without CRC" rping_to_java 1000 --no-crc
    cell "$variant" 'siw>java' "rping, 8 clients at once" many_to_java 8
    cell "$variant" 'siw>java' "rping, a client is killed" killed_client_to_java
    cell "$variant" 'siw>java' "rping, the server is killed" killed_server_of_java
    cell "$variant" 'siw>java' "a connection is rejected" rejected_by_java
    # Its server speaks first, which only a peer-to-peer set-up allows a responder (RFC 5044 section 7.1.2, RFC 6581).
    if [ "$variant" = p2p ]; then
        cell "$variant" 'siw>java' "ucmatose, 8 x 50 messages of 10 KB" cmatose_to_java 8 50 10000
        cell "$variant" 'siw>java' "ucmatose, 2 x 2 messages of 2 MB" cmatose_to_java 2 2 2000000
    fi
}

# --- what cells are made of ---

# Ends the cell as failed.
give_up() {
    echo "$*" >"$cell/reason"
    exit 1
}

# Runs our program to its end: iwarp NAME SECONDS ARGUMENTS... NAME is that of its log and its capture.
iwarp() {
    local name=$1 limit=$2 status=0
    shift 2
    timeout --foreground --signal=KILL "$limit" java "${java_options[@]}" -jar "$jar" "$@" --pcap "$cell/$name.pcap" \
        >"$cell/$name.log" 2>&1 </dev/null || status=$?
    [ "$status" -ne 137 ] || echo "killed, or not done within $limit s" >>"$cell/$name.log"
    return "$status"
}

# Starts a server of ours in the background: its process and its port are in $server and $port.
start_iwarp_server() {
    local deadline=$((SECONDS + listening_limit))
    # Not through iwarp: its process would be a shell, which does not hand signals on.
    start_job java "${java_options[@]}" -jar "$jar" "$@" --pcap "$cell/server.pcap" >"$cell/server.log" 2>&1 </dev/null
    server=$!
    port=
    while [ -z "$port" ]; do
        port=$(sed -n 's/^listening on [^ ]*:\([0-9]*\),.*/\1/p' "$cell/server.log")
        kill -0 "$server" 2>/dev/null || give_up "our server does not start: $(tail -n 1 "$cell/server.log")"
        [ "$SECONDS" -lt "$deadline" ] || give_up "our server does not listen within $listening_limit s"
        sleep 0.1
    done
}

# Ends a server of ours as an administrator would.
stop_iwarp_server() {
    kill -TERM "$server" 2>/dev/null || give_up "our server has ended: $(tail -n 1 "$cell/server.log")"
    await_process "$server" || give_up "our server does not stop"
}

await_process() {
    local deadline=$((SECONDS + program_limit))
    while kill -0 "$1" 2>/dev/null; do
        [ "$SECONDS" -lt "$deadline" ] || return 1
        sleep 0.1
    done
}

# Runs a program in the guest: guest_program NAME COMMAND. What it says on stderr comes behind the rest.
guest_program() {
    in_guest "$program_limit" "{ $2; } 2>/tmp/complaints; status=\$?; cat /tmp/complaints; exit \$status" >"$cell/$1.log"
}

# Starts a server in the guest, and waits until it listens: start_guest_server PORT COMMAND
start_guest_server() {
    in_guest "$listening_limit" "rm -f /tmp/status-$1; { timeout $program_limit $2; echo \$? >/tmp/status-$1; } \
        >/tmp/server-$1.log 2>/tmp/complaints-$1 & await_listener $1" >"$cell/cell.log" ||
        give_up "the server in the guest does not listen"
}

# Waits for the guest's server at a port to end by itself; fails as it does.
await_guest_server() {
    in_guest 15 "until [ -s /tmp/status-$1 ]; do usleep 50000; done
        cat /tmp/server-$1.log /tmp/complaints-$1; exit \$(cat /tmp/status-$1)" >"$cell/server-$1.log" ||
        [ "$(tail -n 1 "$cell/server-$1.log")" = "$end_of_rping" ] ||
        give_up "the server in the guest fails: $(tail -n 1 "$cell/server-$1.log")"
}

stop_guest_server() {
    in_guest 15 "killall -q $2; status=\$?; cat /tmp/server-$1.log /tmp/complaints-$1; exit \$status" >"$cell/server-$1.log" ||
        give_up "the server in the guest has ended: $(tail -n 1 "$cell/server-$1.log")"
}

clean_up_guest() {
    [ -z "$guest_pid" ] || in_guest 10 "killall -q -KILL $guest_programs" >/dev/null || true
}

# Waits until a log of a running program has this many lines of pings.
await_pings() {
    local name=$1 count=$2 deadline=$((SECONDS + program_limit))
    until [ "$(grep -c '^ping data: ' "$cell/$name.log" 2>/dev/null)" -ge "$count" ]; do
        [ "$SECONDS" -lt "$deadline" ] || give_up "no $count pings: $(tail -n 1 "$cell/$name.log")"
        sleep 0.1
    done
}

# Compares what both ends of rping printed: each ping, and the bytes of each as the other end has them.
compare_pings() {
    local client=$1 server=$2
    [ "$(grep -c '^ping data: rdma-ping' "$client")" = "$pings" ] || give_up "the client has not shown $pings pings"
    cmp <(sed -n 's/^ping data: //p' "$client") <(sed -n 's/^server ping data: //p' "$server") ||
        give_up "the two ends saw different data"
}

# Lets Wireshark look at captures of this cell.
judge() {
    "$here/judge" --siw --quiet "$@" >"$cell/judge.log" || give_up "the judge: $(grep -m 1 FAULT "$cell/judge.log" || tail -n 1 "$cell/judge.log")"
}

# --- cells ---

check_the_judge() {
    "$here/test-judge" || give_up "checks/interop/test-judge fails"
}

check_the_kernel() {
    in_guest 10 dmesg >"$cell/dmesg.log" || give_up "the guest does not answer"
    ! grep -E -A 20 'BUG:|Oops|WARNING:|Call Trace|general protection' "$cell/dmesg.log" ||
        give_up "the guest's kernel complains, see its dmesg"
}

# With markers and without, with CRCs and without: each time exactly these opcodes must be seen.
demo_as_wireshark_sees_it() {
    local segment=$1 markers crc name depths=()
    local opcodes="Write, Read Request, Read Response, Send, Send with Invalidate, Send with SE"
    opcodes+=", Send with SE and Invalidate, Terminate, Immediate Data, Immediate Data with SE"
    opcodes+=", Atomic Request, Atomic Response"
    shift
    if [ $# -gt 0 ]; then
        # Two numbers that differ show which of them is which.
        set -- "$@" --ird 8 --ord 2
        depths=(--request-depths 8/2)
    fi
    for markers in '' --markers; do
        for crc in '' --no-crc; do
            name=run$markers$crc
            # shellcheck disable=SC2086 # empty means none
            iwarp "$name" "$program_limit" demo --size 100K --mss "$segment" $markers $crc "$@" ||
                give_up "$name: $(tail -n 1 "$cell/$name.log")"
            # Not --siw: here it is all our own.
            "$here/judge" --expect "$opcodes" "${depths[@]}" "$cell/$name.pcap" >"$cell/$name.judge.log" ||
                give_up "$name: the judge: $(tail -n 2 "$cell/$name.judge.log")"
        done
    done
}

guest_rping_server="rping -s -a $guest_address -S $greatest_rping_size -v"

# rping_client_of_java NAME PORT COUNT OPTIONS...
rping_client_of_java() {
    local name=$1 port=$2 count=$3
    shift 3
    iwarp "$name" "$program_limit" rping -c -a 127.0.0.1 -p "$(guest_port_here "$port")" -C "$count" -v -V "$@"
}

rping_to_siw() {
    local size=$1
    shift
    start_guest_server "$rping_port" "$guest_rping_server -p $rping_port"
    rping_client_of_java client "$rping_port" "$pings" -S "$size" "$@" ||
        give_up "our client fails: $(tail -n 1 "$cell/client.log")"
    await_guest_server "$rping_port"
    compare_pings "$cell/client.log" "$cell/server-$rping_port.log"
    judge "$cell/client.pcap"
}

# Each with a server of its own, because the rping of rdma-core 44 loses connection requests that come together.
many_to_siw() {
    local ports index running=()
    mapfile -t ports < <(seq "$rping_port" $((rping_port + $1 - 1)))
    shift
    for port in "${ports[@]}"; do
        start_guest_server "$port" "$guest_rping_server -p $port"
    done
    for port in "${ports[@]}"; do
        start_job rping_client_of_java "client-$port" "$port" "$pings" -S 1000 "$@"
        running+=($!)
    done
    for index in "${!ports[@]}"; do
        wait "${running[index]}" || give_up "our client fails: $(tail -n 1 "$cell/client-${ports[index]}.log")"
        await_guest_server "${ports[index]}"
        compare_pings "$cell/client-${ports[index]}.log" "$cell/server-${ports[index]}.log"
    done
    judge "$cell"/client-*.pcap
}

killed_client_to_siw() {
    start_guest_server "$rping_port" "$guest_rping_server -p $rping_port -P"
    start_job java "${java_options[@]}" -jar "$jar" rping -c -p "$(guest_port_here $rping_port)" -v "$@" >"$cell/killed.log" 2>&1
    local client=$!
    await_pings killed 3
    kill -KILL "$client"
    rping_client_of_java next "$rping_port" "$pings" "$@" || give_up "the next client fails: $(tail -n 1 "$cell/next.log")"
    stop_guest_server "$rping_port" rping
    judge "$cell/next.pcap"
}

killed_server_of_siw() {
    local status=0
    start_guest_server "$rping_port" "$guest_rping_server -p $rping_port"
    start_job rping_client_of_java client "$rping_port" 0 "$@"
    local client=$!
    await_pings client 3
    in_guest 10 'killall -KILL rping' || give_up "the server in the guest cannot be killed"
    wait "$client" || status=$?
    [ "$status" -eq 1 ] || give_up "our client ends with $status instead of 1: $(tail -n 1 "$cell/client.log")"
}

# The shell command by which the guest pings our server: rping_in_guest COUNT SIZE FILE. What rping prints goes into FILE.
rping_in_guest() {
    echo "{ rping -c -a $host_in_guest -p $port -C $1 -S $2 -v -V >$3 2>$3.err || grep -q '$end_of_rping' $3.err; }"
}

# guest_rping_client NAME COUNT SIZE
guest_rping_client() {
    guest_program "$1" "$(rping_in_guest "$2" "$3" /tmp/client); status=\$?; cat /tmp/client /tmp/client.err; (exit \$status)"
}

rping_to_java() {
    local size=$1
    shift
    start_iwarp_server rping -s -p 0 -v "$@"
    guest_rping_client client "$pings" "$size" || give_up "the client in the guest fails: $(tail -n 1 "$cell/client.log")"
    await_process "$server" || give_up "our server does not end after its only client"
    wait "$server" || give_up "our server fails: $(tail -n 1 "$cell/server.log")"
    compare_pings "$cell/client.log" "$cell/server.log"
    judge "$cell/server.pcap"
}

many_to_java() {
    local clients=$1
    start_iwarp_server rping -s -p 0 -v -P
    guest_program clients "for n in \$(seq $clients); do
            $(rping_in_guest "$pings" 1000 /tmp/client-\$n) & all=\"\$all \$!\"; done
        status=0; for one in \$all; do wait \$one || status=1; done
        cat /tmp/client-*[0-9]; tail -n 3 /tmp/client-*.err; (exit \$status)" ||
        give_up "a client in the guest fails: $(tail -n 1 "$cell/clients.log")"
    [ "$(grep -c '^ping data: ' "$cell/clients.log")" -eq $((clients * pings)) ] ||
        give_up "the clients in the guest have not shown $clients times $pings pings"
    [ "$(grep -c '^server ping data: ' "$cell/server.log")" -eq $((clients * pings)) ] ||
        give_up "our server has not shown $clients times $pings pings"
    stop_iwarp_server
    judge "$cell/server.pcap"
}

killed_client_to_java() {
    start_iwarp_server rping -s -p 0 -v -P
    guest_program killed "rping -c -a $host_in_guest -p $port -C 1000000 >/dev/null 2>&1 & sleep 1; kill -KILL \$!" ||
        give_up "the client in the guest was gone before it was killed"
    guest_rping_client next "$pings" 64 || give_up "the next client fails: $(tail -n 1 "$cell/next.log")"
    stop_iwarp_server
}

killed_server_of_java() {
    local status=0
    start_iwarp_server rping -s -p 0 -v
    start_job guest_rping_client client 1000000 64
    local client=$!
    local deadline=$((SECONDS + program_limit))
    until grep -q 'rdma-ping-3' "$cell/server.log"; do
        [ "$SECONDS" -lt "$deadline" ] || give_up "no pings: $(tail -n 1 "$cell/server.log")"
        sleep 0.1
    done
    kill -KILL "$server"
    wait "$client" || status=$?
    grep -q 'DISCONNECT EVENT' "$cell/client.log" || give_up "the client in the guest sees no end ($status)"
}

rejected_by_java() {
    start_iwarp_server echo-server --port 0
    guest_rping_client client 1 64 && give_up "the client in the guest is not rejected"
    grep -q 'RDMA_CM_EVENT_REJECTED' "$cell/client.log" ||
        give_up "the client in the guest hears something else: $(tail -n 1 "$cell/client.log")"
    stop_iwarp_server
    judge "$cell/server.pcap"
}

cmatose_to_siw() {
    local shape="-c $1 -C $2 -S $3"
    shift 3
    start_guest_server "$rdma_port" "ucmatose -b $guest_address -p $rdma_port $shape"
    # shellcheck disable=SC2086 # several options
    iwarp client "$program_limit" cmatose -s 127.0.0.1 -p "$(guest_port_here $rdma_port)" $shape "$@" ||
        give_up "our client fails: $(tail -n 1 "$cell/client.log")"
    await_guest_server "$rdma_port"
    judge "$cell/client.pcap"
}

cmatose_to_java() {
    local shape="-c $1 -C $2 -S $3"
    # shellcheck disable=SC2086 # several options
    start_iwarp_server cmatose -p 0 $shape
    guest_program client "ucmatose -s $host_in_guest -p $port $shape" ||
        give_up "the client in the guest fails: $(tail -n 1 "$cell/client.log")"
    await_process "$server" || give_up "our server does not end"
    wait "$server" || give_up "our server fails: $(tail -n 1 "$cell/server.log")"
    judge "$cell/server.pcap"
}
