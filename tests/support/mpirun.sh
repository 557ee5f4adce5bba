# SPDX-License-Identifier: BSL-1.0
# What scripts that run the program on several ranks share; sourced after program.sh. tests/CMakeLists.txt gives scripts that
# source this mpirun's environment; by hand it is mpirun of the path: $launcher is empty where there is none.
launcher=${HALOGRAPH_MPIRUN:-$(command -v mpirun)}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 TMPDIR=$work
# on RANKS COMMAND...: its exit code, what it says in out and err
on() {
  local ranks=$1
  shift
  timeout -k 10 120 "$launcher" -np "$ranks" --oversubscribe "$program" "$@" >out 2>err
}
