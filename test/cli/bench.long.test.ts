import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder } from "./command.ts";
import { authsvc } from "./in-process.ts";

describe("bench", () => {
  it("measures hashes, validate, refresh and sign-ins with the configured parameters, and leaves nothing behind", async () => {
    const cwd = emptyFolder();
    mkdirSync(join(cwd, "data"));
    const env = { AUTHSVC_DATABASE__URL: "postgres://nobody@127.0.0.1:1/nothing" };
    const { stdout, stderr } = await authsvc(["bench", "--seconds", "1", "--json"], { cwd, env });
    const measured = JSON.parse(stdout) as {
      figures: { figure: string; atOnce: number; perSecond: number; p99Milliseconds: number }[];
    };
    // Of another database than the one that is configured, and it says so.
    expect(stderr).toContain("The benchmark used SQLite on this disk, not the configured PostgreSQL.");
    expect(measured).toMatchObject({
      version: expect.any(String),
      machine: { cores: expect.any(Number), node: process.versions.node },
      passwords: { memoryKiB: 8, iterations: 1, parallelism: 1 },
      database: "sqlite",
      seconds: 1,
    });
    expect(measured.figures.map(({ figure, atOnce }) => `${figure} ${atOnce}`)).toEqual([
      "argon2 1",
      "argon2 2",
      "argon2 4",
      "validate 16",
      "refresh 16",
      "sign-in 16",
    ]);
    for (const { perSecond, p99Milliseconds } of measured.figures) {
      expect(perSecond).toBeGreaterThan(0);
      expect(p99Milliseconds).toBeGreaterThan(0);
    }
    expect(readdirSync(join(cwd, "data"))).toEqual([]);
  });
});
