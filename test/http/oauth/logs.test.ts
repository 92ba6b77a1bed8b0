import { expect, it } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { newEmail, redeem } from "../../support/person.ts";
import { wrongIdTokens } from "../../support/providers/id-token-cases.ts";
import type { KindName } from "../../support/providers/kinds.ts";
import { startProvider, type FakeProvider } from "../../support/providers/provider.ts";
import { appWith, atProvider, codeOf, comeBack, signInAt, startRound } from "../../support/providers/round.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const logged: string[] = [];
const capture = { write: (line: string) => void logged.push(line) };
const canary = "canary0123456789canary";

describeSqliteFirst(
  "what is written about providers",
  { surroundings: { log: createLog({ level: "debug", format: "json" }, capture) } },
  (current) => {
    it.each(["github", "discord", "apple", "openid"] as KindName[])(
      "holds no secret, token, code, state, verifier, nonce, subject or address, whatever %s does",
      async (kind) => {
        const service = current();
        const provider = await startProvider(kind);
        const app = await appWith(service, [provider]);
        const hidden = new Set<string>([canary, provider.secret]);
        logged.length = 0;
        for (const misbehave of misbehaviours(provider)) {
          provider.instead.clear();
          misbehave();
          const person = { subject: `4711${canary}`, email: `${canary}@example.org`, verified: false, name: canary };
          const { back, start, session, visitor } = await signInAt(service, app, provider, person);
          for (const value of [session.sessionId, ...visitor.cookies.values()]) hidden.add(value);
          for (const url of [start.location, new URL(back.url)])
            for (const name of ["state", "code", "nonce", "code_challenge"])
              hidden.add(url.searchParams.get(name) ?? canary);
          for (const value of [back.fields?.["state"], back.fields?.["code"]]) hidden.add(value ?? canary);
        }
        for (const { form, headers } of provider.received)
          for (const value of [form.get("client_secret"), form.get("code_verifier"), headers.authorization])
            hidden.add(value ?? canary);
        await provider.close();
        const log = logged.join("");
        expect(log).toContain('"msg":"a provider failed"');
        expect(log).toContain(`"provider":"${provider.name}"`);
        expect(log).toContain(`"appId":"${app.id}"`);
        for (const value of hidden) expect(log).not.toContain(value);
      },
    );

    it("holds no secret of a round that succeeds", async () => {
      const service = current();
      const provider = await startProvider("openid");
      const app = await appWith(service, [provider]);
      let idToken = "";
      provider.makeIdToken = async (claims) => (idToken = await provider.key.sign(claims));
      logged.length = 0;
      const { session, done, back } = await signInAt(service, app, provider, {
        subject: "s",
        email: newEmail(),
        verified: true,
      });
      const tokens = await redeem(service, app, { session, code: codeOf(done) });
      await provider.close();
      const log = logged.join("");
      expect(log).toContain('"route":"/oauth/:provider/callback"');
      const { searchParams } = new URL(back.url);
      for (const value of [
        idToken,
        tokens.accessToken,
        tokens.refreshToken,
        codeOf(done),
        provider.secret,
        searchParams.get("state"),
        searchParams.get("code"),
      ]) {
        expect(value).toBeTruthy();
        expect(log).not.toContain(value);
        expect(await service.databaseText()).not.toContain(value);
      }
    });

    it("F10: a storage that fails in the middle is a 5xx and no fault of the provider's, and nothing of its query is logged", async () => {
      const service = current();
      const provider = await startProvider("github");
      const app = await appWith(service, [provider]);
      const round = await startRound(service, app, provider);
      const person = { subject: "4711", email: `${canary}@example.org`, verified: true, name: canary };
      const back = await atProvider(round.address, provider, person);
      logged.length = 0;
      const restore = breakSecondWrite(service);
      const page = await comeBack(round.visitor, back).finally(restore);
      await provider.close();
      expect(page.headers.get("location")).toBeNull();
      const log = logged.join("");
      for (const value of [canary, round.session.sessionId, new URL(back.url).searchParams.get("state")])
        expect(log).not.toContain(value);
      expect(page.status).toBe(500);
      expect(log).toContain('"msg":"request failed"');
      expect(log).not.toContain('"msg":"a provider failed"');
    });
  },
);

/** Each way to fail, with a canary in everything that the provider says. */
function misbehaviours(provider: FakeProvider): (() => void)[] {
  const answer =
    (path: string, body: string | object, status = 200) =>
    () =>
      void provider.instead.set(path, () => ({ status, body }));
  const words = { error: canary, error_description: canary, access_token: { [canary]: canary }, id: { a: canary } };
  const paths = ["/token", ...({ github: ["/user"], discord: ["/users/@me"] }[provider.name] ?? ["/keys"])];
  return [
    () => {},
    ...paths.flatMap((path) => [
      answer(path, words),
      answer(path, words, 500),
      answer(path, `<h1>${canary}</h1>`),
      answer(path, `{"${canary}`),
      answer(path, { access_token: `${canary}\r\nx: \u2603`, id_token: `${canary}.${canary}.${canary}` }),
      () =>
        void provider.instead.set(path, () => ({
          status: 302,
          headers: { location: `http://${canary}.example/?${canary}` },
        })),
      () =>
        void provider.instead.set(path, (_received, response) => {
          response.destroy(new Error(canary));
          return undefined;
        }),
    ]),
    ...Object.values(wrongIdTokens).map((wrong) => () => {
      provider.makeIdToken = wrong(provider);
    }),
  ];
}

/**
 * Uses the state up as it should, then fails as a full disk does: with an error that quotes the
 * query's parameters.
 */
function breakSecondWrite(service: TestService): () => void {
  const { storage } = service.server.app.ctx;
  const { write } = storage;
  storage.write = async (work) => {
    storage.write = async () => {
      await Promise.resolve();
      const message = `Failed query: insert into oauth_identities\nparams: ${canary}`;
      throw Object.assign(new Error(message), { query: "insert", params: [canary] });
    };
    return await write(work);
  };
  return () => {
    storage.write = write;
  };
}
