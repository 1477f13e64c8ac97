#!/usr/bin/env bash
# Runs a check with real API servers. Each server has free ports and a folder of its own, and ends with the check. So
# several checks can run side by side.
#
#   scripts/ci/cluster.sh tests            the cluster tests of the library and of the dashboard, without the nightly ones
#   scripts/ci/cluster.sh tests --nightly  all of them, except for the comparison with real controllers
#   scripts/ci/cluster.sh controllers …    the comparison with real controllers; further arguments are those of Jest
#   scripts/ci/cluster.sh schemas …        `npm run task -- schema:compare` with these options
#   scripts/ci/cluster.sh soak …           `npm run task -- soak` with these options
set -euo pipefail
rig=$(realpath -m ../shared/rig)
work=$(mktemp -d "${TMPDIR:-/tmp}/rx-informers-cluster.XXXXXX")
finish() {
  trap - EXIT
  # shellcheck disable=SC2046
  kill $(jobs -p) 2>/dev/null || true
  wait
  rm -rf "$work"
}
# Also ends what the children have started, if this script leads its process group. Workers of Jest survive SIGTERM.
stop() {
  trap '' INT TERM
  kill -- -$$ 2>/dev/null || true
  finish
  kill -KILL -- -$$ 2>/dev/null || true
  exit 143
}
trap finish EXIT
trap stop INT TERM

# Tests that the nightly run alone runs. test/cluster/README.md says what finds their faults after a change.
nightly=(
  own-server/one-leader
  own-server/first-controller
  /website-operator
  dashboard/test/cluster/dashboard.test
  own-server/dashboard
  own-server/deploy
  own-server/kind-tables
)

# Runs a command in the background and waits for it, because a signal interrupts only that.
run() {
  "$@" &
  wait $!
}

# Starts the API server that most cluster tests share.
share_server() {
  local line
  mkfifo "$work/ready"
  "$rig/up.sh" --run-dir "$work/rig" >"$work/ready" &
  read -r line <"$work/ready"
  export KUBECONFIG=$work/rig/kubeconfig
}

jest() {
  local house=$1
  shift
  run npm test --silent --prefix "$house" -- --config test/jest.cluster.config.js "$@"
}

cluster_tests() {
  local status=0 without=(own-server/real-controllers)
  if [ "${1-}" = --nightly ]; then
    npm run --silent build --prefix apps/dashboard -- --logLevel warn
    npm run --silent build:server --prefix apps/dashboard
  else
    without+=("${nightly[@]}")
  fi
  share_server
  for house in . apps/dashboard; do
    jest "$house" --testPathIgnorePatterns "${without[@]}" || status=1
  done
  return "$status"
}

schemas() {
  share_server
  run npm run --silent task -- schema:compare --run "$work/rig" "$@"
}

check=$1
shift
export RIG=$rig
mkdir -p "$HOME/.cache"
# Checks that start at the same time unpack the servers once.
flock "$HOME/.cache/kube-rig.lock" "$rig/install.sh"
case $check in
tests) cluster_tests "$@" ;;
controllers) jest . own-server/real-controllers "$@" ;;
schemas) schemas "$@" ;;
soak) run npm run --silent task -- soak --rig "$rig" "$@" ;;
*)
  echo "unknown check: $check" >&2
  exit 2
  ;;
esac
