import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertRevocation } from "../../../src/records/revocations/store.ts";
import { postgresOrder } from "../../../src/storage/queries/commit-order.ts";
import { askFeed, startVerifier } from "../../support/feed.ts";
import { keyringOfService } from "../../support/keyring.ts";
import { startTestService, type TestApp, type TestService } from "../../support/service.ts";

// On SQLite writers run one at a time.
describe("the revocation feed among concurrent writers (postgres)", () => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let service: TestService;
  let app: TestApp;
  let early: Client;
  beforeAll(async () => {
    running = await startTestService("postgres");
    ({ service } = running);
    app = await service.createApp();
    early = new Client(service.config.database.url);
    await early.connect();
  });
  afterAll(async () => {
    await early.end();
    await running.stop();
  });

  const ending = (loginId: string) => ({
    appId: app.id,
    loginId,
    userId: null,
    keyId: null,
    organizationId: null,
    at: service.clock.now,
  });
  const end = async (loginId: string, pause = 0) =>
    await service.server.app.ctx.storage.write(async (tx) => {
      await insertRevocation(tx, ending(loginId));
      if (pause > 0) await sleep(pause);
    });

  it("V4: includes a transaction that began before an answer and was committed after it", async () => {
    const verifier = await startVerifier(service, app);
    await early.query("BEGIN");
    await early.query("INSERT INTO revocations (app_id, login_id, at) VALUES ($1, 'lgn_early', $2)", [
      app.id,
      service.clock.now,
    ]);
    await end("lgn_late");
    await verifier.listen();
    expect(verifier.received).toEqual([{ sid: "lgn_late" }]);
    await end("lgn_later");
    await verifier.listen();
    await early.query("COMMIT");
    await verifier.listen();
    expect(verifier.received).toEqual([{ sid: "lgn_late" }, { sid: "lgn_later" }, { sid: "lgn_early" }]);
    await verifier.listen();
    expect(verifier.received).toHaveLength(3);
  });

  it("V4: omits a transaction that is rolled back, and waits for none", async () => {
    const verifier = await startVerifier(service, app);
    await early.query("BEGIN");
    await early.query("INSERT INTO revocations (app_id, login_id, at) VALUES ($1, 'lgn_never', $2)", [
      app.id,
      service.clock.now,
    ]);
    await end("lgn_second");
    await verifier.listen(25);
    await early.query("ROLLBACK");
    await verifier.listen();
    expect(verifier.received).toEqual([{ sid: "lgn_second" }]);
  });

  it("V4: sends two readers each of 150 entries exactly once, written by concurrent transactions of all lengths", async () => {
    const readers = [await startVerifier(service, app), await startVerifier(service, app)];
    const ids = Array.from({ length: 150 }, (_, place) => `lgn_at_once_${place}`);
    const done = new AbortController();
    const reading = readers.map(async (reader) => {
      while (!done.signal.aborted) await reader.listen(1);
      await reader.listen();
    });
    const waiting = [...ids.entries()];
    // Four overlap in all ways; the pauses are part of the transactions.
    const writers = Array.from({ length: 4 }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await end(next[1], (next[0] * 7) % 40);
    });
    await Promise.all(writers);
    done.abort();
    await Promise.all(reading);
    for (const { received } of readers) expect(received.map(({ sid = "" }) => sid).toSorted()).toEqual(ids.toSorted());
  });

  it("repeats entries rather than missing one, if a cursor would be too long", async () => {
    const { cursor } = await askFeed(service, app);
    const keyring = await keyringOfService(service);
    const [origin = "", at = "", position = ""] = (keyring.openCursor(cursor, "revocations") ?? "").split("|");
    const [xmin = "", xmax = ""] = position.split(":");
    await end("lgn_again");
    const long = `${xmin}:${xmax}:${Array.from({ length: 500 }, () => xmin).join(",")}`;
    expect(postgresOrder.short(long)).toBe(`${xmin}:${xmin}:`);
    const after = keyring.sealCursor([origin, at, postgresOrder.short(long)].join("|"), "revocations");
    expect((await askFeed(service, app, { after })).revoked).toContainEqual({ sid: "lgn_again" });
  });

  it("needs no special privilege in PostgreSQL", async () => {
    await early.query("CREATE ROLE feed_reader");
    await early.query("SET ROLE feed_reader");
    const { rows } = await early.query(
      "SELECT system_identifier, pg_walfile_name(pg_current_wal_lsn()), pg_current_snapshot() FROM pg_control_system()",
    );
    await early.query("RESET ROLE");
    await early.query("DROP ROLE feed_reader");
    expect(rows).toHaveLength(1);
  });
});
