// Writes what is made from other files into dist: the types of the API from its OpenAPI document, and the client as browsers and
// Node read it. Run from anywhere: node clients/typescript/generate.mjs [folder to write to]
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const here = fileURLToPath(new URL(".", import.meta.url));
const to = resolve(process.argv[2] ?? here + "dist");
const document = JSON.parse(readFileSync(here + "../../app/tests/contract/testdata/openapi.json", "utf8"));

// A program handles a good answer; errors have one form. Headers and examples are for the pages of the reference.
for (const { get } of Object.values(document.paths)) {
  const { headers, ...good } = get.responses[200];
  for (const media of Object.values(good.content)) delete media.examples;
  get.responses = { 200: good };
}

const types = astToString(await openapiTS(document, { emptyObjectsUnknown: true }));
mkdirSync(to, { recursive: true });
writeFileSync(to + "/schema.d.ts", "// Made by generate.mjs from the OpenAPI document of the API.\n" + types);
const tsc = fileURLToPath(new URL("../bin/tsc", import.meta.resolve("typescript")));
execFileSync(process.execPath, [tsc, "-p", here, "--outDir", to], { stdio: "inherit" });
