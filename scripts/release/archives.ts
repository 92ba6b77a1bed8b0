import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { platforms, type Release } from "./release.ts";
import { shared } from "./share.ts";
import { inFolder, tarOf } from "./tar.ts";
import { zipOf } from "./zip.ts";

/** Executable, licence, manual page and completions, in a folder with the archive's name. */
export async function makeArchives({ version, epoch, folder, executables, share }: Release): Promise<void> {
  const others = shared.map((name) => ({ name, mode: 0o644, content: readFileSync(path.join(share, name)) }));
  for (const [platform, name] of Object.entries(platforms)) {
    const file = executables[platform] ?? "";
    const executable = { name: path.basename(file), mode: 0o755, content: readFileSync(file) };
    const entries = [executable, ...others];
    const top = `authsvc-${version}-${name}`;
    const archive = path.join(folder, top);
    if (platform.startsWith("win32-")) {
      const inTop = entries.map((entry) => ({ ...entry, name: `${top}/${entry.name}` }));
      writeFileSync(`${archive}.zip`, await zipOf(inTop, epoch));
    } else writeFileSync(`${archive}.tar.gz`, gzipSync(inFolder(await tarOf(entries, epoch), top), { level: 9 }));
  }
}
