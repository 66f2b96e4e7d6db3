# shellcheck shell=bash
# Installs what the checks need beyond Node.js from the public registries into $TOOLS, outside the
# tree. Each function returns at once when it was called before. Sourced by run and by the steps.

TOOLS=${TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/stowage-ci}

# retry COMMAND...: makes three attempts, because a registry may be unavailable for a moment.
retry() {
  local attempt
  for attempt in 1 2 3; do
    "$@" && return 0
    echo "attempt $attempt failed: $*" >&2
    sleep $((attempt * 5))
  done
  return 1
}

# debian COMMAND=PACKAGE...: installs the Debian packages whose command is missing.
debian() {
  local pair missing=()
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  export DEBIAN_FRONTEND=noninteractive
  retry apt-get update -qq && retry apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# python_tools [FILE]: creates a virtual environment with the packages of requirements.txt or FILE.
# Its name is the digest of that file, so that a new version makes a new one.
python_tools() {
  local name requirements=${1:-.ci/requirements.txt}
  name=venv-$(sha256sum <"$requirements" | cut -c1-12)
  VENV=$TOOLS/$name
  [ -e "$VENV/complete" ] && return 0
  python3 -c 'import ensurepip' 2>/dev/null || {
    retry apt-get update -qq && retry apt-get install -y -qq --no-install-recommends python3-venv
  } || return 1
  python3 -m venv --clear "$VENV" &&
    retry "$VENV/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" &&
    touch "$VENV/complete"
}

# dynamodb_local: puts the jars of DynamoDB Local and its native SQLite libraries into one folder.
dynamodb_local() {
  local name
  name=dynamodb-local-$(sha256sum <.ci/dynamodb-local.pom.xml | cut -c1-12)
  DYNAMODB_LOCAL=$TOOLS/$name
  [ -e "$DYNAMODB_LOCAL/complete" ] && return 0
  debian mvn=maven javac=default-jdk-headless || return 1
  retry mvn --batch-mode --quiet --file .ci/dynamodb-local.pom.xml dependency:copy-dependencies \
    -DincludeScope=runtime "-DoutputDirectory=$DYNAMODB_LOCAL" &&
    touch "$DYNAMODB_LOCAL/complete"
}

# go_tool: sets GO to a Go that fetches the toolchain which a module requires. Every Go does so
# since 1.21; Debian 12 has an older one.
go_tool() {
  GO=go
  go version 2>/dev/null | grep -qE 'go1\.(2[1-9]|[3-9][0-9])' || { python_tools && GO=$VENV/bin/go; }
}

# versitygw: installs an independent S3 server that checks signatures, digests and conditions.
versitygw() {
  local version=v1.8.0
  VERSITYGW=$TOOLS/versitygw-$version/versitygw
  [ -x "$VERSITYGW" ] && return 0
  go_tool || return 1
  GOBIN=${VERSITYGW%/*} GOFLAGS=-p=1 retry nice "$GO" install "github.com/versity/versitygw/cmd/versitygw@$version"
}

# linearizability: builds the checker of test/linearizability. Its folder's name is the digest of
# its sources, so that a change makes a new one.
linearizability() {
  local name folder=test/linearizability
  name=linearizability-$(cat $folder/go.* $folder/*.go | sha256sum | cut -c1-12)
  LINEARIZABILITY=$TOOLS/$name/linearizability
  [ -x "$LINEARIZABILITY" ] && return 0
  go_tool || return 1
  retry nice "$GO" -C $folder build -o "$LINEARIZABILITY" .
}

# runtimes: sets RUNTIMES to a folder whose node_modules has node20, node22, node24, deno and bun:
# the packages that hold the programs themselves, so that no script of a package runs.
runtimes() {
  local arch=x64 bun=x64
  [ "$(uname -m)" != aarch64 ] || { arch=arm64; bun=aarch64; }
  # A change of a version makes a new folder.
  RUNTIMES=$TOOLS/runtimes-$(declare -f runtimes | sha256sum | cut -c1-12)
  [ -e "$RUNTIMES/complete" ] && return 0
  mkdir -p "$RUNTIMES" &&
    retry npm install --prefix "$RUNTIMES" --no-save --ignore-scripts --no-audit --no-fund --force \
      "node20@npm:node-linux-$arch@20.20.2" "node22@npm:node-linux-$arch@22.23.3" \
      "node24@npm:node-linux-$arch@24.19.0" "deno@npm:@deno/linux-$arch-glibc@2.9.6" \
      "bun@npm:@oven/bun-linux-$bun@1.4.5" &&
    touch "$RUNTIMES/complete"
}

# free_port: prints a port that is free now.
free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# await SECONDS PID COMMAND...: waits until the command succeeds; fails when the process has ended.
await() {
  local end=$((SECONDS + $1)) pid=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    kill -0 "$pid" 2>/dev/null || { echo "the server ended before it was ready" >&2; return 1; }
    [ "$SECONDS" -lt "$end" ] || { echo "not ready in time: $*" >&2; return 1; }
    sleep 0.2
  done
}
