import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { readElf } from "../build/elf.mjs";
import {
  architectures,
  deployed,
  description,
  folder,
  license,
  linuxPackage,
  summary,
  text,
  type LinuxPackage,
  type PackageFile,
} from "./linux-package.ts";
import type { Release } from "./release.ts";
import { sha256 } from "./sums.ts";

/** One value of a header, by RPM's number and type. Texts are UTF-8. */
type Entry = [tag: number, type: keyof typeof types, values: (number | string)[] | Buffer];

const types = { int16: 3, int32: 4, text: 6, bytes: 7, texts: 8, translated: 9 };
const sizes = { int16: 2, int32: 4, text: 1, bytes: 1, texts: 1, translated: 1 };
/** Higher levels take minutes and save a tenth. */
const compression = 10;
const licenses = "/usr/share/licenses/authsvc";

/** Flags of a file, and what a dependency says of a version and is for. */
const configuration = (1 << 0) | (1 << 4);
const documentation = 1 << 1;
const licenseText = 1 << 7;
const sense = {
  any: 0,
  atMost: (1 << 1) | (1 << 3),
  equal: 1 << 3,
  found: 1 << 14,
  rpmlib: (1 << 24) | (1 << 1) | (1 << 3),
};

/** authsvc-VERSION-1.x86_64.rpm and .aarch64.rpm, in the format of RPM 4. */
export async function makeRpm(release: Release): Promise<void> {
  for (const { platform, rpm } of architectures) {
    const content = linuxPackage(release, platform, [
      folder(licenses),
      text(`${licenses}/LICENSE`, readFileSync(path.join(release.share, "LICENSE"))),
      text("/usr/share/zsh/site-functions/_authsvc", readFileSync(path.join(release.share, "completions/_authsvc"))),
    ]);
    const archive = cpio(content.files, release.epoch);
    const payload = zstdCompressSync(archive, { params: { [constants.ZSTD_c_compressionLevel]: compression } });
    const head = header(63, [
      ...identity(content, release.epoch, rpm),
      ...contents(content.files, release.epoch),
      ...dependencies(content, rpm),
      [5092, "texts", [sha256(payload)]],
      [5093, "int32", [8]],
    ]);
    const signature = header(62, [
      [273, "text", [sha256(head)]],
      [1000, "int32", [head.length + payload.length]],
      [1007, "int32", [archive.length]],
    ]);
    const name = `authsvc-${content.version}-1`;
    const padding = Buffer.alloc((8 - (signature.length % 8)) % 8);
    writeFileSync(
      path.join(release.folder, `authsvc-${release.version}-1.${rpm}.rpm`),
      Buffer.concat([lead(name, rpm), signature, padding, head, payload]),
    );
  }
}

function identity({ version, files }: LinuxPackage, epoch: number, architecture: string): Entry[] {
  const script = (file: string): string => deployed(`packages/${file}`);
  return [
    [100, "texts", ["C"]],
    [1000, "text", ["authsvc"]],
    [1001, "text", [version]],
    [1002, "text", ["1"]],
    [1004, "translated", [summary]],
    [1005, "translated", [description.join("\n")]],
    [1006, "int32", [epoch]],
    [1009, "int32", [files.reduce((sum, { content }) => sum + (content?.length ?? 0), 0)]],
    [1014, "text", [license]],
    [1016, "translated", ["Unspecified"]],
    [1021, "text", ["linux"]],
    [1022, "text", [architecture]],
    [1024, "text", [script("after-install.sh")]],
    [1025, "text", [script("before-removal.sh")]],
    // RPM takes a package without this for a source package.
    [1044, "text", [`authsvc-${version}-1.src.rpm`]],
    [1086, "text", ["/bin/sh"]],
    [1087, "text", ["/bin/sh"]],
    [1124, "text", ["cpio"]],
    [1125, "text", ["zstd"]],
    [1126, "text", [String(compression)]],
    [1132, "text", [`${architecture}-linux`]],
    [5062, "text", ["utf-8"]],
  ];
}

function contents(files: PackageFile[], epoch: number): Entry[] {
  const folders = [...new Set(files.map((file) => folderOf(file)))];
  const each = <T>(value: (file: PackageFile, index: number) => T): T[] => files.map(value);
  return [
    [1028, "int32", each(({ content }) => content?.length ?? 4096)],
    [1030, "int16", each(fileMode)],
    [1033, "int16", each(() => 0)],
    [1034, "int32", each(() => epoch)],
    [1035, "texts", each(({ content }) => (content === undefined ? "" : sha256(content)))],
    [1036, "texts", each(() => "")],
    [1037, "int32", each(fileFlags)],
    [1039, "texts", each(() => "root")],
    [1040, "texts", each(() => "root")],
    [1045, "int32", each(() => 0xffffffff)],
    [1095, "int32", each(() => 1)],
    [1096, "int32", each((_, index) => index + 1)],
    [1097, "texts", each(() => "")],
    [1116, "int32", each((file) => folders.indexOf(folderOf(file)))],
    [1117, "texts", each((file) => path.posix.basename(file.path))],
    [1118, "texts", folders],
    [5011, "int32", [8]],
  ];
}

