import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { allowDevice, newDeviceParty, openDecision, type DeviceParty } from "../support/devices.ts";
import { Visitor } from "../support/person.ts";
import { describeOnSqlite } from "../support/service.ts";

const program = path.resolve(import.meta.dirname, "../../packages/examples/cli/cli.js");

describeOnSqlite("the command-line example", (current) => {
  const folder = mkdtempSync(path.join(tmpdir(), "authsvc-example-cli-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a command. `decide` gets the user code that it shows. */
  async function run(
    party: DeviceParty,
    command: string,
    decide?: (codes: { user_code: string }) => Promise<unknown>,
  ): Promise<{ code: number | null; output: string }> {
    const file = path.join(folder, party.client.id, "token");
    const env = { ...process.env, ISSUER: current().url, CLIENT_ID: party.client.id, TOKEN_FILE: file };
    const child = spawn(process.execPath, [program, command], { env });
    let output = "";
    let deciding: Promise<unknown> | undefined;
    const note = (chunk: Buffer): void => {
      output += chunk.toString();
      const [, userCode] = /enter (\S+)\n/u.exec(output) ?? [];
      if (userCode !== undefined) deciding ??= decide?.({ user_code: userCode });
    };
    child.stdout.on("data", note);
    child.stderr.on("data", note);
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    await deciding;
    return { code, output };
  }

  it("signs in, keeps a refresh token that only its user can read, refreshes it, and signs out", async () => {
    const party = await newDeviceParty(current(), { name: "Shop command line" });
    const file = path.join(folder, party.client.id, "token");
    const signedIn = await run(party, "login", async (codes) => await allowDevice(current(), party, codes));
    expect(signedIn).toMatchObject({
      code: 0,
      output: expect.stringContaining(`signed in as ${party.email}`) as string,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const first = readFileSync(file, "utf8");
    current().clock.advance(20 * 60_000);
    expect(await run(party, "whoami")).toEqual({ code: 0, output: `You are signed in as ${party.email}\n` });
    expect(readFileSync(file, "utf8")).not.toBe(first);
    expect(await run(party, "logout")).toEqual({ code: 0, output: "You are signed out.\n" });
    expect(await run(party, "whoami")).toEqual({ code: 1, output: "You are not signed in: run login.\n" });
  });

  it("says that the person refused, and how it is used", async () => {
    const party = await newDeviceParty(current());
    const refused = await run(party, "login", async (codes) => {
      const visitor = new Visitor();
      await visitor.submit(await openDecision(current(), party, codes, visitor), "/step/deny", {});
    });
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("did not agree") as string });
    expect(await run(party, "help")).toEqual({ code: 1, output: "Use one of: login, whoami, logout\n" });
  });
});
