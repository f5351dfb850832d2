// The flow of flow.mjs with the client of the SDK's first version.
import { auth, extractWWWAuthenticateParams, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { run } from './flow.mjs';

await run({
  auth, extractWWWAuthenticateParams, UnauthorizedError, StreamableHTTPClientTransport,
  newClient: (info) => new Client(info),
  finish: (transport, back) => transport.finishAuth(back.get('code')),
  call: (client, name, args) => client.callTool({ name, arguments: args }),
  version: (transport) => transport.protocolVersion,
  expected: '2025-11-25',
});
