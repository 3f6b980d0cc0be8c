"""The client of the course, as it is taught: pipes, three messages, two lines back, at most five seconds to leave."""

import json
import subprocess

from desk import PROGRAM

WANTED = """\
list_rooms [] []
get_quote [room, tier, hours] [room, tier, hours]
book_room [room, tier, hours, member] [room, tier, hours, member]
cancel_booking [id] [id]
"""

server = subprocess.Popen(
    [PROGRAM, "--catalog", "reservo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
)


def send(message):
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()


client = {"name": "cliente-del-curso", "version": "1.0"}
params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
initialized = json.loads(server.stdout.readline())
assert (initialized["id"], initialized["result"]["protocolVersion"]) == (1, "2025-06-18"), initialized
send({"jsonrpc": "2.0", "method": "notifications/initialized"})
send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
listed = json.loads(server.stdout.readline())
assert listed["id"] == 2, listed
server.stdin.close()
assert server.wait(timeout=5) == 0
assert (server.stdout.read(), server.stderr.read()) == ("", "")

tools = listed["result"]["tools"]
names = lambda it: "[" + ", ".join(it) + "]"
table = ""
for tool in tools:
    schema = tool["inputSchema"]
    table += f"{tool['name']} {names(schema['properties'])} {names(schema.get('required', []))}\n"
assert table == WANTED, table
length = len(json.dumps({"tools": tools}, ensure_ascii=False))
# The course prints 1652 beside a listing that gives 1628.
assert length == 1628, length
print(table, end="")
print(f"the definitions have {length} characters")
