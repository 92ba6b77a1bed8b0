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

    it("oidcc-prompt-none-not-logged-in", async () => {
      const rp = relyingParty(current(), await newParty(current()), mode);
      const { wasAsked, parameters } = await rp.authorize({ prompt: "none" });
      expect(wasAsked).toBe(false);
      expect(parameters).toMatchObject({ error: "login_required" });
      expect(parameters).not.toHaveProperty("code");
    });

    it.each<[module: string, first: Record<string, string>, second: Record<string, string>]>([
      ["oidcc-prompt-login", {}, { prompt: "login" }],
      ["oidcc-max-age-1", { max_age: "15000" }, { max_age: "1" }],
    ])("%s", async (_module, parameters, again) => {
      const { rp, visitor, first } = await signedIn(parameters);
      const { wasAsked, idToken } = await rp.signIn(again, visitor);
      expect(wasAsked).toBe(true);
      expect(idToken).toMatchObject({ sub: first.sub, auth_time: Number(first["auth_time"]) + 2 });
    });

    it.each<[module: string, again: (idToken: string) => Record<string, string>]>([
      ["oidcc-prompt-none-logged-in", () => ({ prompt: "none" })],
      ["oidcc-max-age-10000", () => ({ max_age: "10000" })],
      ["oidcc-id-token-hint", (idToken) => ({ prompt: "none", id_token_hint: idToken })],
    ])("%s", async (_module, again) => {
      const { rp, visitor, first, idTokenHint } = await signedIn();
      const { wasAsked, idToken } = await rp.signIn(again(idTokenHint), visitor);
      expect(wasAsked).toBe(false);
      expect(idToken).toMatchObject({ sub: first.sub, auth_time: first["auth_time"] });
    });
  });
