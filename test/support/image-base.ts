import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { tarOf } from "../../scripts/release/tar.ts";
import { emptyFolder } from "../cli/command.ts";
import { bareRoot } from "./bare-root.ts";

/** An image of this machine's libc, libstdc++ and libgcc, for both architectures. */
export async function standInBase(): Promise<string> {
  const root = emptyFolder();
  const files = bareRoot();
  const layer = execFileSync("tar", ["--create", `--directory=${files}`, "--sort=name", "--mtime=@0", "."], {
    maxBuffer: 1e9,
  });
  const blobs = new Map<string, Buffer>();
  const add = (mediaType: string, content: Buffer): object => {
    blobs.set(`blobs/sha256/${sha256(content).slice(7)}`, content);
    return { mediaType: `application/vnd.oci.image.${mediaType}`, digest: sha256(content), size: content.length };
  };
  const packed = add("layer.v1.tar+gzip", gzipSync(layer));
  const manifests = ["amd64", "arm64"].map((each) => {
    const platform = { os: "linux", architecture: each };
    const config = {
      ...platform,
      config: { Env: ["PATH=/usr/bin"] },
      rootfs: { type: "layers", diff_ids: [sha256(layer)] },
    };
    const content = { schemaVersion: 2, config: add("config.v1+json", bytesOf(config)), layers: [packed] };
    return { ...add("manifest.v1+json", bytesOf(content)), platform };
  });
  const index = { schemaVersion: 2, manifests: [add("index.v1+json", bytesOf({ schemaVersion: 2, manifests }))] };
  blobs.set("index.json", bytesOf(index)).set("oci-layout", bytesOf({ imageLayoutVersion: "1.0.0" }));
  const entries = [...blobs].map(([name, content]) => ({ name, mode: 0o644, content }));
  const file = join(root, "base.tar");
  writeFileSync(file, await tarOf(entries, 0));
  return file;
}

/** What a container runtime makes of an image in a file, for this machine. */
export function unpackImage(file: string): {
  root: string;
  user: string;
  command: string[];
  env: Record<string, string>;
} {
  const [layout, root] = [emptyFolder(), emptyFolder()];
  execFileSync("tar", ["--extract", `--directory=${layout}`, `--file=${file}`]);
  const path = ({ digest }: Descriptor): string => join(layout, "blobs", digest.replace(":", "/"));
  const read = <T>(name: string): T => JSON.parse(readFileSync(name, "utf8")) as T;
  const [top] = read<{ manifests: Descriptor[] }>(join(layout, "index.json")).manifests;
  const architecture = process.arch === "x64" ? "amd64" : "arm64";
  const mine = read<{ manifests: Descriptor[] }>(path(top as Descriptor)).manifests.find(
    ({ platform }) => platform?.architecture === architecture,
  );
  const { config, layers } = read<{ config: Descriptor; layers: Descriptor[] }>(path(mine as Descriptor));
  for (const layer of layers)
    execFileSync("tar", ["--extract", "--gzip", `--directory=${root}`, `--file=${path(layer)}`]);
  const { User, Env, Entrypoint, Cmd } = read<{
    config: { User: string; Env: string[]; Entrypoint: string[]; Cmd: string[] };
  }>(path(config)).config;
  const env = Object.fromEntries(Env.map((each) => each.split("=") as [string, string]));
  return { root, user: User, command: [...Entrypoint, ...Cmd], env };
}

type Descriptor = { digest: string; platform?: { architecture: string } };

function bytesOf(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

export function sha256(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
