import { expect, it } from "vitest";
import * as clients from "../../src/applications/clients/service.ts";
import { recordFactorTries } from "../../src/factors/store.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import * as audit from "../../src/records/audit/audit.ts";
import { openConsole, type Console } from "../support/console.ts";
import { createClient } from "../support/clients-logout.ts";
import { invite } from "../support/invites.ts";
import { toNextMinute, tryPassword } from "../support/limits.ts";
import { allSent, disableUser, enqueue, newUser, resetMail } from "../support/mail-flows.ts";
import { useMailServer } from "../support/mail.ts";
import { givePasskey } from "../support/methods.ts";
import { goodPassword, newEmail, redeem, signIn, Visitor, type Page } from "../support/person.ts";
import { describeSqliteFirst, testConfig, updateApp, type TestApp, type TestService } from "../support/service.ts";
import { closedClient, mailAway, newSomebody } from "./somebody.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;
const server = await useMailServer();
const wrong = "not the password of anybody";

/** What a reader sees of one part of a page. */
function partOf({ text }: Page, heading: string): string {
  const part = [...text.matchAll(/<section class="part">[\s\S]*?<\/section>/gu)].find(([each]) =>
    each.includes(`<h2>${heading}</h2>`),
  );
  return (part?.[0] ?? "")
    .replaceAll(/<div class="command">[\s\S]*?<\/div>/gu, "")
    .replaceAll(/<[^>]+>/gu, " ")
    .replaceAll(/\s+/gu, " ");
}

const answerOn = (page: Page): string => partOf(page, "Can they sign in?");

type Person = { id: string; email: string };

async function fail(service: TestService, app: TestApp, { email }: Person, times = 6): Promise<void> {
  toNextMinute(service);
  for (let time = 0; time < times; time += 1) await tryPassword(service, app, email, wrong);
}

/** Whether the right password gets any further. */
async function works(service: TestService, app: TestApp, { email }: Person): Promise<boolean> {
  toNextMinute(service);
  return (await tryPassword(service, app, email, goodPassword)).status === 303;
}

type Row = {
  says: RegExp;
  signsIn: boolean;
  prepare: (service: TestService, app: TestApp, person: Person) => Promise<unknown>;
};

const rows: [title: string, row: Row][] = [
  [
    "nothing",
    { says: /yes Yes, in each of these ways: With the password\. /u, signsIn: true, prepare: async () => {} },
  ],
  [
    "a disabled account",
    {
      says: /no No\. The account was disabled .* Enable/u,
      signsIn: false,
      prepare: async (service, _app, { id }) => await disableUser(service, id),
    },
  ],
  [
    "passwords that are off in the application",
    {
      says: /no No\. None of their methods works here/u,
      signsIn: false,
      prepare: async (service, app) =>
        await updateApp(service, app, { authMethods: { password: { enabled: false }, passkey: { enabled: true } } }),
    },
  ],
  [
    "a second factor that is required and missing",
    {
      says: /yes Yes, in each of these ways: With the password, then setting up a second factor\. /u,
      signsIn: true,
      prepare: async (service, app) => await updateApp(service, app, { settings: { secondFactor: "required" } }),
    },
  ],
  [
    "a passkey that is required and missing",
    {
      says: /yes Yes, in each of these ways: With the password, then creating a passkey\. /u,
      signsIn: true,
      prepare: async (service, app) =>
        await updateApp(service, app, { authMethods: { passkey: { enabled: true, required: true } } }),
    },
  ],
];

