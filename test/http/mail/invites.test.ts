import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import * as profiles from "../../../src/people/profile.ts";
import * as users from "../../../src/users/service.ts";
import { acceptWithPassword, choose, invite } from "../../support/invites.ts";
import { disableUser, linkIn, mailTo, newUser, said } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { givePasskey, setProvider } from "../../support/methods.ts";
import { call, goodPassword, newEmail, signIn, Visitor } from "../../support/person.ts";
import { useApp, withApp, describeSqliteFirst, describeOnSqlite } from "../../support/service.ts";

const server = await useMailServer();

const minute = 60_000;
const day = 24 * 60 * minute;
const operator = { kind: "cli", name: "test" } as const;

describeSqliteFirst("an invitation", { mail: server.mail }, (current) => {
  it("lets somebody choose a password though sign-up is closed, and its use proves the address", async () => {
    const { service, app } = await withApp(current(), { settings: { signUp: "closed" } });
    const email = newEmail();
    const made = await invite(service, app, email, { name: "Ada", locale: "de" });
    expect(made).toMatchObject({ email, created: true, sent: true, link: null });
    const { ctx } = service.server.app;
    expect(await users.find(ctx.storage.reader, made.userId ?? "")).toMatchObject({
      email,
      emailVerified: false,
      name: "Ada",
    });
    const mail = await mailTo(server, email);
    expect(mail.subject).toMatch(/^Einladung zu Acme/u);
    const visitor = new Visitor();
    const page = await choose(linkIn(mail), "password", visitor);
    expect(page.text).toContain(email);
    const weak = await visitor.submit(page, "/add/password", { password: "short" });
    expect(weak.status).toBe(422);
    const done = await visitor.submit(weak, "/add/password", { password: goodPassword });
    expect(said(await visitor.get(done.location.href))).toContain("Your account is ready");
    const user = await userAdministration.get(ctx, made.userId ?? "");
    expect(user).toMatchObject({ emailVerified: true, authMethods: { password: true, passkey: false } });
    await signIn(service, app, { email });
    const events = await audit.list(ctx, { userId: made.userId ?? "", limit: 50 });
    expect(events.find(({ action }) => action === "user.invite")).toMatchObject({ details: { created: true } });
    expect(events.find(({ action }) => action === "user.invite-accepted")).toMatchObject({
      details: { provesAddress: true },
    });
    expect((await new Visitor().get(linkIn(mail))).status).toBe(410);
  });

  it("is used once, however many pages of it are sent at the same moment", async () => {
    const { service, app } = await withApp(current());
    const email = newEmail();
    const { link } = await invite(service, app, email, { link: true });
    const people = [new Visitor(), new Visitor(), new Visitor()];
    const pages = await Promise.all(people.map((visitor) => choose(link ?? "", "password", visitor)));
    const sent = await Promise.all(
      people.map(async (visitor, nth) => {
        const page = pages[nth];
        if (!page) throw new Error("no page");
        const answer = await visitor.submit(page, "/add/password", { password: `${goodPassword} ${nth}` });
        return answer.location.searchParams.get("status");
      }),
    );
    expect(sent.filter((status) => status === "added")).toHaveLength(1);
    const nth = sent.indexOf("added");
    await signIn(service, app, { email, password: `${goodPassword} ${nth}` });
  });
});

