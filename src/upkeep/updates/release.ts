import { createPublicKey, hash, verify, type KeyObject } from "node:crypto";
import { AppError } from "../../lib/errors.ts";
import { programFiles } from "../../lib/program-files.ts";
import { maxSecretBytes, readAtMost } from "../../lib/read-file.ts";
import type { ReleaseFiles } from "./release-files.ts";
import { isVersion } from "./versions.ts";

/** A release whose list of digests is signed. */
export type Release = { version: string; archive: string; digest: string };

const sumsFile = "SHA256SUMS";
const maxSumsBytes = 64 * 1024;
const signatureBytes = 64;
const maxArchiveBytes = 256 * 1024 * 1024;
const line = /^([\da-f]{64}) [ *]([\w.@+/-]+)$/u;
const archiveName = /^authsvc-(.+)-(?:linux|darwin|win)-(?:x64|arm64)\.(?:tar\.gz|zip)$/u;

/** The built-in key of releases, or one in a file (Ed25519, PEM). Throws INVALID_REQUEST. */
export function releaseKey(file: string | undefined): KeyObject {
  try {
    const pem = file === undefined ? programFiles.read("deploy/release-key.pem") : readAtMost(file, maxSecretBytes);
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (cause) {
    throw new AppError("INVALID_REQUEST", `--public-key: ${file} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
  throw new AppError("INVALID_REQUEST", `--public-key: ${file} is not an Ed25519 key`);
}

/** The version in unsigned digests: only for finding the signed ones. Throws CONFLICT. */
export async function announcedVersion(files: ReleaseFiles): Promise<string> {
  return versionIn(digestsIn(await demanded(files, sumsFile)));
}

/** The signed release for this platform. Throws CONFLICT. */
export async function verifiedRelease(files: ReleaseFiles, platform: string, key: KeyObject): Promise<Release> {
  const sums = await demanded(files, sumsFile);
  const signature = await files(`${sumsFile}.sig`, signatureBytes);
  if (!signature) throw refused(`it is not signed: there is no ${sumsFile}.sig`);
  if (signature.length !== signatureBytes || !verify(null, sums, key, signature))
    throw refused(`the signature of ${sumsFile} is wrong`);
  const digests = digestsIn(sums);
  const version = versionIn(digests);
  const archive = `authsvc-${version}-${platform}.tar.gz`;
  const digest = digests.get(archive);
  if (digest === undefined) throw refused(`${version} has no archive for this platform (${platform})`);
  return { version, archive, digest };
}

/** Its archive, with the signed digest. Throws CONFLICT. */
export async function verifiedArchive(files: ReleaseFiles, { archive, digest }: Release): Promise<Buffer> {
  const content = await files(archive, maxArchiveBytes);
  if (!content) throw refused(`${archive} is missing`);
  if (hash("sha256", content) !== digest) throw refused(`${archive} does not have the digest that ${sumsFile} signs`);
  return content;
}

async function demanded(files: ReleaseFiles, name: string): Promise<Buffer> {
  const content = await files(name, maxSumsBytes);
  if (!content) throw refused(`there is no ${name}`);
  return content;
}

function digestsIn(sums: Buffer): Map<string, string> {
  const lines = sums.toString("latin1").trimEnd().split("\n");
  return new Map(
    lines.map((text) => {
      const [, digest = "", name = ""] = line.exec(text) ?? [];
      if (name === "") throw refused(`${sumsFile} has a line that is not a digest and a name`);
      return [name, digest];
    }),
  );
}

function versionIn(digests: Map<string, string>): string {
  const versions = new Set([...digests.keys()].flatMap((name) => archiveName.exec(name)?.[1] ?? []));
  const [version = ""] = versions;
  if (versions.size !== 1 || !isVersion(version))
    throw refused(`${sumsFile} does not name the archives of one version`);
  return version;
}

function refused(reason: string): AppError {
  return new AppError("CONFLICT", `This release cannot be used: ${reason}. Nothing was changed.`);
}
