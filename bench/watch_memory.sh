# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash disable=SC2034  # peak is for the script that sources this
# Sourced by scripts that measure memory. watch_memory INTERVAL OUT ERR COMMAND...: run it, return its exit code, and leave the
# largest RssAnon of /proc/PID/status in $peak, in bytes: anonymous memory, without pages of mapped files. It is read once per
# INTERVAL seconds; a shorter peak may be missed. Where $watched_ranks is above 1, COMMAND starts processes (mpirun), of which the
# largest counts.
[ -r /proc/self/status ] || { echo "memory is measured by /proc/PID/status, which this system does not have" >&2; exit 2; }
exec {pause}<> <(:)
watched_ranks=1

# memory_of PID: its $state and RssAnon, in KiB, as $value
memory_of() {
  local name own
  state=gone value=0
  while read -r name own _; do
    case "$name" in
      State:) state=$own ;;
      RssAnon:) value=$own; break ;;
    esac
  done 2>/dev/null <"/proc/$1/status" || true
}
watch_memory() {
  local interval=$1 out=$2 err=$3 pid state value child children
  shift 3
  peak=0
  "$@" >"$out" 2>"$err" &
  pid=$!
  while :; do
    memory_of "$pid"
    if [ "$state" = gone ] || [ "$state" = Z ]; then break; fi
    if [ "$watched_ranks" -gt 1 ]; then
      children=()
      read -ra children <"/proc/$pid/task/$pid/children" || true
      for child in "${children[@]}"; do
        memory_of "$child"
        if [ "$value" -gt "$peak" ]; then peak=$value; fi
      done
    elif [ "$value" -gt "$peak" ]; then
      peak=$value
    fi
    read -rt "$interval" -u "$pause" || true
  done 2>/dev/null
  peak=$((peak * 1024))
  wait "$pid"
}
