import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fileInTarGz } from "../../src/upkeep/updates/tar-gz.ts";

/** One entry: its header with this size field, and the content. */
function entry(name: string, content: string, size = content.length.toString(8).padStart(11, "0")): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(size, 124, "latin1");
  header.write("0", 156);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body]);
}

const archive = (...entries: Buffer[]): Buffer => gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]));

describe("a file in an archive of a release", () => {
  it("is found behind others, whole", () => {
    const found = fileInTarGz(archive(entry("README.md", "x".repeat(700)), entry("authsvc", "program")), "authsvc");
    expect(found.toString()).toBe("program");
  });

  it("is not there", () => {
    expect(() => fileInTarGz(archive(entry("README.md", "x")), "authsvc")).toThrow("has no file authsvc");
    expect(() => fileInTarGz(archive(entry("authsvc", "x", "7777")), "authsvc")).toThrow("has no file authsvc");
  });

  it.each(["-1000", "-0000001000", "0x10", "1e3", "9", "\u0080\u00FF"])(
    "Z4: ends at once with a size that is no number: %j",
    (size) => {
      const broken = archive(entry("README.md", "x".repeat(600), size), entry("authsvc", "program"));
      expect(() => fileInTarGz(broken, "authsvc")).toThrow("a size in it is not a number");
    },
  );
});
