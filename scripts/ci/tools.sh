#!/usr/bin/env bash
# Installs the tools, other than Node, that some steps need and that are missing.
set -euo pipefail
missing=()
[ -n "${CHROMIUM:-}" ] || [ -x /usr/bin/chromium ] || missing+=(chromium)
command -v kubectl >/dev/null || missing+=(kubernetes-client)
[ ${#missing[@]} -gt 0 ] || exit 0
echo "installing ${missing[*]}"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}"
