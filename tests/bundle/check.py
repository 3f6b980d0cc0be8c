#!/usr/bin/env python3
"""The steps of run.sh that read JSON.

    check.py manifest CARGO_TOML TOOLS OUT     OUT: manifest.json for the platform it is packed on; version and tools must agree
    check.py installed FOLDER PROGRAM          start what the manifest in FOLDER names, as a host does, and call `add`
    check.py server CARGO_TOML BUNDLE OUT      OUT: server.json with the hash of BUNDLE; both must be as the registry demands

The registry's JSON Schema is in no package that could be installed here, so `server` holds the rules of its revision
2025-12-11 that apply to one bundle. With that schema in a file and BAREWIRE_SERVER_SCHEMA naming it, it is checked too
(needs the Python package jsonschema).
"""
import hashlib, json, os, re, subprocess, sys, tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
PLATFORMS = {"linux": "linux", "darwin": "darwin"}
NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
ADDRESS = re.compile(r"https://(github|gitlab)\.com/\S+/releases/\S+\.mcpb")
HASH = re.compile(r"[a-f0-9]{64}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2)
        file.write("\n")


def version(cargo_toml):
    with open(cargo_toml, "rb") as file:
        return tomllib.load(file)["package"]["version"]


def manifest(cargo_toml, tools, out):
    value = read(os.path.join(HERE, "manifest.json"))
    assert value["version"] == version(cargo_toml), value["version"]
    listed = [{"name": tool["name"], "description": tool["description"]} for tool in listing(tools)]
    assert value["tools"] == listed, listed
    value["compatibility"]["platforms"] = [PLATFORMS[sys.platform]]
    write(out, value)


def listing(path):
    """What `barewire tools --json` prints: an array, or an object that holds it, or a definition a line."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]
    return value["tools"] if isinstance(value, dict) and "tools" in value else value if isinstance(value, list) else [value]


def installed(folder, program):
    server = read(os.path.join(folder, "manifest.json"))["server"]
    assert server["type"] == "binary", server
    entry = os.path.join(folder, server["entry_point"])
    with open(entry, "rb") as packed, open(program, "rb") as built:
        assert packed.read() == built.read(), "the bundle holds another program"
    config = server["mcp_config"]
    fill = lambda text: text.replace("${__dirname}", folder)
    command = [fill(config["command"]), *map(fill, config["args"])]
    assert command[0] == entry, command
    # A host gives the right to run what it unpacked if the archive lost it.
    lost = not os.access(entry, os.X_OK)
    if lost:
        os.chmod(entry, 0o755)
    session = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "add", "arguments": {"a": 2.5, "b": 4}}},
    ]
    lines = "".join(json.dumps(message) + "\n" for message in session)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=20, check=True, cwd="/",
                          env={"PATH": "/usr/bin:/bin", **config.get("env", {})})
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [0, 1, 2] and done.stderr == "", done
    assert answers[0]["result"]["protocolVersion"] == "2025-11-25"
    assert answers[2]["result"] == {"content": [{"type": "text", "text": "6.5"}], "isError": False}
    print(f"installed and started by its manifest: add answers 6.5{' (the archive lost the right to run)' if lost else ''}")


def server(cargo_toml, bundle, out):
    value = read(os.path.join(HERE, "server.json"))
    valid(value, version(cargo_toml))
    with open(bundle, "rb") as file:
        value["packages"][0]["fileSha256"] = hashlib.sha256(file.read()).hexdigest()
    valid(value, version(cargo_toml))
    write(out, value)
    print(f"{out}: names {value['packages'][0]['identifier']}, sha256 {value['packages'][0]['fileSha256']}")


def valid(value, release):
    """The rules of the schema, and the registry's own on bundles: an address with `mcp` at GitHub or GitLab, and a hash."""
    assert value["$schema"] == "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
    assert set(value) == {"$schema", "name", "title", "description", "version", "packages"}, set(value)
    assert NAME.fullmatch(value["name"]) and 3 <= len(value["name"]) <= 200, value["name"]
    assert 1 <= len(value["title"]) <= 100 and 1 <= len(value["description"]) <= 100
    assert value["version"] == release, value["version"]
    (package,) = value["packages"]
    assert set(package) == {"registryType", "identifier", "version", "fileSha256", "transport"}, set(package)
    assert package["registryType"] == "mcpb" and package["version"] == release and package["transport"] == {"type": "stdio"}
    assert ADDRESS.fullmatch(package["identifier"]) and f"/v{release}/" in package["identifier"], package["identifier"]
    assert HASH.fullmatch(package["fileSha256"]), package["fileSha256"]
    schema = os.environ.get("BAREWIRE_SERVER_SCHEMA")
    if schema:
        import jsonschema
        jsonschema.Draft7Validator(read(schema)).validate(value)
        print("server.json is valid by", schema)


if __name__ == "__main__":
    {"manifest": manifest, "installed": installed, "server": server}[sys.argv[1]](*sys.argv[2:])
