import { Operations, type Query, type Schemas } from "./operations.js";

export type { Schemas };

/** How a client is made. */
export interface Options {
  /** Address of the service, without a path: `https://…`. */
  baseUrl: string;
  /** Key of an account; else the variable ARPENT_KEY. Only the index answers without one. */
  key?: string;
  /** Seconds that one request may take, its answer included; 30 unless given. */
  timeout?: number;
  /** Seconds that one call may spend waiting after it was refused (429, 503); 120 unless given, and 0 to fail at once. */
  maxWait?: number;
}

/** A call that failed. */
export class ArpentError extends Error {
  override readonly name = "ArpentError";
  constructor(
    /** What went wrong, for programs: a code of the API, or timeout, network_error, unexpected_answer. */
    readonly code: string,
    message: string,
    /** Status of the answer; null where there was none. */
    readonly status: number | null = null,
    /** Identifier of the request, to be quoted to the operator. */
    readonly requestId: string | null = null,
    /** Address of the page that explains the code. */
    readonly documentation: string | null = null,
    /** Seconds after which the same call may succeed, where the API gives them. */
    readonly retryAfter: number | null = null,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Seconds in which the API counts the requests of a minute. */
const window = 60;

const sleep = (seconds: number) => new Promise<void>((done) => setTimeout(done, seconds * 1000));

/** The requests that one limit of the minute lets through. */
class Pace {
  #left = 1; // that may be sent now; one, until its answer says more
  #busy = 0;
  #entered = 0;
  #resetAt = 0; // when a place becomes free again, in milliseconds of performance.now
  #answered: number[] = []; // when what still takes a place was answered, the oldest first
  #waiting: (() => void)[] = [];

  /** Waits for a place. What it returns takes in the answer, null where there is none; partial where the answer may be about a lower limit. */
  async enter(partial = false): Promise<(headers: Headers | null) => void> {
    while (this.#left <= 0) {
      if (this.#busy > 0) {
        await new Promise<void>((done) => this.#waiting.push(done));
      } else if (this.#resetAt > performance.now()) {
        await sleep((this.#resetAt - performance.now()) / 1000);
      } else {
        this.#left = 1;
        this.#answered.shift();
      }
    }
    const alone = this.#busy === 0;
    const number = ++this.#entered;
    this.#left--;
    this.#busy++;
    return (headers) => {
      this.#busy--;
      const said = /"(?:minute|address)";r=(\d+);t=(\d+)/.exec(headers?.get("RateLimit") ?? "");
      if (said) {
        // Answers to requests under way at a time come in any order, and each leaves out what was admitted after it.
        const left = Number(said[1]), now = performance.now(), resetAt = now + Math.min(Number(said[2]), window) * 1000;
        const refused = headers?.has("Retry-After");
        while ((this.#answered[0] ?? now) <= now - window * 1000) this.#answered.shift();
        if (!refused) this.#answered.push(now);
        const newest = alone && this.#entered === number;
        if (partial) {
          if (newest) this.#left = Math.max(this.#left, left);
          // When the next place becomes free it may not say; that of the oldest of our own is sure to.
          if (this.#resetAt <= now) this.#resetAt = refused ? resetAt : (this.#answered[0] ?? now) + window * 1000;
        } else {
          this.#left = newest ? left : Math.min(this.#left, left);
          this.#resetAt = resetAt;
        }
      }
      for (const done of this.#waiting.splice(0)) done();
    };
  }
}

/** A client of the API. Use one for all calls of an account: it keeps to the limit of the minute. */
export class Arpent extends Operations {
  readonly #base: string;
  readonly #key: string | undefined;
  readonly #timeout: number;
  readonly #maxWait: number;
  readonly #pace = new Pace();
  readonly #reportPace = new Pace(); // reports have a lower limit of their own in addition to that of all calls

  constructor({ baseUrl, key, timeout = 30, maxWait = 120 }: Options) {
    super();
    this.#base = new URL(baseUrl).href.replace(/\/+$/, "") + "/api/v1";
    const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env;
    this.#key = key || environment?.ARPENT_KEY;
    this.#timeout = timeout;
    this.#maxWait = maxWait;
  }

  /** The communes of a département or an intercommunal body, or those of some codes, the first of France or a région by a figure, or the commune that contains a point. */
  findCommunes(query: Query<"find_communes"> & { departement: string }): Promise<Schemas["CodeNameList"]>;
  findCommunes(query: Query<"find_communes"> & { epci: string }): Promise<Schemas["CodeNameList"]>;
  findCommunes(query: Query<"find_communes"> & { codes: string }): Promise<Schemas["CodeNameList"]>;
  findCommunes(query: Query<"find_communes"> & { sort: string; top: number; departement?: never; lat?: never; lon?: never }): Promise<Schemas["CodeNameList"]>;
  findCommunes(query: Query<"find_communes"> & { lat: number; lon: number }): Promise<Schemas["Commune"]>;
  findCommunes(query: Query<"find_communes">): Promise<Schemas["CodeNameList"] | Schemas["Commune"]> {
    return this.get("/communes", query);
  }

  protected override get<T>(path: string, given: Record<string, unknown>, report = false): Promise<T> {
    const query = { ...given };
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      delete query[name];
      return segment(String(given[name]));
    });
    const url = new URL(this.#base + filled);
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
      url.searchParams.set(name, String(value)); // a list with commas
    }
    return this.#get(url, report);
  }

  /** Calls until there is an answer, or a refusal that waiting does not help. */
  async #get<T>(url: URL, report: boolean): Promise<T> {
    let waited = 0;
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#request(url, report);
      if (!(answer instanceof ArpentError)) return answer as T;
      const wait = answer.retryAfter ?? 2 ** attempt;
      const refused = answer.code === "rate_limited" || answer.status === 503;
      if (!refused || waited + wait > this.#maxWait) throw answer;
      waited += wait;
      await sleep(wait);
    }
  }

  /** One request: the body of a good answer, or the error. */
  async #request(url: URL, report: boolean): Promise<unknown> {
    const leaveReports = report ? await this.#reportPace.enter() : null;
    const leave = await this.#pace.enter(report);
    let headers: Headers | null = null;
    try {
      const answer = await fetch(url, {
        headers: { Accept: "application/json", ...(this.#key && { "X-API-Key": this.#key }) },
        redirect: "error", // the key goes to no other address
        signal: AbortSignal.timeout(this.#timeout * 1000),
      });
      headers = answer.headers;
      const text = await answer.text();
      return answer.ok ? JSON.parse(text) : failure(answer, text);
    } catch (cause) {
      if (cause instanceof SyntaxError) return new ArpentError("unexpected_answer", `${url.host} sent no JSON.`, 200, null, null, null, cause);
      if (cause instanceof DOMException && cause.name === "TimeoutError") {
        return new ArpentError("timeout", `No answer from ${url.host} within ${this.#timeout} seconds.`, null, null, null, null, cause);
      }
      return new ArpentError("network_error", `No answer from ${url.host}: ${(cause as Error).message}`, null, null, null, null, cause);
    } finally {
      leave(headers);
      leaveReports?.(headers);
    }
  }
}

/** A code as a part of a path. An empty one would be the path of a list, and dots that of another operation. */
function segment(code: string): string {
  if (/^\.*$/.test(code)) throw new ArpentError("invalid_parameter", `The code is "${code}".`);
  return encodeURIComponent(code);
}

/** The error that an answer describes; what stands between, such as a proxy, may answer in another form. */
function failure({ status, headers }: Response, text: string): ArpentError {
  let error: Partial<Schemas["ErrorDetail"]> = {};
  try {
    error = (JSON.parse(text) as Schemas["Error"]).error ?? {};
  } catch {
    // not of the API
  }
  const retryAfter = Number(headers.get("Retry-After") ?? NaN);
  return new ArpentError(error.code ?? "unexpected_answer", error.message ?? `The answer has the status ${status}.`, status,
    headers.get("X-Request-Id"), error.documentation ?? null, Number.isFinite(retryAfter) ? retryAfter : null);
}
