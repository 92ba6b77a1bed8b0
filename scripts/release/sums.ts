import { createHash, sign } from "node:crypto";
import { copyFileSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { platforms, readPrivateKey, type Release } from "./release.ts";

/** What each executable holds. The build writes the list beside it. */
export async function makeBillsOfMaterials({ version, folder, executables }: Release): Promise<void> {
  for (const [platform, name] of Object.entries(platforms))
    copyFileSync(`${executables[platform]}.cdx.json`, path.join(folder, `authsvc-${version}-${name}.cdx.json`));
}

/** SHA256SUMS of every file, as `sha256sum` writes it, and its signature. */
export async function makeSums({ folder, key }: Release): Promise<void> {
  const lines = filesOf(folder).map((name) => `${sha256(readFileSync(path.join(folder, name)))}  ${name}\n`);
  const sums = Buffer.from(lines.join(""));
  writeFileSync(path.join(folder, "SHA256SUMS"), sums);
  if (key !== undefined) writeFileSync(path.join(folder, "SHA256SUMS.sig"), sign(null, sums, readPrivateKey(key)));
}

export function filesOf(folder: string): string[] {
  return globSync("**/*", { cwd: folder })
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .toSorted();
}

export function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
