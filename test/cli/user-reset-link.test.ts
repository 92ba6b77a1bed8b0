import { afterAll, beforeAll, expect, test } from "vitest";
import * as audit from "../../src/records/audit/audit.ts";
import * as userAdministration from "../../src/people/administration.ts";
import * as users from "../../src/users/service.ts";
import { disableUser, linkIn, mailTo, newUser } from "../support/mail-flows.ts";
import { startMailServer } from "../support/mail.ts";
import { givePasskey } from "../support/methods.ts";
import { goodPassword, signIn, Visitor, type Page } from "../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";
import type { Place } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";
import { placeOf } from "./service-place.ts";

const newPassword = "a wholly different phrase";

const server = await startMailServer();
afterAll(async () => await server.close());

describeEachDatabase("user reset-link", { mail: server.mail }, (current) => {
  let service: TestService;
  let app: TestApp;
  let place: Place;
  let withMail: Place;
  beforeAll(async () => {
    service = current();
    place = placeOf(service);
    const smtpUrl = `smtp://127.0.0.1:${server.port}`;
    const mail = { AUTHSVC_MAIL__SMTP_URL: smtpUrl, AUTHSVC_MAIL__FROM: "auth@service.example" };
    withMail = { ...place, env: { ...place.env, ...mail } };
    app = await service.createApp();
  });

  async function open(link: string, password: string): Promise<Page> {
    // A command has no clock but the real one.
    service.clock.now = Date.now();
    const visitor = new Visitor();
    return await visitor.submit(await visitor.get(link), new URL(link).pathname, { password });
  }

  test("prints a link of the service's own address, with which the user chooses the password; it proves no address", async () => {
    const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
    await givePasskey(service, id);
    const { code, stdout, stderr } = await authsvc(["user", "reset-link", id], place);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^It works once, until /u) as string });
    const link = stdout.trimEnd();
    expect(link.startsWith(`${service.url}/reset/`)).toBe(true);
    expect((await open(link, newPassword)).text).toContain("Your password is changed");
    await signIn(service, app, { email, password: newPassword });
    const user = await userAdministration.get(service.server.app.ctx, id);
    expect(user).toMatchObject({ emailVerified: false, authMethods: { passkey: true, password: true } });
    const events = await audit.list(service.server.app.ctx, { userId: id, limit: 50 });
    expect(events.find(({ action }) => action === "user.reset-link")).toMatchObject({
      actor: expect.stringMatching(/^cli:/u) as string,
      details: { sent: false },
    });
  });

  test("--send mails it instead, and what arrives proves the address", async () => {
    const { id, email } = await newUser(service, app, { emailVerified: false });
    service.clock.now = Date.now();
    const sent = await answer(["user", "reset-link", id, "--send"], withMail);
    expect(sent).toMatchObject({ userId: id, email, link: null, sent: true });
    service.clock.now = Date.now();
    const link = linkIn(await mailTo(server, email));
    expect((await open(link, newPassword)).text).toContain("Your password is changed");
    expect(await users.find(service.server.app.ctx.storage.reader, id)).toMatchObject({ emailVerified: true });
  });

  test("a newer link ends the one before, and a dry run makes none", async () => {
    const { id } = await newUser(service, app);
    const older = (await answer(["user", "reset-link", id], place)) as { link: string };
    expect(await answer(["user", "reset-link", id, "--dry-run"], place)).toMatchObject({ link: null, dryRun: true });
    service.clock.now = Date.now();
    expect((await new Visitor().get(older.link)).status).toBe(200);
    await answer(["user", "reset-link", id], place);
    expect((await new Visitor().get(older.link)).status).toBe(410);
  });

  test("says why there is no link: nobody with this id, disabled, no mail server", async () => {
    const { id } = await newUser(service, app);
    expect(await authsvc(["user", "reset-link", "usr_none"], place)).toMatchObject({ code: 3, stdout: "" });
    expect(await authsvc(["user", "reset-link", id, "--send"], place)).toMatchObject({
      code: 2,
      stderr: "authsvc: --send: no mail server is set (mail.smtpUrl)\n",
    });
    await disableUser(service, id);
    expect(await authsvc(["user", "reset-link", id], place)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("The user is disabled") as string,
    });
  });
});
