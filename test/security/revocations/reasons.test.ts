import { readFileSync, globSync } from "node:fs";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import * as applications from "../../../src/applications/service.ts";
import * as resetLinks from "../../../src/credentials/mailed/reset-links.ts";
import { revocations } from "../../../src/records/revocations/service.ts";
import { sweepConfined } from "../../../src/sessions/login-ends.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import type { EndReason } from "../../../src/storage/column-types.ts";
import * as signingKeys from "../../../src/tokens/signing-keys.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import * as profiles from "../../../src/people/profile.ts";
import { userOf } from "../../storage/rows.ts";
import { openAccount, press } from "../../support/account.ts";
import { addingSession, signedUpIn, type SignedInVisitor } from "../../support/adding.ts";
import { createClient, secretOf, signInByClient } from "../../support/clients-logout.ts";
import { startVerifier } from "../../support/feed.ts";
import { bearer, givePasskey, removeMethod } from "../../support/methods.ts";
import { basic, post } from "../../support/openid-tokens.ts";
import { call, isLive, redeem, refresh, signIn, Visitor, type Tokens } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith, signInAt } from "../../support/providers/round.ts";
import { describeOnSqlite, updateApp, type TestApp } from "../../support/service.ts";

const [github] = await useProviders("github");

const operator = { kind: "cli", name: "test" } as const;
const doing = { dryRun: false };

type Someone = SignedInVisitor & { userId: string; passkey: string; clientId: string; elsewhere: Tokens; wiki: string };

