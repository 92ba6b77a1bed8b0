import { expect, it } from "vitest";
import { tryPassword } from "../support/limits.ts";
import { useMailServer } from "../support/mail.ts";
import { mailTo, newUser } from "../support/mail-flows.ts";
import { goodPassword, newEmail } from "../support/person.ts";
import { testConfig } from "../support/service.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, button, createApp, fillAccount, openSignIn, summary } from "./support/steps.ts";

const server = await useMailServer();

describeInBrowser(
  "the puzzle after failures at many accounts",
  (stage) => {
    it("is solved by the page's own script and sends what was typed; a wrong password is refused as always", async () => {
      const app = await createApp(stage);
      const { email } = await newUser(stage.service, app, { password: goodPassword });
      for (const n of [1, 2, 3]) await tryPassword(stage.service, app, newEmail(), `a wrong one ${n}`);
      const page = await stage.newPage();
      await openSignIn(stage, page, app);
      await fillAccount(page, { email, password: "a wrong one, again" });
      const solved = page.waitForRequest((request) => (request.postData() ?? "").includes("solution=%7B"));
      await button(page, "Sign in").click();
      await solved;
      await summary(page).waitFor();
      expect(await page.getByLabel("Email").inputValue()).toBe(email);
      await fillAccount(page, { email, password: goodPassword });
      await button(page, "Sign in").click();
      await backAtTheApp(stage, page);
    });

    it("is replaced by a mailed link for a browser without scripts", async () => {
      const app = await createApp(stage);
      const { email } = await newUser(stage.service, app, { password: goodPassword });
      for (const n of [1, 2, 3]) await tryPassword(stage.service, app, newEmail(), `a wrong one ${n}`);
      const page = await stage.newPage({ javaScriptEnabled: false });
      await openSignIn(stage, page, app);
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(goodPassword);
      await button(page, "Sign in").click();
      await button(page, "Email me a link").click();
      await page.getByRole("heading", { name: "Check your email" }).waitFor();
      const { text } = await mailTo(server, email);
      await page.goto(/https?:\/\/\S+\?form=\S+/u.exec(text)?.[0] ?? "");
      expect(await page.getByLabel("Email").inputValue()).toBe(email);
      await page.getByLabel("Password", { exact: true }).fill(goodPassword);
      await button(page, "Sign in").click();
      await backAtTheApp(stage, page);
    });
  },
  { overrides: { passwords: { ...testConfig.passwords, puzzleAfter: 3 }, mail: server.mail } },
);
