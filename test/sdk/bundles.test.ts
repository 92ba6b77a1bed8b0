import { basename, join } from "node:path";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { root } from "../docs/pages.ts";

/** What an application bundles that imports this name from this file: its size, and whose code. */
async function bundleOf(name: string, file: string): Promise<{ bytes: number; files: string[] }> {
  const from = JSON.stringify(join(root, "packages/sdk/src", file));
  const entry = `import { ${name} } from ${from}; globalThis.used = ${name};`;
  const bundle = await rolldown({
    input: "entry",
    external: /^next\//u,
    plugins: [
      { name: "entry", resolveId: (id) => (id === "entry" ? id : null), load: (id) => (id === "entry" ? entry : null) },
    ],
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const modules = Object.entries(output[0].modules).filter(([, { renderedLength }]) => renderedLength > 0);
  const files = modules.map(([id]) => basename(id)).filter((id) => id.endsWith(".ts"));
  return { bytes: Buffer.byteLength(output[0].code), files: files.toSorted() };
}

test.each([
  ["createAuthsvc", "index.ts", 15],
  ["createBrowserAuth", "browser.ts", 5],
])("%s alone has at most as many kilobytes as is promised", async (name, file, kilobytes) => {
  expect((await bundleOf(name, file)).bytes).toBeLessThanOrEqual(kilobytes * 1024);
});

const client = ["authsvc.ts", "app-calls.ts", "webhook-signature.ts"];
const sessions = ["cookies.ts", "handler.ts", "seal.ts", "sessions.ts", "sign-ins.ts", "start-limit.ts"];
const resources = ["dpop.ts", "resource.ts"];

test.each([
  ["createAuthsvc", "index.ts", [...sessions, ...resources]],
  ["AuthsvcError", "index.ts", [...client, ...sessions, ...resources]],
  ["createProofs", "dpop.ts", [...client, ...sessions, "resource.ts", "verify.ts"]],
  ["createHandler", "handler.ts", resources],
  ["protectResource", "resource.ts", [...client, ...sessions]],
  ...["node", "express", "fastify", "hono"].flatMap((adapter): [string, string, string[]][] => [
    ["createAuth", `${adapter}.ts`, [...resources, `resource-${adapter}.ts`]],
    ["protectResource", `${adapter}.ts`, [...client, ...sessions]],
  ]),
  ["createAuth", "next.ts", resources],
  ["createAuth", "sveltekit.ts", resources],
])("%s of %s brings nothing along that it does not use", async (name, file, others) => {
  const { files } = await bundleOf(name, file);
  expect(files).toContain("errors.ts");
  expect(files.filter((each) => others.includes(each))).toEqual([]);
});
