#!/usr/bin/env bash
# Runs a command that the README promises, without its `npm ci`, which `.ci/run` has already run.
# Fails if the README no longer contains the command.
set -euo pipefail
readme_says() { grep -qE "^$1( |$)" README.md || { echo "README.md no longer says: $1"; return 1; }; }

case $1 in
test)
  readme_says 'npm ci && npm test'
  npm test
  ;;
start)
  readme_says 'npm ci && npm start'
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  timeout 120 npm start -- --duration 10s >"$log" 2>&1 || { cat "$log"; exit 1; }
  tail -n 5 "$log"
  for row in 'node [^ ]+: [0-9]+ pods' 'app [^ ]+: [0-9]+ pods'; do
    [ "$(grep -cE "$row" "$log")" -ge 10 ] || { echo "fewer than 10 lines with: $row"; exit 1; }
  done
  ;;
dashboard)
  # The browser tests run this command.
  readme_says 'npm ci && npm run dashboard'
  ;;
esac
