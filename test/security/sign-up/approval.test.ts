import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as approval from "../../../src/people/approval.ts";
import { routes } from "../../../src/routes.ts";
import { countWaiting } from "../../../src/people/approval-store.ts";
import { importLines } from "../../../src/people/import.ts";
import * as userExport from "../../../src/people/export.ts";
import { allFindings } from "../../../src/upkeep/doctor/findings.ts";
import { isPending } from "../../../src/users/user.ts";
import { openAccount } from "../../support/account.ts";
import {
  allSent,
  askForAccount,
  askForCode,
  askForReset,
  codeIn,
  linkIn,
  mailTo,
  newUser,
  said,
  userWith,
} from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { call, goodPassword, initiate, newEmail, redeem, signIn, Visitor, type Page } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith, signInAt } from "../../support/providers/round.ts";
import { until, useReceiver } from "../../support/receiver.ts";
import { addressOf } from "../../support/routes.ts";
import { describeSqliteFirst, updateApp, type TestApp, type TestService } from "../../support/service.ts";
import { createEndpoint, localWebhooks } from "../../support/webhooks.ts";

const mailServer = await useMailServer();
const receiver = useReceiver();
const [corp] = await useProviders("openid");
const operator = { actor: { kind: "cli", name: "test" } } as const;
const [hour, day] = [3_600_000, 24 * 3_600_000];
const waits = "Your account waits for approval";
const now = { sentence: null, dryRun: false };

