import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type * as Sdk from "../../packages/sdk/src/index.ts";
import { signedUp } from "../support/person.ts";
import { withMemberships } from "../support/memberships.ts";
import { useService } from "../support/one-service.ts";
import type { TestApp } from "../support/service.ts";

/** The commit of version 1.0.0, whose package knows no organizations. */
const released = "4809dc949c581f2c8f9fe7ebecd438b430ce1cf7";
const repository = path.resolve(import.meta.dirname, "../..");
const isHere = spawnSync("git", ["cat-file", "-e", released], { cwd: repository }).status === 0;

type Package = typeof Sdk;
let sdk: Package;
const folder = mkdtempSync(path.join(tmpdir(), "authsvc-sdk-1.0-"));
beforeAll(async () => {
  if (!isHere) return;
  const archive = execFileSync("git", ["archive", released, "packages/sdk/src"], {
    cwd: repository,
    maxBuffer: 2 ** 26,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  sdk = (await import(path.join(folder, "packages/sdk/src/index.ts"))) as Package;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const current = useService();

/** A client of version 1.0.0 that has listened long enough, and what the feed told it. */
async function listening(app: TestApp) {
  const told: object[] = [];
  const client = sdk.createAuthsvc({
    issuer: current().url,
    appId: app.id,
    apiKey: app.apiKey,
    feed: "on-demand",
    now: () => current().clock.now,
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (new URL(url).pathname === "/auth/revocations")
        told.push(...((await response.clone().json()) as { revoked: object[] }).revoked);
      return response;
    },
  });
  await client.verify((await signedUp(current(), app)).accessToken);
  current().clock.advance(6 * 60_000);
  return { client, told };
}

test.skipIf(!isHere)(
  "version 1.0 of the package hears of persons, and takes nothing that it does not know",
  async () => {
    const person = await withMemberships(current());
    const { app, userId } = person;
    const [acme, best] = [await person.found("Acme"), await person.found("Best")];
    const { client, told } = await listening(app);
    const first = await person.tokens({ organization: acme });
    const second = await person.tokens({ organization: best });
    for (const { accessToken } of [first, second]) await client.verify(accessToken);
    await person.leave(acme);
    current().clock.advance(6000);
    await expect(client.verify(first.accessToken)).rejects.toMatchObject({ code: "INVALID_TOKEN" });
    expect((await client.verify(second.accessToken))["org_id"]).toBe(best);
    expect(told).toEqual([{ sub: userId, before: expect.any(String) }]);
    // Of an organization as a whole it hears nothing, as the guide says.
    await person.change(best, { disabled: true });
    current().clock.advance(6000);
    expect((await client.verify(second.accessToken))["org_id"]).toBe(best);
    expect(told).toHaveLength(1);
    client.close();
  },
);

test.skipIf(!isHere)("without organizations, it refreshes, verifies and hears of a logout as before", async () => {
  const app = await current().createApp();
  const { client } = await listening(app);
  const { accessToken, refreshToken } = await signedUp(current(), app);
  await client.verify(accessToken);
  const refreshed = await client.refresh(refreshToken);
  expect(await client.verify(refreshed.accessToken)).not.toHaveProperty("org_id");
  await client.logout(refreshed.accessToken);
  current().clock.advance(6000);
  await expect(client.verify(refreshed.accessToken)).rejects.toMatchObject({ code: "INVALID_TOKEN" });
  client.close();
});
