import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Folders whose names stand for devices and open files, which a rename would replace. */
const noPlaceForFiles = /^\/(?:proc|sys|dev(?!\/shm(?:\/|$)))(?:\/|$)/u;

/**
 * Why no file can have this name, as a phrase to follow it: it would replace a device, pipe, socket
 * or folder. Undefined if one can, including by replacing a file.
 */
export function outputProblem(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return "is a folder";
    if (stats && !stats.isFile()) return "is a device, pipe or socket, not a regular file";
    if (noPlaceForFiles.test(realpathSync(dirname(path)))) return "is in a folder of the system";
  } catch {
    // The write reports the reason.
  }
  return undefined;
}
