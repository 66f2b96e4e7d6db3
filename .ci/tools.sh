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

# versitygw: installs an independent S3 server that checks signatures, digests and conditions.
versitygw() {
  local version=v1.8.0 go=go
  VERSITYGW=$TOOLS/versitygw-$version/versitygw
  [ -x "$VERSITYGW" ] && return 0
  # Go downloads the toolchain that a module requires since 1.21; Debian 12 has an older Go.
  go version 2>/dev/null | grep -qE 'go1\.(2[1-9]|[3-9][0-9])' || { python_tools && go=$VENV/bin/go; } || return 1
  GOBIN=${VERSITYGW%/*} GOFLAGS=-p=1 retry nice "$go" install "github.com/versity/versitygw/cmd/versitygw@$version"
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
