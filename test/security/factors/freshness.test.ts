import { describe, expect, it } from "vitest";
import * as factors from "../../../src/factors/service.ts";
import * as methods from "../../../src/credentials/methods/service.ts";
import * as ownLogins from "../../../src/sessions/login-ends.ts";
import { withinTransaction } from "../../../src/runtime/context.ts";
import type { MethodType } from "../../../src/storage/column-types.ts";
import * as users from "../../../src/users/service.ts";
import { passwordAt, personWithFactor } from "../../support/account-factors.ts";
import { openAccount, press } from "../../support/account.ts";
import { codeAt, keyIn, signedInWithTotp, signedUpWithTotp } from "../../support/factors.ts";
import { untilWaiting, usePlaceWithLocks } from "../../support/locks.ts";
import { useMailServer } from "../../support/mail.ts";
import { bearer, giveFactor, givePasskey } from "../../support/methods.ts";
import { call, newEmail, refresh, signedUp, type Page, type Tokens } from "../../support/person.ts";
import { describeEachDatabase, describeSqliteFirst, withApp, type TestService } from "../../support/service.ts";

const methodTypes: MethodType[] = ["password", "passkey"];
const optional = { settings: { secondFactor: "optional" }, methods: methodTypes } as const;
const required = { settings: { secondFactor: "required" }, methods: methodTypes } as const;
const server = await useMailServer();
const by = { actor: { kind: "cli", name: "test" } } as const;
const day = 86_400_000;

/** Acts of the account page that take a fresh proof: the form, and what is typed. */
const acts = {
  "replace the app": ["/factor", (page: Page, now: number) => ({ code: codeAt(keyIn(page), now + 30_000) })],
  "remove the app": ["/remove-factor", () => ({})],
  "get new recovery codes": ["/recovery-codes", () => ({})],
  "remove a method": ["/methods/ID/remove", () => ({})],
  "change the address": ["/email", () => ({ email: newEmail() })],
  "download the data": ["/data", () => ({})],
  "delete the account": ["/delete", () => ({})],
} as const satisfies Record<string, readonly [string, (page: Page, now: number) => Record<string, string>]>;

/** What an act would change. */
async function stateOf(service: TestService, id: string) {
  const { ctx } = service.server.app;
  const { db, tables } = ctx.storage.reader;
  const ofUser = <Row extends { userId: string | null }>(rows: Row[]): Row[] => rows.filter((row) => row.userId === id);
  return {
    exists: (await users.find(ctx.storage.reader, id)) !== undefined,
    methods: await methods.list(ctx.storage.reader, id),
    codes: ofUser(await db.select().from(tables.recoveryCodes))
      .map(({ digest }) => digest)
      .toSorted(),
    secrets: ofUser(await db.select().from(tables.secondFactors)).map(({ encryptedSecret }) => encryptedSecret),
    changes: ofUser(await db.select().from(tables.emailTokens)).map(({ email }) => email),
    downloads: ofUser(await db.select().from(tables.auditEvents)).filter(({ action }) => action === "user.download")
      .length,
  };
}

/** Somebody who has just proven both factors, in front of the form of an act. */
async function before(service: TestService, act: keyof typeof acts) {
  const { app } = await withApp(service, optional);
  const owner = await personWithFactor(service, app);
  const passkey = await givePasskey(service, owner.id);
  const [path, typed] = acts[act];
  const address = path.replace("ID", passkey);
  const page = await openAccount(service, app, owner.visitor, address);
  const send = async () => await press(app, owner.visitor, page, `/account${address}`, typed(page, service.clock.now));
  return { owner, send, state: await stateOf(service, owner.id) };
}

