import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";
import type { PackedModule } from "../../src/executable/native-modules.ts";
import { compressed } from "./compressed.ts";
import { packageFolder } from "./packages.ts";
import { root, type Target } from "./target.ts";

/** The file in which each library looks for its native half, and what stands in its place in the executable. */
const loaders: { name: string; file: string; code(load: string): string }[] = [
  {
    name: "better-sqlite3",
    file: "better-sqlite3/lib/binding.js",
    code: (load) => `let addon; exports.getBinding = () => (addon ??= ${load});`,
  },
  { name: "argon2", file: "@node-rs/argon2/index.js", code: (load) => loadedAtUse(["hash", "verify"], load) },
  {
    name: "bcrypt",
    file: "@node-rs/bcrypt/index.js",
    code: (load) => loadedAtUse(["verify"], `require("./api.cjs")(${load})`),
  },
];

/**
 * Exports that are loaded when one is asked for, and asked for again after a failure: the bundler runs a module once, and what threw would be
 * an empty module from then on, which says nothing of the reason and stays when the reason has gone.
 */
function loadedAtUse(names: string[], load: string): string {
  return `let loaded;
for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => (loaded ??= ${load})[name] });`;
}

const nativeModules = path.join(root, "src", "executable", "native-modules.ts");

/**
 * Nearly every command compares it with the file that was unpacked, and so touches it where it lies in the executable. The others are compressed:
 * few commands come to use them.
 */
const loadedOften = ["better-sqlite3"];

/** Puts the native modules into `native/` of the staging folder. */
export function packNativeModules(target: Target, stage: string): { packed: PackedModule[]; missing: string[] } {
  mkdirSync(path.join(stage, "native"), { recursive: true });
  const packed: PackedModule[] = [];
  const missing: string[] = [];
  for (const [name, file] of Object.entries(nativeFiles(target))) {
    if (file === undefined || !existsSync(file)) {
      missing.push(name);
      continue;
    }
    const content = readFileSync(file);
    const isPlain = loadedOften.includes(name);
    const packedFile = `native/${name}.node${isPlain ? "" : ".zst"}`;
    packed.push({ name, file: packedFile, digest: createHash("sha256").update(content).digest("hex") });
    writeFileSync(path.join(stage, packedFile), isPlain ? content : compressed(content));
  }
  return { packed, missing };
}

function nativeFiles({ sqlite, napi }: Target): Record<string, string | undefined> {
  const napiFile = (name: string): string | undefined => {
    const folder = packageFolder(`@node-rs/${name}-${napi}`);
    return folder && path.join(folder, `${name}.${napi}.node`);
  };
  return {
    "better-sqlite3": path.join(root, "node_modules", "better-sqlite3", "prebuilds", `${sqlite}.node`),
    argon2: napiFile("argon2"),
    bcrypt: napiFile("bcrypt"),
  };
}

/** Lets the libraries take their native half from the executable. */
export function nativeModulesPlugin(packed: PackedModule[]): Plugin {
  return {
    name: "native modules",
    load(id) {
      const loader = loaders.find(({ file }) => id.split(path.sep).join("/").endsWith(`/node_modules/${file}`));
      if (loader === undefined) return null;
      const found = packed.find(({ name }) => name === loader.name);
      if (found === undefined) return `throw new Error("this build has no native ${loader.name}");`;
      const load = `require(${JSON.stringify(nativeModules)}).loadNativeModule(${JSON.stringify(found)})`;
      return loader.code(load);
    },
  };
}
