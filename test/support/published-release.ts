import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { createServer as createHttp, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { onTestFinished } from "vitest";

export const platform = `${process.platform}-${process.arch}`;

/** Ends with the answer of `version --json`: as much of an executable as an update asks. */
export function scriptOf(version: string): Buffer {
  return Buffer.from(`#!/bin/sh\necho '${JSON.stringify({ version })}'\n`);
}

type Made = {
  version: string;
  /** Of the archive `authsvc-VERSION-PLATFORM.tar.gz`. */
  platform?: string;
  executable?: { name?: string; content?: Buffer };
};

/** A folder with a signed release, and the public key beside it. */
export async function makeRelease(
  folder: string,
  { version, platform: target = platform, executable: { name = "authsvc", content = scriptOf(version) } = {} }: Made,
): Promise<{ folder: string; archive: string; key: string }> {
  mkdirSync(folder, { recursive: true });
  const tar = pack();
  tar.entry({ name: "LICENSE", mode: 0o644 }, "…");
  tar.entry({ name, mode: 0o755 }, content);
  tar.finalize();
  const parts: Buffer[] = [];
  for await (const part of tar as AsyncIterable<Buffer>) parts.push(part);
  const archive = `authsvc-${version}-${target}.tar.gz`;
  const zipped = gzipSync(Buffer.concat(parts), { level: 1 });
  writeFileSync(join(folder, archive), zipped);
  const others = [`${"0".repeat(64)}  authsvc_${version}_amd64.deb`, `${"0".repeat(64)}  npm/authsvc-${version}.tgz`];
  const digest = createHash("sha256").update(zipped).digest("hex");
  const sums = Buffer.from(`${[`${digest}  ${archive}`, ...others].join("\n")}\n`);
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(join(folder, "SHA256SUMS"), sums);
  writeFileSync(join(folder, "SHA256SUMS.sig"), sign(null, sums, privateKey));
  const key = `${folder}.pem`;
  writeFileSync(key, publicKey.export({ type: "spki", format: "pem" }));
  return { folder, archive, key };
}

/** Serves releases: `answer` may take a request; others get the files of `folder`. */
export async function serveReleases(
  folder: string,
  version: string,
  { tls, answer }: { tls?: string; answer?: (...call: Parameters<RequestListener>) => boolean } = {},
): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const listener: RequestListener = (request, response) => {
    const { url = "" } = request;
    asked.push(url);
    if (answer?.(request, response)) return;
    const name = /^\/releases\/(?:latest\/download|download\/v(.+))\/([^/]+)$/u.exec(url);
    const isThere = name !== null && (name[1] === undefined || name[1] === version);
    if (isThere) response.end(readFileSync(join(folder, name[2] ?? "")));
    else response.writeHead(404).end();
  };
  const server = tls
    ? createHttps({ cert: readFileSync(join(tls, "cert.pem")), key: readFileSync(join(tls, "key.pem")) }, listener)
    : createHttp(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? "https" : "http"}://localhost:${port}/releases`, asked };
}
