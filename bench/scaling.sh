#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# What dispatch takes over ranks that are joined by a network of a given rate: seconds, bytes sent and memory, for the same graph on
# more ranks (strong) and for a graph that grows with them (weak).
#
#   bench/scaling.sh PROGRAM [--ranks R]... [--scale S] [--rate RATE] [--delay TIME] [--parts K] [--memory SIZE] [--scratch DIR]
#
#   --ranks    may be repeated (default: 1 2 4 8)
#   --scale    rmat: 2^S nodes, 16 edges each; weak: 2^S nodes for each rank, of ranks that are a power of two (default: 18)
#   --rate     of each host in either direction, as tc takes it (default: 200mbit)
#   --delay    of each packet, as tc takes it (default: 200us; none where the kernel has no netem)
#   --parts    default: 16
#   --memory   budget of each rank (default: 256MiB)
#   --scratch  default: a temporary folder; removed at the end
#
# Each rank is a host of its own, a network namespace of this machine (root only), with one thread; they share its cores and its
# disk, so that only as many as there are cores compute at the same time. Sent are the bytes that the hosts' network devices count,
# with headers and what mpirun says. An edge takes 12 bytes, and of R ranks (R - 1) / R of the edges have to move: that is the least.
# Memory is the largest of the ranks. Exit code: 0, 1 where a run failed, 2 for a wrong command line, 77 without namespaces.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LC_ALL=C
program="" ranks=() scale=18 rate=200mbit delay=200us parts=16 memory=256MiB scratch=""
while [ $# -gt 0 ]; do
  case "$1" in
    --ranks) ranks+=("${2:?--ranks needs a number}"); shift ;;
    --scale|--rate|--delay|--parts|--memory|--scratch)
      declare "${1#--}=${2:?$1 needs a value}"
      shift
      ;;
    -h|--help) sed -n '3,20s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) echo "unknown option $1; see --help" >&2; exit 2 ;;
    *) program=$1 ;;
  esac
  shift
done
[ -n "$program" ] && [ -x "$program" ] || { echo "give the program: scaling.sh build/release/halograph" >&2; exit 2; }
program=$(realpath "$program")
[ ${#ranks[@]} -gt 0 ] || ranks=(1 2 4 8)
[ -z "$scratch" ] || [ -d "$scratch" ] || { echo "--scratch $scratch is not a folder" >&2; exit 2; }
"$program" --version | grep -q '^libraries:.* mpi\b' || { echo "the program was built without the component \"mpi\"" >&2; exit 2; }
work=$(mktemp -d ${scratch:+-p "$scratch"})
. "$root/tests/support/hosts.sh"
trap 'remove_hosts; rm -rf "$work"' EXIT
cd "$work"

# shape HOST: both ends of its link send no faster than --rate
shaped="tbf, without delay"
shape() {
  local end
  for end in "-n $tag$1 qdisc add dev eth0" "qdisc add dev $tag$1"; do
    # shellcheck disable=SC2086  # several words
    if tc $end root netem rate "$rate" delay "$delay" limit 100000 2>/dev/null; then shaped="netem, delay $delay"
    else tc $end root tbf rate "$rate" burst 1mb latency 1s; fi
  done
}
sent() { local host; for ((host = 1; host <= hosts; ++host)); do ip netns exec "$tag$host" cat /sys/class/net/eth0/statistics/tx_bytes; done | awk '{ s += $1 } END { printf "%.0f", s }'; }
member() { grep -o "\"$1\": *[0-9]*" said | sed -n '1s/.*: *//p'; }

# dispatch KIND RANKS SCALE: a row
declare -A alone
dispatch() {
  local kind=$1 count=$2 begin before seconds edges host
  "$program" generate rmat --scale "$3" --edge-factor 16 --chunks 16 --format numpy --out graph >/dev/null 2>&1
  "$program" assign graph --parts "$parts" --method hash --out assigned >/dev/null 2>&1
  make_hosts "$count" || { echo "SKIPPED: $no_hosts" >&2; exit 77; }
  for ((host = 1; host <= count; ++host)); do shape "$host"; done
  before=$(sent)
  begin=$EPOCHREALTIME
  if ! across 1 "$program" dispatch graph --partitions assigned --memory "$memory" --threads 1 --out parts --json >said 2>errors; then
    echo "FAILED: dispatch on $count ranks: $(head -c 600 said errors)" >&2
    exit 1
  fi
  seconds=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", b - a }')
  edges=$((16 << $3))
  [ -n "${alone[$kind]-}" ] || alone[$kind]="$seconds $count"
  awk -v k="$kind" -v r="$count" -v x="$3" -v s="$seconds" -v b="$(($(sent) - before))" -v e="$edges" -v m="$(member peak_anonymous_bytes)" \
    -v n="$(member bytes)" -v a="${alone[$kind]}" 'BEGIN {
      split(a, first, " ")
      grown = k == "weak" ? 1 : r / first[2]
      least = 12 * (r - 1) / r
      printf "| %s | %d | %d | %.2f | %.2f | %.1f | %.1f | %s | %.0f | %.0f |\n", k, r, x, s, first[1] / s / grown, b / e, least,
        (r == 1 ? "-" : sprintf("%.2f", b / e / least)), n / 1048576, m / 1048576 }'
  remove_hosts
  rm -rf graph assigned parts
}

shape_kind() { make_hosts 1 && shape 1 && remove_hosts; }
shape_kind || { echo "SKIPPED: $no_hosts" >&2; exit 77; }
echo "K = $parts, --memory $memory, $rate ($shaped), $(nproc) cores"
printf '\n| scaling | ranks | scale | s | efficiency | sent, bytes per edge | least | sent / least | announced, MiB | memory, MiB |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n'
for kind in strong weak; do
  for count in "${ranks[@]}"; do
    doubled=0
    while [ "$kind" = weak ] && [ $((2 << doubled)) -le "$count" ]; do doubled=$((doubled + 1)); done
    dispatch "$kind" "$count" $((scale + doubled))
  done
done
