// Checks packages/sdk: minified sizes, and that it imports nothing but its own files. What npm will
// publish is checked by test/long/sdk-package.test.ts.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

const folder = path.resolve(import.meta.dirname, "../packages/sdk");
/**
 * Bytes, minified. Adapters contain the client and the handler, which also asks for step-ups. The
 * verifier in all but `browser` also knows tokens for resources. Other bundlers need up to 2 %
 * more; `bundles.test.ts` holds the 15,360 that are promised for `index` (docs/spec/sdk.md, 2).
 */
const maxSizes: Record<string, number> = { index: 15_130, handler: 32_400, resource: 19_520, browser: 5_150 };
/** Frameworks that an adapter needs to be useful. */
const allowed = new Set(["next/headers", "next/navigation", "next/server"]);

const problems = [...imports(), ...(await sizes())];
if (problems.length > 0) console.error(problems.join("\n"));
process.exitCode = problems.length > 0 ? 1 : 0;

function imports(): string[] {
  return globSync("src/*.ts", { cwd: folder }).flatMap((file) => {
    const source = readFileSync(path.join(folder, file), "utf8");
    const names = [...source.matchAll(/(?:from|import\() ?"([^"]+)"/gu)].map(([, name = ""]) => name);
    const foreign = names.filter((name) => !/^\.\/[\w-]+\.ts$/u.test(name) && !allowed.has(name));
    return foreign.map((name) => `packages/sdk/${file} imports ${name}: the package has no dependencies`);
  });
}

async function sizes(): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(maxSizes).map(async ([name, max]) => {
      const bundle = await rolldown({ input: path.join(folder, `src/${name}.ts`), tsconfig: false });
      const { output } = await bundle.generate({ format: "esm", minify: true, comments: false });
      const size = Buffer.byteLength(output[0].code);
      console.log(`${name}: ${size} bytes`);
      return size > max ? [`packages/sdk/src/${name}.ts has ${size} bytes minified; ${max} are allowed`] : [];
    }),
  );
  return found.flat();
}
