# shellcheck shell=bash
# The local service for the steps that need one. Sourced after tools.sh, with $WORK set.

# start_service FOLDER DATA [FLAG...]: `npm start` of the clone in FOLDER on free ports, with its data in DATA. Sets BASE_URL and
# API_KEY to what it prints, and SERVICE to its process group.
start_service() {
  local folder=$1 log=$WORK/service.log
  DATA=$2
  shift 2
  # A shell without job control lets its children ignore Ctrl-C; at a terminal they do not.
  (cd "$folder" && exec setsid env --default-signal=INT npm start -- --port 0 --s3-port 0 --dynamodb-port 0 --sqs-port 0 --oidc-port 0 --data "$DATA" "$@") >"$log" 2>&1 &
  SERVICE=$!
  await 300 "$SERVICE" grep -q 'export BASE_URL=' "$log" || { cat "$log"; return 1; }
  BASE_URL=$(grep -o 'BASE_URL=[^ ]*' "$log" | head -n 1 | cut -d= -f2-)
  API_KEY=$(grep -o 'API_KEY=[^ ]*' "$log" | head -n 1 | cut -d= -f2-)
  export BASE_URL API_KEY
}

# Ctrl-C, as a terminal sends it to the whole group; fails unless everything ends within 20 seconds.
stop_service() {
  kill -INT -- "-$SERVICE"
  local end=$((SECONDS + 20)) left
  # By session, and by the data folder, which any engine or worker names in its arguments.
  while left=$(pgrep -a -s "$SERVICE"; pgrep -af -- "$DATA" | grep -v pgrep); [ -n "$left" ]; do
    [ "$SECONDS" -lt "$end" ] || { printf 'Ctrl-C left these processes:\n%s\n' "$left"; return 1; }
    sleep 0.2
  done
}

# For a trap: whatever happened, nothing stays.
kill_service() {
  [ -z "${SERVICE:-}" ] || kill -KILL -- "-$SERVICE" 2>/dev/null || true
}
