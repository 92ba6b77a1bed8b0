import { eq } from "drizzle-orm";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findLogin, findLoginStart, insertLogin, rotateLogin } from "../../src/sessions/login-store.ts";
import type { Login, LoginRotation } from "../../src/sessions/login.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { insertUser } from "../../src/users/store.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { insertKnownKey, liveUser, loginOf, userOf } from "./rows.ts";

const now = 1_000_000;

describe.each(["sqlite", "postgres"] as const)("what is asked for many at once (%s)", (dialect) => {
  /** Only PostgreSQL is asked for many in one statement, and by a reader. */
  const isSqlite = dialect === "sqlite";
  let running: Awaited<ReturnType<typeof startTestService>>;
  let service: TestService;
  let storage: Storage;
  let appId: string;

  beforeAll(async () => {
    running = await startTestService(dialect);
    ({ service } = running);
    ({ storage } = service.server.app.ctx);
    appId = (await service.createApp()).id;
    await insertKnownKey(storage);
    await storage.write(async (tx) => {
      for (const id of ["usr_1", "usr_2"]) await insertUser(tx, userOf(appId, id));
      await insertUser(tx, { ...userOf(appId, "usr_bare"), email: null });
      await insertUser(tx, { ...userOf(appId, "usr_disabled"), disabledAt: 1 });
    });
  });
  afterAll(async () => {
    await running.stop();
  });

  const insert = async (id: string, differing: Partial<Login> = {}): Promise<void> =>
    await storage.write((tx) =>
      insertLogin(tx, { ...loginOf(appId, id, now + 1), refreshDigest: `${id} 1`, ...differing }),
    );
  const rotationOf = (id: string, differing: Partial<LoginRotation> = {}): LoginRotation => ({
    id,
    appId,
    presentedDigest: `${id} 1`,
    successorDigest: `${id} 2`,
    generation: 2,
    organizationId: null,
    now,
    idleSince: -1,
    ...differing,
  });
  const rotate = async (rotation: LoginRotation) =>
    isSqlite ? await storage.write((tx) => rotateLogin(tx, rotation)) : await rotateLogin(storage.reader, rotation);

  it("answers each caller of a turn its own question", async ({ skip }) => {
    skip(isSqlite, "they are about PostgreSQL");
    await insert("live");
    await insert("live too", { userId: "usr_2" });
    await insert("ended", { endedAt: 1 });
    await insert("expired", { expiresAt: now });
    await insert("of a disabled user", { userId: "usr_disabled" });
    const asked = ["ended", "live", "nobody's", "live too", "live", "expired", "of a disabled user"];
    // More than go into one statement.
    const many = Array.from({ length: 40 }, () => asked).flat();
    const found = await Promise.all(many.map(async (id) => (await liveUser(storage, id, now))?.id));
    expect(found).toEqual(many.map((id) => ({ live: "usr_1", "live too": "usr_2" })[id]));
    expect(await liveUser(storage, "live", now)).toStrictEqual({
      id: "usr_1",
      email: "usr_1@example.com",
      emailVerified: false,
      name: "Ann",
      claimsVersion: 0,
      secondFactor: null,
    });
    const starts = await Promise.all(["ended", "nobody's"].map(async (id) => await findLoginStart(storage.reader, id)));
    expect(starts).toEqual([
      {
        appId,
        userId: "usr_1",
        signedInWith: "password",
        provider: null,
        publicClient: false,
        clientId: null,
        resource: null,
        organizationId: null,
        proofKey: null,
        proofs: null,
        organizationProofs: null,
        secondFactor: null,
        isRequired: false,
      },
      undefined,
    ]);
    // Each by its own clock.
    const atOtherTimes = [now, now + 1].map(async (at) => (await liveUser(storage, "live", at))?.id);
    expect(await Promise.all(atOtherTimes)).toEqual(["usr_1", undefined]);
  });

  it("rotates what nothing speaks against, and leaves everything else as it was", async () => {
    const refused: Record<string, [Partial<Login>, Partial<LoginRotation>]> = {
      "of another app": [{}, { appId: "app_other" }],
      "another token": [{}, { presentedDigest: "other" }],
      ended: [{ endedAt: 1 }, {}],
      expired: [{ expiresAt: now }, {}],
      idle: [{ refreshedAt: 5 }, { idleSince: 5 }],
      "user disabled": [{ userId: "usr_disabled" }, {}],
    };
    const proven = { provenAt: now, elsewhereAt: now, twoFactors: false };
    const companyProof = { organizationId: "org_a", issuer: "https://login.acme.example", ...proven };
    const good: Record<string, [Partial<Login>, Partial<LoginRotation>]> = {
      plain: [{}, {}],
      "unnamed, beside a switch": [{ organizationId: "org_a" }, {}],
      switched: [{ organizationId: "org_a" }, { organizationId: "org_b" }],
      "switched to none": [{ organizationId: "org_a" }, { organizationId: "none" }],
      "switched from none": [{}, { organizationId: "org_b" }],
      public: [{ publicClient: true }, {}],
      "by a provider": [{ signedInWith: "oauth", provider: "acme" }, {}],
      "without an address": [{ userId: "usr_bare" }, {}],
      "beside a company's proof": [{ organizationProofs: [companyProof] }, {}],
    };
    const organizations: Record<string, string> = {
      "unnamed, beside a switch": "org_a",
      switched: "org_b",
      "switched from none": "org_b",
    };
    const all = Object.entries({ ...refused, ...good }).map(
      ([name, [login, rotation]]) => [`rotate: ${name}`, login, rotation] as const,
    );
    for (const [id, login] of all) await insert(id, { scopes: ["email"], ...login });
    const before = new Map(
      await Promise.all(all.map(async ([id]) => [id, await findLogin(storage.reader, id)] as const)),
    );
    const rotated = await Promise.all(all.map(async ([id, , rotation]) => await rotate(rotationOf(id, rotation))));
    for (const [at, [id]] of all.entries()) {
      const old = before.get(id) as Login;
      const after = await findLogin(storage.reader, id);
      if (id.slice("rotate: ".length) in refused) {
        expect([id, rotated[at]]).toEqual([id, undefined]);
        expect(after).toStrictEqual(old);
        continue;
      }
      const expected = {
        ...old,
        generation: 2,
        previousDigest: `${id} 1`,
        refreshDigest: `${id} 2`,
        refreshedAt: now,
        lastSeenAt: now,
        organizationId: organizations[id.slice("rotate: ".length)] ?? null,
      };
      expect(after).toStrictEqual(expected);
      const {
        userId,
        signedInWith,
        provider,
        proofs,
        organizationProofs,
        secondFactor,
        scopes,
        publicClient,
        clientId,
        claimsRequest,
        resource,
        organizationId,
        signedInAt,
        provenElsewhereAt,
        createdAt,
        expiresAt,
      } = expected;
      const toContinue = {
        id,
        appId,
        userId,
        signedInWith,
        provider,
        proofs,
        organizationProofs,
        secondFactor,
        scopes,
        publicClient,
        clientId,
        claimsRequest,
        resource,
        organizationId,
        signedInAt,
        provenElsewhereAt,
        createdAt,
        expiresAt,
      };
      const email = userId === "usr_bare" ? null : "usr_1@example.com";
      expect(rotated[at]).toStrictEqual({ ...toContinue, email, emailVerified: false });
    }
  });

  it("lets one of many callers of a turn rotate a login", async ({ skip }) => {
    skip(isSqlite, "they are about PostgreSQL");
    await insert("once");
    const rotated = await Promise.all(Array.from({ length: 250 }, async () => await rotate(rotationOf("once"))));
    expect(rotated.filter((each) => each !== undefined)).toHaveLength(1);
    expect((await findLogin(storage.reader, "once"))?.generation).toBe(2);
  });

  it("waits for nobody who holds a row, for nobody's sake", async ({ skip }) => {
    skip(isSqlite, "they are about PostgreSQL");
    for (const id of ["held", "free"]) await insert(id);
    const other = new Client({ connectionString: service.config.database.url });
    await other.connect();
    await other.query("BEGIN");
    await other.query("UPDATE logins SET last_seen_at = 7 WHERE id = 'held'");
    const rotated = await Promise.all(["held", "free"].map(async (id) => await rotate(rotationOf(id))));
    expect(rotated.map((each) => each?.id)).toEqual([undefined, "free"]);
    await other.query("COMMIT");
    await other.end();
    expect((await rotate(rotationOf("held")))?.id).toBe("held");
    expect((await findLogin(storage.reader, "held"))?.generation).toBe(2);
  });

  it("rotates no login that was ended after the statement had begun to look", async ({ skip }) => {
    skip(isSqlite, "they are about PostgreSQL");
    const { db, tables } = storage.reader;
    for (let round = 0; round < 30; round += 1) {
      const id = `raced ${round}`;
      await insert(id);
      const [rotated] = await Promise.all([
        rotate(rotationOf(id)),
        db.update(tables.logins).set({ endedAt: 3 }).where(eq(tables.logins.id, id)),
      ]);
      const { generation } = (await findLogin(storage.reader, id)) as Login;
      expect(generation).toBe(rotated ? 2 : 1);
    }
  });
});
