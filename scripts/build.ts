// `npm run build [-- --target linux-arm64] [--out FILE]`: makes the executable dist/authsvc. For
// another platform, npm downloads its Node and native modules (docs/decisions/0005).
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "./build/bundle.ts";
import { packExecutable, strippedNode } from "./build/executable.ts";
import { nativeModulesPlugin, packNativeModules } from "./build/native.ts";
import { locked, packageFolder } from "./build/packages.ts";
import { runtimeFlags } from "./build/runtime-flags.ts";
import { root, targets, thisMachine } from "./build/target.ts";
import type { Lock, Platform } from "./supply-chain/lock.ts";
import { sbomOf } from "./supply-chain/sbom.ts";

const { values } = parseArgs({
  options: { target: { type: "string", default: thisMachine }, out: { type: "string" } },
});
const target = targets[values.target];
if (target === undefined) throw new Error(`--target: one of ${Object.keys(targets).join(", ")}`);
const isForeign = values.target !== thisMachine;
const extension = values.target.startsWith("win32-") ? ".exe" : "";
const out = path.resolve(
  values.out ?? path.join(root, "dist", `authsvc${isForeign ? `-${values.target}` : ""}${extension}`),
);

const { version } = locked(target.nodePackage);
// Only the same version of Node can read what Node writes into the executable.
if (process.versions.node !== version)
  throw new Error(`this is Node ${process.versions.node}; run it with: npm run build`);
const nodeFolder = packageFolder(target.nodePackage);
if (nodeFolder === undefined) throw new Error(`the registry does not offer ${target.nodePackage} ${version}`);

const build = path.join(root, "build");
mkdirSync(build, { recursive: true });
// With --out, several may build at once.
const folder = values.out === undefined ? build : mkdtempSync(path.join(build, "own-"));
if (folder !== build) process.once("exit", () => rmSync(folder, { recursive: true }));
const stage = path.join(folder, "stage");
const node = path.join(folder, "node", values.target);
rmSync(stage, { recursive: true, force: true });
strippedNode(path.join(nodeFolder, target.nodeFile), target, node);
const packed = packNativeModules(target, stage);
const start = path.join(folder, "start.js");
await bundle(stage, start, [nativeModulesPlugin(packed)]);
if (!isForeign) writeCodeCache(stage);
packExecutable({ stage, start, node, target, out });
writeFileSync(`${out}.cdx.json`, `${JSON.stringify(whatIsInIt(), null, 2)}\n`);
console.log(path.relative(process.cwd(), out));

function whatIsInIt(): object {
  const lock = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as Lock;
  return sbomOf({ lock, platform: values.target as Platform });
}

/**
 * Bytecode is specific to a platform; a cross-built executable lacks it and starts 60 ms slower. A
 * fixed hash seed, one compiler thread and one of the garbage collector make builds reproducible:
 * several threads leave other bytes in it on a busy machine.
 */
function writeCodeCache(folder: string): void {
  const reproducible = ["--hash-seed=1", "--no-flush-bytecode", "--no-concurrent-sparkplug", "--single-threaded-gc"];
  const script = path.join(root, "scripts", "build", "code-cache.ts");
  // Empty at each build, so that the bytecode always includes unpacking SQLite's module. Not beside
  // the sources, which in a container often belong to another user, who could replace it.
  const native = mkdtempSync(path.join(tmpdir(), "authsvc-build-"));
  const { status, stderr } = spawnSync(node, [...runtimeFlags, ...reproducible, script, folder], {
    // Always pipes: Node loads other modules for a file or terminal, and bytecode contains script
    // numbers.
    stdio: "pipe",
    encoding: "utf8",
    env: { AUTHSVC_NATIVE_DIR: native },
  });
  rmSync(native, { recursive: true });
  if (status !== 0) throw new Error(`the bytecode of the chunks could not be made:\n${stderr}`);
}
