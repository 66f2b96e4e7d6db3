# shellcheck shell=bash
# Starts and stops the local service for the steps that need it. Sourced after tools.sh, with $WORK
# set.

# start_service FOLDER DATA COMMAND [FLAG...]: runs the service in the clone at FOLDER, by the npm
# script COMMAND (start or emulate), with its data in DATA. Sets STOWAGE_URL and STOWAGE_KEY from
# its output, and SERVICE to its process group.
start_service() {
  local folder=$1 log=$WORK/service.log
  DATA=$2
  local command=$3 ports=(--port 0)
  shift 3
  [ "$command" = start ] || ports+=(--s3-port 0 --dynamodb-port 0 --sqs-port 0 --oidc-port 0)
  # Children of a shell without job control ignore SIGINT; those of a terminal do not.
  (
    cd "$folder" && exec setsid env --default-signal=INT npm run "$command" -- \
      "${ports[@]}" --data "$DATA" "$@"
  ) >"$log" 2>&1 &
  SERVICE=$!
  await 300 "$SERVICE" grep -q 'export STOWAGE_URL=' "$log" || { cat "$log"; return 1; }
  STOWAGE_URL=$(grep -o 'STOWAGE_URL=[^ ]*' "$log" | head -n 1 | cut -d= -f2-)
  STOWAGE_KEY=$(grep -o 'STOWAGE_KEY=[^ ]*' "$log" | head -n 1 | cut -d= -f2-)
  export STOWAGE_URL STOWAGE_KEY
}

# Sends SIGINT to the whole group, as a terminal does for Ctrl-C. Fails unless every process ends
# within 20 seconds.
stop_service() {
  kill -INT -- "-$SERVICE"
  local end=$((SECONDS + 20)) left
  # Finds processes by session, and by the data folder, which engines and workers have as argument.
  while left=$(pgrep -a -s "$SERVICE"; pgrep -af -- "$DATA" | grep -v pgrep); [ -n "$left" ]; do
    [ "$SECONDS" -lt "$end" ] || { printf 'Ctrl-C left these processes:\n%s\n' "$left"; return 1; }
    sleep 0.2
  done
}

# For a trap: ends every process of the service.
kill_service() {
  [ -z "${SERVICE:-}" ] || kill -KILL -- "-$SERVICE" 2>/dev/null || true
}
