/**
 * Bundles the browser code: each `NAME.ts` of `src/pages/client/` and, for development mode,
 * `src/dev/client/` becomes `src/pages/built/NAME.js`, one script without imports. `npm start`,
 * `npm test` and `npm run check` run it when necessary.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "rolldown";

const sources = path.resolve(import.meta.dirname, "../src");
const built = path.join(sources, "pages/built");

const entries = ["pages/client", "dev/client"]
  .flatMap((folder) => readdirSync(path.join(sources, folder)).map((name) => path.join(sources, folder, name)))
  .filter((file) => file.endsWith(".ts"));

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

async function bundle(entry: string): Promise<void> {
  await build({
    input: entry,
    platform: "browser",
    tsconfig: false,
    plugins: [shortErrors()],
    treeshake: { moduleSideEffects: (id) => !id.includes("@simplewebauthn") },
    transform: { target: "es2020" },
    output: {
      file: path.join(built, `${nameOf(entry)}.js`),
      format: "iife",
      minify: { compress: { dropConsole: true }, mangle: true, codegen: true },
      comments: false,
    },
    logLevel: "warn",
  });
}

function nameOf(file: string): string {
  return path.parse(file).name;
}

/** Scripts without a source would still be served. */
function removeLeftovers(): void {
  const names = new Set(entries.map(nameOf));
  for (const name of readdirSync(built)) {
    if (!names.has(nameOf(name))) rmSync(path.join(built, name), { recursive: true });
  }
}
