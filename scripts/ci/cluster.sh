#!/usr/bin/env bash
# Runs the cluster tests, then those of the dashboard. At the same time, it runs three soaks one
# after the other: over HTTP/1.1, over HTTP/2, and without WebAssembly. Tests and soaks
# wait for servers most of the time, so they can share the processors. Each soak has a server of its
# own.
#
#   scripts/ci/cluster.sh <minutes of each soak>
set -euo pipefail
rig=$(realpath -m ../shared/rig)
work=$(mktemp -d "${TMPDIR:-/tmp}/rx-informers-cluster.XXXXXX")
finish() {
  [ ! -d "$work/rig" ] || "$rig/up.sh" --down "$work/rig" || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 143' TERM

# Runs the cluster tests of a house. If they fail, they are also noted for the end of the output.
suite() {
  local command=$1 log=$work/suite.log
  shift
  $command "$@" 2>&1 | tee "$log" && return
  printf '\nfailed: %s %s\n' "$command" "$*" >>"$work/failed.log"
  # Of each failure, its name and what follows it. If no test ran, what was printed.
  { grep -E -A 40 '^ +● .* › |● Test suite failed|^Tests:' "$log" || cat "$log"; } | tail -n 200 >>"$work/failed.log"
  return 1
}
cluster_tests() {
  local status=0 command
  "$rig/up.sh" --detach --run-dir "$work/rig" || return
  export KUBECONFIG=$work/rig/kubeconfig RIG=$rig RIG_RUN_DIR=$work/rig
  for command in 'npm run task -- test:cluster' 'npm run test:cluster --prefix apps/dashboard --'; do
    # The comparison with real controllers is a step of its own.
    suite "$command" own-server --maxWorkers 2 --testPathIgnorePatterns own-server/real-controllers || status=$?
    suite "$command" --testPathIgnorePatterns own-server || status=$?
  done
  return "$status"
}
soak() { npm run --silent task -- soak --minutes "$minutes" --rig "$rig" "$@"; }

minutes=$1 tests=0 soaks=0
"$rig/install.sh"
(soak && soak --http2 && soak --scanner none) >"$work/soaks.log" 2>&1 &
in_background=$!
cluster_tests || tests=$?
printf '\ncluster tests: status %d; soaks follow\n' "$tests"
wait "$in_background" || soaks=$?
cat "$work/soaks.log"
printf '\nsoaks: status %d\n' "$soaks"
# The end of the output is what one reads first.
[ ! -e "$work/failed.log" ] || cat "$work/failed.log"
[ "$tests" = 0 ] && [ "$soaks" = 0 ]