describeEachDatabase("an act on an account with a second factor", { mail: server.mail }, (service) => {
  it("M9: is done ten minutes after the proof, however long a page of that sign-in was left open", async () => {
    const { app } = await withApp(service, optional);
    const { id, email, visitor, codes } = await personWithFactor(service, app);
    service.clock.advance(11 * 60_000);
    const asked = await passwordAt(visitor, await openAccount(service, app, visitor, "/delete"), email);
    const left = await visitor.submit(asked, "/step/code", { code: codes[0] ?? "" });
    const shown = await visitor.get(left.location.href);
    service.clock.advance(9 * 60_000);
    await visitor.submit(shown, "/step/continue", {});
    const form = await openAccount(service, app, visitor, "/delete");
    service.clock.advance(61_000);
    const gone = await press(app, visitor, form, "/account/delete");
    expect(gone.location.pathname).toMatch(/^\/sign-in\//u);
    expect((await stateOf(service, id)).exists).toBe(true);
  });

  it.each(Object.keys(acts) as (keyof typeof acts)[])(
    "M9: to %s is done ten minutes after the proof, and not a second later",
    async (act) => {
      for (const [seconds, isDone] of [
        [599, true],
        [601, false],
      ] as const) {
        const { owner, send, state } = await before(service, act);
        service.clock.advance(seconds * 1000);
        const answer = await send();
        const after = await stateOf(service, owner.id);
        expect([seconds, JSON.stringify(after) !== JSON.stringify(state)]).toEqual([seconds, isDone]);
        if (!isDone) expect(answer.location.pathname).toMatch(/^\/sign-in\//u);
      }
    },
  );

  const between = {
    "everything ended": async (ownerId: string) => await ownLogins.endAll(service.server.app.ctx, ownerId, by),
    "the ten minutes passed": () => service.clock.advance(601_000),
  };
  const eachAct = (Object.keys(acts) as (keyof typeof acts)[]).flatMap((act) =>
    (Object.keys(between) as (keyof typeof between)[]).map((event) => ({ act, event })),
  );

  it.each(eachAct)("M9: to $act is not done if $event between the check and the act", async ({ act, event }) => {
    const { owner, send, state } = await before(service, act);
    const { ctx } = service.server.app;
    const { write } = ctx.storage;
    ctx.storage.write = async (work) => {
      // The background writes too: mails, counts, sweeps.
      if (new Error("who writes").stack?.includes("/src/pages/account/") !== true) return await write(work);
      ctx.storage.write = write;
      await between[event](owner.id);
      return await write(work);
    };
    const answer = await send();
    expect(ctx.storage.write).toBe(write);
    expect(answer.location.pathname).toMatch(/^\/sign-in\//u);
    expect(await stateOf(service, owner.id)).toEqual(state);
  });
});

describe("an act on an account, on PostgreSQL", () => {
  const locked = usePlaceWithLocks();

  it("M9: waits for a transaction that is just ending everything, and is not done", async () => {
    const { service } = locked.place;
    const { owner, send, state } = await before(service, "delete the account");
    const { ctx } = service.server.app;
    const answer = await ctx.storage.write(async (tx) => {
      await ownLogins.endAll(withinTransaction(ctx, tx), owner.id, by);
      const sent = send();
      await untilWaiting(locked.other, 1);
      return { sent };
    });
    expect((await answer.sent).location.pathname).toMatch(/^\/sign-in\//u);
    expect(await stateOf(service, owner.id)).toEqual(state);
  });
});

describeSqliteFirst("a token of an account with a second factor", (service) => {
  const deletes = async (accessToken: string) => await call(service, "DELETE", "/users/profile", bearer(accessToken));
  const removes = async (accessToken: string, id: string) =>
    await call(service, "DELETE", `/users/auth-methods/${id}`, bearer(accessToken));

  it("M9: deletes the account and removes a method ten minutes after the sign-in, and not a second later, refreshed or not", async () => {
    const { app } = await withApp(service, required);
    for (const [seconds, isDone] of [
      [599, true],
      [601, false],
    ] as const) {
      const person = await signedUpWithTotp(service, app);
      const { tokens } = await signedInWithTotp(service, app, person);
      const id = String(tokens.user["id"]);
      const passkey = await givePasskey(service, id);
      service.clock.advance(seconds * 1000);
      const { accessToken } = (await refresh(service, app, tokens.refreshToken)).body as { accessToken: string };
      for (const answer of [await removes(accessToken, passkey), await deletes(accessToken)]) {
        expect([seconds, answer.status]).toEqual([seconds, isDone ? 200 : 403]);
        if (isDone) continue;
        expect(answer.body.error?.code).toBe("INSUFFICIENT_SCOPE");
        expect(answer.body.error?.details).toBe(
          "acr: urn:authsvc:acr:2, max_age: 600, because the user has a second factor",
        );
        expect(answer.headers.get("www-authenticate")).toBe(
          'Bearer realm="authsvc", error="insufficient_user_authentication", acr_values="urn:authsvc:acr:2", max_age="600"',
        );
      }
      expect((await users.find(service.server.app.ctx.storage.reader, id)) === undefined).toBe(isDone);
    }
  });

  it("M9: without a second factor is good for as long as its login, as the contract says", async () => {
    const { app } = await withApp(service, optional);
    const tokens = await signedUp(service, app);
    const passkey = await givePasskey(service, String(tokens.user["id"]));
    let { accessToken, refreshToken } = tokens;
    for (let week = 0; week < 3; week += 1) {
      service.clock.advance(6 * day);
      ({ accessToken, refreshToken } = (await refresh(service, app, refreshToken)).body as Tokens);
    }
    expect((await removes(accessToken, passkey)).status).toBe(200);
    expect((await deletes(accessToken)).status).toBe(200);
  });

  it("M9: of one factor names both what it lacks and how old the sign-in may be", async () => {
    const { app } = await withApp(service, optional);
    const tokens = await signedUp(service, app);
    await giveFactor(service, String(tokens.user["id"]));
    const refused = await deletes(tokens.accessToken);
    expect(refused.body.error?.details).toContain("acr: urn:authsvc:acr:2, max_age: 600");
    expect(await factors.hasFactor(service.server.app.ctx.storage.reader, String(tokens.user["id"]))).toBe(true);
  });
});
