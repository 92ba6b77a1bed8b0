import { expect, it, vi } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { insertApplication } from "../../../src/applications/store.ts";
import type { Log } from "../../../src/lib/log.ts";
import type { Mail } from "../../../src/records/mail/mail.ts";
import * as outbox from "../../../src/records/mail/service.ts";
import { enqueue, mailTo, resetMail } from "../../support/mail-flows.ts";
import { useMailServer, type ReceivedMail } from "../../support/mail.ts";
import { newEmail } from "../../support/person.ts";
import { describeOnSqlite, type TestService } from "../../support/service.ts";

const server = await useMailServer();

const patience = { timeout: 60_000, interval: 20 };

describeOnSqlite("a mail on its way", { mail: server.mail }, (current) => {
  it("carries text and HTML, from the app's name and the service's address, to one person", async () => {
    const { id } = await current().createApp({ name: "Acme", branding: { companyName: "Acme GmbH & Söhne" } });
    const to = newEmail();
    const mail = await sent(current(), resetMail(current(), id, { to }));
    expect(mail).toMatchObject({ from: "auth@service.example", to: [to] });
    expect(mail.headers.get("to")).toBe(to);
    expect(mail.headers.get("from")).toMatch(/^=\?UTF-8\?.* <auth@service\.example>$/u);
    expect(mail.subject).toBe("12345678 – Reset your Acme GmbH & Söhne password");
    expect(mail.headers.get("auto-submitted")).toBe("auto-generated");
    expect(mail.headers.get("content-language")).toBe("en");
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain("https://auth.example/reset/the-link");
      expect(part).toContain("1234 5678");
      expect(part).toContain("203.0.113.7");
    }
    expect(mail.html).toContain("Acme GmbH &amp; Söhne");
  });

  it("says where the app helps, if the app has such a page", async () => {
    const supportUrl = "https://acme.example/help?from=mail&lang=en";
    const { id } = await current().createApp();
    expect((await sent(current(), resetMail(current(), id))).text).not.toContain("acme.example/help");
    const actor = { kind: "cli", name: "test" } as const;
    await applications.update(current().server.app.ctx, id, { branding: { supportUrl } }, actor);
    const mail = await sent(current(), resetMail(current(), id));
    expect(mail.text).toContain(supportUrl);
    expect(mail.html).toContain(`href="${supportUrl.replace("&", "&amp;")}"`);
  });

  it("has the same Message-ID each time it is tried, and another for each mail", async () => {
    const { id } = await current().createApp();
    const first = await sent(current(), resetMail(current(), id));
    const second = await sent(current(), resetMail(current(), id));
    expect(first.headers.get("message-id")).toMatch(/^<mail_[a-z0-9]{26}@service\.example>$/u);
    expect(second.headers.get("message-id")).not.toBe(first.headers.get("message-id"));
  });

  it("a name with line breaks adds no header and no recipient (security rule P10, header injection)", async () => {
    const { app } = current().server;
    const { id } = await current().createApp();
    const application = await applications.find(app.ctx, app.ctx.storage.reader, id);
    if (!application) throw new Error("no application");
    // No command and no call takes such a name; here it stands in the database all the same.
    const name = "Acme\r\nBcc: victim@example.org\r\n\r\nBuy this\u2028now";
    await app.ctx.storage.write((tx) => insertApplication(tx, { ...application, id: "app_injecting", name }));
    const to = newEmail();
    const mail = await sent(current(), resetMail(current(), "app_injecting", { to }));
    expect(mail.to).toEqual([to]);
    expect(mail.headers.has("bcc")).toBe(false);
    expect(mail.subject).toBe("12345678 – Reset your Acme Bcc: victim@example.org Buy this now password");
    const text = mail.text.split("\n");
    expect(text[0]).toBe("Reset your Acme Bcc: victim@example.org Buy this now password");
  });

  it("refuses an address that is more or less than one address in its canonical form", async () => {
    const { app } = current().server;
    const { id } = await current().createApp();
    const addresses = [
      "a@b.example\r\nBcc: c@d.example",
      "a@b.example,c@d.example",
      "A@b.example",
      "A <a@b.example>",
      "",
    ];
    for (const to of addresses) {
      const enqueued = app.ctx.storage.write((tx) =>
        outbox.enqueue(app.ctx, tx, resetMail(current(), id, { to }), app.ctx.clock()),
      );
      await expect(enqueued).rejects.toThrow("not a canonical address");
    }
  });

  it("nothing of a mail that waits can be read in the database (security rule F11)", async () => {
    const service = current();
    const { id } = await service.createApp();
    const to = newEmail();
    server.behave({ answers: 451 });
    await enqueue(
      service,
      resetMail(service, id, { to, origin: { ipAddress: "198.51.100.77", userAgent: "Rare/1.0" } }),
    );
    const { reader } = service.server.app.ctx.storage;
    await vi.waitFor(async () => {
      const rows = await reader.db.select().from(reader.tables.mails);
      expect(rows).toMatchObject([{ appId: id, lastError: "it refuses the recipient's address for now (451)" }]);
    }, patience);
    const text = await service.databaseText();
    expect(text).toContain(id);
    for (const secret of [to, to.split("@")[0] ?? "", "the-link", "12345678", "198.51.100.77", "Rare/1.0"])
      expect(text).not.toContain(secret);
    server.behave("takes");
  });
});

const lines: string[] = [];
const log: Log = {
  debug() {},
  info: (message, fields) => void lines.push(JSON.stringify({ message, ...fields })),
  warn() {},
  error() {},
  debugging: false,
};

describeOnSqlite("without a mail server", { surroundings: { log } }, (current) => {
  it("a mail is one line in the log, which names neither person nor link nor code, and nothing in the database", async () => {
    const { id } = await current().createApp();
    const { ctx } = current().server.app;
    const { storage } = ctx;
    expect(outbox.available(ctx)).toBe(false);
    lines.length = 0;
    await enqueue(current(), resetMail(current(), id));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { message: "mail not sent: no SMTP server is configured", kind: "reset", appId: id },
    ]);
    expect(await storage.reader.db.select().from(storage.reader.tables.mails)).toEqual([]);
  });
});

async function sent(service: TestService, mail: Mail): Promise<ReceivedMail> {
  await enqueue(service, mail);
  return await mailTo(server, mail.to);
}
