import { createHook } from "node:async_hooks";
import { eq } from "drizzle-orm";
import { expect, it, onTestFinished } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { listOtherHashes } from "../../../src/credentials/passwords/store.ts";
import * as userExport from "../../../src/people/export.ts";
import * as userImport from "../../../src/people/import.ts";
import type { LineOutcome } from "../../../src/people/import.ts";
import { comparable, openForm } from "../../support/limits.ts";
import { isLongRun } from "../../support/long-run.ts";
import { goodPassword, initiate, newEmail, redeem, signIn, signUp, Visitor, type Page } from "../../support/person.ts";
import {
  withApp,
  describeSqliteFirst,
  startTestService,
  type TestApp,
  type TestService,
} from "../../support/service.ts";
import { runsLong } from "../../support/left-out.ts";

const actor = { kind: "cli", name: "test" } as const;
const bcryptHash = "$2b$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2";
const bcryptPassword = "correct horse";
/** The vector that Firebase publishes. */
const firebase = {
  signerKey: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
  saltSeparator: "Bw==",
  rounds: 8,
  memCost: 14,
};
const firebasePassword = {
  hash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
  salt: "42xEC+ixf3L2lw==",
};
const publicKey =
  "pQECAyYgASFYIKukNkrDGHqTWqKCF4DolUKCGPZm6LByCsL3xSQDF62AIlggC1kWrJ6HXXMZ1Mkx8zRVo5ytDxnlnfegox9DD-VBSHs";

async function importUsers(
  service: TestService,
  app: TestApp,
  users: object[],
  options: Partial<{ firebase: typeof firebase; dryRun: boolean; allowExpensiveHashes: boolean }> = {},
): Promise<LineOutcome[]> {
  const lines = users.map((user, index) => ({ line: index + 1, json: JSON.stringify(user) }));
  const { ctx } = service.server.app;
  return await userImport.importLines(ctx, app.id, lines, { dryRun: false, ...options }, actor);
}

async function exportUsers(service: TestService, app: TestApp): Promise<object[]> {
  const { ctx } = service.server.app;
  return (await Array.fromAsync(userExport.pages(ctx, app.id, { withHashes: true }))).flat();
}

async function storedHash(service: TestService, email: string): Promise<string | undefined> {
  const { db, tables } = service.server.app.ctx.storage.reader;
  const [row] = await db
    .select({ hash: tables.passwords.hash })
    .from(tables.passwords)
    .innerJoin(tables.users, eq(tables.users.id, tables.passwords.userId))
    .where(eq(tables.users.email, email));
  return row?.hash;
}

async function refusal(service: TestService, app: TestApp, email: string): Promise<{ status: number; took: number }> {
  const { authUrl } = await initiate(service, app);
  const visitor = new Visitor();
  const page = await visitor.get(authUrl);
  const startedAt = performance.now();
  const { status } = await visitor.submit(page, "/password", { email, password: "not this one at all" });
  return { status, took: performance.now() - startedAt };
}

const salted = "yMnKy8zNzs/Q0dLT1NXW1w$bO75sSS+xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyak";
/** Takes hundreds of milliseconds on any machine. */
const expensiveHash = `$pbkdf2-sha512$i=1500000$${salted}`;

