import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const root = path.resolve(import.meta.dirname, "../..");

/**
 * Makes dist/authsvc of the sources as they are now: what is tested is what `npm run build` makes.
 */
export default async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [path.join(root, "scripts", "build.ts")], { cwd: root });
}
