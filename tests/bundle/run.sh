#!/usr/bin/env bash
# Packs the release build as an MCP bundle, target/bundle/barewire.mcpb, with the packer that hosts name, and writes
# target/bundle/server.json with its hash. Then installs it as a host does: unpacked elsewhere, and started by its manifest.
# The packer is installed in BAREWIRE_CACHE.
set -euo pipefail
cd "$(dirname "$0")/../.."
packer=2.1.2
tool=$BAREWIRE_CACHE/mcpb
mcpb=$tool/node_modules/.bin/mcpb
program=target/release/barewire
out=target/bundle
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! grep -qs "\"version\": \"$packer\"" "$tool/node_modules/@anthropic-ai/mcpb/package.json"; then
  mkdir -p "$tool"
  timeout 300 npm install --prefix "$tool" --no-audit --no-fund --no-package-lock --silent "@anthropic-ai/mcpb@$packer"
fi

mkdir -p "$out" "$work/bundle/server"
cp "$program" "$work/bundle/server/barewire"
cp LICENSE "$work/bundle/"
timeout 20 "$program" tools --json >"$work/tools.json"
python3 -B tests/bundle/check.py manifest Cargo.toml "$work/tools.json" "$work/bundle/manifest.json"
timeout 60 "$mcpb" validate "$work/bundle/manifest.json"
rm -f "$out/barewire.mcpb"
timeout 60 "$mcpb" pack "$work/bundle" "$out/barewire.mcpb" | grep -E '^(name|version|filename|package size|unpacked size|total files):'
timeout 60 "$mcpb" unpack "$out/barewire.mcpb" "$work/a folder of the host" >/dev/null
python3 -B tests/bundle/check.py installed "$work/a folder of the host" "$program"
python3 -B tests/bundle/check.py server Cargo.toml "$out/barewire.mcpb" "$out/server.json"
