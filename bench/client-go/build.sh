#!/usr/bin/env bash
# Builds the client-go contestant of the benchmark from Debian's packages of Go and client-go (sid).
#
#   bench/client-go/build.sh
#   CLIENT_GO_BENCH=~/.cache/rx-informers/client-go/bench npm run bench -- --only client-go
#
# Everything goes to ~/.cache/rx-informers/client-go, or to $CLIENT_GO_DIR (600 MB). The system's
# packages and apt's lists do not change. A first build takes some minutes. If nothing has changed,
# the script takes less than a second. It needs apt-get and dpkg-deb, but not root.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(realpath -m "${CLIENT_GO_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/rx-informers/client-go}")
go_version=1.26
packages="
golang-$go_version-go golang-$go_version-src
golang-github-davecgh-go-spew-dev golang-github-emicklei-go-restful-dev golang-github-evanphx-json-patch-dev
golang-github-fxamacker-cbor-dev golang-github-go-logr-logr-dev golang-github-go-openapi-jsonpointer-dev
golang-github-go-openapi-jsonreference-dev golang-github-go-openapi-swag-dev golang-github-gogo-protobuf-dev
golang-github-google-gnostic-models-dev golang-github-google-uuid-dev golang-github-json-iterator-go-dev
golang-github-modern-go-concurrent-dev golang-github-modern-go-reflect2-dev golang-github-munnerz-goautoneg-dev
golang-github-pkg-errors-dev golang-github-pmezard-go-difflib-dev golang-github-spf13-pflag-dev
golang-github-x448-float16-dev golang-golang-x-net-dev golang-golang-x-oauth2-dev golang-golang-x-sys-dev
golang-golang-x-term-dev golang-golang-x-text-dev golang-golang-x-time-dev golang-google-protobuf-dev
golang-gopkg-inf.v0-dev golang-gopkg-yaml.v2-dev golang-gopkg-yaml.v3-dev golang-k8s-api-dev
golang-k8s-apimachinery-dev golang-k8s-client-go-dev golang-k8s-klog-dev golang-k8s-kube-openapi-dev
golang-k8s-sigs-json-dev golang-k8s-sigs-randfill-dev golang-k8s-sigs-structured-merge-diff-v6-dev
golang-k8s-sigs-yaml-dev golang-k8s-streaming-dev golang-k8s-utils-dev"

# Prints the first mirror in the system's own sources.
mirror() {
  cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk 'tolower($1) == "uris:" && /debian/ && !/security/ { print $2 }'
  cat /etc/apt/sources.list 2>/dev/null | awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; next } }'
}

# Downloads the packages with apt lists and a cache of its own, and unpacks them.
unpack_packages() {
  local apt=$folder/apt source
  source=$(mirror) && source=${source%%$'\n'*}
  [ -n "$source" ] || { echo "build.sh: no Debian mirror in /etc/apt" >&2; exit 1; }
  mkdir -p "$apt"/{lists/partial,cache/archives/partial} "$folder"/{debs,root}
  : >"$apt/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $source sid main" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<CONF
Dir::State "$apt";
Dir::State::Lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "";
CONF
  apt-get -qq -c "$apt/apt.conf" update
  # shellcheck disable=SC2086
  (cd "$folder/debs" && apt-get -qq -c "$apt/apt.conf" download $packages)
  local package
  for package in "$folder"/debs/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
  rm -rf "$folder/debs" "$apt"
}

mkdir -p "$folder"
wanted=$(sha256sum <<<"$packages")
if [ "$(cat "$folder/unpacked" 2>/dev/null)" != "$wanted" ]; then
  rm -rf "$folder/root"
  unpack_packages
  echo "$wanted" >"$folder/unpacked"
fi

# Builds as Debian does: without modules, and with every import from /usr/share/gocode.
mkdir -p "$folder"/{home,src/src/bench}
cp "$here/main.go" "$folder/src/src/bench/"
export GOROOT=$folder/root/usr/lib/go-$go_version GOPATH=$folder/src:$folder/root/usr/share/gocode GOCACHE=$folder/gocache \
  HOME=$folder/home GO111MODULE=off GOFLAGS=-trimpath GOENV=off GOTOOLCHAIN=local GOPROXY=off GOSUMDB=off CGO_ENABLED=0
cd "$folder"
"$GOROOT/bin/go" build -o "$folder/bench" bench
echo "$folder/bench"
