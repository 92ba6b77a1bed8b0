import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { authsvc, emptyFolder } from "../cli/command.ts";

/** Notes, where the process ends, which chunks of ours and which modules of Node it has loaded. */
const probe = `
const vm = require("node:vm");
const chunks = [];
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    chunks.push(options.filename);
  }
};
process.on("exit", () => {
  const builtins = process.moduleLoadList.flatMap((name) => /^NativeModule (?!internal)(.*)/.exec(name)?.[1] ?? []);
  require("node:fs").writeFileSync(process.env.PROBE_FILE, JSON.stringify({ chunks, builtins }));
});
`;

test("commands that only look at applications load neither the other services nor the dear modules of Node", async () => {
  const cwd = emptyFolder();
  const file = join(cwd, "probe.cjs");
  writeFileSync(file, probe);
  const env = { NODE_OPTIONS: `--require ${file}`, PROBE_FILE: join(cwd, "loaded.json") };
  async function loadedBy(...args: string[]): Promise<{ chunks: string[]; builtins: string[] }> {
    expect(await authsvc(args, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    return JSON.parse(readFileSync(env.PROBE_FILE, "utf8")) as { chunks: string[]; builtins: string[] };
  }

  const all = await loadedBy("app", "create", "--name", "Shop", "--id", "app_shop", "--quiet");
  expect(all.chunks).toEqual(expect.arrayContaining(["app.js", "registry.js"]));
  expect(all.builtins).toContain("crypto");
  for (const args of [
    ["app", "show", "app_shop"],
    ["app", "list"],
    ["key", "list"],
    ["audit", "list"],
  ]) {
    const { chunks, builtins } = await loadedBy(...args);
    expect(chunks).toContain("registry.js");
    expect(chunks).not.toContain("app.js");
    expect(builtins).toContain("net");
    for (const dear of ["child_process", "crypto", "https", "tls", "zlib"]) expect(builtins).not.toContain(dear);
  }
});
