import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { signAdHoc } from "./ad-hoc-signature.ts";
import { runtimeFlags } from "./runtime-flags.ts";
import { stripElf } from "./strip-elf.ts";
import { expectOrdinaryLibraries } from "./system-libraries.ts";
import { isLinux, isMac, type Target } from "./target.ts";
import { withoutLibatomic } from "./without-libatomic.mjs";

/**
 * Removes Node's symbols, a quarter of its size, and its need for libatomic. Do it first: it would
 * break an executable with an embedded program.
 */
export function strippedNode(node: string, target: Target, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  if (isLinux(target)) {
    const stripped = stripElf(readFileSync(node));
    withoutLibatomic(stripped);
    writeFileSync(file, stripped);
  } else copyFileSync(node, file);
  chmodSync(file, 0o755);
}

/**
 * Packs Node, the first file of the program and the staging folder into one file. It replaces the
 * old one when complete.
 */
export function packExecutable(options: {
  stage: string;
  start: string;
  node: string;
  target: Target;
  out: string;
}): void {
  const { stage, start, node, target, out } = options;
  const folder = path.dirname(start);
  const packed = path.join(folder, `${path.basename(out)}.packed`);
  const config = path.join(folder, "sea.json");
  writeFileSync(
    config,
    JSON.stringify({
      // Node records this name. Relative, so that the executable reveals nothing about the build
      // machine.
      main: path.basename(start),
      executable: node,
      output: packed,
      disableExperimentalSEAWarning: true,
      execArgv: runtimeFlags,
      // NODE_OPTIONS could open the debugger or load foreign code.
      execArgvExtension: "none",
      assets: Object.fromEntries(filesIn(stage).map((file) => [file, path.join(stage, file)])),
    }),
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--build-sea", config], {
    cwd: folder,
    encoding: "utf8",
    env: {},
  });
  if (status !== 0) throw new Error(`node --build-sea failed:\n${stdout}${stderr}`);
  if (isLinux(target)) expectOrdinaryLibraries("the executable", readFileSync(packed));
  if (isMac(target)) writeFileSync(packed, signAdHoc(readFileSync(packed), "authsvc"));
  mkdirSync(path.dirname(out), { recursive: true });
  // The kernel copies page by page. A file written in large pieces stays in memory in large pieces,
  // which would make 20 MB more resident.
  copyFileSync(packed, `${out}.new`);
  chmodSync(`${out}.new`, 0o755);
  renameSync(`${out}.new`, out);
  rmSync(packed);
}

function filesIn(folder: string): string[] {
  return globSync("**/*", { cwd: folder })
    .filter((file) => statSync(path.join(folder, file)).isFile())
    .map((file) => file.split(path.sep).join("/"))
    .toSorted();
}
