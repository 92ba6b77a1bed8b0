import { expect, it } from "vitest";
import { accountUrl, openAccount, proveAt } from "../../support/account.ts";
import { useMailServer } from "../../support/mail.ts";
import { withOrganizations } from "../../support/organizations.ts";
import { offered, toChoice } from "../../support/memberships.ts";
import { goodPassword, newEmail, redeem, signIn, Visitor } from "../../support/person.ts";
import { until } from "../../support/receiver.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";

const mailServer = await useMailServer();

async function having(service: TestService) {
  const own = await withOrganizations(service);
  const organization = await own.newOrganization();
  async function invite(email: string, more = {}): Promise<string> {
    const before = mailServer.to(email).length;
    const wanted = { invitations: [{ email, roles: ["member"], ...more }] };
    await own.send("POST", `${organization.path}/invitations`, wanted);
    await until(() => mailServer.to(email).length > before);
    const text = mailServer.to(email).at(-1)?.text ?? "";
    return /https?:\/\/\S*\/organization\/invitation\/\S+/u.exec(text)?.[0] ?? "";
  }
  /** Somebody with a password. */
  async function newPerson(email = newEmail(), emailVerified = true): Promise<string> {
    const { body } = await own.send("POST", "/users", { email, emailVerified, password: goodPassword });
    return String(body["id"]);
  }
  return { ...own, organization, invite, newPerson };
}

