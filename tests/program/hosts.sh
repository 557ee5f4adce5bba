#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# slow: half a minute, on three hosts
# Three hosts on one machine: network namespaces joined by a bridge, each with its own name, address and folder.
# dispatch writes on each host only the parts of its ranks; training on the hosts prints what one process prints.
#   hosts.sh PROGRAM EXAMPLE_TRAIN_MEAN
source "$(dirname "${BASH_SOURCE[0]}")/../support/program.sh"
trainer=$2
skip() { echo "SKIPPED: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
command -v ip >/dev/null || skip "there is no ip (Debian: iproute2)"
command -v mpirun >/dev/null || skip "there is no mpirun (Debian: openmpi-bin)"
unshare -mu true 2>/dev/null || skip "mount namespaces are not allowed here"

tag=hg$$
hosts=(a b c)
clean() {
  for host in "${hosts[@]}"; do
    for process in $(ip netns pids "$tag$host" 2>/dev/null); do kill -9 "$process" 2>/dev/null; done
    ip netns del "$tag$host" 2>/dev/null
  done
  ip link del "$tag" 2>/dev/null
  rm -rf "$work"
}
trap clean EXIT
ip link add "$tag" type bridge 2>/dev/null || skip "network namespaces are not allowed here"
ip link set "$tag" up
number=0
for host in "${hosts[@]}"; do
  number=$((number + 1))
  { ip netns add "$tag$host" && ip link add "$tag$host" type veth peer name eth0 netns "$tag$host" &&
    ip link set "$tag$host" master "$tag" up && ip -n "$tag$host" addr add "10.77.0.$number/24" dev eth0 &&
    ip -n "$tag$host" link set eth0 up && ip -n "$tag$host" link set lo up; } || skip "network namespaces are not allowed here"
  mkdir -p "$work/of.$host"
done
mkdir "$work/data" "$work/tmp"

# on HOST WORDS...: like ssh, run the words in a shell on the host, which has its own name and its own folder data/
cat >on <<END
#!/bin/bash
case \$1 in 10.77.0.1) host=a ;; 10.77.0.2) host=b ;; 10.77.0.3) host=c ;; *) host=\$1 ;; esac
shift
exec ip netns exec $tag\$host unshare -mu bash -c 'hostname host-'\$host'; mount --bind $work/of.'\$host' $work/data; cd $work; eval "\$0"' "\$*"
END
chmod +x on
across() {  # across N COMMAND...: N ranks on each host, the first N on the first
  local n=$1
  shift
  ./on a "$(printf '%q ' env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -np $((3 * n)) \
    --host "10.77.0.1:$n,10.77.0.2:$n,10.77.0.3:$n" --map-by slot --mca plm_rsh_agent "$work/on" --mca btl self,tcp \
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 --mca mpi_yield_when_idle 1 "$@")"
}

"$program" generate rmat --scale 12 --degree 8 --features 4 --chunks 5 --format numpy --out graph >/dev/null || exit 1
"$program" assign --in-dir graph --out-dir assigned --parts 6 --method ldg >/dev/null || exit 1
"$program" dispatch --in-dir graph --partitions-dir assigned --out-dir whole --name g >/dev/null || exit 1

# Every host gets only its own parts.
across 1 "$program" dispatch --in-dir graph --partitions-dir assigned --out-dir data/parts --name g --local-output >said 2>&1 ||
  { fail "dispatch over three hosts:"; cat said; }
number=0
for host in "${hosts[@]}"; do
  here=("of.$host"/parts/part*)
  [[ ${here[*]##*/} == "part$((2 * number)) part$((2 * number + 1))" ]] || fail "host $host has ${here[*]##*/}"
  for part in "${here[@]}"; do
    diff -r "$part" "whole/${part##*/}" >/dev/null || fail "${part##*/} on host $host differs from that of one process"
  done
  cmp "of.$host/parts/g.json" whole/g.json || fail "the config on host $host differs"
  number=$((number + 1))
done

# Training on the hosts, with one rank each and with two, prints what one process prints.
"$trainer" whole/g.json >alone || fail "training on one process"
grep -q '^step 59: loss' alone || fail "training on one process prints: $(cat alone)"
for n in 1 2; do
  across "$n" "$trainer" data/parts/g.json >together 2>errors || { fail "training with $n ranks on each host:"; cat errors; }
  cmp alone together || fail "$n ranks on each of three hosts compute a different loss"
done

# A folder of another run on one host is detected.
"$program" dispatch --in-dir graph --partitions-dir assigned --out-dir other --name g --hops 2 >/dev/null || exit 1
rm -rf of.b/parts && mkdir of.b/parts && cp -r other/. of.b/parts/
across 1 "$trainer" data/parts/g.json >together 2>errors && fail "folders of different runs were mixed without an error"
grep -q 'of different runs' errors || { fail "mixed folders are not reported:"; cat errors; }

# An error in the folder of all hosts is reported once.
"$program" generate grid --width 5 --height 5 --out plain >/dev/null && "$program" partition --input plain --name g --parts 3 --method hash --out bare >/dev/null || exit 1
across 1 "$trainer" "$work/bare/g.json" >together 2>errors && fail "training without a feature"
[[ $(grep -c '^train_mean: .*no feature "feat"' errors) == 1 ]] || { fail "a missing feature is not reported once:"; cat errors; }
exit $failed
