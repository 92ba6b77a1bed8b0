import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { extract } from "tar-stream";
import { readDockerfile, type ImageConfig } from "./dockerfile.ts";
import { architectures } from "./linux-package.ts";
import type { Release } from "./release.ts";
import { sha256 } from "./sums.ts";
import { tarOf, type TarEntry } from "./tar.ts";

type Descriptor = {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { architecture: string; os: string; variant?: string };
  annotations?: Record<string, string>;
};
type Index = { manifests: Descriptor[] };
type Manifest = { config: Descriptor; layers: Descriptor[] };
type Config = {
  config?: { Env?: string[]; Labels?: Record<string, string> };
  rootfs: { diff_ids: string[] };
  history?: object[];
};

const types = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
};

/**
 * authsvc-VERSION-oci.tar: the image of deploy/docker/Dockerfile for both architectures, an OCI
 * layout. The layers of its base are given, because a release needs no network.
 */
export async function makeImage(release: Release): Promise<void> {
  if (release.imageBase === undefined) {
    console.log("There is no container image: --image-base FILE adds it (docs/installing.md).");
    return;
  }
  const { base, config, copies } = readDockerfile();
  const given = await readBase(release.imageBase);
  if (given.digest !== base.digest)
    console.log(
      `The image is not the published one: its base is ${given.digest}, not the ${base.digest} of the Dockerfile.`,
    );

  const blobs = new Map<string, Buffer>();
  const add = (mediaType: string, content: Buffer): Descriptor => {
    const digest = digestOf(content);
    blobs.set(digest, content);
    return { mediaType, digest, size: content.length };
  };
  const addJson = (mediaType: string, content: object): Descriptor =>
    add(mediaType, Buffer.from(JSON.stringify(content)));
  const created = new Date(release.epoch * 1000).toISOString();
  const annotations = {
    "org.opencontainers.image.base.name": base.name,
    "org.opencontainers.image.base.digest": given.digest,
  };

  const manifests: Descriptor[] = [];
  for (const { platform: executable, debian: architecture } of architectures) {
    const { platform, manifest, config: below } = given.imageFor(architecture);
    const layer = await tarOf(entriesOf(copies, release.executables[executable] ?? ""), release.epoch);
    const image = addJson(types.config, {
      created,
      ...platform,
      config: mergedConfig(below.config, config, release.version),
      rootfs: { type: "layers", diff_ids: [...below.rootfs.diff_ids, digestOf(layer)] },
      history: [...(below.history ?? []), { created, created_by: "npm run release" }],
    });
    for (const each of manifest.layers) blobs.set(each.digest, given.blob(each));
    const layers = [...manifest.layers, add(types.layer, gzipSync(layer))];
    const content = { schemaVersion: 2, mediaType: types.manifest, config: image, layers, annotations };
    manifests.push({ ...addJson(types.manifest, content), platform });
  }
  const index = addJson(types.index, { schemaVersion: 2, mediaType: types.index, manifests });
  const named = {
    "io.containerd.image.name": `docker.io/library/authsvc:${release.version}`,
    "org.opencontainers.image.ref.name": release.version,
  };
  // `docker load` without the image store of containerd reads this, and one platform only.
  const forDocker = manifests.slice(0, 1).map((descriptor) => {
    const { config, layers } = JSON.parse(String(blobs.get(descriptor.digest))) as Manifest;
    const names = layers.map(({ digest }) => pathOf(digest));
    return { Config: pathOf(config.digest), RepoTags: [`authsvc:${release.version}`], Layers: names };
  });
  const files: [name: string, content: Buffer | string][] = [
    ["oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" })],
    [
      "index.json",
      JSON.stringify({ schemaVersion: 2, mediaType: types.index, manifests: [{ ...index, annotations: named }] }),
    ],
    ["manifest.json", JSON.stringify(forDocker)],
    ...[...blobs].map(([digest, content]): [string, Buffer] => [pathOf(digest), content]),
  ];
  const entries = files.map(([name, content]): TarEntry => ({ name, mode: 0o644, content }));
  writeFileSync(path.join(release.folder, `authsvc-${release.version}-oci.tar`), await tarOf(entries, release.epoch));
}

/** What the Dockerfile copies: the executable, and the folder of the volume. */
function entriesOf(copies: ReturnType<typeof readDockerfile>["copies"], executable: string): TarEntry[] {
  return copies.map(({ from, to, owner, mode }) =>
    from === "dist/authsvc"
      ? { name: to.slice(1), mode, owner, content: readFileSync(executable) }
      : { name: `${to.slice(1)}/`, mode, owner, isFolder: true },
  );
}

function mergedConfig(base: Config["config"], own: ImageConfig, version: string): object {
  const labels = { ...base?.Labels, ...own.Labels, "org.opencontainers.image.version": version };
  return { ...base, ...own, Env: [...(base?.Env ?? []), ...own.Env], Labels: labels };
}

/** An OCI layout in a tar file, as `skopeo copy --all` and `crane pull --format=oci` make it. */
async function readBase(file: string): Promise<{
  digest: string;
  imageFor: (architecture: string) => { platform: Descriptor["platform"]; manifest: Manifest; config: Config };
  blob: (descriptor: Descriptor) => Buffer;
}> {
  const files = await filesOfTar(file);
  const [top] = jsonOf<Index>(read("index.json")).manifests;
  if (top === undefined) throw new Error(`--image-base ${file}: it contains no image.`);
  return { digest: top.digest, imageFor, blob };

  function imageFor(architecture: string): ReturnType<Awaited<ReturnType<typeof readBase>>["imageFor"]> {
    const all = top === undefined ? [] : leaves(top);
    const found = all.find(({ platform }) => platform?.os === "linux" && platform.architecture === architecture);
    if (found === undefined)
      throw new Error(
        `--image-base ${file}: it contains no image for ${architecture}. Fetch all of them (docs/installing.md).`,
      );
    const manifest = jsonOf<Manifest>(blob(found));
    return { platform: found.platform, manifest, config: jsonOf<Config>(blob(manifest.config)) };
  }

  function leaves(descriptor: Descriptor): Descriptor[] {
    if (!/index|manifest\.list/.test(descriptor.mediaType)) return [descriptor];
    return jsonOf<Index>(blob(descriptor)).manifests.flatMap((each) =>
      files.has(pathOf(each.digest)) ? leaves(each) : [],
    );
  }

  function blob({ digest }: Descriptor): Buffer {
    const content = read(pathOf(digest));
    if (digestOf(content) !== digest) throw new Error(`--image-base ${file}: ${pathOf(digest)} is damaged.`);
    return content;
  }

  function read(name: string): Buffer {
    const content = files.get(name);
    if (content === undefined)
      throw new Error(`--image-base ${file}: not an OCI layout in a tar file; ${name} is missing.`);
    return content;
  }
}

async function filesOfTar(file: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const tar = extract();
  tar.end(readFileSync(file));
  for await (const entry of tar) files.set(entry.header.name.replace(/^\.\//, ""), await buffer(entry));
  return files;
}

function jsonOf<T>(content: Buffer): T {
  return JSON.parse(content.toString()) as T;
}

function pathOf(digest: string): string {
  return `blobs/${digest.replace(":", "/")}`;
}

function digestOf(content: Buffer): string {
  return `sha256:${sha256(content)}`;
}