describeSqliteFirst("whether somebody can sign in", mailAway, (current) => {
  it.each(rows)("is answered as a sign-in answers it: %s", async (_title, { says, signsIn, prepare }) => {
    const service = current();
    const app = await service.createApp();
    const person = await newUser(service, app, { password: goodPassword });
    await prepare(service, app, person);
    const console = await openConsole(service, { role: "support" });
    expect(answerOn(await console.get(`/people/${person.id}`))).toMatch(says);
    const page = await tryPassword(service, app, person.email, goodPassword).catch(() => undefined);
    expect(page?.status === 303).toBe(signsIn);
  });

  it("L4: names the wait after wrong passwords, in which browsers, and an act that ends it", async () => {
    const service = current();
    const app = await service.createApp();
    const person = await newUser(service, app, { password: goodPassword });
    const console = await openConsole(service, { role: "support" });
    const page = async () => await console.get(`/people/${person.id}`);
    await fail(service, app, person);
    const blocked = await page();
    expect(answerOn(blocked)).toMatch(
      /no Not now\. .*With the password\. Password blocked for 1 more second after 6 wrong ones\. Unblock/u,
    );
    const done = await console.submit(blocked, `/${person.id}/unblock`);
    expect(done.text).toContain("Unblocked. They can try again at once.");
    expect(answerOn(done)).toContain("Yes, in each of these ways");
    expect(await works(service, app, person)).toBe(true);

    const own = new Visitor();
    await signIn(service, app, person, {}, own);
    await fail(service, app, person);
    expect(answerOn(await page())).toMatch(
      /partly Yes, but some ways are closed: .*after 6 wrong ones, but not in browsers that they have used before\./u,
    );
    const [entry] = (await audit.list(service.server.app.ctx, { action: "user.unblock", limit: 10 })).slice(-1);
    expect(entry).toMatchObject({ userId: person.id, actor: "cli:test", details: { passwords: 1, factor: false } });
  });

  it("M3: names blocked codes, what works instead, and gives ten more", async () => {
    const service = current();
    const app = await service.createApp();
    const person = await newSomebody(service, app);
    const { ctx } = service.server.app;
    await ctx.storage.write((tx) => recordFactorTries(tx, { userId: person.id, failures: 100, blockedUntil: 0 }));
    const console = await openConsole(service, { role: "support" });
    const page = await console.get(`/people/${person.id}`);
    expect(answerOn(page)).toMatch(
      /partly .*With the password, then a code of their authenticator app\. Codes are blocked after 100 wrong ones\. Their passkey works instead\. With a passkey\./u,
    );
    await updateApp(service, app, { authMethods: { passkey: { enabled: false } } });
    const without = await console.get(`/people/${person.id}`);
    expect(answerOn(without)).toMatch(/no Not now\. .*Codes are blocked after 100 wrong ones\. /u);
    const done = await console.submit(without, `/${person.id}/unblock`);
    expect(answerOn(done)).not.toContain("blocked");
    expect(partOf(done, "Second factor")).toContain("Wrong codes in a row 90");
  });

  it("says for each program whether they get in, and why not", async () => {
    const service = current();
    const app = await service.createApp();
    const person = await newUser(service, app, { password: goodPassword });
    await closedClient(service, app);
    const { ctx } = service.server.app;
    const off = await createClient(service, app, { name: "Old wiki" });
    await clients.update(ctx, off, { enabled: false }, by);
    await clients.create(ctx, { id: `robot-${app.id}`, appId: app.id, name: "Robot", kind: "machine" }, {}, by);
    const console = await openConsole(service);
    const page = await console.get(`/people/${person.id}`);
    expect(answerOn(page)).toMatch(/Old wiki no The program is disabled\./u);
    expect(answerOn(page)).toMatch(/Payroll no Not in its groups: admins Add to a group/u);
    expect(answerOn(page)).not.toContain("Robot");
    const added = await console.submit(page, `/${person.id}/groups`, { group: "admins" });
    expect(answerOn(added)).toMatch(/Payroll yes Then setting up a second factor\./u);
  });

  it("says until when an invitation works, and whether its mail waits", async () => {
    const service = current();
    const app = await service.createApp();
    const { userId } = await invite(service, app, newEmail());
    const console = await openConsole(service, { role: "support" });
    const page = await console.get(`/people/${userId}`);
    expect(answerOn(page)).toMatch(/no Not yet\. .*Their invitation expires .* Mail the invitation again/u);
    expect(partOf(page, "Last refusals and mail")).toMatch(/Last mail invitation, (waiting|failed so far)/u);
    service.clock.advance(7 * 24 * 3_600_000);
    const over = answerOn(await console.get(`/people/${userId}`));
    expect(over).toContain("No. They have no way to sign in, and no invitation is open. Mail an invitation");
  });

  it("P6: a withdrawn invitation opens nothing, and its mail is not sent any more", async () => {
    const service = current();
    const app = await service.createApp();
    const { userId, link, email } = await invite(service, app, newEmail(), { link: true });
    await invite(service, app, newEmail());
    const mailed = await invite(service, app, newEmail());
    const waiting = async () => {
      const { db, tables } = service.server.app.ctx.storage.reader;
      return (await db.select().from(tables.mails)).filter((mail) => mail.userId === mailed.userId);
    };
    expect(await waiting()).toHaveLength(1);
    const console = await openConsole(service, { role: "support" });
    for (const id of [userId, mailed.userId]) {
      const done = await console.submit(await console.get(`/people/${id}`), "/invitation/withdraw");
      expect(done.text).toContain("The invitation was withdrawn");
      expect(done.text).toContain("Mail an invitation");
    }
    expect(await waiting()).toEqual([]);
    expect((await new Visitor().get(link ?? "")).status).toBe(410);
    const again = await invite(service, app, email, { link: true });
    expect(again.userId).toBe(userId);
    expect((await new Visitor().get(again.link ?? "")).status).toBe(200);
  });

  it("shows the last three refusals with their reasons, and no more", async () => {
    const service = current();
    const app = await service.createApp();
    const person = await newUser(service, app, { password: goodPassword });
    const other = await newUser(service, app, {});
    const console = await openConsole(service);
    const refusals = async ({ id }: Person) => partOf(await console.get(`/people/${id}`), "Last refusals and mail");
    await fail(service, app, person, 2);
    expect(await refusals(person)).toContain("Wrong password, 2 times");
    await fail(service, app, person, 4);
    await tryPassword(service, app, person.email, goodPassword);
    const blocked = await refusals(person);
    expect(blocked).toContain("Blocked after too many wrong passwords");
    expect(blocked).not.toContain("Wrong password, 6");
    await fail(service, app, other, 1);
    expect(await refusals(other)).toContain("The account has no password");
    service.clock.advance(60_000);
    await disableUser(service, person.id);
    await fail(service, app, person, 1);
    expect(await refusals(person)).toContain("The account was disabled");
    expect(await refusals(await newUser(service, app, {}))).toContain("No sign-in was refused in 30 days.");
  });

  it("J8: links the same address in other applications, as far as the operator may see them", async () => {
    const service = current();
    const [one, other] = [await service.createApp(), await service.createApp({ name: "Other shop" })];
    const email = newEmail();
    const [mine, theirs] = [await newUser(service, one, { email }), await newUser(service, other, { email })];
    const [all, only] = [await openConsole(service), await openConsole(service, { appId: one.id })];
    expect((await all.get(`/people/${mine.id}`)).text).toMatch(
      new RegExp(`<a href="/console/people/${theirs.id}">\\s*<bdi>Other shop</bdi>`, "u"),
    );
    const limited = (await only.get(`/people/${mine.id}`)).text;
    expect(limited).not.toContain(theirs.id);
    expect(limited).not.toContain("Other shop");
  });
});

