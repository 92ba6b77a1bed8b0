import { getAssetKeys, getRawAsset } from "node:sea";
import type { ProgramFiles } from "../lib/program-files.ts";

/** What the digest of a file is called beside it. */
export const digestEnding = ".sha256";

/** The files in the executable. They lie in memory that is mapped from it, and nothing is copied: writing to one would end the process. */
export function filesOfExecutable(): ProgramFiles {
  const paths = getAssetKeys();
  const read = (path: string): Buffer => Buffer.from(getRawAsset(path));
  return {
    list: (folder) =>
      paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + "/".length)),
    read,
    // Known since the build: loading node:crypto takes 4 ms, which each command would wait.
    digest: (path) => read(`${path}${digestEnding}`).toString("latin1"),
  };
}
