import { spawnSync } from "node:child_process";
import path from "node:path";
import { root } from "../build/target.ts";
import { platforms } from "./release.ts";

/** Builds the executable of each platform below `folder`. */
export function buildExecutables(folder: string): Record<string, string> {
  runScript("build-pages.ts");
  return Object.fromEntries(
    Object.keys(platforms).map((platform) => {
      const out = path.join(folder, platform, platform.startsWith("win32-") ? "authsvc.exe" : "authsvc");
      runScript("build.ts", "--target", platform, "--out", out);
      return [platform, out];
    }),
  );
}

function runScript(name: string, ...args: string[]): void {
  const script = path.join(root, "scripts", name);
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`scripts/${[name, ...args].join(" ")} failed:\n${stderr}`);
}
