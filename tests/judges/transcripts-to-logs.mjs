// Writes each transcript as a log of recorded traffic, which conformance/schema/validate.py judges:
//   node transcripts-to-logs.mjs LOGS
// `cargo test` holds that the program writes just these bytes, so it need not run again. The validator wants to know the
// version from a handshake, so each log begins with one (requests without are served as 2025-11-25); and it knows
// requests by their id alone, so a line that cannot be read is recorded as a request of the id that its answer has.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const logs = process.argv[2];
const folder = fileURLToPath(new URL('../transcripts', import.meta.url));
fs.mkdirSync(logs, { recursive: true });

/** The bytes of a line in which `\xNN` stands for one. */
function bytes(text) {
  const latin1 = Buffer.from(text).toString('latin1');
  return Buffer.from(latin1.replace(/\\x(..)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))), 'latin1');
}

/** The messages of a transcript: `{dir, text}`, the text of a line that goes in without what may stand around it. */
function messages(transcript) {
  const found = [];
  let pending = '';
  const input = (text) => found.push({ dir: 'in', text: bytes(text).toString().replace(/^[\uFEFF\t\r ]+|[\t\r ]+$/g, '') });
  for (const line of transcript.split('\n')) {
    if (line.startsWith('> ')) input(line.slice(2));
    if (line.startsWith('>> ')) {
      const pieces = (pending + line.slice(3)).split('\\x0A');
      pending = pieces.pop();
      pieces.forEach(input);
    }
    if (line === '^D' && pending) input(pending);
    if (line.startsWith('< ')) found.push({ dir: 'out', text: line.slice(2) });
  }
  return found.filter(({ text }) => text !== '');
}

function isJson(text) {
  try { return JSON.parse(text), true; } catch { return false; }
}

for (const name of fs.readdirSync(folder).filter((name) => name.endsWith('.txt'))) {
  const found = messages(fs.readFileSync(path.join(folder, name), 'utf8'));
  const lines = [
    '"in","msg":{"jsonrpc":"2.0","id":"handshake","method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
    '"out","msg":{"jsonrpc":"2.0","id":"handshake","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"","version":""}}}',
  ];
  found.forEach(({ dir, text }, at) => {
    const answer = found[at + 1]?.dir === 'out' ? found[at + 1].text : '';
    const [, id, code] = /^\{"jsonrpc":"2.0","id":(null|".*?"|[^"{]*?),"error":\{"code":(-\d+),/.exec(answer) ?? [];
    if (dir === 'in' && id === 'null') lines.push(`"in","bad":${JSON.stringify(text)}`);
    else if (dir === 'in' && ['-32700', '-32600'].includes(code)) lines.push(`"in","msg":{"jsonrpc":"2.0","id":${id},"method":"unreadable"}`);
    else if (isJson(text)) lines.push(`"${dir}","msg":${text.replaceAll('\r', ' ')}`);
    else lines.push(`"${dir}","bad":${JSON.stringify(text)}`);
  });
  fs.writeFileSync(path.join(logs, name.replace('.txt', '.jsonl')), lines.map((line) => `{"child":"${name}","dir":${line}}\n`).join(''));
}
