# shellcheck shell=bash
# Jobs of a script that end with it. To be sourced.
#
#   start_job COMMAND...   runs a command or function in the background; its process is $!
#   end_jobs               ends all jobs, with all that they have started
#
# Ctrl-C does not reach jobs. A script that has some says: trap end_jobs EXIT. Commands below a job stay in its process
# group: they use timeout --foreground, because timeout otherwise makes a group of its own, which Ctrl-C does not reach either.

start_job() {
    # With job control each job is a process group.
    set -m
    "$@" </dev/null &
    set +m
}

end_jobs() {
    local job
    for job in $(jobs -p); do
        kill -- "-$job" 2>/dev/null || true
    done
}
