import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeImage } from "../../scripts/release/image.ts";
import type { Release } from "../../scripts/release/release.ts";
import { tarOf } from "../../scripts/release/tar.ts";
import { emptyFolder, finish, outputOf } from "../cli/command.ts";
import { noBareRoot, type startIn } from "../support/bare-root.ts";
import { freePort } from "../support/free-port.ts";
import { program } from "../support/program.ts";
import { sha256, standInBase } from "../support/image-base.ts";
import { smallProgram, packageRelease } from "../support/release.ts";

const reason = noBareRoot() ?? (canMount() ? undefined : "no namespace for mounts can be made");
const architecture = process.arch === "x64" ? "amd64" : "arm64";

type Descriptor = { mediaType: string; digest: string; size: number; platform?: { architecture: string } };
type Json = { manifests: Descriptor[]; config: Descriptor; layers: Descriptor[]; rootfs: { diff_ids: string[] } };

/** Only ends what hangs: the image is compressed for half a minute on a busy machine. */
const timeout = 1_200_000;

test("the image is a valid OCI layout, and serves as its user on a read-only root", { timeout }, async ({ skip }) => {
  skip(reason !== undefined, reason);
  vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const release: Release = { ...packageRelease("1.0.0", program[0]), imageBase: await standInBase() };
  await makeImage(release);
  const [name = ""] = readdirSync(release.folder);
  expect(name).toBe("authsvc-1.0.0-oci.tar");
  const layout = emptyFolder();
  execFileSync("tar", ["--extract", `--directory=${layout}`, `--file=${join(release.folder, name)}`]);

  const blob = ({ digest, size }: Descriptor): Buffer => {
    const content = readFileSync(join(layout, "blobs", digest.replace(":", "/")));
    expect([sha256(content), content.length]).toEqual([digest, size]);
    return content;
  };
  const json = (content: Buffer): Json => JSON.parse(content.toString()) as Json;
  expect(JSON.parse(readFileSync(join(layout, "oci-layout"), "utf8"))).toEqual({ imageLayoutVersion: "1.0.0" });
  const top = json(readFileSync(join(layout, "index.json"))).manifests;
  expect(top.map(({ mediaType }) => mediaType)).toEqual(["application/vnd.oci.image.index.v1+json"]);
  const { manifests } = json(blob(top[0] ?? never()));
  expect(manifests).toMatchObject([
    { platform: { os: "linux", architecture: "amd64" } },
    { platform: { os: "linux", architecture: "arm64" } },
  ]);
  for (const each of manifests) {
    expect(each.mediaType).toBe("application/vnd.oci.image.manifest.v1+json");
    const { config, layers } = json(blob(each));
    expect(config.mediaType).toBe("application/vnd.oci.image.config.v1+json");
    for (const layer of layers) expect(layer.mediaType).toBe("application/vnd.oci.image.layer.v1.tar+gzip");
    const inside = layers.map((layer) => sha256(gunzipSync(blob(layer))));
    expect(json(blob(config)).rootfs.diff_ids).toEqual(inside);
  }

  // `docker load` reads this one.
  const [forDocker] = JSON.parse(readFileSync(join(layout, "manifest.json"), "utf8")) as object[];
  const first = json(blob(manifests[0] ?? never()));
  const fileOf = ({ digest }: Descriptor): string => `blobs/${digest.replace(":", "/")}`;
  expect(forDocker).toEqual({
    Config: fileOf(first.config),
    RepoTags: ["authsvc:1.0.0"],
    Layers: first.layers.map(fileOf),
  });

  const mine = manifests.find(({ platform }) => platform?.architecture === architecture) ?? never();
  const { config: described, layers } = json(blob(mine));
  const { config } = JSON.parse(blob(described).toString()) as {
    config: { User: string; Env: string[]; Entrypoint: string[]; Cmd: string[]; Healthcheck: { Test: string[] } };
  };
  expect(config).toMatchObject({
    User: "65532:65532",
    Volumes: { "/data": {} },
    ExposedPorts: { "8080/tcp": {} },
    StopSignal: "SIGTERM",
    Labels: { "org.opencontainers.image.version": "1.0.0", "org.opencontainers.image.licenses": "Apache-2.0" },
    Healthcheck: { Interval: 10e9, Timeout: 5e9, StartPeriod: 20e9 },
  });
  const root = emptyFolder();
  for (const layer of layers)
    execFileSync("tar", ["--extract", "--gzip", `--directory=${root}`], { input: blob(layer) });
  const volume = statSync(join(root, "data"));
  expect([volume.uid, volume.gid, (volume.mode & 0o777).toString(8)]).toEqual([65_532, 65_532, "700"]);

  const port = String(await freePort());
  const own = { AUTHSVC_LISTEN__PORT: port, AUTHSVC_BASE_URL: `http://localhost:${port}` };
  const env = { ...Object.fromEntries(config.Env.map((each) => each.split("=") as [string, string])), ...own };
  const service = startReadOnly(root, config.User, [...config.Entrypoint, ...config.Cmd], env);
  onTestFinished(() => void service.kill("SIGKILL"));
  const ended = finish(service);
  await outputOf(service, /listening on/u);
  const [, ...check] = config.Healthcheck.Test;
  expect(await finish(startReadOnly(root, config.User, check, env))).toMatchObject({ code: 0, stderr: "" });
  service.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0 });
  expect(readdirSync(join(root, "data/authsvc"))).toEqual(expect.arrayContaining(["authsvc.db", "master.key"]));
});

