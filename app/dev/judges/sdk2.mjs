// The flow of flow.mjs with the client of the SDK's second version: sdk2.mjs legacy|modern …
import { auth, Client, extractWWWAuthenticateParams, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { run } from './flow.mjs';

const [era] = process.argv.splice(2, 1);
const expected = { legacy: '2025-11-25', modern: '2026-07-28' }[era];
if (!expected) throw new Error(`sdk2.mjs: the era is ${era}; expected legacy or modern`);

await run({
  auth, extractWWWAuthenticateParams, UnauthorizedError, StreamableHTTPClientTransport,
  newClient: (info) => new Client(info, { versionNegotiation: { mode: era === 'modern' ? { pin: expected } : 'legacy' } }),
  finish: (transport, back) => transport.finishAuth(back),
  call: (client, name, args) => client.callTool({ name, arguments: args }),
  version: (transport, client) => client.getNegotiatedProtocolVersion(),
  expected,
});
