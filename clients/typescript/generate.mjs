// Writes what is made from other files: the methods of the client (src/operations.ts) and the types of the API (dist) from its OpenAPI
// document, and the client as browsers and Node read it (dist). Run from anywhere: node clients/typescript/generate.mjs [folder for all]
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const here = fileURLToPath(new URL(".", import.meta.url));
const to = resolve(process.argv[2] ?? here + "dist");
const source = resolve(process.argv[2] ?? here + "src");
const document = JSON.parse(readFileSync(here + "../../app/tests/contract/testdata/openapi.json", "utf8"));

// A program handles a good answer; errors have one form. Headers and examples are for the pages of the reference.
for (const { get } of Object.values(document.paths)) {
  const { headers, ...good } = get.responses[200];
  for (const media of Object.values(good.content)) delete media.examples;
  get.responses = { 200: good };
}

/** A text in lines of 120 characters. */
const wrap = (text) => text.match(/.{1,120}(?:\s|$)/g).map((line) => line.trimEnd());

/** The method of an operation. One with several results is written by hand: which parameters lead to which, the document cannot say. */
function method(path, { operationId, summary, description, parameters = [], responses, ...get }) {
  const schema = responses[200].content["application/json"].schema.$ref?.replace(/.*\//, "");
  if (!schema) return "";
  const codes = parameters.filter((p) => p.in === "path");
  const query = parameters.filter((p) => p.in === "query");
  const takes = codes.map((p) => p.name + ": string");
  if (query.length) takes.push(`query: Query<"${operationId}">` + (query.some((p) => p.required) ? "" : " = {}"));
  const given = [...(query.length ? ["...query"] : []), ...codes.map((p) => p.name)].join(", ");
  const about = [summary + ".", "", ...wrap(description), ...codes.flatMap((p) => wrap(`@param ${p.name} ${p.description}`))];
  const args = [`"${path.replace("/api/v1", "")}"`, given ? `{ ${given} }` : "{}"];
  if (get["x-rate-limit-class"] === "enrichments") args.push("true");
  return `
  /**
${about.map((line) => `   * ${line}`.trimEnd()).join("\n")}
   */
  ${operationId.replace(/_(.)/g, (_, letter) => letter.toUpperCase())}(${takes.join(", ")}): Promise<Schemas["${schema}"]> {
    return this.get(${args.join(", ")});
  }
`;
}

const types = astToString(await openapiTS(document, { emptyObjectsUnknown: true }));
mkdirSync(to, { recursive: true });
writeFileSync(to + "/schema.d.ts", "// Made by generate.mjs from the OpenAPI document of the API.\n" + types);
writeFileSync(source + "/operations.ts", `// Made by generate.mjs from the OpenAPI document of the API.
import type { components, operations } from "./schema.js";

/** The types of the answers, by their names in the OpenAPI document. */
export type Schemas = components["schemas"];

export type Query<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>;

/** The operations, a method for each. */
export abstract class Operations {
  /** Calls a path with what is given for its codes and the query; report: under the lower limit of reports too. */
  protected abstract get<T>(path: string, given: Record<string, unknown>, report?: boolean): Promise<T>;
${Object.entries(document.paths).map(([path, { get }]) => method(path, get)).join("")}}
`);
const tsc = fileURLToPath(new URL("../bin/tsc", import.meta.resolve("typescript")));
execFileSync(process.execPath, [tsc, "-p", here, "--outDir", to], { stdio: "inherit" });
