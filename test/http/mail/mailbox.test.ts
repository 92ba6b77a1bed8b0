import { expect, it, vi } from "vitest";
import { mailbox } from "../../../src/records/mail/mailbox.ts";
import { enqueue, resetMail } from "../../support/mail-flows.ts";
import { newEmail, openPage, redeem, signUp } from "../../support/person.ts";
import { withApp, describeOnSqlite, startTestService, type TestService } from "../../support/service.ts";

type Listed = Record<"id" | "kind" | "to" | "subject" | "text" | "html" | "arrivedAt", string>;

describeOnSqlite("the mailbox of development mode", { dev: true }, (current) => {
  it("shows a mail soon after it was asked for, the newest first", async () => {
    const [first, second] = [newEmail(), newEmail()];
    await arrive(current(), first);
    const [mail] = await arrive(current(), second);
    expect(mail).toMatchObject({ to: second, kind: "reset", subject: expect.stringContaining("Acme") as string });
    expect(mail?.text).toContain("https://auth.example/reset/the-link");
    expect(mail?.html).toContain("https://auth.example/reset/the-link");
    const page = await get(current(), "/dev/mail");
    expect(page.text.indexOf(second)).toBeGreaterThan(0);
    expect(page.text.indexOf(second)).toBeLessThan(page.text.indexOf(first));
    expect(page.text).toContain(`href="/dev/mail/${mail?.id}"`);
  });

  it("shows text with links, and the HTML in a frame that can run and post nothing", async () => {
    const [mail] = await arrive(current(), newEmail());
    const page = await get(current(), `/dev/mail/${mail?.id}`);
    expect(page.text).toContain(`<a href="https://auth.example/reset/the-link" target="_blank"`);
    expect(page.text).toMatch(/<iframe[^>]* sandbox="allow-popups allow-popups-to-escape-sandbox"/u);
    expect(page.headers.get("content-security-policy")).toContain("frame-src 'self'");
    const alone = await get(current(), `/dev/mail/${mail?.id}/html`);
    const policy = alone.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/u);
    expect(policy).not.toContain("allow-scripts");
    expect(alone.text).toContain('<base target="_blank" />');
  });

  it("keeps the hundred newest", async () => {
    const mailsHere = mailbox(current().server.app.ctx);
    for (let mails = 0; mails < 105; mails += 1) {
      const names = { senderName: "", subject: `${mails}`, text: "", html: "", language: "en" };
      await mailsHere?.send({ ...names, id: `mail_${mails}`, kind: "reset", to: "a@b.example" });
    }
    const { mails } = JSON.parse((await get(current(), "/dev/mail.json")).text) as { mails: Listed[] };
    expect(mails).toHaveLength(100);
    expect(mails[0]?.subject).toBe("104");
  });

  it("proves addresses as a mail server would: a new account waits for the code in the mailbox", async () => {
    const { service, app } = await withApp(current());
    const { user } = await redeem(service, app, await signUp(service, app));
    expect(user["emailVerified"]).toBe(true);
    expect(service.server.dev?.mailUrl).toMatch(/\/dev\/mail$/u);
  });
});

it("there is no mailbox, and no page names one, outside of development mode, or where mail is really sent", async () => {
  const server = { host: "127.0.0.1", port: 1, user: undefined, password: undefined, tls: "none" } as const;
  const mail = { server, from: { name: undefined, address: "a@b.example" } };
  for (const config of [{ dev: false }, { dev: true, mail }]) {
    const { service, stop } = await startTestService("sqlite", config);
    for (const path of ["/dev/mail", "/dev/mail.json", "/dev/mail.css"])
      expect((await get(service, path)).status, path).toBe(404);
    const { page } = await openPage(service, await service.createApp());
    expect(page.text).not.toContain("/dev/mail");
    await stop();
  }
});

async function arrive(service: TestService, to: string): Promise<Listed[]> {
  await enqueue(service, resetMail(service, (await service.createApp()).id, { to }));
  return await vi.waitFor(
    async () => {
      const { mails } = JSON.parse((await get(service, "/dev/mail.json")).text) as { mails: Listed[] };
      if (!mails.some((listed) => listed.to === to)) throw new Error("not arrived yet");
      return mails;
    },
    { timeout: 60_000, interval: 20 },
  );
}

async function get(service: TestService, path: string) {
  const response = await fetch(`${service.url}${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