describeSqliteFirst("approval of new accounts", { mail: mailServer.mail, ...localWebhooks }, (current) => {
  const withApproval = async () => {
    const service = current();
    const app = await appWith(service, [corp]);
    const settings = { signUpApproval: true, emailCode: true, signUpApprovalMail: newEmail() };
    await updateApp(service, app, { settings });
    const send = async (method: string, path: string, body?: unknown) =>
      await call(service, method, `/applications/${app.id}/users${path}`, app.headers, body);
    return { service, app, send, ctx: service.server.app.ctx, boss: settings.signUpApprovalMail };
  };

  /** Somebody who signed up on the page, and proved the address. */
  async function signUp(
    service: TestService,
    app: TestApp,
    email = newEmail(),
  ): Promise<{ id: string; email: string; page: Page }> {
    const count = mailServer.to(email).length + 1;
    const { visitor, page } = await askForAccount(service, app, { email });
    const done = await visitor.submit(page, "/confirm", { code: codeIn(await mailTo(mailServer, email, count)) });
    const user = await userWith(service, app, email);
    return { id: user?.id ?? "", email, page: done };
  }

  it("P13: nothing is issued to who waits, whatever they prove, and each page says so", async () => {
    const { service, app, send } = await withApproval();
    const { id, email, page } = await signUp(service, app);
    expect([page.status, said(page)]).toEqual([200, expect.stringContaining(waits)]);
    expect((await send("GET", `/${id}`)).body).toMatchObject({ state: "pending", disabledAt: expect.any(String) });
    const visitor = new Visitor();
    const session = await initiate(service, app);
    const signInPage = await visitor.get(session.authUrl);
    const again = await visitor.submit(signInPage, "/password", { email, password: goodPassword });
    expect(said(again)).toContain(waits);
    const wrong = await visitor.submit(await visitor.get(session.authUrl), "/password", {
      email,
      password: "wrong one",
    });
    expect([wrong.status, said(wrong)]).toEqual([401, expect.not.stringContaining(waits)]);
    const byCode = await askForCode(service, app, email);
    const mailed = await mailTo(mailServer, email, 1, /Sign in to/u);
    expect(said(await byCode.visitor.submit(byCode.page, "/code", { code: codeIn(mailed) }))).toContain(waits);
    await askForReset(service, app, email);
    await allSent(service);
    expect(mailServer.to(email).filter(({ subject }) => /password/u.test(subject))).toEqual([]);
    expect((await send("GET", `/${id}`)).body).toMatchObject({ lastLoginAt: null });
  });

  it("P13: no route of the service gives anything to the browser of who waits, nor to its posts made by hand", async () => {
    const { service, app, send } = await withApproval();
    const { id, email } = await signUp(service, app);
    const visitor = new Visitor();
    const session = await initiate(service, app);
    const page = await visitor.get(session.authUrl);
    const { fields } = page.form("/password");
    expect(said(await visitor.submit(page, "/password", { email, password: goodPassword }))).toContain(waits);
    const made = { ...fields, email, password: goodPassword, code: "12345678", credential: "{}", organization: "none" };
    const values = { sessionId: session.sessionId, appId: app.id, userId: id };
    let tried = 0;
    for (const { method, path } of routes) {
      if (path.endsWith("/cancel") || path.endsWith("/approve") || (method !== "GET" && method !== "POST")) continue;
      const address = `${service.url}${addressOf({ path }, values)}?app_id=${app.id}`;
      const browser = visitor.copy();
      const answer = method === "POST" ? await browser.post(address, made) : await browser.get(address);
      tried += 1;
      const { origin, searchParams } = answer.location;
      expect([path, origin !== service.url && searchParams.has("code")]).toEqual([path, false]);
    }
    expect(tried).toBeGreaterThan(80);
    expect((await openAccount(service, app, visitor)).status).toBe(303);
    expect((await send("GET", `/${id}`)).body).toMatchObject({ state: "pending", lastLoginAt: null });
    await allSent(service);
    expect(mailServer.to(email).filter(({ subject }) => /password|invit/iu.test(subject))).toEqual([]);
  });

  it("P13: waits by every door of strangers, and not by those of the server", async () => {
    const { service, app, send } = await withApproval();
    const waiting: Record<string, (email: string) => Promise<unknown>> = {
      "the page": async (email) => await signUp(service, app, email),
      "a provider": async (email) => {
        const { done } = await signInAt(service, app, corp, { subject: email, email, verified: true });
        expect(said(done)).toContain(waits);
      },
      "a mailed code": async (email) => {
        const { visitor, page } = await askForCode(service, app, email);
        const done = await visitor.submit(page, "/code", { code: codeIn(await mailTo(mailServer, email)) });
        expect(said(done)).toContain(waits);
      },
    };
    for (const [door, knock] of Object.entries(waiting)) {
      const email = newEmail();
      await knock(email);
      const user = await userWith(service, app, email);
      expect(user && isPending(user), door).toBe(true);
    }
    const letIn: Record<string, (email: string) => Promise<unknown>> = {
      "the users' API": async (email) => await send("POST", "", { email, emailVerified: true, password: goodPassword }),
      "an invitation": async (email) => await send("POST", "", { email, invite: true }),
      "an import": async (email) =>
        await importLines(
          service.server.app.ctx,
          app.id,
          [{ line: 1, json: JSON.stringify({ email }) }],
          { dryRun: false },
          operator.actor,
        ),
    };
    for (const [door, knock] of Object.entries(letIn)) {
      const email = newEmail();
      await knock(email);
      expect((await userWith(service, app, email))?.disabledAt, door).toBeNull();
    }
  });

  it("P13: an approved account signs in; the server learns of it then, and the person is mailed the sentence", async () => {
    const { service, app, send } = await withApproval();
    await createEndpoint(service, app, { url: receiver.url, events: ["user.created", "user.pending", "user.deleted"] });
    const { id, email } = await signUp(service, app);
    expect((await send("PATCH", `/${id}`, { disabled: false })).status).toBe(409);
    expect((await send("PATCH", `/${id}`, { disabled: true })).status).toBe(409);
    const approved = await send("POST", `/${id}/approve`, { message: "Welcome to the pilot." });
    expect([approved.status, approved.body]).toEqual([200, { id, email, decision: "approved", mailed: true }]);
    expect((await send("POST", `/${id}/approve`, {})).status).toBe(409);
    expect((await mailTo(mailServer, email, 1, /was approved/u)).text).toContain("Welcome to the pilot.");
    await redeem(service, app, await signIn(service, app, { email }));
    const { body } = await send("GET", `/${id}`);
    expect(body).toMatchObject({ disabledAt: null });
    expect(body).not.toHaveProperty("state");
    const ofUser = () => receiver.received.filter(({ body }) => body.data["userId"] === id);
    const kinds = () => new Set(ofUser().map(({ body: { event } }) => event));
    await until(() => kinds().size === 2);
    expect([...kinds()].toSorted()).toEqual(["user.created", "user.pending"]);
    const entries = await audit.list(service.server.app.ctx, { userId: id, limit: 50 });
    expect(entries.map(({ action }) => action)).toContain("user.approve");
  });

  it("P13: who is refused leaves only digests for 90 days, may sign up again, and is known then", async () => {
    const { service, app, send } = await withApproval();
    const { id, email } = await signUp(service, app);
    await allSent(service);
    const refused = await send("POST", `/${id}/refuse`, { message: "The pilot is full." });
    expect(refused.body).toMatchObject({ decision: "refused", mailed: true });
    expect((await mailTo(mailServer, email, 1, /was not approved/u)).text).toContain("The pilot is full.");
    expect(await userWith(service, app, email)).toBeUndefined();
    await allSent(service);
    // Which also overwrites what was deleted.
    await service.server.app.sweep();
    expect(await service.databaseText()).not.toContain(email);
    const again = await signUp(service, app, email);
    expect(again.id).not.toBe(id);
    expect((await send("GET", `/${again.id}`)).body).toMatchObject({ state: "pending", refusedBefore: true });
    service.clock.advance(90 * day + 1);
    await service.server.app.sweep();
    const later = (await send("GET", `/${again.id}`)).body;
    expect([later["state"], later["refusedBefore"]]).toEqual(["pending", undefined]);
  });

  it("P13: approval opens nothing without the proof of the address; who has not proved it waits apart, for 7 days", async () => {
    const { service, app, ctx, send } = await withApproval();
    const email = newEmail();
    const line = { email, state: "pending", id: "usr_waits_apart" };
    await importLines(ctx, app.id, [{ line: 1, json: JSON.stringify(line) }], { dryRun: false }, operator.actor);
    const listed = async () =>
      ((await send("GET", "?state=pending")).body["users"] as { id: string }[]).map(({ id }) => id);
    expect(await listed()).not.toContain("usr_waits_apart");
    await expect(approval.approve(ctx, "usr_waits_apart", now, operator)).rejects.toMatchObject({ code: "CONFLICT" });
    const { id } = await signUp(service, app);
    expect(await listed()).toEqual([id]);
    const found = await allFindings(ctx, { isQuick: true });
    expect(found.map(({ message }) => message)).toContain(
      `1 account of ${app.id} waits for approval, and 1 more has not proved their address.`,
    );
    service.clock.advance(7 * day + 1);
    await service.server.app.sweep();
    expect(await userWith(service, app, email)).toBeUndefined();
    expect(await listed()).toEqual([id]);
  });

  it("P13: who has no address to prove waits with the others, listed and counted, until somebody decides", async () => {
    const { app, send, ctx } = await withApproval();
    const id = `usr_no_address_${current().dialect}`;
    const line = JSON.stringify({
      id,
      identities: [{ provider: "corp", issuer: "https://corp.test", subject: "7" }],
      state: "pending",
    });
    const [imported] = await importLines(ctx, app.id, [{ line: 1, json: line }], { dryRun: false }, operator.actor);
    expect(imported).toMatchObject({ outcome: "created" });
    const listed = async (state: string) =>
      (
        (await call(current(), "GET", `/applications/${app.id}/users?state=${state}`, app.headers)).body["users"] as {
          id: string;
        }[]
      ).map((user) => user.id);
    expect([await listed("pending"), await listed("disabled")]).toEqual([[id], []]);
    expect(await countWaiting(ctx.storage.reader, app.id)).toBe(1);
    expect((await allFindings(ctx, { isQuick: true })).map(({ message }) => message)).toContain(
      `1 account of ${app.id} waits for approval, and 0 more have not proved their address.`,
    );
    current().clock.advance(8 * day);
    await current().server.app.sweep();
    expect((await send("POST", `/${id}/approve`, {})).status).toBe(200);
    expect(await listed("pending")).toEqual([]);
  });

  it("P13: of ten decisions at once, one counts", async () => {
    const { service, app, ctx } = await withApproval();
    const { id } = await signUp(service, app);
    const decided = await Promise.allSettled(
      Array.from({ length: 10 }, async (_each, n) =>
        n % 2 === 0 ? await approval.approve(ctx, id, now, operator) : await approval.refuse(ctx, id, now, operator),
      ),
    );
    expect(decided.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("P13: operators are mailed once an hour: a number, no names", async () => {
    const { service, app, boss } = await withApproval();
    const people = [await signUp(service, app), await signUp(service, app)];
    const { sweep } = service.server.app;
    await sweep();
    const mail = await mailTo(mailServer, boss);
    expect(mail.text).toContain("2 accounts wait.");
    for (const { email, id } of people) {
      expect(mail.text).not.toContain(email);
      expect(mail.text).not.toContain(id);
    }
    const third = await signUp(service, app);
    await sweep();
    await allSent(service);
    expect(mailServer.to(boss)).toHaveLength(1);
    service.clock.advance(hour);
    await sweep();
    expect((await mailTo(mailServer, boss, 2)).text).toContain("3 accounts wait.");
    // Nobody new: no mail.
    service.clock.advance(2 * hour);
    await approval.approve(service.server.app.ctx, third.id, now, operator);
    await sweep();
    await allSent(service);
    expect(mailServer.to(boss)).toHaveLength(2);
  });

  it("P13: a member's invitation into an organization waits, the server's does not", async () => {
    const service = current();
    const { app, send, newOrganization } = await withOrganizations(service);
    const { path, owner, id: organizationId } = await newOrganization();
    await updateApp(service, app, { settings: { signUpApproval: true } });
    const join = async (email: string, by: string) => {
      await send("POST", `${path}/invitations${by}`, { invitations: [{ email, roles: ["member"] }] });
      const { text } = await mailTo(mailServer, email);
      const link = /https?:\/\/\S*\/organization\/invitation\/\S+/u.exec(text)?.[0] ?? "";
      const visitor = new Visitor();
      return await visitor.submit(await visitor.get(link), new URL(link).pathname, {});
    };
    const [guest, employee] = [newEmail(), newEmail()];
    expect(said(await join(guest, `?by=${owner}`))).toContain(waits);
    expect((await join(employee, "")).location.pathname).toMatch(/^\/invite\//u);
    const user = await userWith(service, app, guest);
    expect(user && isPending(user)).toBe(true);
    const { body: listed } = await send("GET", `${path}/members`);
    const member = (listed["members"] as { id: string }[]).find(({ id }) => id === user?.id);
    expect(member).toMatchObject({ disabled: true, pending: true });
    await approval.approve(service.server.app.ctx, user?.id ?? "", now, operator);
    // They chose no way to sign in yet: the mail leads there.
    const link = linkIn(await mailTo(mailServer, guest, 1, /was approved/u));
    expect((await new Visitor().get(link)).status).toBe(200);
    const { body } = await send("GET", `/users/${user?.id}/organizations`);
    expect(body["organizations"]).toMatchObject([{ id: organizationId }]);
  });

  it("exports who waits, as a line that an import reads", async () => {
    const { service, app, ctx } = await withApproval();
    const [{ id }, other] = [await signUp(service, app), await newUser(service, app)];
    const lines: Record<string, unknown>[] = [];
    for await (const page of userExport.pages(ctx, app.id, { withHashes: false }))
      lines.push(...(page as Record<string, unknown>[]));
    expect(lines.find((line) => line["id"] === id)).toMatchObject({ state: "pending" });
    expect(lines.find((line) => line["id"] === id)).not.toHaveProperty("disabled");
    expect(lines.find((line) => line["id"] === other.id)).not.toHaveProperty("state");
  });

  it("a sign-up whose page was closed says that the account waits", async () => {
    const { service, app } = await withApproval();
    const { visitor, email } = await askForAccount(service, app);
    const link = linkIn(await mailTo(mailServer, email));
    service.clock.advance(hour);
    const page = await visitor.submit(await visitor.get(link), new URL(link).pathname, {});
    expect(said(page)).toContain(waits);
  });
});
