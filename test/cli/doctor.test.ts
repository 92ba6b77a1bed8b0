import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

/** As a real installation has them: cheap ones earn a warning. */
const dearHashes = { AUTHSVC_PASSWORDS__MEMORY_KIB: "19456", AUTHSVC_PASSWORDS__ITERATIONS: "2" };

type Finding = { check: string; status: string; message: string; fix: string | null };

describe("doctor", () => {
  const cwd = emptyFolder();
  beforeAll(async () => {
    const uri = ["--redirect-uri", "https://shop.example/cb"];
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop", ...uri], { cwd });
    await answer(["app", "update", "app_shop", "--sign-up", "closed"], { cwd });
  });

  test("ends with 0 where everything is fine, and says what it looked at", async () => {
    const { code, stdout, stderr } = await authsvc(["doctor"], { cwd, env: dearHashes });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trim().split("\n");
    expect(lines.length).toBeGreaterThan(7);
    for (const line of lines) expect(line).toMatch(/^ok {7}\S/);
  });

  test.skipIf(process.platform === "win32")(
    "ends with 5 and the command that fixes a readable key, which then does",
    async () => {
      const key = join(cwd, "data/master.key");
      chmodSync(key, 0o644);
      const env = { ...dearHashes, AUTHSVC_BASE_URL: "http://127.0.0.1:8080" };
      const { code, stdout } = await authsvc(["doctor", "--json"], { cwd, env });
      expect(code).toBe(5);
      const findings = JSON.parse(stdout) as Finding[];
      const bad = findings.filter(({ status }) => status !== "ok");
      expect(bad).toMatchObject([
        { check: "configuration", status: "warning", message: expect.stringContaining("IP address") as string },
        { check: "files", status: "problem", fix: expect.stringMatching(/^chmod 600 .*master\.key$/) as string },
        { check: "passkeys", status: "problem" },
      ]);
      chmodSync(key, 0o600);
    },
  );

  test("ends with 0 where there are warnings only, and with 5 when these count as well", async () => {
    const warned = await authsvc(["doctor", "--json"], { cwd });
    expect(warned.code).toBe(0);
    const statuses = (JSON.parse(warned.stdout) as Finding[]).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(["ok", "warning"]));
    expect((await authsvc(["doctor", "--strict"], { cwd })).code).toBe(5);
  });

  test("ends with 5 where codes are to be mailed without a mail server, until one of the two changes", async () => {
    await answer(["app", "update", "app_shop", "--email-code", "on"], { cwd });
    const { code, stdout } = await authsvc(["doctor", "--json"], { cwd, env: dearHashes });
    const fix = "set mail.smtpUrl and mail.from, or: authsvc app update app_shop --email-code off";
    const found = (JSON.parse(stdout) as Finding[]).filter(({ check }) => check === "email-code");
    expect([code, found]).toEqual([5, [expect.objectContaining({ status: "problem", fix })]]);
    await answer(["app", "update", "app_shop", "--email-code", "off"], { cwd });
    expect((await authsvc(["doctor"], { cwd, env: dearHashes })).code).toBe(0);
  });

  test("a wrong configuration and a missing database are findings too, and nothing is made", async () => {
    const empty = emptyFolder();
    const wrong = await authsvc(["doctor", "--json"], {
      cwd: empty,
      env: { AUTHSVC_BASE_URL: "http://auth.example.com" },
    });
    expect(wrong.code).toBe(5);
    expect(JSON.parse(wrong.stdout)).toEqual([
      {
        check: "configuration",
        status: "problem",
        message: expect.stringContaining("AUTHSVC_BASE_URL must start with https://") as string,
        fix: "authsvc config check",
      },
    ]);
    const missing = await authsvc(["doctor"], { cwd: empty });
    expect(missing.code).toBe(5);
    expect(missing.stdout).toMatch(/^problem {2}database .*\n {24}-> authsvc init$/m);
    expect(existsSync(join(empty, "data"))).toBe(false);
  });
});
