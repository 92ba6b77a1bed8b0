// `npm run sbom`: the CycloneDX list of what is in the executable, on standard output, or with `--out` in a file. `--platform linux-arm64`: of another one.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { runtimes, type Lock, type Platform } from "./supply-chain/lock.ts";
import { sbomOf } from "./supply-chain/sbom.ts";

const { values } = parseArgs({ options: { platform: { type: "string" }, out: { type: "string" } } });
const platform = values.platform ?? `${process.platform}-${process.arch}`;
if (!(platform in runtimes)) throw new Error(`--platform: one of ${Object.keys(runtimes).join(", ")}`);
const lock = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../package-lock.json"), "utf8")) as Lock;
const text = `${JSON.stringify(sbomOf({ lock, platform: platform as Platform }), null, 2)}\n`;
if (values.out === undefined) process.stdout.write(text);
else writeFileSync(values.out, text);
