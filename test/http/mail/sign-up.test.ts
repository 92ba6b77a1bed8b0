import { expect, it } from "vitest";
import {
  askForAccount,
  codeIn,
  comparable,
  confirmedUser,
  follow,
  linkIn,
  mailTo,
  said,
  secretIn,
  userWith,
  allSent,
  otherCode,
} from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { operator } from "../../support/groups.ts";
import { authorize, authorizeUrl, createTestClient } from "../../support/openid.ts";
import { goodPassword, newEmail, redeem, signIn, Visitor, initiate } from "../../support/person.ts";
import { withApp, updateApp, describeSqliteFirst } from "../../support/service.ts";

const server = await useMailServer();

const minute = 60_000;

describeSqliteFirst("signing up with the proof of an address", { mail: server.mail }, (current) => {
  it("creates the account, verified, when the code of the mail is typed, and continues to the app; until then the database shows no secret of it", async () => {
    const { service, app } = await withApp(current());
    const { visitor, session, email, page } = await askForAccount(service, app, { name: "Ada" });
    expect(page.text).toContain("Check your email");
    expect(page.text).toContain(email);
    expect(await userWith(service, app, email)).toBeUndefined();
    const mail = await mailTo(server, email);
    const stored = await service.databaseText();
    for (const secret of [secretIn(mail), goodPassword, session.sessionId]) expect(stored).not.toContain(secret);
    const done = await visitor.submit(page, "/confirm", { code: codeIn(mail) });
    expect(done.status).toBe(303);
    const code = done.location.searchParams.get("code") ?? "";
    const { user } = await redeem(service, app, { session, code });
    expect(user).toMatchObject({ email, emailVerified: true, name: "Ada" });
    await signIn(service, app, { email });
  });

  it("creates the account at a client whose groups do not admit it, too, and signs nobody in", async () => {
    const { service, app } = await withApp(current());
    await groups.create(service.server.app.ctx, app.id, "staff", operator);
    const client = await createTestClient(service, app, { allowedGroups: ["staff"] });
    const open = await createTestClient(service, app);
    const visitor = new Visitor();
    const start = await visitor.get(authorizeUrl(service, client));
    const email = newEmail();
    const form = await visitor.get(`${start.location.href}/create-account`);
    const sent = await visitor.submit(form, "/create-account", { email, name: "", password: goodPassword });
    const page = await visitor.get(sent.location.href);
    const code = codeIn(await mailTo(server, email));
    const done = await visitor.submit(page, "/confirm", { code });
    expect(done.location.href).toContain(client.redirectUris[0]);
    expect(done.location.searchParams.get("error")).toBe("access_denied");
    expect(await userWith(service, app, email)).toMatchObject({ emailVerified: true });
    const silent = await visitor.get(authorizeUrl(service, open, { prompt: "none" }));
    expect(silent.location.searchParams.get("error")).toBe("login_required");
    const again = await visitor.submit(page, "/confirm", { code });
    expect(again.location.pathname).toMatch(/create-account$/u);
    const elsewhere = await authorize(service, open, { email }, {}, visitor);
    expect(elsewhere.location.searchParams.has("code")).toBe(true);
  });

  it("does the same by the link, in the browser that asked, and ten looks of a mail scanner change nothing", async () => {
    const { service, app } = await withApp(current());
    const { visitor, session, email } = await askForAccount(service, app);
    const link = linkIn(await mailTo(server, email));
    for (let looks = 0; looks < 10; looks += 1) await new Visitor().get(link);
    const page = await visitor.get(link);
    expect(page.status).toBe(200);
    expect(await userWith(service, app, email)).toBeUndefined();
    const done = await visitor.submit(page, new URL(link).pathname, {});
    expect(done.location.href).toContain(app.redirectUri);
    await redeem(service, app, { session, code: done.location.searchParams.get("code") ?? "" });
    expect(await userWith(service, app, email)).toMatchObject({ emailVerified: true });
  });

  it("a link and a code work once, whichever comes first", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email, page } = await askForAccount(service, app);
    const mail = await mailTo(server, email);
    const link = linkIn(mail);
    const linkPage = await visitor.get(link);
    expect((await visitor.submit(page, "/confirm", { code: codeIn(mail) })).status).toBe(303);
    const again = await visitor.submit(linkPage, new URL(link).pathname, {});
    expect(again.status).toBe(410);
    expect(said(again)).toContain("doesn't work any more");
    expect((await visitor.get(link)).status).toBe(410);
    expect(said(await visitor.submit(page, "/confirm", { code: codeIn(mail) }))).toContain("You're signed in");
  });

  it("what is no code costs no try; blanks, dashes and other digits are as good", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email, page } = await askForAccount(service, app);
    const mail = await mailTo(server, email);
    for (const code of ["", "1234567", "123456789", "abcdefgh", "1234 567x", "x".repeat(9000)])
      expect((await visitor.submit(page, "/confirm", { code })).text).toContain("Enter the eight digits");
    const arabic = codeIn(mail).replaceAll(/\d/gu, (digit) => String.fromCodePoint(0x0660 + Number(digit)));
    expect((await visitor.submit(page, "/confirm", { code: ` ${arabic.replace(" ", "–")} ` })).status).toBe(303);
  });

  it("P5: a known address gets the same pages; its owner is told, and gets nothing that works", async () => {
    const { service, app } = await withApp(current());
    const known = await confirmedUser(service, server, app);
    const unknown = await askForAccount(service, app);
    const asked = await askForAccount(service, app, { email: known.email });
    expect(comparable(asked.page, asked)).toBe(comparable(unknown.page, unknown));
    expect(asked.page.status).toBe(unknown.page.status);
    const told = await mailTo(server, known.email, 2);
    expect(told.subject).toContain("You already have an account");
    expect(() => codeIn(told)).toThrow("no code");
    expect(() => linkIn(told)).toThrow("no link");
    const wrong = { code: "00000000" };
    const [one, other] = [
      await asked.visitor.submit(asked.page, "/confirm", wrong),
      await unknown.visitor.submit(unknown.page, "/confirm", wrong),
    ];
    expect(comparable(one, asked)).toBe(comparable(other, unknown));
    const again = await follow(asked.visitor, await asked.visitor.submit(asked.page, "/confirm/again", {}));
    expect(again.text).toContain("A new email is on its way");
    expect((await mailTo(server, known.email, 3)).subject).toContain("You already have an account");
  });

  it("a mail that takes longer than the sign-in lives still creates the account, in the same browser, and signs nobody in", async () => {
    const { service, app } = await withApp(current());
    const asked = await askForAccount(service, app);
    const other = await askForAccount(service, app);
    const mail = await mailTo(server, asked.email);
    const otherMail = await mailTo(server, other.email);
    service.clock.advance(23 * 60 * minute);
    // Which removes sign-ins that nobody finished in time, but not one that waits for its mail.
    await service.server.app.sweep();
    const stranger = new Visitor();
    expect((await stranger.get(linkIn(mail))).status).toBe(403);
    const linkPage = await asked.visitor.get(linkIn(mail));
    const done = await asked.visitor.submit(linkPage, new URL(linkIn(mail)).pathname, {});
    expect(done.status).toBe(200);
    expect(done.text).toContain("Your account is created");
    expect(done.headers.getSetCookie()).toEqual([]);
    const byCode = await other.visitor.submit(other.page, "/confirm", { code: codeIn(otherMail) });
    expect(byCode.text).toContain("Your account is created");
    for (const { email } of [asked, other]) await signIn(service, app, { email });
  });

  it("ends after 24 hours", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email, page } = await askForAccount(service, app);
    const mail = await mailTo(server, email);
    service.clock.advance(24 * 60 * minute);
    expect((await visitor.get(linkIn(mail))).status).toBe(410);
    expect((await visitor.submit(page, "/confirm", { code: codeIn(mail) })).status).not.toBe(200);
    service.clock.advance(1);
    await service.server.app.sweep();
    expect(await userWith(service, app, email)).toBeUndefined();
    expect(await service.databaseText()).not.toContain(email);
  });

  it("asks again what the app allows: sign-up closed or passwords off after the mail", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email, page } = await askForAccount(service, app);
    const mail = await mailTo(server, email);
    await updateApp(service, app, { settings: { signUp: "closed" } });
    const refused = await visitor.submit(page, "/confirm", { code: codeIn(mail) });
    expect(refused.headers.get("location")).toBe(new URL(`${page.url}/..`).pathname.replace(/\/$/u, ""));
    expect(await userWith(service, app, email)).toBeUndefined();
  });
});