describeSqliteFirst("the link of an invitation", { mail: mailServer.mail }, (current) => {
  it("Q5: changes nothing when it is opened, and makes a member by a press, also while sign-up is closed", async () => {
    const service = current();
    const { app, send, organization, invite } = await having(service);
    await updateApp(service, app, { settings: { signUp: "closed" } });
    const email = newEmail();
    const link = await invite(email);
    const visitor = new Visitor();
    const page = await visitor.get(link);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(email)]);
    expect((await send("GET", organization.path)).body).toMatchObject({ members: 1 });
    const joined = await visitor.submit(page, new URL(link).pathname, {});
    expect([joined.status, joined.location.pathname]).toEqual([303, expect.stringMatching(/^\/invite\//u)]);
    // The new account chooses how to sign in.
    expect((await visitor.get(joined.location.href)).status).toBe(200);
    expect((await send("GET", organization.path)).body).toMatchObject({ members: 2 });
    const { body } = await send("GET", `/users?email=${encodeURIComponent(email)}`);
    expect(body["users"]).toMatchObject([{ emailVerified: true }]);
    // Again: a neutral page for everybody who is not signed in as a member.
    expect((await new Visitor().get(link)).status).toBe(410);
    expect((await visitor.submit(page, new URL(link).pathname, {})).status).toBe(410);
  });

  it("Q5: lets somebody with an account sign in first, and is not for anybody else (18–20)", async () => {
    const service = current();
    const { app, organization, invite, newPerson } = await having(service);
    const [email, other] = [newEmail(), newEmail()];
    const userId = await newPerson(email);
    const otherId = await newPerson(other);
    const link = await invite(email, { redirectUri: app.redirectUri });
    // Signed in as somebody else: the page says for whom it is, and nothing joins.
    const wrong = new Visitor();
    const landed = await proveAt(wrong, await openAccount(service, app, wrong), other);
    await wrong.get(landed.location.href);
    const page = await wrong.get(link);
    expect(page.text).toContain(email);
    expect(page.text).toContain("another address");
    const away = await wrong.submit(page, new URL(link).pathname, {});
    expect(away.location.pathname).toMatch(/^\/sign-in\//u);
    expect(await organization.rolesOf(otherId)).toBeUndefined();
    // And comes back to the invitation after a sign-in as the right one.
    const back = await proveAt(wrong, away, email);
    const account = await wrong.get(back.location.href);
    expect(account.location.pathname).toMatch(/^\/organization\/invitations\/inv_/u);
    const question = await wrong.get(account.location.href);
    const ownForm = account.location.pathname;
    // The form is of the invitation that was shown, and of no other (20).
    const foreign = new Visitor();
    const strange = await proveAt(foreign, await openAccount(service, app, foreign), other);
    await foreign.get(strange.location.href);
    expect((await foreign.get(account.location.href)).status).toBe(410);
    const accepted = await wrong.submit(question, ownForm, {});
    expect(accepted.status).toBe(303);
    expect(accepted.location.href).toBe(`${app.redirectUri}?organization=${organization.id}`);
    expect(await organization.rolesOf(userId)).toEqual(["member"]);
    // Pressed again: the member is led on.
    expect((await wrong.get(link)).location.href).toBe(accepted.location.href);
    expect((await new Visitor().get(link)).status).toBe(410);
  });

  it("ends a newcomer's way where the invitation says, and says why somebody cannot join now", async () => {
    const { app, send, organization, invite } = await having(current());
    const email = newEmail();
    const link = await invite(email, { redirectUri: app.redirectUri });
    const visitor = new Visitor();
    const question = await visitor.get(link);
    await send("PATCH", organization.path, { maxMembers: 1 });
    const full = await visitor.submit(question, new URL(link).pathname, {});
    expect([full.status, full.text]).toEqual([409, expect.stringContaining("reached its limit of members")]);
    expect((await send("GET", `/users?email=${encodeURIComponent(email)}`)).body["users"]).toEqual([]);
    await send("PATCH", organization.path, { maxMembers: 2 });
    const joined = await visitor.submit(question, new URL(link).pathname, {});
    const choice = await visitor.get(joined.location.href);
    const chosen = await visitor.submit(choice, new URL(choice.url).pathname, { adds: "password" });
    const form = await visitor.get(chosen.location.href);
    const saved = await visitor.submit(form, "/add/password", { password: goodPassword });
    const ready = await visitor.get(saved.location.href);
    expect(ready.text).toContain(`href="${app.redirectUri}?organization=${organization.id}"`);
    // Only where invitations may end: an address that somebody made up is not shown.
    const other = saved.location.href.replace(encodeURIComponent(app.redirectUri), "https%3A%2F%2Fother.example%2F");
    expect(other).not.toBe(saved.location.href);
    expect((await visitor.get(other)).text).not.toContain("other.example");
  });

  it("makes the organization the one that this browser's next sign-in takes, and no other browser's", async () => {
    const service = current();
    const { app, send, newOrganization, invite, newPerson, organization } = await having(service);
    const email = newEmail();
    const userId = await newPerson(email);
    const before = await newOrganization();
    await send("PUT", `${before.path}/members/${userId}`, { roles: ["member"] });
    const visitor = new Visitor();
    const landed = await proveAt(visitor, await openAccount(service, app, visitor), email);
    await visitor.get(landed.location.href);
    const question = await visitor.get((await visitor.get(await invite(email))).location.href);
    await visitor.submit(question, new URL(question.url).pathname, {});
    const signedIn = async (who: Visitor) => await redeem(service, app, await signIn(service, app, { email }, {}, who));
    expect(await signedIn(visitor)).toMatchObject({ organization: { id: organization.id } });
    expect(offered((await toChoice(service, { app, email })).page)).toHaveLength(2);
  });

  it("asks somebody with an unproved address to prove it, and takes a no", async () => {
    const service = current();
    const { app, send, organization, invite, newPerson } = await having(service);
    const email = newEmail();
    const userId = await newPerson(email, false);
    const link = await invite(email);
    const visitor = new Visitor();
    const landed = await proveAt(visitor, await openAccount(service, app, visitor), email);
    await visitor.get(landed.location.href);
    const page = await visitor.get(link);
    expect(page.text).toContain("/account/verify-email");
    await send("PATCH", `/users/${userId}`, { emailVerified: true });
    const question = await visitor.get((await visitor.get(link)).location.href);
    const [, answerPath = ""] = /action="(\/organization\/invitations\/[^?"]+)/u.exec(question.text) ?? [];
    const refused = await visitor.submit(question, answerPath, { answer: "no" });
    expect(refused.location.href).toBe(accountUrl(service, app));
    expect(await organization.rolesOf(userId)).toBeUndefined();
    expect((await visitor.get(link)).status).toBe(410);
  });

  it("leads somebody whose address is unproved from the link's sign-in to the proof, not to a dead end", async () => {
    const service = current();
    const { app, organization, invite, newPerson } = await having(service);
    const email = newEmail();
    const userId = await newPerson(email, false);
    const link = await invite(email);
    const visitor = new Visitor();
    const begun = await visitor.submit(await visitor.get(link), new URL(link).pathname, {});
    const account = await visitor.get((await proveAt(visitor, begun, email)).location.href);
    const page = await visitor.get(account.location.href);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("/account/verify-email")]);
    expect(page.text).not.toContain(`action="${account.location.pathname}`);
    // A forged answer changes nothing.
    const token = /name="token" value="([^"]+)"/u.exec((await openAccount(service, app, visitor)).text)?.[1] ?? "";
    expect((await visitor.post(account.location.href, { token })).status).toBe(410);
    expect(await organization.rolesOf(userId)).toBeUndefined();
  });

  it("is over for another application, an unknown secret, and while organizations are off", async () => {
    const service = current();
    const { app, invite } = await having(service);
    const other = await service.createApp();
    const link = await invite(newEmail());
    expect((await new Visitor().get(link.replace(app.id, other.id))).status).toBe(410);
    expect((await new Visitor().get(link.replace(/invitation\/[^?]+/u, `invitation/${"a".repeat(43)}`))).status).toBe(
      410,
    );
    await updateApp(service, app, { settings: { organizations: "off" } });
    expect((await new Visitor().get(link)).status).toBe(410);
  });
});
