// `npm run sbom`: prints the CycloneDX list of the executable's contents, or writes it to a file
// with `--out`. `--platform linux-arm64`: for another platform.
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
