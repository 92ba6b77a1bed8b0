// Bundles the browser code of the hosted pages: each `src/pages/client/<name>.ts` becomes `src/pages/built/<name>.js`, one script that
// imports nothing. `npm start`, `npm test` and `npm run check` run this when the source is newer.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "rolldown";

const pages = path.resolve(import.meta.dirname, "../src/pages");
const client = path.join(pages, "client");
const built = path.join(pages, "built");

const entries = readdirSync(client)
  .filter((name) => name.endsWith(".ts") && !name.startsWith("_"))
  .map((name) => path.basename(name, ".ts"));

mkdirSync(built, { recursive: true });
await Promise.all(entries.map(bundle));
removeLeftovers();

async function bundle(name: string): Promise<void> {
  await build({
    input: path.join(client, `${name}.ts`),
    platform: "browser",
    tsconfig: false,
    treeshake: { moduleSideEffects: (id) => !id.includes("@simplewebauthn") },
    transform: { target: "es2020" },
    output: {
      file: path.join(built, `${name}.js`),
      format: "iife",
      minify: { compress: { dropConsole: true }, mangle: true, codegen: true },
      comments: false,
    },
    logLevel: "warn",
  });
}

/** A script whose source is gone would still be served. */
function removeLeftovers(): void {
  for (const name of readdirSync(built)) {
    if (!entries.includes(path.basename(name, ".js"))) rmSync(path.join(built, name), { recursive: true });
  }
}
