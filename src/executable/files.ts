import { getAssetKeys, getRawAsset } from "node:sea";
import type { ProgramFiles } from "../lib/program-files.ts";

/** The files in the executable. They lie in memory that is mapped from it, and nothing is copied: writing to one would end the process. */
export function filesOfExecutable(): ProgramFiles {
  const paths = getAssetKeys();
  return {
    list: (folder) =>
      paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + "/".length)),
    read: (path) => Buffer.from(getRawAsset(path)),
  };
}
