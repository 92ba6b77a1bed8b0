// Bundles the browser code of the hosted pages: each `src/pages/client/<name>.ts` becomes `src/pages/built/<name>.js`, one script that
// imports nothing; Swagger UI, for /docs, is only compressed. `npm start`, `npm test` and `npm run check` run this when the source is newer.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "rolldown";

const pages = path.resolve(import.meta.dirname, "../src/pages");
const client = path.join(pages, "client");
const built = path.join(pages, "built");

const entries = readdirSync(client)
  .filter((name) => name.endsWith(".ts") && !name.startsWith("_"))
  .map((name) => path.basename(name, ".ts"));

const swagger = path.resolve(import.meta.dirname, "../node_modules/swagger-ui-dist");
const swaggerFiles = { "swagger-ui.js.gz": "swagger-ui-bundle.js", "swagger-ui.css.gz": "swagger-ui.css" };

mkdirSync(built, { recursive: true });
await Promise.all(entries.map(bundle));
for (const [name, source] of Object.entries(swaggerFiles)) compress(path.join(swagger, source), path.join(built, name));
removeLeftovers();

function compress(source: string, target: string): void {
  writeFileSync(
    target,
    gzipSync(readFileSync(source, "utf8").replace(/\n?\/[/*]# sourceMappingURL=\S+(?: \*\/)?\s*$/u, ""), { level: 9 }),
  );
}

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
    if (!entries.includes(path.basename(name, ".js")) && !(name in swaggerFiles))
      rmSync(path.join(built, name), { recursive: true });
  }
}