describeSqliteFirst("attacks on signing up with the proof of an address", { mail: server.mail }, (current) => {
  it("pre-hijacking: a link in another browser completes nothing: somebody who signs up with your address gains nothing by your click", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email } = await askForAccount(service, app);
    const link = linkIn(await mailTo(server, email));
    const victim = new Visitor();
    const seen = await victim.get(link);
    expect(seen.status).toBe(403);
    expect(seen.text).toContain("Open this link where you asked for it");
    expect(seen.text).not.toContain("<form");
    // Also not with a form of the victim's own sign-in, in which another token is good.
    const own = await victim.get((await initiate(service, app)).authUrl);
    const token = own.form("/password").fields["token"] ?? "";
    expect((await victim.post(link, { token })).status).toBe(403);
    expect(await userWith(service, app, email)).toBeUndefined();
    // It is still good where it was asked for.
    const page = await visitor.get(link);
    expect((await visitor.submit(page, new URL(link).pathname, {})).status).toBe(303);
  });

  it("of parallel posts of a link exactly one signs in", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email, page } = await askForAccount(service, app);
    const mail = await mailTo(server, email);
    const link = linkIn(mail);
    const linkPage = await visitor.get(link);
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => visitor.submit(linkPage, new URL(link).pathname, {})),
      ...Array.from({ length: 3 }, () => visitor.submit(page, "/confirm", { code: codeIn(mail) })),
    ]);
    const signedIn = answers.filter(({ headers }) => headers.get("location")?.includes("code="));
    expect(signedIn).toHaveLength(1);
  });

  it("L9, CVE-2024-32868: takes no code after five wrong ones, typed at the same moment, not even the right one; the link still works", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email, page } = await askForAccount(service, app);
    const mail = await mailTo(server, email);
    const guesses = Array.from({ length: 20 }, (_, nth) => otherCode(mail, nth + 1));
    const answers = await Promise.all(guesses.map((code) => visitor.submit(page, "/confirm", { code })));
    expect(answers.map(({ status }) => status)).toEqual(guesses.map(() => 422));
    expect(answers.filter((answer) => said(answer).includes("Not the code from the newest email"))).toHaveLength(5);
    const right = await visitor.submit(page, "/confirm", { code: codeIn(mail) });
    expect(right.status).toBe(422);
    expect(right.text).toContain("This code no longer works");
    const link = linkIn(mail);
    const done = await visitor.submit(await visitor.get(link), new URL(link).pathname, {});
    expect(done.status).toBe(303);
  });

  it("newest only: after one more mail the older link and code are over", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email, page } = await askForAccount(service, app);
    const older = await mailTo(server, email);
    const sentAgain = await follow(visitor, await visitor.submit(page, "/confirm/again", {}));
    expect(sentAgain.text).toContain("A new email is on its way");
    const newer = await mailTo(server, email, 2);
    expect((await visitor.get(linkIn(older))).status).toBe(410);
    expect((await visitor.submit(page, "/confirm", { code: codeIn(older) })).status).toBe(422);
    expect((await visitor.submit(page, "/confirm", { code: codeIn(newer) })).status).toBe(303);
  });

  it("mails an address five times within the hour at most, and says the same when it does not", async () => {
    const { service, app } = await withApp(current());
    const { visitor, email, page } = await askForAccount(service, app);
    const answers = [];
    for (let asked = 2; asked <= 8; asked += 1) {
      answers.push(await follow(visitor, await visitor.submit(page, "/confirm/again", {})));
      // One after the other: mails may overtake each other.
      await allSent(service);
    }
    expect(server.to(email)).toHaveLength(5);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    // The newest mail that was sent is still good.
    expect((await visitor.submit(page, "/confirm", { code: codeIn(await mailTo(server, email, 5)) })).status).toBe(303);
    // Another app's mails and the next hour's are counted anew.
    await askForAccount(service, await service.createApp(), { email });
    await mailTo(server, email, 6);
    service.clock.advance(60 * minute);
    await askForAccount(service, app, { email });
    await mailTo(server, email, 7);
  });

  it("makes no second account when the address was taken meanwhile", async () => {
    const { service, app } = await withApp(current());
    const first = await askForAccount(service, app);
    const one = await mailTo(server, first.email);
    const second = await askForAccount(service, app, { email: first.email, password: "another good password" });
    const two = await mailTo(server, first.email, 2);
    expect((await first.visitor.submit(first.page, "/confirm", { code: codeIn(one) })).status).toBe(303);
    const late = await second.visitor.submit(second.page, "/confirm", { code: codeIn(two) });
    expect(late.status).toBe(422);
    expect(said(late)).toContain("We couldn't create an account");
    await signIn(service, app, { email: first.email, password: goodPassword });
  });

  it("session fixation: the page of somebody else's sign-up shows nothing and takes nothing", async () => {
    const { service, app } = await withApp(current());
    const { session, email } = await askForAccount(service, app);
    const mail = await mailTo(server, email);
    const stranger = new Visitor();
    const page = await stranger.get(`${session.authUrl}/confirm`);
    expect(page.status).toBe(403);
    expect(page.text).not.toContain(email);
    const own = await initiate(service, app);
    const token = (await stranger.get(own.authUrl)).form("/password").fields["token"] ?? "";
    for (const url of [`${session.authUrl}/confirm`, `${own.authUrl}/confirm`])
      expect((await stranger.post(url, { token, code: codeIn(mail) })).headers.get("location") ?? "").not.toContain(
        app.redirectUri,
      );
    expect(await userWith(service, app, email)).toBeUndefined();
  });
});