function dependencies({ version, executable }: LinuxPackage, architecture: string): Entry[] {
  const own = `${version}-1`;
  const provided: [name: string, flags: number, version: string][] = [
    ["authsvc", sense.equal, own],
    [`authsvc(${architecture === "x86_64" ? "x86-64" : "aarch-64"})`, sense.equal, own],
  ];
  const { libraries, versionNeeds } = readElf(executable);
  const symbols = versionNeeds.flatMap(({ library, versions }) =>
    versions.map(({ name }) => `${library}(${name})(64bit)`),
  );
  const required: typeof provided = [
    ...[...libraries.map((name) => `${name}()(64bit)`), ...symbols]
      .toSorted()
      .map((name): [string, number, string] => [name, sense.found, ""]),
    ["/bin/sh", sense.any, ""],
    ["rpmlib(CompressedFileNames)", sense.rpmlib, "3.0.4-1"],
    ["rpmlib(FileDigests)", sense.rpmlib, "4.6.0-1"],
    ["rpmlib(PayloadFilesHavePrefix)", sense.rpmlib, "4.0-1"],
    ["rpmlib(PayloadIsZstd)", sense.rpmlib, "5.4.18-1"],
  ];
  return [
    [1047, "texts", provided.map(([name]) => name)],
    [1048, "int32", required.map(([, flags]) => flags)],
    [1049, "texts", required.map(([name]) => name)],
    [1050, "texts", required.map(([, , at]) => at)],
    [1112, "int32", provided.map(([, flags]) => flags)],
    [1113, "texts", provided.map(([, , at]) => at)],
  ];
}

/** The 96 bytes at the beginning, which only tell programs such as `file` what follows. */
function lead(name: string, architecture: string): Buffer {
  const bytes = Buffer.alloc(96);
  bytes.writeUInt32BE(0xedabeedb, 0);
  bytes.writeUInt8(3, 4);
  bytes.writeUInt16BE(architecture === "x86_64" ? 1 : 19, 8);
  bytes.write(name.slice(0, 65), 10);
  bytes.writeUInt16BE(1, 76);
  bytes.writeUInt16BE(5, 78);
  return bytes;
}

/**
 * An index of tags in ascending order, then their values in the same order. `region` is the tag of
 * the whole, which digests and signatures cover: it comes first, its value last.
 */
function header(region: number, entries: Entry[]): Buffer {
  const index: Buffer[] = [];
  const store: Buffer[] = [];
  let length = 0;
  for (const [tag, type, values] of entries.toSorted(([a], [b]) => a - b)) {
    const padding = (sizes[type] - (length % sizes[type])) % sizes[type];
    const data = valueBytes(type, values);
    const count = type === "bytes" ? data.length : values.length;
    index.push(int32(tag, types[type], length + padding, count));
    store.push(Buffer.alloc(padding), data);
    length += padding + data.length;
  }
  const indexLength = (index.length + 1) * 16;
  const trailer = int32(region, types.bytes, -indexLength, 16);
  const first = int32(region, types.bytes, length, 16);
  const start = [Buffer.from([0x8e, 0xad, 0xe8, 1, 0, 0, 0, 0]), int32(index.length + 1, length + 16)];
  return Buffer.concat([...start, first, ...index, ...store, trailer]);
}

function valueBytes(type: Entry[1], values: Entry[2]): Buffer {
  if (Buffer.isBuffer(values)) return values;
  if (type === "int32") return int32(...values.map(Number));
  if (type !== "int16") return Buffer.from(values.map((value) => `${value}\0`).join(""));
  const bytes = Buffer.alloc(values.length * 2);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(Number(value), at * 2);
  return bytes;
}

function int32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4);
  return bytes;
}

/** The archive of the files, in the order of the header: "newc", with padding to four bytes. */
function cpio(files: PackageFile[], epoch: number): Buffer {
  const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  const member = (name: string, inode: number, mode: number, content: Buffer): Buffer[] => {
    const numbers = [inode, mode, 0, 0, 1, inode === 0 ? 0 : epoch, content.length, 0, 0, 0, 0, name.length + 1, 0];
    const line = numbers.map((number) => number.toString(16).padStart(8, "0")).join("");
    return [padded(Buffer.from(`070701${line}${name}\0`)), padded(content)];
  };
  const members = files.flatMap((file, index) =>
    member(`.${file.path}`, index + 1, fileMode(file), file.content ?? Buffer.alloc(0)),
  );
  return Buffer.concat([...members, ...member("TRAILER!!!", 0, 0, Buffer.alloc(0))]);
}

function fileMode({ mode, content }: PackageFile): number {
  return (content === undefined ? 0o040000 : 0o100000) | mode;
}

function fileFlags({ path: at, content, isConfiguration }: PackageFile): number {
  if (isConfiguration) return configuration;
  if (content === undefined) return 0;
  return at.startsWith("/usr/share/man/") ? documentation : at.startsWith(licenses) ? licenseText : 0;
}

function folderOf(file: PackageFile): string {
  return `${path.posix.dirname(file.path)}/`;
}
