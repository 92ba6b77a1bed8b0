import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The package as `npm pack` makes it: a file that is there during the whole run. */
export const packedSdkVariable = "AUTHSVC_TEST_PACKED_SDK";

/** Once, as several files install it: each build begins by removing what the one before made. */
export default function setup(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), "authsvc-packed-sdk-"));
  const cwd = path.join(import.meta.dirname, "../../packages/sdk");
  execFileSync("npm", ["pack", "--pack-destination", folder], { cwd, stdio: "pipe" });
  [process.env[packedSdkVariable] = ""] = globSync(path.join(folder, "*.tgz"));
  return () => rmSync(folder, { recursive: true, force: true });
}