describeSqliteFirst("a person's logins and time line", (current) => {
  async function signInTimes(service: TestService, app: TestApp, person: Person, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      await redeem(service, app, await signIn(service, app, person));
      service.clock.advance(time % 2 === 0 ? 0 : 90_000);
    }
  }

  const signedIn = ({ text }: Page): number => [...text.matchAll(/>Signed in</gu)].length;

  async function pages(console: Console, path: string): Promise<Page[]> {
    const page = await console.get(path);
    const older = /href="\/console(\/people\/[^"#]*before=[^"#]*)#time-line">Older/u.exec(page.text)?.[1];
    return older === undefined ? [page] : [page, ...(await pages(console, older.replaceAll("&amp;", "&")))];
  }

  it("open the login of an id, live or ended, and no other person's", async () => {
    const service = current();
    const app = await service.createApp();
    const [person, other] = [
      await newUser(service, app, { password: goodPassword }),
      await newUser(service, app, { password: goodPassword }),
    ];
    for (const each of [person, other]) await signInTimes(service, app, each, 2);
    const { ctx } = service.server.app;
    const [live, ended] = await logins.list(ctx, person.id, { all: false });
    await logins.end(ctx, ended?.id ?? "", { dryRun: false }, by.actor);
    const console = await openConsole(service);
    const opened = async (userId: string, id = ""): Promise<string> =>
      /<tr class="details">[\s\S]*?<\/tr>/u.exec((await console.get(`/people/${userId}?open=${id}`)).text)?.[0] ?? "";
    expect(await opened(person.id, live?.id)).toContain(`title="${live?.id}"`);
    expect(await opened(person.id, ended?.id)).toMatch(/Ended[\s\S]*by an operator/u);
    expect(await opened(other.id, live?.id)).toBe("");
    expect(await opened(person.id, "lgn_nobody")).toBe("");
    expect(partOf(await console.get(`/people/${person.id}`), "Logins")).not.toContain("ended");
  });

  it("show a sign-in and its login as one entry, over pages and in one instant", async () => {
    const service = current();
    const app = await service.createApp();
    const person = await newUser(service, app, { password: goodPassword });
    await signInTimes(service, app, person, 33);
    const console = await openConsole(service);
    for (const kind of ["", "&kind=sign-in"]) {
      const shown = await pages(console, `/people/${person.id}?zone=UTC${kind}`);
      expect(shown.length).toBe(2);
      expect(shown.map(signedIn).reduce((sum, count) => sum + count, 0)).toBe(33);
      const text = shown.map((page) => partOf(page, "Time line")).join(" ");
      expect(text).not.toContain("Login started");
      expect(text).not.toContain("without a login");
    }
  });

  it("show one kind only, if that is asked for", async () => {
    const service = current();
    const app = await service.createApp();
    const person = await newUser(service, app, { password: goodPassword });
    await signInTimes(service, app, person, 1);
    await fail(service, app, person, 1);
    await givePasskey(service, person.id);
    const console = await openConsole(service);
    const of = async (kind: string) => partOf(await console.get(`/people/${person.id}?kind=${kind}`), "Time line");
    const words = ["Account created", "Signed in", "Sign-in failed Wrong password"];
    const found = async (kind: string) => {
      const text = await of(kind);
      return words.filter((each) => text.includes(each));
    };
    expect(await found("")).toEqual(words);
    expect(await found("sign-in")).toEqual(["Signed in"]);
    expect(await found("refused")).toEqual(["Sign-in failed Wrong password"]);
    expect(await found("change")).toEqual(["Account created"]);
    expect(await of("mail")).toContain("Nothing of this kind.");
    expect(await of("webhook")).toContain("Nothing of this kind.");
    expect(await found("nonsense")).toEqual(words);
  });
});

