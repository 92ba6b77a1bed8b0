import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { executable } from "./program.ts";

const root = path.resolve(import.meta.dirname, "../..");
const built = "AUTHSVC_TEST_BUILT";

/**
 * Makes dist/authsvc of the sources as they are now: what is tested is what `npm run build` makes.
 */
export default async function setup(): Promise<void> {
  // Each project that runs it has this; the first one builds, and the others wait for it.
  if (process.env[built] !== undefined) return;
  await promisify(execFile)(process.execPath, [path.join(root, "scripts", "build.ts")], { cwd: root });
  process.env[built] = executable;
}
