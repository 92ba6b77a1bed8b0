import type { Browser, Locator, Page } from "playwright-core";
import { goodPassword, newEmail } from "../support/person.ts";

/** The demo page in a browser of its own, by the words and numbers that a person goes by. */
export class DemoWalk {
  readonly page: Page;
  /** Of the account that was asked for last. */
  email = "";
  /** What the console said that it should not: errors of the script, breaches of the policy. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on("console", (message) => {
      // A call that is refused is a lesson here, and browsers report each.
      const isRefusal = message.text().startsWith("Failed to load resource: the server responded with a status of 4");
      if (message.type() === "error" && !isRefusal) this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
  }

  static async open(browser: Browser, url: string): Promise<DemoWalk> {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const walk = new DemoWalk(await context.newPage());
    await walk.page.goto(`${url}/dev/demo`);
    return walk;
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  get toHostedPage(): Locator {
    return this.page.getByRole("link", { name: "Continue to the hosted page" });
  }

  /** The signs of a step that show this status, one for each call that was answered so. */
  statuses(step: string, status: string): Locator {
    return this.page.locator(`#${step} .chip`, { hasText: status });
  }

  async press(name: string, step: string, status = "200 OK"): Promise<void> {
    await this.button(name).click();
    await this.statuses(step, status).first().waitFor();
  }

  /** The answer that a step shows last. */
  async answerOf(step: string): Promise<Record<string, unknown>> {
    const text = (await this.page.locator(`#${step} .answer pre`).last().textContent()) ?? "";
    return JSON.parse(text.slice(text.indexOf("{")));
  }

  async curlOf(step: string): Promise<string> {
    const block = this.page.locator(`#${step} .block`, { hasText: /^curl/u });
    return (await block.locator("pre").first().textContent()) ?? "";
  }

  async start(method = "Any method"): Promise<void> {
    await this.page.getByText(method, { exact: true }).click();
    await this.press("Start sign-in", "initiate");
  }

  /** On the hosted page: to the form for a new account, with a name and an address. */
  async goToCreateAccount(): Promise<void> {
    await this.toHostedPage.click();
    const createAccount = this.page.getByRole("link", { name: "Create account" });
    const others = this.page.getByText("Use another account", { exact: true });
    await createAccount.or(others).waitFor();
    // Folded for somebody who is signed in.
    if (await others.isVisible()) await others.click();
    await createAccount.click();
    this.email = newEmail();
    await this.page.getByLabel("Email").fill(this.email);
    await this.page.getByLabel("Name").fill("Ada Lovelace");
  }

  async signUpByPassword(): Promise<void> {
    await this.goToCreateAccount();
    await this.page.getByRole("textbox", { name: "Password" }).fill(goodPassword);
    await this.page.getByRole("button", { name: "Create account" }).click();
    await this.proveAddress();
  }

  /** Follows the link of the mail that a new account waits for. */
  async proveAddress(): Promise<void> {
    await proveAddress(this.page, this.email);
    await this.comeBack();
  }

  async comeBack(): Promise<void> {
    await this.page.waitForURL(/\/dev\/demo\/callback\?code=/u);
  }
}

export async function proveAddress(page: Page, email: string): Promise<void> {
  await page.waitForURL(/\/confirm$/u);
  await page.goto(await newestLink(new URL("/dev/mail.json", page.url()), email));
  await page.getByRole("button", { name: "Confirm and continue to Acme" }).click();
}

async function newestLink(mailbox: URL, email: string): Promise<string> {
  for (;;) {
    const { mails } = (await (await fetch(mailbox)).json()) as { mails: { to: string; text: string }[] };
    const link = /https?:\/\/\S+\/confirm\/\S+/u.exec(mails.find(({ to }) => to === email)?.text ?? "")?.[0];
    if (link !== undefined) return link;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
