#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# bench/run.sh rejects wrong options before it builds anything.
#   run.sh SCRIPT
set -euo pipefail
script=$1
begun='== building'
. "$(dirname "${BASH_SOURCE[0]}")/../support/refused.sh"
touch file
refused 2 '--data none is not a folder' --data none
refused 2 '--data file is not a folder' --quick --data file
refused 2 '--scratch none is not a folder' --scratch none
refused 2 'must be wall or cpu' --clock sun
refused 2 'unknown option --what' --what
refused 1 "cannot write into $work/file/results" --out file/results
