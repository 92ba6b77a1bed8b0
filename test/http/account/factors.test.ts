import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import { accountUrl, minutes, openAccount, press } from "../../support/account.ts";
import { passwordAt, personWithFactor, proveBoth, setUpAt } from "../../support/account-factors.ts";
import { ownerOf, signedInAt, type Owner } from "../../support/address-change.ts";
import { codeAt, codesIn, firstProof, keyIn, signedInWithTotp, wrongCodeAt } from "../../support/factors.ts";
import { operator } from "../../support/groups.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { Visitor, type Page } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, useApp, withApp } from "../../support/service.ts";

const optional = { settings: { secondFactor: "optional", trustBrowsersDays: 30 } } as const;
const unknownSession = /^\/sign-in\//u;

describeSqliteFirst("a second factor on the account page", (current) => {
  const app = useApp(current, optional);

  /** What follows the right password: the app gets its code, or a page asks for one. */
  async function signInEnds(email: string): Promise<"signed in" | "asked"> {
    const { done } = await firstProof(current(), app, email);
    return done.location.origin === new URL(app.redirectUri).origin ? "signed in" : "asked";
  }

  async function takes(email: string, code: string): Promise<boolean> {
    const { visitor, page } = await firstProof(current(), app, email);
    return (await visitor.submit(page, "/step/code", { code })).status === 303;
  }

  it("is offered where the application allows it, and nowhere else", async () => {
    const { app: without } = await withApp(current());
    const { visitor } = await ownerOf(current(), without);
    expect((await openAccount(current(), without, visitor)).text).not.toContain("Second step");
    expect((await openAccount(current(), without, visitor, "/factor")).status).toBe(404);

    const allowed = await ownerOf(current(), app);
    const page = await openAccount(current(), app, allowed.visitor);
    expect(page.text).toContain("nobody gets in with your password alone");
    const form = await openAccount(current(), app, allowed.visitor, "/factor");
    await updateApp(current(), app, { settings: { secondFactor: "off" } });
    const posted = await press(app, allowed.visitor, form, "/account/factor", {
      code: codeAt(keyIn(form), current().clock.now),
    });
    await updateApp(current(), app, optional);
    expect(posted.status).toBe(404);
    expect(await signInEnds(allowed.email)).toBe("signed in");
  });

  it("is offered to the members of a group that allows it", async () => {
    const { app: without } = await withApp(current());
    const { id, visitor } = await ownerOf(current(), without);
    const { ctx } = current().server.app;
    await groups.create(ctx, without.id, "staff", operator);
    await groups.add(ctx, without.id, "staff", [id], operator);
    expect((await openAccount(current(), without, visitor)).text).not.toContain("Second step");
    await groups.update(ctx, without.id, "staff", { secondFactor: "optional" }, operator);
    expect((await openAccount(current(), without, visitor)).text).toContain("Second step");
    expect((await openAccount(current(), without, visitor, "/factor")).status).toBe(200);
  });

  it("is set up with a first code, and shows ten recovery codes once", async () => {
    const person = await ownerOf(current(), app);
    const { visitor, email } = person;
    const form = await openAccount(current(), app, visitor, "/factor");
    const key = keyIn(form);
    const wrong = await press(app, visitor, form, "/account/factor", { code: wrongCodeAt(key, current().clock.now) });
    expect([wrong.status, keyIn(wrong)]).toEqual([422, key]);
    expect(await signInEnds(email)).toBe("signed in");

    const shown = await press(app, visitor, wrong, "/account/factor", { code: codeAt(key, current().clock.now) });
    const codes = codesIn(shown);
    expect([shown.status, new Set(codes).size]).toEqual([200, 10]);
    expect(decodeURIComponent(/href="data:text\/plain;charset=utf-8,([^"]*)"/u.exec(shown.text)?.[1] ?? "")).toContain(
      codes.join("\n"),
    );
    const account = await visitor.get(`${accountUrl(current(), app)}&notice=factor-added`);
    for (const words of ["Your authenticator app is set up.", "10 left"]) expect(account.text).toContain(words);
    for (const code of codes) expect(account.text).not.toContain(code);
    const actions = (await audit.list(current().server.app.ctx, { appId: app.id, limit: 5 })).map(
      ({ action }) => action,
    );
    expect(actions).toContain("factor.added");

    expect(await signInEnds(email)).toBe("asked");
    await signedInWithTotp(current(), app, { email, key });
    expect(await takes(email, codes[0] ?? "")).toBe(true);
  });

  it("signs other browsers out of the account page, and leaves this one signed in", async () => {
    const { email, visitor } = await ownerOf(current(), app);
    const other = await signedInAt(current(), app, email);
    expect((await openAccount(current(), app, other)).status).toBe(200);
    await setUpAt(current(), app, { visitor });
    expect((await openAccount(current(), app, visitor)).status).toBe(200);
    expect((await openAccount(current(), app, other)).location.pathname).toMatch(unknownSession);
  });

  it("M11: is not set up from a page that was open for more than an hour", async () => {
    const person = await ownerOf(current(), app);
    const { visitor, email } = person;
    const old = await openAccount(current(), app, visitor, "/factor");
    const sealed = old.form("/account/factor").fields["set-up"] ?? "";
    current().clock.advance(61 * minutes);
    const redirected = await openAccount(current(), app, visitor, "/factor");
    await passwordAt(visitor, redirected, email);
    const form = await openAccount(current(), app, visitor, "/factor");
    const code = codeAt(keyIn(old), current().clock.now);
    const over = await press(app, visitor, form, "/account/factor", { "set-up": sealed, code });
    expect([over.status, over.text]).toEqual([422, expect.stringContaining("This page was open for too long")]);
    expect(keyIn(over)).not.toBe(keyIn(old));
    expect(await signInEnds(email)).toBe("signed in");
  });

  it("M11: is the one of the page that was confirmed first, if two are open", async () => {
    const { visitor, email } = await ownerOf(current(), app);
    const second = await openAccount(current(), app, visitor, "/factor");
    const { key } = await setUpAt(current(), app, { visitor });
    await proveBoth(current(), visitor, await openAccount(current(), app, visitor, "/factor"), { email, key });
    const form = await openAccount(current(), app, visitor, "/factor");
    current().clock.advance(minutes);
    const late = await press(app, visitor, form, "/account/factor", {
      "set-up": second.form("/account/factor").fields["set-up"] ?? "",
      code: codeAt(keyIn(second), current().clock.now),
    });
    expect([late.status, codesIn(late)]).toEqual([422, []]);
    current().clock.advance(minutes);
    expect(await takes(email, codeAt(keyIn(second), current().clock.now))).toBe(false);
    expect(await takes(email, codeAt(key, current().clock.now))).toBe(true);
  });

  it("M11: is set up once by a form that is posted three times at the same moment", async () => {
    const { visitor, email } = await ownerOf(current(), app);
    const form = await openAccount(current(), app, visitor, "/factor");
    const code = codeAt(keyIn(form), current().clock.now);
    const answers = await Promise.all([1, 2, 3].map(() => press(app, visitor, form, "/account/factor", { code })));
    const [shown, ...others] = answers.filter(({ status }) => status === 200);
    expect([others.length, shown && codesIn(shown).length]).toEqual([0, 10]);
    expect(await takes(email, codesIn(shown as Page)[9] ?? "")).toBe(true);
  });

  it("M11: is never set up from another person's page", async () => {
    const [mine, theirs] = [await ownerOf(current(), app), await ownerOf(current(), app)];
    const page = await openAccount(current(), app, theirs.visitor, "/factor");
    const form = await openAccount(current(), app, mine.visitor, "/factor");
    for (const sealed of [page.form("/account/factor").fields["set-up"] ?? "", "", "x".repeat(200)]) {
      const code = codeAt(keyIn(page), current().clock.now);
      const refused = await press(app, mine.visitor, form, "/account/factor", { "set-up": sealed, code });
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("Scan the new code")]);
    }
    expect(await signInEnds(mine.email)).toBe("signed in");
  });

  it("is replaced by somebody who proves the old one, and the old app, codes and trusted browsers end", async () => {
    const person = await personWithFactor(current(), app);
    const { email, visitor, key, codes } = person;
    const { visitor: trusting } = await signedInWithTotp(current(), app, person, { trust: true });
    expect((await firstProof(current(), app, email, { visitor: trusting })).done.location.origin).not.toBe(
      current().url,
    );
    const left = await openAccount(current(), app, visitor, "/factor");
    expect(left.text).toContain("Replace your authenticator app");
    // The step that proved the old app is used up, for the new one too.
    current().clock.advance(minutes);
    const replaced = await setUpAt(current(), app, { visitor });
    expect(replaced.codes).toHaveLength(10);
    expect((await openAccount(current(), app, visitor)).text).not.toContain("Not asked for a code");

    current().clock.advance(minutes);
    const asked = await firstProof(current(), app, email, { visitor: trusting });
    expect(asked.done.location.origin).toBe(current().url);
    expect(await takes(email, codeAt(key, current().clock.now))).toBe(false);
    expect(await takes(email, codes[0] ?? "")).toBe(false);
    expect(await takes(email, codeAt(replaced.key, current().clock.now))).toBe(true);
  });

  it("M11: is not set up again from a page that was open when it was removed", async () => {
    const { visitor, email } = await personWithFactor(current(), app);
    const form = await openAccount(current(), app, visitor, "/factor");
    const remove = await openAccount(current(), app, visitor, "/remove-factor");
    expect((await press(app, visitor, remove, "/remove-factor")).location.searchParams.get("notice")).toBe(
      "factor-removed",
    );
    current().clock.advance(minutes);
    const late = await press(app, visitor, form, "/account/factor", { code: codeAt(keyIn(form), current().clock.now) });
    expect(late.status).toBe(422);
    expect(await signInEnds(email)).toBe("signed in");
  });

  it("is removed after a question, with its recovery codes, and not twice", async () => {
    const { visitor, email, codes } = await personWithFactor(current(), app);
    const form = await openAccount(current(), app, visitor, "/remove-factor");
    expect(form.text).toContain("Remove your authenticator app?");
    const done = await press(app, visitor, form, "/remove-factor");
    expect((await visitor.get(done.location.href)).text).toContain("Your authenticator app was removed.");
    expect((await press(app, visitor, form, "/remove-factor")).status).toBe(303);
    expect((await openAccount(current(), app, visitor, "/remove-factor")).location.href).toBe(
      accountUrl(current(), app),
    );
    expect(await signInEnds(email)).toBe("signed in");
    // A step that was used stays used, also for another app.
    current().clock.advance(minutes);
    expect((await setUpAt(current(), app, { visitor })).codes).toHaveLength(10);
    expect(await takes(email, codes[0] ?? "")).toBe(false);
  });

  it("stays while it is required, and the page says why", async () => {
    const { app: strict } = await withApp(current(), optional);
    const { visitor } = await personWithFactor(current(), strict);
    const form = await openAccount(current(), strict, visitor, "/remove-factor");
    await updateApp(current(), strict, { settings: { secondFactor: "required" } });
    const posted = await press(strict, visitor, form, "/remove-factor");
    const opened = await openAccount(current(), strict, visitor, "/remove-factor");
    for (const page of [posted, opened])
      expect([page.status, page.text]).toEqual([422, expect.stringContaining("requires a second step")]);
    expect((await openAccount(current(), strict, visitor)).text).toContain("10 left");
  });

  it("gets new recovery codes, which end the old ones, and asks for that when few are left", async () => {
    const { visitor, email, codes } = await personWithFactor(current(), app);
    for (const code of codes.slice(0, 7)) expect(await takes(email, code)).toBe(true);
    expect((await openAccount(current(), app, visitor)).text).not.toContain("before you run out");
    expect(await takes(email, codes[7] ?? "")).toBe(true);
    const few = await openAccount(current(), app, visitor);
    for (const words of ["2 left", "before you run out"]) expect(few.text).toContain(words);
    const form = await openAccount(current(), app, visitor, "/recovery-codes");
    const shown = await press(app, visitor, form, "/recovery-codes");
    const renewed = codesIn(shown);
    expect([shown.status, renewed.length, shown.headers.get("cache-control")]).toEqual([200, 10, "no-store"]);
    expect((await openAccount(current(), app, visitor)).text).toContain("10 left");
    expect(await takes(email, codes[8] ?? "")).toBe(false);
    expect(await takes(email, renewed[0] ?? "")).toBe(true);
  });

  it("lists the browsers that are trusted, and asks again in one that is ended", async () => {
    const person = await personWithFactor(current(), app);
    const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";
    const trusting = new Visitor({ "user-agent": agent });
    await signedInWithTotp(current(), app, person, { visitor: trusting, trust: true });
    const page = await openAccount(current(), app, person.visitor);
    expect(page.text).toContain("Not asked for a code until");
    const action = /\/trusted-browsers\/(brw_[0-9a-z]+)\/end/u.exec(page.text)?.[0] ?? "";

    const stranger = await personWithFactor(current(), app);
    const theirs = await openAccount(current(), app, stranger.visitor);
    const token = theirs.form("/account/sign-out").fields["token"] ?? "";
    const stolen = await stranger.visitor.post(accountUrl(current(), app, action), { token });
    expect(stolen.status).toBe(404);
    expect((await firstProof(current(), app, person.email, { visitor: trusting })).done.location.origin).not.toBe(
      current().url,
    );

    const ended = await press(app, person.visitor, page, action);
    expect((await person.visitor.get(ended.location.href)).text).toContain("will be asked for a code again");
    const again = await firstProof(current(), app, person.email, { visitor: trusting });
    expect(again.done.location.origin).toBe(current().url);
    const actions = await audit.list(current().server.app.ctx, { appId: app.id, limit: 10 });
    expect(actions.map((event) => event.action)).toContain("factor.trust-ended");
  });

  it("lets somebody who is blocked, and has another proof, replace the app", async () => {
    const { visitor, key } = await personWithFactor(current(), app);
    const { ctx } = current().server.app;
    await ctx.storage.write(
      async ({ db, tables }) => void (await db.update(tables.secondFactors).set({ failures: 100 })),
    );
    expect((await openAccount(current(), app, visitor)).text).toContain("To use codes again, replace the app.");
    current().clock.advance(minutes);
    const replaced = await setUpAt(current(), app, { visitor });
    expect(replaced.key).not.toBe(key);
    expect((await openAccount(current(), app, visitor)).text).not.toContain("To use codes again");
  });

  const sensitive = ["/email", "/data", "/delete", "/factor", "/remove-factor", "/recovery-codes"];

  async function methodPage({ visitor }: Pick<Owner, "visitor">): Promise<string> {
    const page = await openAccount(current(), app, visitor);
    return /\/methods\/mth_[0-9a-z]+\/remove/u.exec(page.text)?.[0] ?? "/methods/mth_1/remove";
  }

  async function statusesOf(person: Pick<Owner, "visitor">, pages: string[]): Promise<string[]> {
    const outcomes: string[] = [];
    for (const path of pages) {
      const page = await openAccount(current(), app, person.visitor, path);
      outcomes.push(page.status === 303 && unknownSession.test(page.location.pathname) ? "asked" : String(page.status));
    }
    return outcomes;
  }

  it("M9, CVE-2026-3429: is asked for by every sensitive act, unless it was given within ten minutes", async () => {
    const person = await personWithFactor(current(), app);
    const pages = [...sensitive, await methodPage(person)];
    expect(
      new Set(
        await statusesOf(
          person,
          pages.filter((page) => !page.startsWith("/methods")),
        ),
      ),
    ).not.toContain("asked");
    const account = await openAccount(current(), app, person.visitor);
    const open = await press(app, person.visitor, account, "/account/add", { adds: "password" });
    expect((await person.visitor.get(open.location.href)).text).toContain("Change your password");
    const forms: Page[] = [];
    for (const path of ["/data", "/delete", "/factor", "/remove-factor", "/recovery-codes"])
      forms.push(await openAccount(current(), app, person.visitor, path));
    current().clock.advance(11 * minutes);
    expect(new Set(await statusesOf(person, pages))).toEqual(new Set(["asked"]));
    for (const form of forms) {
      const path = new URL(form.url).pathname;
      const posted = await press(app, person.visitor, form, path, { code: codeAt(person.key, current().clock.now) });
      expect([posted.status, posted.location.pathname]).toEqual([303, expect.stringMatching(unknownSession)]);
    }
    for (const adds of ["password", "passkey"]) {
      const started = await press(app, person.visitor, account, "/account/add", { adds });
      expect((await person.visitor.get(started.location.href)).text).toContain("Confirm it&#39;s you");
    }
    expect(await signInEnds(person.email)).toBe("asked");
  });

  it("is asked for after the password, and leads on to the page that was wanted", async () => {
    const person = await personWithFactor(current(), app);
    for (const [path, code] of [
      ["/email", undefined],
      ["/recovery-codes", person.codes[0]],
    ] as const) {
      current().clock.advance(11 * minutes);
      const redirected = await openAccount(current(), app, person.visitor, path);
      const page = await proveBoth(current(), person.visitor, redirected, { ...person, ...(code ? { code } : {}) });
      expect(page.location.pathname).toBe(`/account${path}`);
    }
  });

  it("M9: is asked for although the set-up was just now", async () => {
    const person = await ownerOf(current(), app);
    await setUpAt(current(), app, person);
    expect(new Set(await statusesOf(person, sensitive))).toEqual(new Set(["asked"]));
    const account = await openAccount(current(), app, person.visitor);
    const started = await press(app, person.visitor, account, "/account/add", { adds: "password" });
    expect((await person.visitor.get(started.location.href)).text).toContain("Confirm it&#39;s you");
  });

  it("M15: is asked for although the browser is trusted", async () => {
    const person = await personWithFactor(current(), app);
    const { visitor } = await signedInWithTotp(current(), app, person, { trust: true });
    const again = await firstProof(current(), app, person.email, { visitor });
    expect(again.done.location.origin).not.toBe(current().url);
    expect((await openAccount(current(), app, visitor)).status).toBe(200);
    expect(new Set(await statusesOf({ visitor }, sensitive))).toEqual(new Set(["asked"]));
    const redirected = await openAccount(current(), app, visitor, "/recovery-codes");
    const page = await proveBoth(current(), visitor, redirected, person);
    expect(page.location.pathname).toBe("/account/recovery-codes");
  });
});
