import { execFile, spawn } from "node:child_process";
import { chownSync, cpSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { emptyFolder } from "../cli/command.ts";
import { buildCommands, copyContext } from "../support/container.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

async function build(): Promise<Buffer> {
  const out = join(emptyFolder(), "authsvc");
  await run(process.execPath, [join(root, "scripts/build.ts"), "--out", out]);
  return readFileSync(out);
}

// Further threads of V8 once wrote other bytecode on a busy machine: compilers, garbage collectors.
test("a build on a busy machine has the same bytes as the one before", async () => {
  const before = await build();
  const busy = Array.from({ length: 3 }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
  try {
    expect((await build()).equals(before)).toBe(true);
  } finally {
    for (const child of busy) child.kill("SIGKILL");
  }
});

// What root in a container has before it.
test("it can be built in a folder of another user", async ({ skip }) => {
  skip(process.getuid?.() !== 0, "only root may give a folder away");
  const copy = emptyFolder();
  for (const name of ["scripts", "src", "migrations", "package.json", "package-lock.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  chownSync(copy, 1000, 1000);
  await run(process.execPath, [join(copy, "scripts/build.ts")]);
  expect(statSync(join(copy, "dist/authsvc")).size).toBeGreaterThan(1_000_000);
});

test("it can be built from the files of a fresh clone that docker build gets", async () => {
  const folder = emptyFolder();
  copyContext(folder);
  for (const command of buildCommands()) await run("sh", ["-c", command], { cwd: folder });
  expect(statSync(join(folder, "dist/authsvc")).size).toBeGreaterThan(1_000_000);
});
