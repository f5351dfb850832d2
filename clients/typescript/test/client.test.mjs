// The client against a running service, which app/tests/clients starts: ARPENT_TEST is a file that says where it is, with its keys and
// the calls to make.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import test from "node:test";
import { Arpent, ArpentError } from "arpent";

const given = JSON.parse(readFileSync(process.env.ARPENT_TEST, "utf8"));
const client = (key, more = {}) => new Arpent({ baseUrl: given.baseUrl, key, ...more });
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** The error that a call ends with. */
async function failure(call) {
  const error = await call.then(() => assert.fail("the call succeeded"), (cause) => cause);
  assert.ok(error instanceof ArpentError, String(error));
  return error;
}

/** A server that gives the answers in turn, and the last one again; null: none at all. */
async function answering(t, ...answers) {
  let requests = 0;
  const server = createServer((_, response) => {
    const answer = answers[Math.min(requests++, answers.length - 1)];
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body ?? "{}");
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  t.after(() => { server.close(); server.closeAllConnections(); });
  return { baseUrl: `http://127.0.0.1:${server.address().port}`, requests: () => requests };
}

test("every operation", async (t) => {
  const arpent = client(given.key);
  for (const { operation, path, query, body } of given.calls) {
    await t.test(operation, async () => {
      const args = [...Object.values(path), ...(Object.keys(query).length ? [query] : [])];
      assert.deepEqual(await arpent[camel(operation)](...args), body);
    });
  }
});

test("a report that took the last place says nothing of the next", async (t) => {
  const full = (reset) => ({ status: 200, headers: { RateLimit: `"minute";r=0;t=${reset}` } });
  const server = await answering(t, full(1), full(60), full(60));
  const arpent = new Arpent({ baseUrl: server.baseUrl });
  await arpent.listRegions();
  await arpent.getParcelEnrichments("930100000A0001"); // waits for the place that becomes free
  arpent.listRegions().catch(() => {}); // the server is gone by the time it is sent
  await new Promise((done) => setTimeout(done, 500));
  assert.equal(server.requests(), 2);
});

test("keeps to the limit of the minute, one after another and at a time", async (t) => {
  const real = globalThis.fetch;
  const statuses = [];
  t.after(() => { globalThis.fetch = real; });
  globalThis.fetch = async (...args) => {
    const answer = await real(...args);
    statuses.push(answer.status);
    return answer;
  };
  const arpent = client(given.minute.typescript);
  const report = async () => (await arpent.getParcelEnrichments("930100000A0001", { fields: ["radon"] })).idu;
  const region = async () => (await arpent.getRegion("11")).name;
  const answers = [await region(), await report(), await region()];
  answers.push(...await Promise.all(Array.from({ length: given.perMinute }, (_, n) => (n % 5 ? region() : report()))));
  assert.equal(answers.filter((answer) => answer === "Île-de-France").length, given.perMinute);
  assert.equal(answers.filter((answer) => answer === "930100000A0001").length, 3);
  assert.deepEqual(statuses, answers.map(() => 200), "no request was refused");

  // A client that knows nothing of what was used is refused, and reports it at once where waiting would take
  // too long.
  const error = await failure((async () => {
    for (let n = 0; n <= given.perMinute; n++) await client(given.minute.typescript, { maxWait: 1 }).listRegions();
  })());
  assert.deepEqual([error.code, error.status], ["rate_limited", 429]);
  assert.ok(error.retryAfter > 1, String(error.retryAfter));
});

test("a used quota is an error at once", async () => {
  const error = await failure(client(given.spent, { maxWait: 1e6 }).listRegions());
  assert.deepEqual([error.code, error.status], ["quota_exceeded", 429]);
  assert.match(error.message, /requests are used up/);
});

test("errors say all that the API says", async () => {
  const wrong = await failure(client("wrong").listRegions());
  assert.deepEqual([wrong.code, wrong.status, wrong.name], ["invalid_api_key", 401, "ArpentError"]);
  assert.match(wrong.documentation, /\/docs\/errors#invalid_api_key$/);
  assert.ok(wrong.requestId && wrong.message);
  const missing = await failure(client(given.key).getCommune("93999"));
  assert.deepEqual([missing.code, missing.status], ["not_found", 404]);
  const invalid = await failure(client(given.key).getCommune("93010", { include: ["nothing"] }));
  assert.deepEqual([invalid.code, invalid.status], ["invalid_parameter", 400]);
});

test("a code is a part of the path and no more", async () => {
  for (const code of ["", ".", ".."]) assert.equal((await failure((async () => client(given.key).getRegion(code))())).code, "invalid_parameter");
  const error = await failure(client(given.key).getRegion("11/../11?include=geometry"));
  assert.ok([400, 404].includes(error.status), String(error.status));
});

test("the key comes from the environment", async (t) => {
  process.env.ARPENT_KEY = given.key;
  t.after(() => { delete process.env.ARPENT_KEY; });
  assert.ok((await client(undefined).listRegions()).count > 0);
});

test("what was refused for a while is asked for again", async (t) => {
  const busy = { status: 503, headers: { "Retry-After": "1" } };
  const server = await answering(t, busy, { status: 200, body: '{"count": 18}' });
  assert.deepEqual(await new Arpent({ baseUrl: server.baseUrl }).listRegions(), { count: 18 });
  assert.equal(server.requests(), 2);

  const never = await answering(t, busy);
  const error = await failure(new Arpent({ baseUrl: never.baseUrl, maxWait: 2 }).listRegions());
  assert.deepEqual([error.status, error.code, never.requests()], [503, "unexpected_answer", 3]);
});

test("other refusals are not", async (t) => {
  for (const status of [400, 401, 403, 404, 500, 502]) {
    const server = await answering(t, { status, headers: { "Retry-After": "1" }, body: "<html>" });
    const error = await failure(new Arpent({ baseUrl: server.baseUrl }).listRegions());
    assert.deepEqual([error.status, error.code, server.requests()], [status, "unexpected_answer", 1]);
  }
});

test("the key goes to no other address", async (t) => {
  const other = await answering(t, { status: 200 });
  const server = await answering(t, { status: 302, headers: { Location: other.baseUrl } });
  await failure(new Arpent({ baseUrl: server.baseUrl, key: "secret" }).listRegions());
  assert.equal(other.requests(), 0);
});

test("a server that does not answer, is gone, or sends something else", async (t) => {
  const silent = await answering(t, null);
  const late = await failure(new Arpent({ baseUrl: silent.baseUrl, timeout: 0.2 }).listRegions());
  assert.deepEqual([late.code, late.status], ["timeout", null]);
  const gone = await failure(new Arpent({ baseUrl: "http://127.0.0.1:1" }).listRegions());
  assert.deepEqual([gone.code, gone.status], ["network_error", null]);
  const other = await answering(t, { status: 200, body: "<html>" });
  assert.equal((await failure(new Arpent({ baseUrl: other.baseUrl }).listRegions())).code, "unexpected_answer");
});
