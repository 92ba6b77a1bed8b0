import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { claimFolder } from "../../src/executable/native-folders.ts";

const top = mkdtempSync(join(tmpdir(), "authsvc-folders-"));
afterAll(() => rmSync(top, { recursive: true }));
const stranger = 54_321;

describe("a folder for native modules", () => {
  it("is made where only its user decides, in a folder of everybody's that is sticky as well", () => {
    expect(() => claimFolder(join(top, "own", "native"))).not.toThrow();
  });

  it("is refused in another user's home, who could put another one in its place: `sudo` may leave HOME as it was", ({
    skip,
  }) => {
    skip(process.getuid?.() !== 0, "only root may give a folder away");
    const home = join(top, "home");
    mkdirSync(join(home, ".cache"), { recursive: true, mode: 0o755 });
    chownSync(home, stranger, stranger);
    const byLink = join(top, "link");
    symlinkSync(home, byLink);
    for (const folder of [join(home, ".cache", "authsvc", "native"), join(byLink, ".cache", "authsvc", "native")])
      expect(() => claimFolder(folder)).toThrow("another user could replace it");
  });
});
