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
export declare class ArpentError extends Error {
    /** What went wrong, for programs: a code of the API, or timeout, network_error, unexpected_answer. */
    readonly code: string;
    /** Status of the answer; null where there was none. */
    readonly status: number | null;
    /** Identifier of the request, to be quoted to the operator. */
    readonly requestId: string | null;
    /** Address of the page that explains the code. */
    readonly documentation: string | null;
    /** Seconds after which the same call may succeed, where the API gives them. */
    readonly retryAfter: number | null;
    readonly name = "ArpentError";
    constructor(
    /** What went wrong, for programs: a code of the API, or timeout, network_error, unexpected_answer. */
    code: string, message: string, 
    /** Status of the answer; null where there was none. */
    status?: number | null, 
    /** Identifier of the request, to be quoted to the operator. */
    requestId?: string | null, 
    /** Address of the page that explains the code. */
    documentation?: string | null, 
    /** Seconds after which the same call may succeed, where the API gives them. */
    retryAfter?: number | null, cause?: unknown);
}
/** A client of the API. Use one for all calls of an account: it keeps to the limit of the minute. */
export declare class Arpent extends Operations {
    #private;
    constructor({ baseUrl, key, timeout, maxWait }: Options);
    /** The communes of a département or an intercommunal body, or those of some codes, the first of France or a région by a figure, or the commune that contains a point. */
    findCommunes(query: Query<"find_communes"> & {
        departement: string;
    }): Promise<Schemas["CodeNameList"]>;
    findCommunes(query: Query<"find_communes"> & {
        epci: string;
    }): Promise<Schemas["CodeNameList"]>;
    findCommunes(query: Query<"find_communes"> & {
        codes: string;
    }): Promise<Schemas["CodeNameList"]>;
    findCommunes(query: Query<"find_communes"> & {
        sort: string;
        top: number;
        departement?: never;
        lat?: never;
        lon?: never;
    }): Promise<Schemas["CodeNameList"]>;
    findCommunes(query: Query<"find_communes"> & {
        lat: number;
        lon: number;
    }): Promise<Schemas["Commune"]>;
    protected get<T>(path: string, given: Record<string, unknown>, report?: boolean): Promise<T>;
}
