// Node as the judge of `add` and `echo`:
//   node javascript.mjs VECTORS COMMAND [ARGS...]
// `add` is String(a + b) of 100,000 pairs: random bits, random decimals, random integers. `echo` is JSON.stringify of
// the strings in VECTORS (blns/blns.json, strings/stringify.tsv), but that U+0085, U+2028 and U+2029 are escaped; each goes
// in raw and all escaped. One process serves it all. SEED repeats a run.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { spawn } from 'node:child_process';

const [vectors, ...command] = process.argv.slice(2);
const seed = Number(process.env.SEED ?? Date.now() % 0x1_0000_0000) >>> 0;

// mulberry32: enough to spread over the bits, and the same on every machine.
let state = seed;
function random32() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return (t ^ (t >>> 14)) >>> 0;
}
const below = (n) => random32() % n;
const digits = (count) => Array.from({ length: count }, () => below(10)).join('');

const view = new DataView(new ArrayBuffer(8));
function bits() {
  view.setUint32(0, random32());
  view.setUint32(4, random32());
  const value = view.getFloat64(0);
  return Number.isFinite(value) ? value : 0;
}
const sign = () => (below(2) ? '-' : '');
const integer = () => sign() + String(BigInt('1' + digits(below(25))) - BigInt(below(2)));
const decimal = () => `${integer()}.${digits(1 + below(20))}`;
const kinds = [
  () => [String(bits()), String(bits())],
  () => { const a = bits(); return [String(a), String(-a * (1 + below(3) * Number.EPSILON))]; },
  () => { const a = bits(); return [a.toExponential(20), '-0']; },
  () => [decimal(), decimal()],
  () => [`${decimal()}e${below(801) - 400}`, `${integer()}E+${below(30)}`],
  () => [integer(), integer()],
  () => [String(below(2 ** 31)), String(-below(2 ** 31))],
  () => [`${sign()}${below(1000)}.${digits(2)}`, `${sign()}${below(1000)}.${digits(2)}`],
];

const calls = [];
for (let at = 0; at < 100_000; at++) {
  // `Number::toString` writes no leading `.` and JSON takes no `Infinity`, so what it writes of a finite number is JSON.
  const [a, b] = kinds[at % kinds.length]().map((text) => (Number.isFinite(Number(text)) ? text : '1e999'));
  calls.push({ name: 'add', text: `{"a":${a},"b":${b}}`, expected: JSON.stringify(String(JSON.parse(a) + JSON.parse(b))) });
}
const escaped = (json) => json.replace(/[\u0085\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const ascii = (text) => `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
const strings = JSON.parse(fs.readFileSync(path.join(vectors, 'blns/blns.json'), 'utf8')).map((text) => [text, JSON.stringify(text)]);
for (const line of fs.readFileSync(path.join(vectors, 'strings/stringify.tsv'), 'utf8').split('\n').filter(Boolean)) {
  const tab = line.indexOf('\t');
  strings.push([Buffer.from(line.slice(0, tab), 'hex').toString('utf8'), line.slice(tab + 1)]);
}
for (const [text, json] of strings) {
  for (const spelled of [json, ascii(text)]) calls.push({ name: 'echo', text: `{"text":${spelled}}`, expected: escaped(json) });
}

const server = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
const failures = [];
let answered = 0;
const lines = readline.createInterface({ input: server.stdout });
lines.on('line', (line) => {
  const call = calls[answered];
  const expected = `{"jsonrpc":"2.0","id":${answered},"result":{"content":[{"type":"text","text":${call?.expected}}],"isError":false}}`;
  if (line !== expected) failures.push(`${call?.text}\n  got      ${line}\n  expected ${expected}`);
  answered++;
});
const closed = new Promise((resolve) => lines.on('close', resolve));
const ended = new Promise((resolve) => server.on('exit', (code, signal) => resolve(signal ?? code)));
for (let at = 0; at < calls.length; at++) {
  const call = calls[at];
  const line = `{"jsonrpc":"2.0","id":${at},"method":"tools/call","params":{"name":"${call.name}","arguments":${call.text}}}\n`;
  if (!server.stdin.write(line)) await new Promise((resolve) => server.stdin.once('drain', resolve));
}
server.stdin.end();
const status = await ended;
await closed;
const adds = calls.filter((call) => call.name === 'add').length;
console.log(`seed ${seed}: add ${adds} pairs, echo ${calls.length - adds} calls of ${strings.length} strings; ${answered} answers, ${failures.length} differ, exit ${status}`);
for (const failure of failures.slice(0, 5)) console.log(failure);
process.exit(failures.length === 0 && answered === calls.length && status === 0 ? 0 : 1);