test("a release without a base has no image, and says so; a base that is another one is named", async () => {
  const said = vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => said.mockRestore());
  const without = packageRelease("1.0.0", smallProgram);
  await makeImage(without);
  expect(readdirSync(without.folder)).toEqual([]);
  expect(said.mock.lastCall?.join("")).toContain("There is no container image: --image-base FILE adds it");

  const imageBase = await standInBase();
  const [first, second] = [0, 1].map(() => ({ ...packageRelease("1.0.0", smallProgram), imageBase }));
  for (const release of [first, second]) await makeImage(release ?? never());
  expect(said.mock.lastCall?.join("")).toMatch(/^The image is not the published one: its base is sha256:/u);
  const bytes = [first, second].map((release) => readFileSync(join(release?.folder ?? "", "authsvc-1.0.0-oci.tar")));
  expect(bytes[0]?.equals(bytes[1] ?? Buffer.alloc(0))).toBe(true);
});

test("a base that is none or damaged is refused with its name", async () => {
  const imageBase = join(emptyFolder(), "base.tar");
  const make = async (): Promise<void> => await makeImage({ ...packageRelease("1.0.0", smallProgram), imageBase });
  writeFileSync(imageBase, await tarOf([{ name: "hello", mode: 0o644, content: "" }], 0));
  await expect(make()).rejects.toThrow(
    `--image-base ${imageBase}: not an OCI layout in a tar file; index.json is missing.`,
  );
  const manifest = { mediaType: "application/vnd.oci.image.manifest.v1+json", digest: "sha256:00", size: 2 };
  const index = JSON.stringify({ manifests: [{ ...manifest, platform: { os: "linux", architecture: "amd64" } }] });
  const files = { "index.json": index, "blobs/sha256/00": "{}" };
  const entries = Object.entries(files).map(([name, content]) => ({ name, mode: 0o644, content }));
  writeFileSync(imageBase, await tarOf(entries, 0));
  vi.spyOn(console, "log").mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(make()).rejects.toThrow(`--image-base ${imageBase}: blobs/sha256/00 is damaged.`);
});

const readOnly = `
mount --bind "$0" "$0" && mount --bind "$0/data" "$0/data" && mount -o remount,ro,bind "$0" || exit
touch "$0/tmp/file" 2>&- && exit 1
user=$1; shift
exec /usr/sbin/chroot --userspec="$user" "$0" "$@"
`;

/** Runs a command in a root of which only /data can be written to. */
function startReadOnly(
  root: string,
  user: string,
  command: string[],
  env: Record<string, string>,
): ReturnType<typeof startIn> {
  return spawn("/usr/bin/unshare", ["--mount", "/bin/sh", "-c", readOnly, root, user, ...command], { env });
}

function canMount(): boolean {
  return spawnSync("/usr/bin/unshare", ["--mount", "/bin/true"]).status === 0;
}

function never(): never {
  throw new Error("missing");
}
