// What a person's assistant does from the first refusal to the end of its connection, with an SDK's own client. Each step
// writes a line of JSON, {"step", "error"}: a step that fails ends the flow.
//   node sdk1.mjs <address of /mcp> <approver> <calls.json>
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { argv, exit, stdout } from 'node:process';

// Store is what a client keeps of its connection: everything an SDK may ask for.
class Store {
  constructor(name) {
    this.clientMetadata = {
      client_name: name, redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'], token_endpoint_auth_method: 'none',
    };
  }
  get redirectUrl() { return 'http://127.0.0.1:33418/callback'; }
  state() { return (this.sent = 'état & "state"/+=' + Math.random()); }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  redirectToAuthorization(address) { this.authorization = address; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  saveDiscoveryState(state) { this.discovery = state; }
  discoveryState() { return this.discovery; }
  invalidateCredentials(scope) {
    if (scope === 'all' || scope === 'client') this.client = undefined;
    if (scope === 'all' || scope === 'tokens') this.kept = undefined;
  }
}

// Recorder keeps the answers that the steps look at.
function recorder() {
  const seen = [];
  const record = async (input, init) => {
    const response = await fetch(input, init);
    seen.push({ address: String(input.url ?? input), method: init?.method ?? 'GET', response });
    return response;
  };
  record.last = (part) => seen.findLast((s) => s.address.includes(part))?.response;
  record.count = (part) => seen.filter((s) => s.address.includes(part)).length;
  return record;
}

class Flow {
  constructor(sdk, server, approver, calls) {
    Object.assign(this, { sdk, server: new URL(server), approver, calls });
    this.fetch = recorder();
    this.store = new Store('Judge');
  }

  connection() {
    const transport = new this.sdk.StreamableHTTPClientTransport(this.server, { authProvider: this.store, fetch: this.fetch });
    return { transport, client: this.sdk.newClient({ name: 'judge', version: '1.0.0' }) };
  }

  async refused() {
    this.first = this.connection();
    await assert.rejects(this.first.client.connect(this.first.transport), this.sdk.UnauthorizedError);
    const answer = this.fetch.last(this.server.pathname);
    const named = this.sdk.extractWWWAuthenticateParams(this.fetch.last('/mcp'));
    assert.ok(answer, 'nothing was asked');
    assert.ok(named, 'WWW-Authenticate names nothing');
  }

  discovered() {
    const { authorizationServerUrl, resourceMetadata, authorizationServerMetadata: server } = this.store.discovery;
    assert.equal(this.fetch.last('/.well-known/oauth-protected-resource/mcp')?.status, 200);
    assert.equal(resourceMetadata.resource, this.server.href);
    assert.equal(server.issuer, String(authorizationServerUrl));
    assert.equal(server.issuer, this.server.origin);
    assert.equal(server.authorization_response_iss_parameter_supported, true);
    assert.ok(server.revocation_endpoint);
  }

  registered() {
    assert.equal(this.fetch.last('/oauth/register').status, 201);
    assert.ok(this.store.client.client_id);
    assert.deepEqual(this.store.client.redirect_uris, [this.store.redirectUrl]);
  }

  async authorized() {
    const asked = this.store.authorization.searchParams;
    assert.equal(asked.get('resource'), this.server.href);
    assert.equal(asked.get('scope'), 'mcp');
    const answer = await fetch(this.approver, { method: 'POST', body: this.store.authorization.href });
    const location = await answer.text();
    assert.ok(answer.ok, location);
    assert.ok(location.startsWith(this.store.redirectUrl + '?'), location);
    this.back = new URL(location).searchParams;
    assert.equal(this.back.get('state'), this.store.sent);
    assert.equal(this.back.get('iss'), this.server.origin);
  }

  async exchanged() {
    await this.sdk.finish(this.first.transport, this.back);
    assert.equal(this.fetch.last('/oauth/token').headers.get('cache-control'), 'no-store');
    const { access_token, refresh_token, token_type, expires_in } = this.store.kept;
    assert.ok(access_token && refresh_token && expires_in > 0);
    assert.equal(token_type.toLowerCase(), 'bearer');
  }

  async connected() {
    this.open = this.connection();
    await this.open.client.connect(this.open.transport);
    assert.equal(this.sdk.version(this.open.transport, this.open.client), this.sdk.expected);
  }

  async listed() {
    const { tools } = await this.open.client.listTools();
    assert.deepEqual(tools.map((t) => t.name).sort(), Object.keys(this.calls).sort());
  }

  // The SDK checks what comes back against the schema that the list gave.
  async called(name) {
    const result = await this.sdk.call(this.open.client, name, this.calls[name]);
    assert.ok(!result.isError, result.content?.[0]?.text);
    assert.ok(result.structuredContent);
  }

  async mistaken() {
    const result = await this.sdk.call(this.open.client, 'get_commune', { code: 'nowhere' });
    assert.equal(result.isError, true);
    assert.equal(result.structuredContent, undefined);
    assert.match(result.content[0].text, /\S/);
  }

  // An access token that the server no longer takes: the client refreshes by itself, and the call goes through.
  async refreshed() {
    const before = this.store.kept;
    this.store.kept = { ...before, access_token: 'worn-out' };
    await this.called('list_regions');
    assert.notEqual(this.store.kept.access_token, before.access_token);
    assert.notEqual(this.store.kept.refresh_token, before.refresh_token);
    assert.equal(this.fetch.count('/oauth/register'), 1);
  }

  async revoked() {
    const { revocation_endpoint } = this.store.discovery.authorizationServerMetadata;
    const body = new URLSearchParams({
      token: this.store.kept.refresh_token, token_type_hint: 'refresh_token', client_id: this.store.client.client_id,
    });
    assert.equal((await fetch(revocation_endpoint, { method: 'POST', body })).status, 200);
  }

  // The client is sent to the authorization again, with the registration that it has. Other tests judge how soon.
  async disconnected() {
    this.store.authorization = undefined;
    const deadline = Date.now() + 5000;
    await assert.rejects(async () => {
      while (Date.now() < deadline) await this.called('list_regions');
    }, this.sdk.UnauthorizedError);
    assert.ok(this.store.authorization, 'the client was not sent to the authorization');
    assert.equal(this.fetch.count('/oauth/register'), 1);
  }

  steps() {
    return [
      ['401 before any token', () => this.refused()], ['discovery', () => this.discovered()],
      ['registration', () => this.registered()], ['sign-in and consent', () => this.authorized()],
      ['token', () => this.exchanged()], [`connect, ${this.sdk.expected}`, () => this.connected()],
      ['tools/list', () => this.listed()],
      ...Object.keys(this.calls).map((name) => [`tools/call ${name}`, () => this.called(name)]),
      ['tools/call refused', () => this.mistaken()], ['refresh', () => this.refreshed()],
      ['revoke', () => this.revoked()], ['401 after revocation', () => this.disconnected()],
    ];
  }
}

export async function run(sdk) {
  const [server, approver, calls] = argv.slice(2);
  const flow = new Flow(sdk, server, approver, JSON.parse(readFileSync(calls)));
  for (const [step, act] of flow.steps()) {
    try {
      await act();
      stdout.write(JSON.stringify({ step }) + '\n');
    } catch (error) {
      stdout.write(JSON.stringify({ step, error: String(error?.stack ?? error) }) + '\n');
      exit(1);
    }
  }
  exit(0);
}
