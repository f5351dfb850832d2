// mcp-remote as an application runs it that speaks to servers over pipes only: the first start opens a browser, the
// second finds what it kept. Each step writes a line of JSON, {"step", "error"}.
//   node remote.mjs <address of /mcp> <port of the callback> <calls.json>
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { argv, env, execPath, exit, stdout } from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [server, port, callsPath] = argv.slice(2);
const calls = JSON.parse(readFileSync(callsPath));

async function start(change, ...more) {
  const transport = new StdioClientTransport({
    command: execPath, args: ['node_modules/mcp-remote/dist/proxy.js', server, port, '--auth-timeout', '20', ...more],
    env: { ...env, ...change }, stderr: 'pipe',
  });
  const log = [];
  transport.stderr.on('data', (text) => log.push(text));
  const client = new Client({ name: 'judge', version: '1.0.0' });
  try {
    await client.connect(transport);
  } catch (error) {
    throw new Error(`${error}\n${log.join('').slice(-3000)}`);
  }
  return client;
}

async function use(client, names) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((t) => t.name).sort(), Object.keys(calls).sort());
  for (const name of names) {
    const result = await client.callTool({ name, arguments: calls[name] });
    assert.ok(!result.isError, result.content?.[0]?.text);
  }
  await client.close();
}

let client;
const blind = { BROWSER: '/bin/false', PATH: '/bin/nowhere' }; // no browser can be opened
for (const [step, act] of [
  ['sign-in in the browser', async () => { client = await start({}); }],
  ['tools/list and every tool', () => use(client, Object.keys(calls))],
  ['another start, without a browser', async () => use(await start(blind), ['get_commune'])],
  ['another start, 2026-07-28', async () => use(await start(blind, '--protocol', 'auto'), ['get_commune'])],
]) {
  try {
    await act();
    stdout.write(JSON.stringify({ step }) + '\n');
  } catch (error) {
    stdout.write(JSON.stringify({ step, error: String(error?.stack ?? error) }) + '\n');
    exit(1);
  }
}
exit(0);
