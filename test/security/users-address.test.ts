import { afterAll, beforeAll, expect, it } from "vitest";
import * as resetLinks from "../../src/credentials/mailed/reset-links.ts";
import * as mail from "../../src/records/mail/service.ts";
import * as users from "../../src/users/service.ts";
import { press } from "../support/account.ts";
import { askFor, changeTo, ownerOf, undoLink, useLink } from "../support/address-change.ts";
import { allSent, askForReset, codeIn, linkIn, mailTo } from "../support/mail-flows.ts";
import { useMailServer } from "../support/mail.ts";
import { bearer } from "../support/methods.ts";
import { call, newEmail } from "../support/person.ts";
import { startReceiver, until, type Receiver } from "../support/receiver.ts";
import { useApp, describeSqliteFirst } from "../support/service.ts";
import { createEndpoint, localWebhooks, operator } from "../support/webhooks.ts";

const server = await useMailServer();

describeSqliteFirst("an address that the app's server changes", { mail: server.mail, ...localWebhooks }, (service) => {
  const app = useApp(service);
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    await createEndpoint(service, app, { url: receiver.url, events: ["user.updated"] });
  });
  afterAll(async () => await receiver.stop());

  const change = async (id: string, body: Record<string, unknown>) =>
    await call(service, "PATCH", `/applications/${app.id}/users/${id}`, bearer(app.apiKey), body);
  const addressOf = async (id: string) => (await users.find(service.server.app.ctx.storage.reader, id))?.email;

  it("mails the earlier address, without a link to undo it, and sends webhooks the new one", async () => {
    const { id, email } = await ownerOf(service, app);
    const to = newEmail();
    expect((await change(id, { email: to })).status).toBe(200);
    const notice = await mailTo(server, email, 1, /account has another email address$/u);
    expect(notice.text).not.toContain(to);
    expect(notice.text).not.toContain("/restore/");
    expect(notice.text).not.toContain("IP address");
    const told = await until(() => receiver.received.find(({ body }) => body.data["userId"] === id));
    expect(told.body).toMatchObject({ event: "user.updated", data: { email: to, ipAddress: null, userAgent: null } });
  });

  it("ends what was mailed before: a change that a thief began, a reset, and the link that undoes an earlier change", async () => {
    const owner = await ownerOf(service, app);
    const first = owner.email;
    await changeTo(service, server, owner);
    const undo = await undoLink(server, first);
    const asked = await askFor(service, server, owner);
    const { ctx } = service.server.app;
    const reset = await resetLinks.linkFor(ctx, owner.id, { send: false, dryRun: false }, operator.actor);
    const third = newEmail();
    expect((await change(owner.id, { email: third, emailVerified: true })).status).toBe(200);
    await press(app, owner.visitor, asked.page, "/email/code", { code: codeIn(asked.mail) });
    for (const link of [linkIn(asked.mail), reset.link ?? "", undo])
      expect([link, (await useLink(link, owner.visitor)).status]).toEqual([link, 410]);
    expect(await addressOf(owner.id)).toBe(third);
  });

  it("takes back mails with a link that wait for the mail server", async () => {
    const { id, email } = await ownerOf(service, app);
    const { ctx } = service.server.app;
    // Mails of the tests before, or of an earlier try, would be counted as well.
    server.behave("takes");
    service.clock.advance(60_000);
    await until(async () => (await mail.pending(ctx)).mails === 0);
    server.behave({ answers: 451 });
    await askForReset(service, app, email);
    await until(async () => (await mail.pending(ctx)).retried === 1);
    expect((await change(id, { email: newEmail() })).status).toBe(200);
    // The notice alone is left, between two attempts.
    await until(async () => (await mail.pending(ctx)).retried === 1 && (await mail.pending(ctx)).mails === 1);
    server.behave("takes");
    service.clock.advance(60_000);
    await mailTo(server, email, 1, /account has another email address$/u);
    await until(async () => (await mail.pending(ctx)).mails === 0);
    expect(server.to(email)).toHaveLength(1);
  });

  it("mails an address at most five times an hour, also one that the app's server calls verified", async () => {
    const victim = newEmail();
    const { id } = await ownerOf(service, app);
    for (let round = 0; round < 7; round += 1) {
      for (const email of [victim, newEmail()])
        expect((await change(id, { email, emailVerified: true })).status).toBe(200);
    }
    await allSent(service);
    expect(server.to(victim)).toHaveLength(5);
  });
});
