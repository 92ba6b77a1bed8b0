import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { newParty } from "../../support/openid-tokens.ts";
import { relyingParty } from "../../support/openid-plan.ts";
import { Visitor } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";

// Modules of the OpenID Foundation's suite in which one browser comes twice.
for (const mode of ["query", "form_post"] as const)
  describeOnSqlite(`a second sign-in in the basic plans, by ${mode}`, (current) => {
    /** A person who signed in, a second ago. */
    async function signedIn(parameters: Record<string, string> = {}) {
      const rp = relyingParty(current(), await newParty(current()), mode);
      const visitor = new Visitor();
      const first = await rp.signIn(parameters, visitor);
      current().clock.advance(2000);
      return { rp, visitor, first: first.idToken, idTokenHint: first.tokens.id_token };
    }

    it("oidcc-prompt-login", async () => {
      const { rp, visitor, first } = await signedIn();
      const { wasAsked, idToken } = await rp.signIn({ prompt: "login" }, visitor);
      expect(wasAsked).toBe(true);
      expect(idToken.sub).toBe(first.sub);
      expect(idToken["auth_time"]).toBe(Number(first["auth_time"]) + 2);
    });

    it("oidcc-prompt-none-not-logged-in", async () => {
      const rp = relyingParty(current(), await newParty(current()), mode);
      const { wasAsked, parameters } = await rp.authorize({ prompt: "none" });
      expect(wasAsked).toBe(false);
      expect(parameters).toMatchObject({ error: "login_required" });
      expect(parameters).not.toHaveProperty("code");
    });

    it("oidcc-prompt-none-logged-in", async () => {
      const { rp, visitor, first } = await signedIn();
      const { wasAsked, idToken } = await rp.signIn({ prompt: "none" }, visitor);
      expect(wasAsked).toBe(false);
      expect(idToken).toMatchObject({ sub: first.sub, auth_time: first["auth_time"] });
    });

    it("oidcc-max-age-1", async () => {
      const { rp, visitor, first } = await signedIn({ max_age: "15000" });
      const { wasAsked, idToken } = await rp.signIn({ max_age: "1" }, visitor);
      expect(wasAsked).toBe(true);
      expect(idToken.sub).toBe(first.sub);
      expect(idToken["auth_time"]).toBe(Number(first["auth_time"]) + 2);
    });

    it("oidcc-max-age-10000", async () => {
      const { rp, visitor, first } = await signedIn();
      const { wasAsked, idToken } = await rp.signIn({ max_age: "10000" }, visitor);
      expect(wasAsked).toBe(false);
      expect(idToken).toMatchObject({ sub: first.sub, auth_time: first["auth_time"] });
    });

    it("oidcc-id-token-hint", async () => {
      const { rp, visitor, first, idTokenHint } = await signedIn();
      expect(decodeJwt(idTokenHint).sub).toBe(first.sub);
      const { wasAsked, idToken } = await rp.signIn({ prompt: "none", id_token_hint: idTokenHint }, visitor);
      expect(wasAsked).toBe(false);
      expect(idToken.sub).toBe(first.sub);
    });
  });