const fewAttempts = { passwords: { ...testConfig.passwords, attemptsPerMinute: 2 } };
describeSqliteFirst("where a network has few attempts, a person's page", fewAttempts, (current) => {
  it("L8: names the network from which no password is checked for the rest of the minute", async () => {
    const service = current();
    const app = await service.createApp();
    const person = await newUser(service, app, { password: goodPassword });
    const other = await newUser(service, app, { password: goodPassword });
    const console = await openConsole(service);
    await fail(service, app, person, 1);
    const answer = async () => answerOn(await console.get(`/people/${person.id}`));
    expect(await answer()).not.toContain("No password is checked");
    await tryPassword(service, app, other.email, wrong);
    expect(await answer()).toMatch(
      /partly .*No password is checked from 127\.0\.0\.1 for \d+ more seconds?: too many/u,
    );
    expect((await tryPassword(service, app, person.email, goodPassword)).status).toBe(429);
    expect(await works(service, app, person)).toBe(true);
    expect(await answer()).not.toContain("No password is checked");
  });
});

describeSqliteFirst("mails to a person", { mail: server.mail }, (current) => {
  it("are on their page, with the answer of the mail server, and on no other", async () => {
    const service = current();
    const app = await service.createApp();
    const [person, other] = [await newUser(service, app), await newUser(service, app)];
    await enqueue(service, resetMail(service, app.id, { to: person.email, userId: person.id }));
    await allSent(service);
    const console = await openConsole(service, { role: "viewer" });
    const page = await console.get(`/people/${person.id}`);
    expect(partOf(page, "Mails to them")).toMatch(/password reset 250 /u);
    expect(partOf(page, "Last refusals and mail")).toContain("Last mail password reset, sent");
    expect((await console.get(`/people/${other.id}`)).text).not.toContain("Mails to them");
  });
});
