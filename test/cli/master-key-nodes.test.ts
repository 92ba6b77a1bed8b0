import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openApp, type App } from "../../src/process/app.ts";
import type { Config } from "../../src/config/config.ts";
import { parseSender, parseSmtpUrl } from "../../src/config/mail.ts";
import { minute } from "../../src/lib/clock.ts";
import type { Log } from "../../src/lib/log.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { silentLog } from "../../src/lib/silent-log.ts";
import { switchMasterKey } from "../../src/upkeep/database/switched-master-key.ts";
import * as mail from "../../src/records/mail/service.ts";
import * as deliveries from "../../src/records/webhooks/deliveries.ts";
import { webhookWorker } from "../../src/records/webhooks/worker.ts";
import { MasterKey } from "../../src/secrets/key.ts";
import type { TestApp } from "../support/service.ts";
import { createEndpoint, happen } from "../support/webhooks.ts";
import { answer } from "./in-process.ts";
import { keysIn, startKeyPlace } from "./key-place.ts";
import { runSql } from "./sql.ts";

describe("a node that lacks a key during a rotation", () => {
  let running: Awaited<ReturnType<typeof startKeyPlace>>;
  let app: TestApp;
  let first = "";
  let now = 0;
  const errors: string[] = [];
  const log: Log = {
    ...silentLog,
    error: (message, error) => void errors.push(`${message}: ${(error as Error).message}`),
  };

  beforeEach(async () => {
    running = await startKeyPlace("postgres");
    app = await running.service.createApp();
    [first = ""] = keysIn(running.file);
    now = Date.now();
    errors.length = 0;
  });
  afterEach(async () => await running.stop());

  /** A process with these keys alone, which can send mail. */
  async function openNode(...keys: string[]): Promise<App> {
    const nobody = { server: parseSmtpUrl("smtp://127.0.0.1:1"), from: parseSender("a@example.com") };
    const mail = nobody as NonNullable<Config["mail"]>;
    const config = { ...running.service.config, masterKey: keys.join("\n"), masterKeyFile: undefined, mail };
    return await openApp(config, { clock: () => now, log });
  }

  async function enqueue({ ctx }: App): Promise<void> {
    const origin = { ipAddress: null, userAgent: null };
    const notice = {
      kind: "password-changed",
      appId: app.id,
      userId: null,
      to: "a@example.com",
      locale: null,
    } as const;
    await ctx.storage.write((tx) => mail.enqueue(ctx, tx, { ...notice, origin }, now));
  }

  it("claims neither mail nor webhooks without the new key, and says why once", async () => {
    const endpointId = await createEndpoint(running.service, app, { url: "https://hooks.example.com/" });
    await webhookWorker(running.service.server.app.ctx).stop();
    const without = await openNode(first);
    running.prepare();
    const [next = ""] = keysIn(running.file);
    await running.rotate();
    const other = await openNode(next, first);
    await enqueue(other);
    await happen(running.service, app);
    for (let look = 0; look < 2; look += 1) {
      expect(await mail.claim(without.ctx, 10)).toEqual([]);
      expect(await deliveries.claim(without.ctx, endpointId, 10)).toEqual([]);
    }
    const untouched = [{ attempts: "0", lease: null }];
    expect(await runSql(running.service, "SELECT attempts::text, lease_until AS lease FROM mails")).toEqual(untouched);
    const deliveriesQuery = "SELECT attempts::text, lease_until AS lease FROM webhook_deliveries";
    expect(await runSql(running.service, deliveriesQuery)).toEqual(untouched);
    expect(errors).toEqual([
      expect.stringMatching(/^mail is left to other processes: The master key was rotated.*add it to masterKeyFile/u),
      expect.stringMatching(/^the outbox of webhooks is left to other processes: The master key was rotated/u),
    ]);
    expect(await mail.claim(other.ctx, 10)).toHaveLength(1);
    expect(await deliveries.claim(other.ctx, endpointId, 10)).toHaveLength(1);
    await without.close();
    await other.close();
  });

  it("deletes no mail that only the old key opens while the rotation is under way", async () => {
    const { ctx } = running.service.server.app;
    const before = await openNode(first);
    await enqueue(before);
    await before.close();
    running.prepare();
    const [next = ""] = keysIn(running.file);
    const [current, to] = [first, next].map((key) => new MasterKey(Buffer.from(key, "base64url"), systemRandom));
    if (!current || !to) throw new Error("no key");
    const record = { actor: { kind: "cli", name: "test" } as const, now };
    await switchMasterKey(ctx, { current, next: to }, record);
    const newOnly = await openNode(next);
    expect(await mail.claim(newOnly.ctx, 10)).toEqual([]);
    expect(await mail.pending(newOnly.ctx)).toMatchObject({ mails: 1 });
    await running.rotate();
    now += 2 * minute;
    expect(await mail.claim(newOnly.ctx, 10)).toHaveLength(1);
    await newOnly.close();
  });

  it("a mail that no key opens is dropped when no rotation is under way", async () => {
    const node = await openNode(first);
    await enqueue(node);
    await runSql(running.service, "UPDATE mails SET encrypted_mail = 'v1.AAAA'");
    expect(await mail.claim(node.ctx, 10)).toEqual([]);
    expect(await mail.pending(node.ctx)).toMatchObject({ mails: 0 });
    await node.close();
    const events = (await answer(["audit", "list", "--since", "1h"], running.place)) as { action: string }[];
    expect(events.map(({ action }) => action)).toContain("mail.dropped");
  });
});