describeOnSqlite("the link of an invitation", { mail: server.mail }, (current) => {
  const app = useApp(current);

  it("is over for a deleted or disabled user, after seven days, and for somebody who signs in otherwise by now", async () => {
    const service = current();
    const { ctx } = service.server.app;
    const links: string[] = [];
    const people: string[] = [];
    for (let nth = 0; nth < 4; nth += 1) {
      const { link, userId } = await invite(service, app, newEmail(), { link: true });
      links.push(link ?? "");
      people.push(userId ?? "");
    }
    const statuses = async () => await Promise.all(links.map(async (link) => (await new Visitor().get(link)).status));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    const [deleted = "", disabled = "", busy = ""] = people;
    await profiles.remove(ctx, deleted, { actor: operator });
    await disableUser(service, disabled);
    await givePasskey(service, busy);
    expect(await statuses()).toEqual([410, 410, 410, 200]);
    await userAdministration.enable(ctx, disabled, { dryRun: false }, { actor: operator });
    service.clock.advance(7 * day - minute);
    expect(await statuses()).toEqual([410, 200, 410, 200]);
    service.clock.advance(2 * minute);
    expect(await statuses()).toEqual([410, 410, 410, 410]);
  });

  it("is over for a page that was open when the user was disabled, or invited anew", async () => {
    const service = current();
    const email = newEmail();
    const { link, userId } = await invite(service, app, email, { link: true });
    const visitor = new Visitor();
    const page = await choose(link ?? "", "password", visitor);
    const newer = await invite(service, app, email, { link: true });
    expect(newer).toMatchObject({ created: false, userId });
    const refused = await visitor.submit(page, "/add/password", { password: goodPassword });
    expect((await visitor.get(refused.location.href)).status).toBe(410);
    expect((await new Visitor().get(link ?? "")).status).toBe(410);
    await disableUser(service, userId ?? "");
    expect((await choose(newer.link ?? "", "password")).status).toBe(410);
  });

  it("begins a session that no other browser can use", async () => {
    const service = current();
    const { link } = await invite(service, app, newEmail(), { link: true });
    const page = await choose(link ?? "", "password");
    const stranger = new Visitor();
    expect((await stranger.get(page.url)).status).toBe(403);
    const { action, fields } = page.form("/add/password");
    const posted = await stranger.post(new URL(action, page.url).href, { ...fields, password: goodPassword });
    expect(posted.status).toBe(403);
  });

  it("proves no address if an operator handed it over", async () => {
    const service = current();
    const { link, userId } = await invite(service, app, newEmail(), { link: true });
    expect((await acceptWithPassword(link ?? "", goodPassword)).location.searchParams.get("status")).toBe("added");
    expect(await users.find(service.server.app.ctx.storage.reader, userId ?? "")).toMatchObject({
      emailVerified: false,
    });
  });

  it("offers what the app allows, and takes nothing else", async () => {
    const service = current();
    const only = await service.createApp({
      authMethods: {
        passkey: { enabled: false, required: false },
        oauth: { enabled: true, providers: ["google"] },
        password: { enabled: false },
      },
    });
    await setProvider(service, only);
    const { link } = await invite(service, only, newEmail(), { link: true });
    const visitor = new Visitor();
    const page = await visitor.get(link ?? "");
    expect(page.text).toContain("Continue with Google");
    expect(page.text).not.toContain("Choose a password");
    for (const adds of ["password", "passkey", "oauth", ""])
      expect((await visitor.post(link ?? "", { ...page.form("").fields, adds, provider: "github" })).status).toBe(422);
    const chosen = await visitor.submit(page, new URL(link ?? "").pathname, {});
    expect((await visitor.get(chosen.location.href)).text).toContain("/add/oauth");
  });

  it("is mailed for the server of an application, to its own users, and with nothing but a name", async () => {
    const service = current();
    const email = newEmail();
    const path = `/applications/${app.id}/users`;
    const made = await call(service, "POST", path, app.headers, { email, name: "Ada", invite: true });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ email, name: "Ada", emailVerified: false, appId: app.id }),
    ]);
    const link = linkIn(await mailTo(server, email));
    const again = await call(service, "POST", path, app.headers, { email, invite: true });
    expect([again.status, again.body["id"]]).toEqual([201, made.body["id"]]);
    expect((await new Visitor().get(link)).status).toBe(410);
    for (const more of [{ password: goodPassword }, { emailVerified: true }, { picture: "https://example.com/a" }]) {
      const refused = await call(service, "POST", path, app.headers, { email: newEmail(), invite: true, ...more });
      expect([refused.status, refused.body.error?.details]).toEqual([400, "invite: only with email and name"]);
    }
    const { email: taken } = await newUser(service, app, { password: goodPassword });
    expect((await call(service, "POST", path, app.headers, { email: taken, invite: true })).status).toBe(409);
    const other = await service.createApp();
    expect((await call(service, "POST", path, other.headers, { email, invite: true })).status).toBe(401);
    const events = await audit.list(service.server.app.ctx, { userId: String(made.body["id"]), limit: 9 });
    expect(events.filter(({ action }) => action === "user.invite")).toHaveLength(2);
    expect(events.every(({ actor }) => actor === `app:${app.id}` || actor.startsWith("service:"))).toBe(true);
  });

  it("goes to an address at most five times an hour, and is refused for one that signs in already", async () => {
    const service = current();
    const email = newEmail();
    for (let nth = 0; nth < 5; nth += 1) await invite(service, app, email);
    await expect(invite(service, app, email)).rejects.toMatchObject({ code: "RATE_LIMITED" });
    const { email: taken } = await newUser(service, app, { password: goodPassword });
    await expect(invite(service, app, taken)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(invite(service, app, "nobody")).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(invite(service, app, newEmail(), { name: "n".repeat(201) })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
  });
});

describeOnSqlite("an invitation where there is no mail server", (current) => {
  it("is refused to the server of an application, which would get no link", async () => {
    const { service, app } = await withApp(current());
    const invitation = { email: newEmail(), invite: true };
    const refused = await call(service, "POST", `/applications/${app.id}/users`, app.headers, invitation);
    expect([refused.status, refused.body.error?.details]).toEqual([400, "invite: the service has no mail server"]);
  });
});
