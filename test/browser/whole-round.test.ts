import { expect, it } from "vitest";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { sampled } from "../support/long-run.ts";
import { goodPassword, newEmail, redeem, validate } from "../support/person.ts";
import type { Dialect } from "../support/service.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  button,
  createApp,
  field,
  fillAccount,
  heading,
  link,
  openSignIn,
  startSignIn,
  createAccount,
} from "./support/steps.ts";

describeInBrowser(
  "the whole sign-in in a browser",
  (stage) => {
    it.each([
      ["with JavaScript", true],
      ["without JavaScript", false],
    ])(
      "takes a new person by password to the app and its tokens, and back the next day, %s",
      async (_, javaScriptEnabled) => {
        const app = await createApp(stage);
        const page = await stage.newPage({ javaScriptEnabled });
        const email = newEmail();
        const state = 'a "state" & <b>ünï</b>';

        const first = await openSignIn(stage, page, app, { state });
        expect(await heading(page).textContent()).toMatch(/^Sign in to Acme/u);
        await createAccount(page, { email, password: goodPassword, name: "Ada Lovelace" });
        const brought = await backAtTheApp(stage, page);
        expect(Object.fromEntries(brought)).toEqual({
          code: expect.stringMatching(/^[\w-]{43}$/u),
          state,
          sessionId: first.sessionId,
        });
        const tokens = await redeem(stage.service, app, { session: first, code: brought.get("code") ?? "" }, { state });
        expect(tokens.user).toMatchObject({
          email,
          name: "Ada Lovelace",
          authMethods: { password: true, passkey: false },
        });
        expect((await validate(stage.service, app, tokens.accessToken)).body["valid"]).toBe(true);

        stage.service.clock.advance(24 * 3_600_000);
        const second = await openSignIn(stage, page, app);
        await fillAccount(page, { email: ` ${email.toUpperCase()} `, password: goodPassword }, "Sign in");
        const again = await backAtTheApp(stage, page);
        expect([...again.keys()]).toEqual(["code", "sessionId"]);
        const tokensAgain = await redeem(stage.service, app, { session: second, code: again.get("code") ?? "" });
        expect(tokensAgain.user["id"]).toBe(tokens.user["id"]);
      },
    );

    it("takes a new person by passkey to the app and its tokens, and back the next day", async () => {
      const app = await createApp(stage);
      const page = await stage.newPage();
      const authenticator = await addVirtualAuthenticator(page);
      const email = newEmail();

      const first = await openSignIn(stage, page, app, { state: "s" });
      await link(page, "Create account").click();
      await field(page, "Email").fill(email);
      await field(page, "Name").fill("Grace Hopper");
      await button(page, "Create a passkey").click();
      const brought = await backAtTheApp(stage, page);
      expect(brought.get("state")).toBe("s");
      const tokens = await redeem(
        stage.service,
        app,
        { session: first, code: brought.get("code") ?? "" },
        { state: "s" },
      );
      expect(tokens.user).toMatchObject({
        email,
        name: "Grace Hopper",
        authMethods: { password: false, passkey: true },
      });
      expect(await authenticator.credentials()).toHaveLength(1);

      stage.service.clock.advance(24 * 3_600_000);
      const second = await startSignIn(stage, page, app);
      const again = await backAtTheApp(stage, page);
      const tokensAgain = await redeem(stage.service, app, { session: second, code: again.get("code") ?? "" });
      expect(tokensAgain.user["id"]).toBe(tokens.user["id"]);
      expect((await validate(stage.service, app, tokensAgain.accessToken)).body["valid"]).toBe(true);
    });
  },
  { dialects: sampled<Dialect>(["sqlite", "postgres"], 2) },
);