describeOnSqlite("the revocation feed", (service) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWith(service, [github], { methods: ["password", "passkey", "oauth"] });
  });

  const ctx = () => service.server.app.ctx;
  const loginId = async (accessToken: string) => await logins.loginIdOf(ctx(), accessToken);
  const signInAgain = async (email: string, visitor = new Visitor()): Promise<Tokens> =>
    await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
  const logout = async (accessToken: string, body?: unknown) => {
    expect((await call(service, "POST", "/auth/logout", bearer(accessToken), body)).status).toBe(200);
  };
  const pressed = async ({ visitor }: Someone, page: string, action: string) => {
    expect((await press(app, visitor, await openAccount(service, app, visitor, page), action)).status).toBe(303);
  };
  const setPassword = async (visitor: Visitor, url: string, action: string) => {
    const done = await visitor.submit(await visitor.get(url), action, { password: "another horse, another battery" });
    expect(done.status).toBeLessThan(304);
  };

  /** Signed in twice in one browser, the second time by a client, and once in another browser. */
  async function someone(): Promise<Someone> {
    const person = await signedUpIn(service, app);
    const userId = String(person.user["id"]);
    const clientId = await createClient(service, app);
    const { accessToken: wiki } = await signInByClient(service, person.email, clientId, person.visitor);
    const elsewhere = await signInAgain(person.email);
    return { ...person, userId, passkey: await givePasskey(service, userId), clientId, elsewhere, wiki };
  }

  /**
   * Every reason, with every way to end a login for it: a new reason does not compile without. A
   * restored address needs mail (http/account/address.test.ts); a restored database begins a new
   * feed; `other-user` needs a protected host (http/forward-auth/sign-in.test.ts).
   */
  const ways: Record<
    Exclude<EndReason, "restored" | "address-restored" | "other-user">,
    ((person: Someone) => Promise<unknown>)[]
  > = {
    logout: [
      async ({ accessToken }) => await logout(accessToken),
      async ({ accessToken, elsewhere }) => await logout(accessToken, { refreshToken: elsewhere.refreshToken }),
      async ({ wiki, clientId }) => {
        const client = basic({ client: { id: clientId }, secret: secretOf(clientId) });
        expect((await post(service, "/oauth2/revoke", { token: wiki }, client)).status).toBe(200);
      },
      async (person) => {
        const page = await person.visitor.get(`${service.url}/oauth2/end-session?client_id=${person.clientId}`);
        await person.visitor.submit(page, `/oauth2/end-session/confirm?client_id=${person.clientId}`, {});
      },
    ],
    "logout-all": [async ({ accessToken }) => await logout(accessToken, { allSessions: true })],
    account: [
      async (person) => await pressed(person, "", `/logins/${await loginId(person.elsewhere.accessToken)}/end`),
      async (person) => await pressed(person, "", "/sign-out"),
      async (person) => await pressed(person, "", "/logins/end-others"),
      async (person) => await pressed(person, "", "/logins/end-all"),
      async (person) => await pressed(person, "", `/programs/${person.clientId}/remove`),
    ],
    "address-proven": [
      async ({ email }) => {
        const owner = { subject: "4711", email, verified: true, name: "The Owner" };
        const { visitor, session } = await signInAt(service, app, github, owner);
        await visitor.submit(await visitor.get(session.authUrl), "/step/take-over", {});
      },
    ],
    "password-changed": [
      async ({ accessToken, visitor }) => {
        const { authUrl } = await addingSession(service, app, accessToken, { type: "password" });
        await setPassword(visitor, authUrl, "/add/password");
      },
    ],
    "password-reset": [
      async ({ userId }) => {
        const { link } = await resetLinks.linkFor(ctx(), userId, { send: false, dryRun: false }, operator);
        await setPassword(new Visitor(), link ?? "", new URL(link ?? "").pathname);
      },
    ],
    "method-removed": [
      async (person) => expect((await removeMethod(service, person, person.passkey)).status).toBe(200),
    ],
    "user-deleted": [
      async ({ accessToken }) => {
        expect((await call(service, "DELETE", "/users/profile", bearer(accessToken))).status).toBe(200);
      },
      async ({ userId }) => await profiles.remove(ctx(), userId, { actor: operator }),
    ],
    "user-disabled": [
      async ({ userId }) => await userAdministration.disable(ctx(), userId, doing, { actor: operator }),
    ],
    "refresh-reuse": [
      async ({ refreshToken }) => {
        const { body } = await refresh(service, app, refreshToken);
        expect((await refresh(service, app, String(body["refreshToken"]))).status).toBe(200);
        expect((await refresh(service, app, refreshToken)).status).toBe(401);
      },
    ],
    "code-reuse": [
      async ({ email, elsewhere }) => {
        const signedIn = await signIn(service, app, { email });
        Object.assign(elsewhere, await redeem(service, app, signedIn));
        await expect(redeem(service, app, signedIn)).rejects.toThrow("400");
      },
    ],
    operator: [
      async ({ accessToken }) => await logins.end(ctx(), await loginId(accessToken), doing, operator),
      async ({ userId }) => await userAdministration.revokeLogins(ctx(), userId, doing, { actor: operator }),
    ],
    "client-blocked": [
      async ({ wiki }) => {
        const [url, id] = ["https://agent.example/client.json", await loginId(wiki)];
        await ctx().storage.write(
          async ({ db, tables: { logins } }) => await db.update(logins).set({ clientId: url }).where(eq(logins.id, id)),
        );
        await clients.block(ctx(), url, { actor: operator });
      },
    ],
    "client-deleted": [async ({ clientId }) => await clients.remove(ctx(), clientId, { actor: operator })],
    "proof-ended": [
      async ({ accessToken }) => {
        const id = await loginId(accessToken);
        await ctx().storage.write(
          async ({ db, tables: { logins } }) =>
            await db.update(logins).set({ signedInWith: "organization" }).where(eq(logins.id, id)),
        );
        expect(await sweepConfined(ctx())).toBe(true);
      },
    ],
    replaced: [
      async ({ email, visitor }) => {
        await updateApp(service, app, { settings: { maxLogins: 9 } });
        await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
        await updateApp(service, app, { settings: { maxLogins: 100 } });
      },
    ],
    "too-many": [
      async ({ userId, email, accessToken }) => {
        const { storage } = service.server.app.ctx;
        const { logins, users } = storage.reader.tables;
        const [row] = await storage.reader.db
          .select()
          .from(logins)
          .where(eq(logins.id, await loginId(accessToken)));
        const createdAt = service.clock.now + 1000;
        await storage.write(async ({ db }) => {
          for (let made = 0; made < 100; made += 1)
            await db
              .insert(logins)
              .values([row ?? []].flat().map((login) => ({ ...login, id: `lgn_${userId}_${made}`, createdAt })));
          await db.update(users).set({ loginCount: 200 }).where(eq(users.id, userId));
        });
        await signInAgain(email);
      },
    ],
  };
  const cases = Object.entries(ways).flatMap(([reason, acts]) => acts.map((act, way) => ({ reason, way, act })));

  it.each(cases)("V1: has an entry for every login that ends: $reason, way $way", async ({ reason, act }) => {
    const verifier = await startVerifier(service, app);
    const person = await someone();
    await act(person);
    const tokens = [person.accessToken, person.elsewhere.accessToken, person.wiki];
    const live = await Promise.all(tokens.map((accessToken) => isLive(service, app, { accessToken })));
    expect(live).toContain(false);
    await verifier.listen();
    for (const [place, token] of tokens.entries())
      expect([place, live[place], verifier.verdict(token)]).not.toEqual([
        place,
        live[place],
        live[place] ? "refused" : "good",
      ]);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const ended = await db
      .select({ reason: tables.logins.endReason })
      .from(tables.logins)
      .where(eq(tables.logins.userId, person.userId));
    if (reason !== "user-deleted") expect(ended.map((login) => login.reason)).toContain(reason);
  });

  it("V1: refuses tokens of a signing key that was withdrawn, of every application", async () => {
    const other = await service.createApp();
    const verifiers = [await startVerifier(service, app), await startVerifier(service, other)];
    const { accessToken } = await signedUpIn(service, app);
    const { id } = await signingKeys.forSigning(ctx(), "ES256");
    await signingKeys.revoke(ctx(), id, { actor: operator });
    for (const verifier of verifiers) {
      await verifier.listen();
      expect(verifier.received).toEqual([{ kid: id }]);
      expect(verifier.verdict(accessToken)).toBe("refused");
    }
    expect(await isLive(service, app, { accessToken })).toBe(false);
  });

  it("V1: revokes every token of an application before its first user is deleted, and leaves no entry", async () => {
    const gone = await service.createApp();
    const { accessToken } = await signedUpIn(service, gone);
    const { storage } = service.server.app.ctx;
    const { revocations: entries, users } = storage.reader.tables;
    await storage.write(async ({ db }) => {
      for (let batch = 0; batch < 20; batch += 1)
        await db.insert(users).values(Array.from({ length: 100 }, (_, one) => userOf(gone.id, `usr_${batch}_${one}`)));
    });
    const verifier = await startVerifier(service, gone);
    const heard = verifier.listen(25);
    await expect.poll(() => revocations(ctx()).waiting()).toBe(1);
    await applications.remove(ctx(), gone.id, operator);
    await heard;
    expect(verifier.received).toEqual([{ app: gone.id }]);
    expect(verifier.verdict(accessToken)).toBe("in doubt");
    await expect(verifier.listen()).rejects.toThrow("401");
    expect(await storage.reader.db.select().from(entries).where(eq(entries.appId, gone.id))).toEqual([]);
  });
});

describe("logins", () => {
  it("V1: are ended by one file, which writes the entries of the feed", () => {
    const enders = globSync("src/**/*.ts").filter((file) => {
      const text = readFileSync(file, "utf8");
      return /\bend(?:Login\w*|LoginsOf\w+)\b[^;]*from "\.\/login-store\.ts"/su.test(text);
    });
    expect(enders).toEqual(["src/sessions/login-ends.ts"]);
    // Invitations, set-up links and personal tokens have a column of the same name.
    const namesakes = /\/(?:invitation-store|setup-link-store|personal\/store)\.ts$/u;
    const others = globSync("src/**/*.ts").filter((file) => !namesakes.test(file));
    const writers = others.filter((file) =>
      /\bset\([^)]*\bendedAt: (?!null)|endedAt: (?:now|given)/u.test(readFileSync(file, "utf8")),
    );
    expect(writers.toSorted()).toEqual(["src/sessions/login-store.ts", "src/storage/backup/restored-access.ts"]);
  });
});
