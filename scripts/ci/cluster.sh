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

cluster_tests() {
  local status=0 folder
  "$rig/up.sh" --detach --run-dir "$work/rig" || return
  export KUBECONFIG=$work/rig/kubeconfig RIG=$rig RIG_RUN_DIR=$work/rig
  for folder in . apps/dashboard; do
    cd "$folder"
    npm run --silent test:cluster -- own-server --maxWorkers 2 || status=$?
    npm run --silent test:cluster -- --testPathIgnorePatterns own-server || status=$?
  done
  cd ../..
  return "$status"
}
soak() { npm run --silent soak -- --minutes "$minutes" --rig "$rig" "$@"; }

minutes=$1 tests=0 soaks=0
"$rig/install.sh"
(soak && soak --http2 && soak --scanner none) >"$work/soaks.log" 2>&1 &
in_background=$!
cluster_tests || tests=$?
printf '\ncluster tests: status %d; soaks follow\n' "$tests"
wait "$in_background" || soaks=$?
cat "$work/soaks.log"
printf '\nsoaks: status %d\n' "$soaks"
[ "$tests" = 0 ] && [ "$soaks" = 0 ]
