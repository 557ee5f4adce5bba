# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash disable=SC2034  # peak is for the script that sources this
# Sourced by scripts that measure memory. watch_memory INTERVAL OUT ERR COMMAND...: run it, return its exit code, and leave the
# largest RssAnon of /proc/PID/status in $peak, in bytes: anonymous memory, without pages of mapped files. It is read once per
# INTERVAL seconds; a shorter peak may be missed.
[ -r /proc/self/status ] || { echo "memory is measured by /proc/PID/status, which this system does not have" >&2; exit 2; }
exec {pause}<> <(:)

watch_memory() {
  local interval=$1 out=$2 err=$3 pid state value name own
  shift 3
  peak=0
  "$@" >"$out" 2>"$err" &
  pid=$!
  while :; do
    state=gone value=0
    while read -r name own _; do
      case "$name" in
        State:) state=$own ;;
        RssAnon:) value=$own; break ;;
      esac
    done 2>/dev/null <"/proc/$pid/status" || true
    if [ "$state" = gone ] || [ "$state" = Z ]; then break; fi
    if [ "$value" -gt "$peak" ]; then peak=$value; fi
    read -rt "$interval" -u "$pause" || true
  done 2>/dev/null
  peak=$((peak * 1024))
  wait "$pid"
}
