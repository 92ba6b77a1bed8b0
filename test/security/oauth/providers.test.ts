import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { newEmail, redeem, refresh, validate } from "../../support/person.ts";
import type { KindName } from "../../support/providers/kinds.ts";
import { startProvider, type FakeProvider } from "../../support/providers/provider.ts";
import { identitiesOf } from "../../support/providers/records.ts";
import {
  codeOf,
  mustBeContent,
  signInAt,
  startFromPage,
  startRound,
  tokensFrom,
  appWith,
} from "../../support/providers/round.ts";

const kinds: [kind: KindName, subject: string, verified: boolean][] = [
  ["google", "110169484474386276334", true],
  ["github", "583231", true],
  ["microsoft", "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ", false],
  ["apple", "001234.0123456789abcdef.1234", true],
  ["discord", "80351110224678912", true],
  ["facebook", "10158745632145879", false],
  ["openid", "auth0|5f7c8ec7c33c6c004bbafe82", true],
];

const service = useService();

describe("a whole round", () => {
  describe.each(kinds)("with %s", (kind, subject, verified) => {
    let provider: FakeProvider;
    beforeAll(async () => {
      provider = await startProvider(kind);
    });
    afterEach(() => {
      mustBeContent(provider);
      provider.reset();
    });
    afterAll(async () => await provider.close());

    it("O4, O6, CVE-2026-34969: creates a user from what the provider proves, with state, PKCE, nonce and the secret in its place", async () => {
      const app = await appWith(service, [provider]);
      const person = { subject, email: newEmail(), verified: true, name: "Ada Lovelace" };
      const { session, done } = await signInAt(service, app, provider, person, { state: "st&=\u00e9" });
      expect(done.location.searchParams.get("state")).toBe("st&=\u00e9");
      expect(done.location.searchParams.get("sessionId")).toBe(session.sessionId);
      expect(done.location.origin + done.location.pathname).toBe(app.redirectUri);
      const tokens = await redeem(service, app, { session, code: codeOf(done) }, { state: "st&=\u00e9" });
      expect(tokens.user).toMatchObject({
        email: person.email,
        emailVerified: verified,
        name: "Ada Lovelace",
        picture: null,
        authMethods: { passkey: false, password: false, oauth: [provider.name] },
      });
      expect((await validate(service, app, tokens.accessToken)).status).toBe(200);
      expect((await refresh(service, app, tokens.refreshToken)).status).toBe(200);
      expect(await identitiesOf(service, app)).toMatchObject([
        { subject, provider: provider.name, email: person.email },
      ]);
      expect(provider.received.map(({ path }) => path).filter((path) => path === "/token")).toHaveLength(1);
    });

    it("O1: knows the same subject again under another address, another name, or none", async () => {
      const app = await appWith(service, [provider]);
      const email = newEmail();
      const first = await tokensFrom(service, app, provider, { subject, email, verified: true, name: "Ada" });
      for (const changed of [{ email: newEmail(), verified: true }, { email: newEmail(), verified: false }, {}]) {
        const again = await tokensFrom(service, app, provider, { subject, ...changed, name: "Eve" });
        expect(again.user).toMatchObject({ id: first.user["id"], email, emailVerified: verified, name: "Ada" });
      }
      expect(await identitiesOf(service, app)).toHaveLength(1);
    });

    it("H2: starts from the button of the sign-in page too, whose policy lets the form lead there", async () => {
      const app = await appWith(service, [provider]);
      const { session, visitor, address } = await startFromPage(service, app, provider);
      const page = await visitor.get(session.authUrl);
      expect(page.text).toContain(`Continue with ${provider.displayName}`);
      const policy = page.headers.get("content-security-policy") ?? "";
      expect(/form-action ([^;]*)/u.exec(policy)?.[1]?.split(" ")).toContain(address.origin);
    });

    it("O5, O6: makes up state, challenge and nonce anew for every start, and stores none of them", async () => {
      const app = await appWith(service, [provider]);
      const seen = new Set<string>();
      for (let n = 0; n < 5; n += 1) {
        const { address } = await startRound(service, app, provider);
        const values = ["state", "code_challenge", "nonce"].map((name) => address.searchParams.get(name));
        for (const value of values) if (value !== null) seen.add(value);
      }
      expect(seen.size).toBe(valuesOf(kind) * 5);
      const stored = await service.databaseText();
      for (const value of seen) expect(stored).not.toContain(value);
    });
  });
});

function valuesOf(kind: KindName): number {
  return ["github", "discord", "facebook"].includes(kind) ? 2 : 3;
}
