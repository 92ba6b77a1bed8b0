import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../build/target.ts";
import { platforms } from "./release.ts";

const run = promisify(execFile);

/** Below `folder`, of the pages as they are built. */
export async function buildExecutables(folder: string): Promise<Record<string, string>> {
  const executables: Record<string, string> = {};
  for (const platform of Object.keys(platforms)) {
    const out = path.join(folder, platform, platform.startsWith("win32-") ? "authsvc.exe" : "authsvc");
    const script = path.join(root, "scripts", "build.ts");
    await run(process.execPath, [script, "--target", platform, "--out", out], { cwd: root });
    executables[platform] = out;
  }
  return executables;
}
