// Bundles the browser code: each `src/pages/client/<name>.ts` becomes `src/pages/built/<name>.js`,
// one script without imports. `npm start`, `npm test` and `npm run check` run it when necessary.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "rolldown";

const pages = path.resolve(import.meta.dirname, "../src/pages");
const client = path.join(pages, "client");
const built = path.join(pages, "built");

const entries = readdirSync(client)
  .filter((name) => name.endsWith(".ts") && !name.startsWith("_"))
  .map((name) => path.basename(name, ".ts"));

mkdirSync(built, { recursive: true });
await Promise.all(entries.map(bundle));
removeLeftovers();

/**
 * Removes the library's English error messages, a quarter of the script. The pages have their own
 * messages and use only the error's name, which comes from the browser.
 */
function shortErrors(): Plugin {
  return {
    name: "short-errors",
    load(id) {
      const name = /@simplewebauthn\/browser\/.*\/(identify\w+Error)\.js$/u.exec(id)?.[1];
      return name === undefined ? null : `export const ${name} = ({ error }) => error;`;
    },
  };
}

async function bundle(name: string): Promise<void> {
  await build({
    input: path.join(client, `${name}.ts`),
    platform: "browser",
    tsconfig: false,
    plugins: [shortErrors()],
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

/** Scripts without a source would still be served. */
function removeLeftovers(): void {
  for (const name of readdirSync(built)) {
    if (!entries.includes(path.basename(name, ".js"))) rmSync(path.join(built, name), { recursive: true });
  }
}
