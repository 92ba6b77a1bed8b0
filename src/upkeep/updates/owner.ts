import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { AppError } from "../../lib/errors.ts";

type Owner = { name: string; instead: string };

const byPath: [pattern: RegExp, owner: Owner][] = [
  [/[/\\]node_modules[/\\]/u, { name: "npm", instead: "npm install authsvc@latest" }],
  [/\/Cellar\//u, { name: "Homebrew", instead: "brew upgrade authsvc" }],
];
const byProgram: [program: string, flag: string, owner: Owner][] = [
  ["dpkg", "-S", { name: "dpkg", instead: "apt-get install --only-upgrade authsvc, or dpkg -i with the new package" }],
  ["rpm", "-qf", { name: "rpm", instead: "dnf upgrade authsvc, or rpm -U with the new package" }],
];
/** Values set by Docker, Podman and images; LXC sets the variable too, but for whole machines. */
const imageContainers = new Set(["oci", "docker", "podman"]);
/** Where package managers are, whatever PATH says. */
const programFolders = "/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Refuses to replace a file that a package manager or image owns and would replace again.
 * `container`: as container managers and images set it. Throws CONFLICT.
 */
export async function demandOwnFile(file: string, { container }: { container: string | undefined }): Promise<void> {
  if (imageContainers.has(container ?? "")) throw owned("a container's image", "run the new image");
  const [, found] = byPath.find(([pattern]) => pattern.test(file)) ?? [];
  if (found) throw owned(found.name, found.instead);
  for (const [program, flag, { name, instead }] of byProgram) {
    const env = { PATH: programFolders, LC_ALL: "C" };
    // It fails if it does not exist, or does not know the file.
    const isOwner = await promisify(execFile)(program, [flag, file], { env }).then(
      () => true,
      () => false,
    );
    if (isOwner) throw owned(name, instead);
  }
}

function owned(name: string, instead: string): AppError {
  return new AppError("CONFLICT", `This executable belongs to ${name}. To update it: ${instead}`);
}

/** Throws CONFLICT if this user cannot replace the file. */
export function demandReplaceable(file: string): void {
  const folder = dirname(file);
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new AppError(
      "CONFLICT",
      `This user may not write to ${folder}: run the command as its owner, or with sudo.`,
      {
        cause,
      },
    );
  }
}
