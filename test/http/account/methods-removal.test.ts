import { beforeAll, describe, expect, it } from "vitest";
import * as methods from "../../../src/credentials/methods/service.ts";
import * as passwords from "../../../src/credentials/passwords/service.ts";
import { mailbox } from "../../../src/records/mail/mailbox.ts";
import * as users from "../../../src/users/service.ts";
import { bearer, giveIdentity, givePasskey, methodsOf, removeMethod, setProvider } from "../../support/methods.ts";
import { call, newEmail, redeem, signedUp, signIn, validate, type Tokens } from "../../support/person.ts";
import { useApp, updateApp, describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const byCommand = { method: null, source: null };

const operator = { kind: "cli", name: "test" } as const;
const refused = {
  status: 400,
  body: {
    error: {
      code: "INVALID_REQUEST",
      details: "methodId: the last method that can sign the user in cannot be removed",
    },
  },
};

describeSqliteFirst("DELETE /users/auth-methods/{methodId}", { dev: true }, (current) => {
  const app = useApp(current);
  beforeAll(async () => {
    await setProvider(current(), app, "google");
  });

  /** Somebody with a password, and the ids of what is asked for besides. */
  async function someone(inApp: TestApp, ...kinds: ("passkey" | "google" | "github")[]) {
    const service = current();
    const email = newEmail();
    const tokens = await signedUp(service, inApp, email);
    const userId = String(tokens.user["id"]);
    const others: string[] = [];
    for (const kind of kinds)
      others.push(
        kind === "passkey" ? await givePasskey(service, userId) : await giveIdentity(service, inApp, userId, kind),
      );
    const password = (await methodsOf(service, tokens)).find(({ type }) => type === "password")?.id ?? "";
    return { tokens, userId, email, password, others: others as [string, string] };
  }
  const idsOf = async (tokens: Tokens) => (await methodsOf(current(), tokens)).map(({ id }) => id);

  it("removes a method of each kind, answers success and a message, and keeps the login", async () => {
    const service = current();
    const { tokens, password, others } = await someone(app, "passkey", "google", "passkey");
    for (const id of [password, others[0], others[1]]) {
      const answer = await removeMethod(service, tokens, id);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ success: true, message: "The sign-in method was removed." });
      expect(await idsOf(tokens)).not.toContain(id);
    }
    expect((await validate(service, app, tokens.accessToken)).status).toBe(200);
  });

  it("signs nobody in with what was removed, and makes a code worthless that it had bought", async () => {
    const service = current();
    const { tokens, email, password } = await someone(app, "passkey");
    const unredeemed = await signIn(service, app, { email });
    expect((await removeMethod(service, tokens, password)).status).toBe(200);
    await expect(signIn(service, app, { email })).rejects.toThrow("sign-in answered");
    await expect(redeem(service, app, unredeemed)).rejects.toThrow("callback answered 400");
  });

  it("answers METHOD_NOT_FOUND to an id that is unknown, another's, or removed already", async () => {
    const service = current();
    const { tokens, others } = await someone(app, "passkey");
    const stranger = await someone(app, "passkey");
    const inOtherApp = await someone(await service.createApp(), "passkey");
    expect((await removeMethod(service, tokens, others[0])).status).toBe(200);
    const ids = ["mth_unknown", "%00", "__proto__", others[0], stranger.others[0], inOtherApp.password];
    for (const id of ids) {
      const answer = await removeMethod(service, tokens, id);
      expect(answer, id).toMatchObject({ status: 404, body: { error: { code: "METHOD_NOT_FOUND" } } });
    }
    expect(await idsOf(stranger.tokens)).toContain(stranger.others[0]);
  });

  it("is in the audit log, without a name or an address, and told the user by mail", async () => {
    const service = current();
    const { tokens, userId, others } = await someone(app, "google");
    await removeMethod(service, tokens, others[0]);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const events = (await db.select().from(tables.auditEvents)).filter((event) => event.userId === userId);
    expect(events.filter(({ action }) => action === "method.removed")).toMatchObject([
      {
        actor: `user:${userId}`,
        result: "success",
        appId: app.id,
        details: { method: "oauth", methodId: others[0] },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain("@");
    const mailsHere = mailbox(service.server.app.ctx);
    await expect.poll(() => mailsHere?.list().map(({ kind }) => kind), { timeout: 60_000 }).toContain("method-removed");
  });

  describe("the last method that can sign the user in", () => {
    it("is not removed", async () => {
      const { tokens, password } = await someone(app);
      expect(await removeMethod(current(), tokens, password)).toMatchObject(refused);
      expect(await idsOf(tokens)).toEqual([password]);
    });

    it("is one that the app lets in now: others beside it do not count", async () => {
      const service = current();
      const strict = await service.createApp({ methods: ["password", "oauth"] });
      const { tokens, password, others } = await someone(strict, "passkey", "github");
      expect(await removeMethod(service, tokens, password)).toMatchObject(refused);
      // What signs nobody in may go, as long as something stays that does.
      for (const id of others) expect((await removeMethod(service, tokens, id)).status).toBe(200);
    });

    it("is not an identity whose provider is not configured, or listed and not configured", async () => {
      const service = current();
      const own = await service.createApp({ methods: ["password", "oauth"] });
      await updateApp(service, own, { authMethods: { oauth: { providers: ["github"] } } });
      const { tokens, password } = await someone(own, "github");
      expect(await removeMethod(service, tokens, password)).toMatchObject(refused);
      await setProvider(service, own, "github");
      expect((await removeMethod(service, tokens, password)).status).toBe(200);
    });

    it("is the last passkey where the app requires passkeys", async () => {
      const service = current();
      const strict = await service.createApp({
        methods: ["passkey", "password"],
        authMethods: { passkey: { required: true } },
      });
      const { userId, others } = await someoneBesides(service, strict);
      const { ctx } = service.server.app;
      const by = { actor: operator };
      await methods.remove(ctx, userId, others[0], by);
      await expect(methods.remove(ctx, userId, others[1], by)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      const [password] = (await methods.list(ctx.storage.reader, userId)).filter(({ type }) => type === "password");
      await methods.remove(ctx, userId, password?.id ?? "", by);
      expect((await methods.list(ctx.storage.reader, userId)).map(({ id }) => id)).toEqual([others[1]]);
    });

    it("K9: stays when the last two are removed at the same time", async () => {
      const service = current();
      for (let round = 1; round <= 8; round += 1) {
        const { tokens, password, others } = await someone(app, "passkey");
        const answers = await Promise.all([
          removeMethod(service, tokens, password),
          removeMethod(service, tokens, others[0]),
        ]);
        expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "400"]);
        expect(await idsOf(tokens)).toHaveLength(1);
      }
    });
  });

  it("the same method goes once, no matter who races", async () => {
    const { tokens, others } = await someone(app, "passkey");
    const answers = await Promise.all(
      Array.from({ length: 4 }, async () => await removeMethod(current(), tokens, others[0])),
    );
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "404", "404", "404"]);
  });

  it("a user who is gone is answered so", async () => {
    const service = current();
    const { tokens, password } = await someone(app);
    await call(service, "DELETE", "/users/profile", bearer(tokens.accessToken));
    expect(await removeMethod(service, tokens, password)).toMatchObject({
      status: 401,
      body: { error: { code: "INVALID_TOKEN" } },
    });
    await expect(
      methods.remove(service.server.app.ctx, "usr_gone", password, { actor: operator }),
    ).rejects.toMatchObject({ code: "USER_NOT_FOUND" });
  });
});

/** Somebody with a password and two passkeys, in an app where nobody gets a code without one. */
async function someoneBesides(
  service: TestService,
  app: TestApp,
): Promise<{ userId: string; others: [string, string] }> {
  const { ctx } = service.server.app;
  const now = service.clock.now;
  const user = await service.server.app.ctx.storage.write(async (tx) => {
    const created = await users.create(
      ctx,
      tx,
      { appId: app.id, email: newEmail(), name: null, signedUp: byCommand },
      now,
    );
    if (created) await passwords.add(ctx, tx, created.id, { hash: "hash", lastUsedAt: null }, now);
    return created;
  });
  const userId = user?.id ?? "";
  return { userId, others: [await givePasskey(service, userId), await givePasskey(service, userId)] };
}
