import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";
import type { PackedModule } from "../../src/executable/native-modules.ts";
import { compressed } from "./compressed.ts";
import { packageFolder } from "./packages.ts";
import { stripElf } from "./strip-elf.ts";
import { expectOrdinaryLibraries } from "./system-libraries.ts";
import { isLinux, root, type Target } from "./target.ts";

/**
 * The file in which each library looks for its native half, and its replacement in the executable.
 */
const loaders: { name: string; file: string; code(load: string): string }[] = [
  {
    name: "better-sqlite3",
    file: "better-sqlite3/lib/binding.js",
    code: (load) => `let addon; exports.getBinding = () => (addon ??= ${load});`,
  },
  { name: "argon2", file: "@node-rs/argon2/index.js", code: (load) => loadedAtUse(["hash", "verify"], load) },
];

/**
 * Exports that are loaded on use, and again after a failure: a bundled module that threw once would
 * stay empty and hide the reason.
 */
function loadedAtUse(names: string[], load: string): string {
  return `let loaded;
for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => (loaded ??= ${load})[name] });`;
}

const nativeModules = path.join(root, "src", "executable", "native-modules.ts");

/**
 * Nearly every command compares it with the unpacked file, so it is not compressed; few commands
 * use the others.
 */
const loadedOften = ["better-sqlite3"];

/**
 * Puts the native modules into `native/` of the staging folder. Throws if the registry lacks one
 * for the target.
 */
export function packNativeModules(target: Target, stage: string): PackedModule[] {
  mkdirSync(path.join(stage, "native"), { recursive: true });
  const packed: PackedModule[] = [];
  for (const [name, file] of Object.entries(nativeFiles(target))) {
    if (file === undefined || !existsSync(file))
      throw new Error(`the registry does not offer the native ${name} for ${target.napi}: nothing was built`);
    const whole = readFileSync(file);
    if (isLinux(target)) expectOrdinaryLibraries(path.basename(file), whole);
    const content = isLinux(target) ? stripElf(whole) : whole;
    const isPlain = loadedOften.includes(name);
    const packedFile = `native/${name}.node${isPlain ? "" : ".zst"}`;
    packed.push({ name, file: packedFile, digest: createHash("sha256").update(content).digest("hex") });
    writeFileSync(path.join(stage, packedFile), isPlain ? content : compressed(content));
  }
  return packed;
}

function nativeFiles({ sqlite, napi }: Target): Record<string, string | undefined> {
  const napiFile = (name: string): string | undefined => {
    const folder = packageFolder(`@node-rs/${name}-${napi}`);
    return folder && path.join(folder, `${name}.${napi}.node`);
  };
  return {
    "better-sqlite3": path.join(root, "node_modules", "better-sqlite3", "prebuilds", `${sqlite}.node`),
    argon2: napiFile("argon2"),
  };
}

/** Makes the libraries load their native half from the executable. */
export function nativeModulesPlugin(packed: PackedModule[]): Plugin {
  return {
    name: "native modules",
    load(id) {
      const loader = loaders.find(({ file }) => id.split(path.sep).join("/").endsWith(`/node_modules/${file}`));
      if (loader === undefined) return null;
      const found = packed.find(({ name }) => name === loader.name);
      if (found === undefined) throw new Error(`${loader.name} was not packed`);
      const load = `require(${JSON.stringify(nativeModules)}).loadNativeModule(${JSON.stringify(found)})`;
      return loader.code(load);
    },
  };
}
