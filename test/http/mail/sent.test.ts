import { expect, it } from "vitest";
import * as outbox from "../../../src/records/mail/service.ts";
import { mailDelivery } from "../../../src/records/mail/delivery.ts";
import * as profiles from "../../../src/people/profile.ts";
import { allSent, enqueue, newUser, resetMail } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { describeEachDatabase, type TestService } from "../../support/service.ts";

const server = await useMailServer();
const day = 24 * 3_600_000;
const by = { actor: { kind: "cli", name: "test" } } as const;

const sentTo = async ({ server: { app } }: TestService, userId: string) =>
  await outbox.sent(app.ctx, { userId, limit: 10 });

/** A person who was sent a mail. */
async function mailed(service: TestService) {
  const app = await service.createApp();
  const person = await newUser(service, app);
  await enqueue(service, resetMail(service, app.id, { to: person.email, userId: person.id }));
  await allSent(service);
  return { app, person };
}

describeEachDatabase("what was sent", { mail: server.mail }, (service) => {
  it("keeps kind, time and the server's answer of a mail to a person, and nothing of its content", async () => {
    const { app, person } = await mailed(service);
    const [row, ...others] = await sentTo(service, person.id);
    expect(others).toEqual([]);
    expect(row).toEqual({
      id: expect.stringMatching(/^mail_/u),
      appId: app.id,
      userId: person.id,
      kind: "reset",
      sentAt: expect.any(Number),
      answer: expect.stringMatching(/^250 /u),
    });
  });

  it("keeps nothing of a mail to an address that belongs to nobody yet", async () => {
    const app = await service.createApp();
    await enqueue(service, resetMail(service, app.id, { userId: null }));
    await allSent(service);
    expect(await outbox.sent(service.server.app.ctx, { appId: app.id, limit: 10 })).toEqual([]);
  });

  it("D3: goes with the person, in the transaction that deletes them", async () => {
    const { person } = await mailed(service);
    await profiles.remove(service.server.app.ctx, person.id, by);
    expect(await sentTo(service, person.id)).toEqual([]);
  });

  it("keeps nothing of a person who was deleted while their mail was under way", async () => {
    const { ctx } = service.server.app;
    await mailDelivery(ctx).stop();
    const app = await service.createApp();
    const person = await newUser(service, app);
    await enqueue(service, resetMail(service, app.id, { to: person.email, userId: person.id }));
    const claimed = (await outbox.claim(ctx, 10)).find(({ mail }) => mail.userId === person.id);
    if (!claimed) throw new Error("the mail is not claimed");
    await Promise.all([
      profiles.remove(ctx, person.id, by),
      outbox.settle(ctx, claimed, { result: "sent", answer: "250 OK" }),
    ]);
    expect(await sentTo(service, person.id)).toEqual([]);
    mailDelivery(ctx).start();
  });

  it("is kept for 30 days", async () => {
    const { person } = await mailed(service);
    service.clock.advance(30 * day - 60_000);
    await service.server.app.sweep();
    expect(await sentTo(service, person.id)).toHaveLength(1);
    service.clock.advance(120_000);
    await service.server.app.sweep();
    expect(await sentTo(service, person.id)).toEqual([]);
  });
});