describeSqliteFirst("imported users", (current, { restart }) => {
  it("sign in with the password that they had, and then have a hash of today", async () => {
    const { service, app } = await withApp(current());
    const email = "ada@bcrypt.example";
    expect(await importUsers(service, app, [{ email, emailVerified: true, password: { hash: bcryptHash } }])).toEqual([
      { line: 1, outcome: "created", leftOut: [] },
    ]);
    expect(await storedHash(service, email)).toBe(bcryptHash);
    const first = await redeem(service, app, await signIn(service, app, { email, password: bcryptPassword }));
    expect(first.user).toMatchObject({ email, emailVerified: true });
    expect(await storedHash(service, email)).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
    const again = await redeem(service, app, await signIn(service, app, { email, password: bcryptPassword }));
    expect(again.user["id"]).toBe(first.user["id"]);
  });

  it("of Firebase sign in, and the signer key of their project is nowhere in the database", async () => {
    const { service, app } = await withApp(current());
    const email = "ada@firebase.example";
    const user = { email, password: firebasePassword };
    expect(await importUsers(service, app, [user])).toMatchObject([{ outcome: "refused", field: "password.salt" }]);
    expect(await importUsers(service, app, [user], { firebase })).toMatchObject([{ outcome: "created" }]);
    const text = await service.databaseText();
    expect(text).not.toContain(firebase.signerKey.slice(0, 24));
    expect(text).not.toContain(firebasePassword.hash.slice(0, 24));
    await redeem(service, app, await signIn(service, app, { email, password: "user1password" }));
    expect(await storedHash(service, email)).toMatch(/^\$argon2id\$/);
  });

  it("come whole or not at all, and each refused line says why without a value", async () => {
    const { service, app } = await withApp(current());
    const other = await service.createApp();
    const passkey = { credentialId: "AQID", publicKey, transports: ["internal"], discoverable: true };
    const offCurve = `${publicKey.slice(0, -4)}AAAA`;
    const owner = { email: "owner@example.org", handle: "aGFuZGxl", passkeys: [passkey] };
    const accounts = [{ provider: "github", subject: "42" }];
    expect(await importUsers(service, other, [owner, { id: "taken", email: "t@example.org" }])).toMatchObject([
      { outcome: "created" },
      { outcome: "created" },
    ]);
    const outcomes = await importUsers(service, app, [
      { email: "a@example.org", handle: "b3RoZXI", passkeys: [passkey] },
      { email: "b@example.org", handle: "aGFuZGxl" },
      { id: "taken", email: "t@example.org" },
      { id: "x", email: "d@example.org", identities: accounts },
      { email: "e@example.org", identities: accounts },
      { email: "f@example.org", passkeys: [{ ...passkey, credentialId: "BAUG" }] },
      { email: "g@example.org", handle: "bmV3", passkeys: [{ ...passkey, publicKey: offCurve }] },
      { id: "y", email: "d@example.org" },
      { id: "x", email: "moved@example.org" },
      { id: "z" },
      { name: "Nobody" },
      { email: "h@example.org", password: { hash: "5f4dcc3b5aa765d61d8327deb882cf99" } },
      { email: "i@example.org", password: { hash: bcryptHash.replace("$05$", "$30$") } },
      { email: "j@example.org", picture: "javascript:alert(1)" },
      { email: "k@example.org", createdAt: "yesterday" },
      { email: "l@example.org", name: "a\u0007b" },
      { email: "m@example.org", role: "admin" },
      { email: "n@example.org", groups: ["nobodys"] },
      { email: "o@example.org", publicMetadata: { text: "x".repeat(5000) } },
    ]);
    expect(
      outcomes.map((outcome) => ("field" in outcome ? `${outcome.line} ${outcome.field}` : outcome.outcome)),
    ).toEqual([
      "1 passkeys[0].credentialId",
      "2 handle",
      "3 id",
      "created",
      "5 identities[0].subject",
      "6 handle",
      "7 passkeys[0].publicKey",
      "8 email",
      "9 id",
      "created",
      "11 email",
      "12 password.hash",
      "13 password.hash",
      "created",
      "created",
      "created",
      "17 role",
      "18 groups[0]",
      "19 publicMetadata",
    ]);
    expect(JSON.stringify(outcomes)).not.toMatch(/example\.org|javascript|yesterday|5f4dcc|admin/);
    expect(await exportUsers(service, app)).toHaveLength(5);
  });

  it("come without what does not fit and nobody signs in by, and the import says what that is", async () => {
    const { service, app } = await withApp(current());
    const passkey = {
      credentialId: "CQoL",
      publicKey,
      transports: "usb",
      name: "a\u0007b",
      aaguid: "",
      createdAt: "0",
    };
    const account = { provider: "github", subject: "777", email: "jürgen@example.org" };
    const wrong = { name: "x".repeat(201), picture: "", createdAt: "0001-01-01 00:00:00" };
    const user = { id: "odd", email: "odd@example.org", handle: "b2Rk", ...wrong };
    const [outcome] = await importUsers(service, app, [{ ...user, passkeys: [passkey], identities: [account] }]);
    expect(outcome).toMatchObject({ outcome: "created" });
    const fields = outcome?.outcome === "created" ? outcome.leftOut.map(({ field }) => field) : [];
    expect(fields.toSorted()).toEqual([
      "createdAt",
      "identities[0].email",
      "name",
      "passkeys[0].aaguid",
      "passkeys[0].createdAt",
      "passkeys[0].name",
      "passkeys[0].transports",
      "picture",
    ]);
    const exported = await exportUsers(service, app);
    expect(exported).toMatchObject([
      { id: "odd", passkeys: [{ credentialId: "CQoL" }], identities: [{ subject: "777" }] },
    ]);
    expect(exported[0]).not.toHaveProperty("picture");
    // What gives access, or proves somebody, is as strict as before.
    for (const strict of [
      { emailVerified: "yes" },
      { disabled: 1 },
      { password: { hash: "" } },
      { email: "jürgen@example.org" },
      { passkeys: [{ ...passkey, signCount: -1 }] },
    ])
      expect(
        await importUsers(service, app, [{ ...user, id: "strict", email: "s@example.org", ...strict }]),
      ).toMatchObject([{ outcome: "refused" }]);
  });

  it("are left alone by a second import, are counted once, and a dry run writes nothing", async () => {
    const { service, app } = await withApp(current());
    const users = Array.from({ length: 700 }, (_, index) => ({
      id: `u${String(index).padStart(4, "0")}`,
      email: `person${index}@example.net`,
    }));
    const { ctx } = service.server.app;
    const count = async (): Promise<number> => (await applications.get(ctx, app.id)).stats.totalUsers;
    expect((await importUsers(service, app, users, { dryRun: true })).map(({ outcome }) => outcome)).toEqual(
      users.map(() => "created"),
    );
    expect(await count()).toBe(0);
    await importUsers(service, app, users.slice(0, 500));
    const outcomes = await importUsers(service, app, users);
    expect(outcomes.filter(({ outcome }) => outcome === "unchanged")).toHaveLength(500);
    expect(outcomes.filter(({ outcome }) => outcome === "created")).toHaveLength(200);
    expect(await count()).toBe(700);
    expect(await exportUsers(service, app)).toHaveLength(700);
  });

  it("of two imports at the same time are there once", async () => {
    const { service, app } = await withApp(current());
    const users = Array.from({ length: 200 }, (_, index) => ({ email: `twice${index}@example.net` }));
    const both = await Promise.all([importUsers(service, app, users), importUsers(service, app, users.toReversed())]);
    expect(both.flat().filter(({ outcome }) => outcome === "created")).toHaveLength(200);
    expect(both.flat().filter(({ outcome }) => outcome === "unchanged")).toHaveLength(200);
    expect((await applications.get(service.server.app.ctx, app.id)).stats.totalUsers).toBe(200);
  });

  it("are exported as they were imported, into another database as well", async () => {
    const { service, app } = await withApp(current());
    const whole = {
      id: "ada",
      email: "ada@example.org",
      emailVerified: true,
      name: "Ada Lovelace",
      picture: "https://cdn.example/ada.png",
      createdAt: "2015-12-10T00:00:00.123Z",
      disabled: true,
      handle: "aGFuZGxlLW9mLWFkYQ",
      password: { hash: "$pbkdf2-sha256$i=1000$yMnKy8zNzs/Q0dLT1NXW1w$bO75sSS+xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyak" },
      passkeys: [
        {
          credentialId: "Y3JlZGVudGlhbA",
          publicKey,
          signCount: 4_294_967_295,
          transports: ["internal", "hybrid"],
          aaguid: "adce0002-35bc-c60a-648b-0b25f1f05503",
          name: "Chrome on Mac",
          discoverable: true,
          backedUp: true,
          createdAt: "2024-02-03T04:05:06.007Z",
        },
      ],
      identities: [
        {
          provider: "google",
          subject: "107691503500606",
          issuer: "https://accounts.google.com",
          email: "ada@gmail.example",
        },
      ],
    };
    await importUsers(service, app, [whole, { email: "plain@example.org" }]);
    await signUp(service, app, { email: "signed-up@example.org" });
    const exported = await exportUsers(service, app);
    expect(exported).toContainEqual(whole);
    expect(exported).toHaveLength(3);
    const elsewhere = await startTestService("sqlite");
    try {
      const copy = await elsewhere.service.createApp();
      await importUsers(elsewhere.service, copy, exported);
      const copied = await exportUsers(elsewhere.service, copy);
      expect(new Set(copied.map((user) => JSON.stringify(user)))).toEqual(
        new Set(exported.map((user) => JSON.stringify(user))),
      );
      await redeem(elsewhere.service, copy, await signIn(elsewhere.service, copy, { email: "signed-up@example.org" }));
    } finally {
      await elsewhere.stop();
    }
  });

  it("P4: cannot be told from strangers by how long a refusal takes", async () => {
    const { service, app } = await withApp(current());
    const dear = "$pbkdf2-sha512$i=120000$yMnKy8zNzs/Q0dLT1NXW1w$bO75sSS+xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyak";
    await importUsers(service, app, [{ email: "known@dear.example", password: { hash: dear } }]);
    const known = await refusal(service, app, "known@dear.example");
    const unknown = await refusal(service, app, "unknown@dear.example");
    expect([known.status, unknown.status]).toEqual([401, 401]);
    // 120,000 rounds take tens of milliseconds anywhere, one of the cheap hashes of these tests
    // takes less than one.
    expect(unknown.took).toBeGreaterThan(15);
    expect(known.took).toBeGreaterThan(15);
  });

  it("with a hash that is expensive to check are refused, unless the operator allows it", async () => {
    const { service, app } = await withApp(current());
    const user = { email: "ada@expensive.example", password: { hash: expensiveHash } };
    expect(await importUsers(service, app, [user])).toEqual([
      {
        line: 1,
        outcome: "refused",
        field: "password.hash",
        rule: expect.stringContaining("--allow-expensive-hashes"),
      },
    ]);
    expect(await importUsers(service, app, [user], { allowExpensiveHashes: true })).toMatchObject([
      { outcome: "created" },
    ]);
  });

  it("make no sign-in of another application wait, however expensive their hashes are and however often they are tried", async () => {
    const service = current();
    const [slow, app] = [await service.createApp(), await service.createApp()];
    const victims = ["one@slow.example", "two@slow.example"];
    const users = victims.map((email) => ({ email, password: { hash: expensiveHash } }));
    await importUsers(service, slow, users, { allowExpensiveHashes: true });
    await importUsers(service, app, [{ email: "ada@quick.example", password: { hash: bcryptHash } }]);
    const own = await signUp(service, app, { email: "own@quick.example" });
    expect(own.code).not.toBe("");
    const formOf = async (of: TestApp) => {
      const visitor = new Visitor();
      return { visitor, page: await visitor.get((await initiate(service, of)).authUrl) };
    };
    const slowForms = await Promise.all(
      [...victims, "one@slow.example"].map(async (email) => ({ email, ...(await formOf(slow)) })),
    );
    const [ownForm, importedForm] = [await formOf(app), await formOf(app)];
    let slowAnswers = 0;
    const tries = slowForms.map(async ({ visitor, page, email }) => {
      const { status } = await visitor.submit(page, "/password", { email, password: "not this one at all" });
      slowAnswers += 1;
      return status;
    });
    const ownDone = await ownForm.visitor.submit(ownForm.page, "/password", {
      email: "own@quick.example",
      password: goodPassword,
    });
    expect([ownDone.status, slowAnswers]).toEqual([303, 0]);
    // Imported users of another application wait for the one check that runs, and not for those in
    // line.
    const imported = await importedForm.visitor.submit(importedForm.page, "/password", {
      email: "ada@quick.example",
      password: bcryptPassword,
    });
    expect(imported.status).toBe(303);
    expect(slowAnswers).toBeLessThanOrEqual(1);
    expect(await Promise.all(tries)).toEqual(tries.map(() => 401));
  });

  it("cannot be told from strangers right after a restart either: the first refusal checks a hash like theirs", async () => {
    const { service, app } = await withApp(current());
    const costly = `$pbkdf2-sha512$i=120000$${salted}`;
    const cheap = { email: "cheap@restart.example", password: { hash: bcryptHash } };
    await importUsers(service, app, [{ email: "known@restart.example", password: { hash: costly } }, cheap]);
    await restart();
    let checks = 0;
    const counting = createHook({ init: (_id, type) => void (checks += type === "PBKDF2REQUEST" ? 1 : 0) });
    counting.enable();
    onTestFinished(() => void counting.disable());
    for (const [refused, email] of ["unknown@restart.example", "known@restart.example"].entries()) {
      expect((await refusal(service, app, email)).status).toBe(401);
      expect(checks).toBe(refused + 1);
    }
  });

  // Takes seconds of a processor.
  it("P4, L4: are no free tries while too many wait: each is counted first, and a right one that is refused answers like a wrong one", async ({
    skip,
  }) => {
    skip(!isLongRun, runsLong);
    const { service, app } = await withApp(current());
    const [email, slow, imported] = [newEmail(), newEmail(), newEmail()];
    await signUp(service, app, { email });
    // Takes seconds, in which nobody else has a turn: longer than all else here on a busy machine.
    const slowest = `$pbkdf2-sha512$i=10000000$${salted}`;
    await importUsers(service, app, [{ email: imported, password: { hash: bcryptHash } }]);
    await importUsers(service, app, [{ email: slow, password: { hash: slowest } }], { allowExpensiveHashes: true });
    expect((await refusal(service, app, imported)).status).toBe(401);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const failures = async (): Promise<number[]> =>
      (await db.select().from(tables.passwordFailures)).map((row) => row.failures).toSorted((a, b) => b - a);
    const tries = async (): Promise<number> =>
      (await db.select().from(tables.rateLimitCounts)).reduce((sum, { used }) => sum + used, 0);
    await service.server.app.ctx.storage.write(async (tx) => void (await tx.db.delete(tx.tables.passwordFailures)));
    const forms = await Promise.all(Array.from({ length: 14 }, async () => await openForm(service, app)));
    const before = await tries();
    const send = async (address: string, password: string) => {
      const form = forms.pop();
      if (!form) throw new Error("too few forms");
      return await form.visitor.submit(form.page, "/password", { email: address, password });
    };
    const wrong = "not this one at all";
    let slowIsDone = false;
    const blocking = send(slow, wrong).then(() => (slowIsDone = true));
    const own = Array.from({ length: 6 }, async () => await send(email, wrong));
    // Four wait.
    const busy = await Promise.any(own.map(async (answer) => isBusy(await answer)));
    await expect.poll(failures, { timeout: 60_000 }).toEqual([6]);
    // Now the account waits, and the right password is refused.
    const [right, another] = [await send(email, goodPassword), await send(email, wrong)];
    expect([right.status, comparable(right)]).toEqual([429, comparable(another)]);
    expect(comparable(busy)).toBe(comparable(right));
    expect(await tries()).toBe(before + 8);
    // An imported user's, which was not looked at, counts as well.
    const theirs = Array.from({ length: 5 }, async () => await send(imported, bcryptPassword));
    await Promise.any(theirs.map(async (answer) => isBusy(await answer)));
    expect(await failures()).toEqual([6, 1]);
    expect(await tries()).toBe(before + 9);
    expect(slowIsDone).toBe(false);
    await Promise.all([blocking, ...own, ...theirs]);
  });

  it("are all that a start reads: hashes with today's parameters stay in the database", async () => {
    const { service, app } = await withApp(current());
    await signUp(service, app, { email: newEmail() });
    await importUsers(service, app, [{ email: newEmail(), password: { hash: bcryptHash } }]);
    const rows = await listOtherHashes(service.server.app.ctx.storage.reader, "$argon2id$v=19$m=8,t=1,p=1$", "");
    expect(rows.filter(({ appId }) => appId === app.id).map(({ hash }) => hash)).toEqual([bcryptHash]);
  });
});

function isBusy(page: Page): Page {
  if (page.status !== 429) throw new Error(`answered ${page.status}`);
  return page;
}
