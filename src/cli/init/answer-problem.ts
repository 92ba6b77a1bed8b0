import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { hostOf, isLoopbackHost } from "../../lib/loopback.ts";

/** The problem with a well-formed answer, found while its question is still on the screen. */
export function answerProblem(key: string, value: unknown, cwd: string): string | undefined {
  if (typeof value !== "string") return undefined;
  if (key === "baseUrl") return baseUrlProblem(value);
  if (key === "data") return folderProblem(resolve(cwd, value));
  if (key === "listen.tls.certFile" || key === "listen.tls.keyFile") return fileProblem(resolve(cwd, value));
  return undefined;
}

function baseUrlProblem(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url?.protocol === "http:" && !isLoopbackHost(hostOf(url))
    ? "must start with https://, except on this machine"
    : undefined;
}

function fileProblem(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? undefined : "must be the path of a file that exists";
}

/** A missing folder is created in its nearest existing parent. */
function folderProblem(folder: string): string | undefined {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (!stats) return folderProblem(dirname(folder));
    accessSync(folder, constants.W_OK | constants.X_OK);
    return stats.isDirectory() ? undefined : "must be the path of a folder";
  } catch {
    return "must be the path of a folder that this user may write to";
  }
}
