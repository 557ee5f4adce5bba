# SPDX-License-Identifier: BSL-1.0
# shellcheck shell=bash disable=SC2154  # work is set where this is sourced
# Sourced by scripts that need several hosts: network namespaces of this machine, joined by a bridge, each with its own name and
# address, and with its own folder $work/of.NUMBER at $work/data.
#
#   make_hosts COUNT        hosts 1 to COUNT at 10.77.0.NUMBER; not 0 where this system does not allow it, and why in $no_hosts
#   across N COMMAND...     by mpirun, N ranks on each host, the first N on the first
#   remove_hosts            and all processes on them
hosts=0 no_hosts="" tag=hg$$

remove_hosts() {
  local host process
  for ((host = 1; host <= hosts; ++host)); do
    for process in $(ip netns pids "$tag$host" 2>/dev/null); do kill -9 "$process" 2>/dev/null || true; done
    ip netns del "$tag$host" 2>/dev/null || true
  done
  ip link del "$tag" 2>/dev/null || true
  hosts=0
}

make_hosts() {
  local host
  if [ "$(id -u)" -ne 0 ]; then no_hosts="network namespaces need root"
  elif ! command -v ip >/dev/null; then no_hosts="there is no ip (Debian: iproute2)"
  elif ! command -v mpirun >/dev/null; then no_hosts="there is no mpirun (Debian: openmpi-bin)"
  elif ! unshare -mu true 2>/dev/null; then no_hosts="mount namespaces are not allowed here"
  elif ! ip link add "$tag" type bridge 2>/dev/null; then no_hosts="network namespaces are not allowed here"
  fi
  [ -z "$no_hosts" ] || return 1
  ip link set "$tag" up
  for ((host = 1; host <= $1; ++host)); do
    hosts=$host
    if ! { ip netns add "$tag$host" && ip link add "$tag$host" type veth peer name eth0 netns "$tag$host" &&
      ip link set "$tag$host" master "$tag" up && ip -n "$tag$host" addr add "10.77.0.$host/24" dev eth0 &&
      ip -n "$tag$host" link set eth0 up && ip -n "$tag$host" link set lo up; }; then
      no_hosts="network namespaces are not allowed here"
      return 1
    fi
    mkdir -p "$work/of.$host"
  done
  mkdir -p "$work/data" "$work/tmp"
  # on HOST WORDS...: like ssh, run the words in a shell on the host
  cat >"$work/on" <<END
#!/bin/bash
host=\${1#10.77.0.}
shift
exec ip netns exec $tag\$host unshare -mu bash -c 'hostname host-'\$host'; mount --bind $work/of.'\$host' $work/data; cd $work; eval "\$0"' "\$*"
END
  chmod +x "$work/on"
}

across() {
  local n=$1 host places=""
  shift
  for ((host = 1; host <= hosts; ++host)); do places+=${places:+,}10.77.0.$host:$n; done
  "$work/on" 1 "$(printf '%q ' env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -np $((hosts * n)) \
    --host "$places" --map-by slot --mca plm_rsh_agent "$work/on" --mca btl self,tcp \
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 --mca mpi_yield_when_idle 1 "$@")"
}
