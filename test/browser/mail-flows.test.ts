import { expect, it } from "vitest";
import { addVirtualAuthenticator } from "../support/chromium.ts";
import { isLongRun, sampled } from "../support/long-run.ts";
import { useMailServer } from "../support/mail.ts";
import { codeIn, linkIn, mailTo, newUser, otherCode } from "../support/mail-flows.ts";
import { goodPassword, initiate, newEmail, redeem, signIn } from "../support/person.ts";
import { violations } from "./support/everybody.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  beside,
  button,
  createAccount,
  createApp,
  field,
  focused,
  heading,
  link,
  openSignIn,
} from "./support/steps.ts";
import { runsLong } from "../support/left-out.ts";

const server = await useMailServer();

const newPassword = "a wholly different phrase";

describeInBrowser(
  "mails with a link and a code",
  (stage) => {
    it("a new account: a wrong code is said beside the field, the right one leads to the app", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const email = newEmail();
      const page = await stage.newPage();
      const session = await openSignIn(stage, page, app);
      await createAccount(page, { email, password: goodPassword, name: "Ada" });
      await page.waitForURL("**/confirm");
      expect(await heading(page).textContent()).toBe("Check your email");
      expect(await violations(page)).toEqual([]);
      const mail = await mailTo(server, email);
      const input = page.getByLabel("Code", { exact: true });
      // The last digit sends it.
      await input.pressSequentially(otherCode(mail));
      await beside(page).waitFor();
      await expect.poll(() => focused(page)).toMatchObject({ id: "code" });
      expect(await beside(page).textContent()).toBe("Not the code from the newest email.");
      expect(await violations(page)).toEqual([]);
      await input.fill("");
      await input.pressSequentially(codeIn(mail));
      const code = (await backAtTheApp(stage, page)).get("code") ?? "";
      const { user } = await redeem(stage.service, app, { session, code });
      expect(user).toMatchObject({ email, emailVerified: true, name: "Ada" });
    });

    it("a sign-in by code: the address is typed once, the link opens in the browser that asked, the code is sent by its last digit", async () => {
      const app = await createApp(stage, { name: "Acme", settings: { emailCode: true } });
      const { email } = await newUser(stage.service, app);
      const page = await stage.newPage();
      const session = await openSignIn(stage, page, app);
      expect(await violations(page)).toEqual([]);
      await field(page, "Email").fill(email);
      await link(page, "Email me a code").click();
      await page.waitForURL("**/email-code");
      expect(await field(page, "Email").inputValue()).toBe(email);
      expect(await violations(page)).toEqual([]);
      await button(page, "Email me a code").click();
      await page.waitForURL("**/code");
      expect(await violations(page)).toEqual([]);
      const mail = await mailTo(server, email);
      const second = await page.context().newPage();
      await second.goto(linkIn(mail));
      expect(await heading(second).textContent()).toBe("Sign in to Acme");
      expect(await violations(second)).toEqual([]);
      await second.close();
      await page.getByLabel("Code", { exact: true }).pressSequentially(codeIn(mail).replace(/\D/gu, ""));
      const code = (await backAtTheApp(stage, page)).get("code") ?? "";
      expect((await redeem(stage.service, app, { session, code })).user).toMatchObject({ email });
    });

    it("a code that is corrected is sent by its button only", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const email = newEmail();
      const page = await stage.newPage();
      await openSignIn(stage, page, app);
      await createAccount(page, { email, password: goodPassword, name: "Ada" });
      await page.waitForURL("**/confirm");
      const code = codeIn(await mailTo(server, email)).replace(/\D/gu, "");
      const input = page.getByLabel("Code", { exact: true });
      await page.evaluate("document.addEventListener('submit', () => (window.sent = true))");
      // The third digit is wrong, and seen before the last one.
      const wrong = String((Number(code[2]) + 1) % 10);
      await input.pressSequentially(code.slice(0, 2) + wrong);
      await page.keyboard.press("Backspace");
      await input.pressSequentially(code.slice(2));
      expect(await input.inputValue()).toBe(code);
      expect(await page.evaluate("window.sent")).toBeUndefined();
      await page.keyboard.press("Enter");
      await backAtTheApp(stage, page);
    });

    it("a new account by passkey: the link of a second mail in a second tab signs in", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const email = newEmail();
      const page = await stage.newPage();
      const authenticator = await addVirtualAuthenticator(page);
      const session = await initiate(stage.service, app);
      await page.goto(`${session.authUrl}/create-account`);
      await field(page, "Email").fill(email);
      await button(page, "Create a passkey").click();
      await page.waitForURL("**/confirm");
      await mailTo(server, email);
      await button(page, "Send again").click();
      await page.getByText("A new email is on its way").waitFor();
      const mail = await mailTo(server, email, 2);
      const tab = await page.context().newPage();
      await tab.goto(linkIn(mail));
      expect(await violations(tab)).toEqual([]);
      await button(tab, "Confirm and continue to Acme").click();
      const code = (await backAtTheApp(stage, tab)).get("code") ?? "";
      const { user } = await redeem(stage.service, app, { session, code });
      expect(user).toMatchObject({
        emailVerified: true,
        authMethods: { passkey: true, oauth: [], password: false },
      });
      expect(await authenticator.credentials()).toHaveLength(1);
      await page.reload();
      expect(await heading(page).textContent()).toBe("You're signed in");
    });

    it.each(sampled([true, false], 2))(
      "a forgotten password by the link on another device (JavaScript: %s)",
      async (javaScriptEnabled) => {
        const app = await createApp(stage, { name: "Acme" });
        const { email } = await newUser(stage.service, app, { password: goodPassword });
        const page = await stage.newPage({ javaScriptEnabled });
        await openSignIn(stage, page, app);
        await field(page, "Email").fill(email);
        await link(page, "Forgot password?").click();
        await button(page, "Send email").waitFor();
        // The script carries the address over.
        if (!javaScriptEnabled) await field(page, "Email").fill(email);
        expect(await field(page, "Email").inputValue()).toBe(email);
        await button(page, "Send email").click();
        await page.getByText("If this address has an account at Acme").waitFor();
        const phone = await stage.newPage({ javaScriptEnabled });
        await phone.goto(linkIn(await mailTo(server, email)));
        if (javaScriptEnabled) expect(await violations(phone)).toEqual([]);
        await phone.getByLabel("New password", { exact: true }).fill("short");
        await button(phone, "Save password").click();
        await phone.getByText("Too short. Use at least 15 characters.").waitFor();
        await phone.getByLabel("New password", { exact: true }).fill(newPassword);
        await button(phone, "Save password").click();
        await phone.getByText("Your password is changed").first().waitFor();
        await signIn(stage.service, app, { email, password: newPassword });
      },
    );

    it("a forgotten password by the code, and on to the app", async () => {
      const app = await createApp(stage, { name: "Acme" });
      const { email } = await newUser(stage.service, app, { password: goodPassword });
      const page = await stage.newPage();
      await openSignIn(stage, page, app, { loginHint: email });
      await link(page, "Forgot password?").click();
      await button(page, "Send email").click();
      const code = page.getByLabel("Code", { exact: true });
      await code.waitFor();
      expect(await violations(page)).toEqual([]);
      await code.fill(codeIn(await mailTo(server, email)));
      await page.getByLabel("New password", { exact: true }).fill(newPassword);
      await button(page, "Save password").click();
      await backAtTheApp(stage, page);
    });

    it.each(sampled([false, true], 2))(
      "a forgotten password by the link in the browser that asked, on to the app (JavaScript: %j)",
      async (javaScriptEnabled) => {
        const app = await createApp(stage, { name: "Acme" });
        const { email } = await newUser(stage.service, app, { password: goodPassword });
        const page = await stage.newPage({ javaScriptEnabled });
        await openSignIn(stage, page, app, { loginHint: email });
        await link(page, "Forgot password?").click();
        await button(page, "Send email").click();
        await page.getByText("If this address has an account at Acme").waitFor();
        await page.goto(linkIn(await mailTo(server, email)));
        await page.getByLabel("New password", { exact: true }).fill(newPassword);
        await button(page, "Save password").click();
        await backAtTheApp(stage, page);
      },
    );

    it("a used link has the app's look and leads to a new one, which works", async ({ skip }) => {
      skip(!isLongRun, runsLong);
      const app = await createApp(stage, { name: "Acme" });
      const { email } = await newUser(stage.service, app, { password: goodPassword });
      const asking = await stage.newPage();
      await openSignIn(stage, asking, app, { loginHint: email });
      await link(asking, "Forgot password?").click();
      await button(asking, "Send email").click();
      const used = linkIn(await mailTo(server, email));
      const page = await stage.newPage();
      await page.goto(used);
      await page.getByLabel("New password", { exact: true }).fill(newPassword);
      await button(page, "Save password").click();
      await page.getByText("Your password is changed").first().waitFor();
      await page.goto(used);
      await page.getByText("This link doesn't work any more").first().waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.locator(".brand").first().innerText()).toContain("Acme");
      await link(page, "Send a new link").click();
      await field(page, "Email").fill(email);
      await button(page, "Send email").click();
      await page.goto(linkIn(await mailTo(server, email, 2, /Reset/u)));
      await page.getByLabel("New password", { exact: true }).fill(`${newPassword} again`);
      await button(page, "Save password").click();
      await page.getByText("Your Acme account").first().waitFor();
    });
  },
  { overrides: { mail: server.mail } },
);
