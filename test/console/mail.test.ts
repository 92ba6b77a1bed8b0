import { describe, expect, test, vi } from "vitest";
import * as resetLinks from "../../src/credentials/mailed/reset-links.ts";
import * as audit from "../../src/records/audit/audit.ts";
import * as mail from "../../src/records/mail/service.ts";
import { insertMail } from "../../src/records/mail/store.ts";
import { mailKinds } from "../../src/records/mail/sample.ts";
import { mailLanguages } from "../../src/records/mail/texts/texts.ts";
import { authsvc } from "../cli/in-process.ts";
import { placeOf } from "../cli/service-place.ts";
import { commandsOn, openConsole, type Console } from "../support/console.ts";
import { allSent, newUser } from "../support/mail-flows.ts";
import { useMailServer } from "../support/mail.ts";
import { useService } from "../support/one-service.ts";
import { Visitor } from "../support/person.ts";
import { useApp, type TestApp } from "../support/service.ts";
import { mailAway } from "./somebody.ts";

const server = await useMailServer();
const by = { actor: { kind: "cli", name: "test" } } as const;
const patience = { timeout: 60_000 };
const languages = [...mailLanguages.keys()];

describe("without a mail server", () => {
  const service = useService();

  test("says what to set, and a test mail is refused with the same words", async () => {
    const app = await service.createApp();
    const console = await openConsole(service);
    const page = await console.get("/mail");
    expect(page.text).toContain("smtpUrl:");
    const refused = await console.submit(page, "/mail/test", {
      app: app.id,
      to: "you@example.com",
      kind: "verify",
      language: "en",
    });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Set mail.smtpUrl and mail.from first.");
    expect(refused.text).toContain('value="you@example.com"');
  });

  test.each(languages)("shows each mail in %s, as people get it, about nobody", async (language) => {
    const console = await openConsole(service, { role: "viewer" });
    for (const kind of mailKinds) {
      const { status, text } = await console.get(`/mail/texts?kind=${kind}&language=${language}`);
      expect(status).toBe(200);
      const [, source = ""] = /<iframe[^>]*src="([^"]*)"/u.exec(text) ?? [];
      const framed = await console.visitor.get(console.url + source.replaceAll("&amp;", "&"));
      expect(framed.text).toContain(`lang="${language}"`);
      expect(framed.text).not.toContain("undefined");
    }
  });

  test("the frame of a mail runs no script, sends no form, and is shown by the console only", async () => {
    const console = await openConsole(service);
    const { headers } = await console.get("/mail/texts/preview?kind=reset&language=de");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';/u);
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).not.toContain("script");
    expect((await new Visitor().get(`${console.url}/console/mail/texts/preview`)).status).toBe(403);
  });

  test.each([
    ["kind=nonsense", "kind: one of sign-up"],
    ["language=xx", "language: one of en"],
    ["app=app_nothing", "There is no application with this id."],
  ])("a wrong choice (%s) is a named error", async (query, said) => {
    const page = await (await openConsole(service)).get(`/mail/texts?${query}`);
    expect(page.status).toBe(400);
    expect(page.text).toContain(said);
  });
});

describe("with a mail server that does not answer", () => {
  const service = useService(mailAway);
  const app = useApp(service);

  const waits = /The link is waiting: mail started to fail <time datetime="([^"]*)"/u;

  /** The page after a reset link was mailed to somebody new of this application. */
  async function mailLink(console: Console, inApp: TestApp): Promise<string> {
    const { id } = await newUser(service, inApp);
    const { text } = await console.submit(await console.get(`/people/${id}`), "/reset-link/mail");
    return text;
  }

  async function failing(appId: string, count: number): Promise<void> {
    const { ctx } = service.server.app;
    await vi.waitFor(async () => expect(await mail.countFailing(ctx, appId)).toBe(count), patience);
  }

  test("says after three that were refused in a row that the next one waits, and since when", async () => {
    const console = await openConsole(service, { role: "support" });
    const startedAt = service.clock.now;
    for (const count of [1, 2, 3]) {
      expect(await mailLink(console, app)).toContain("The link is on its way.");
      await failing(app.id, count);
    }
    const [, since = ""] = waits.exec(await mailLink(console, app)) ?? [];
    expect(new Date(since).getTime()).toBeGreaterThanOrEqual(startedAt);
    expect(new Date(since).getTime()).toBeLessThanOrEqual(service.clock.now);
  });

  test("the page says since when mail fails, and why, in the words of doctor", async () => {
    const { ctx } = service.server.app;
    const console = await openConsole(service, { role: "viewer" });
    await vi.waitFor(async () => expect(await mail.failingSince(ctx, undefined)).not.toBeUndefined(), patience);
    const { text } = await console.get("/mail");
    const [, said = ""] = /Mail started to fail <time[^>]*>[^<]*<\/time>\. <bdi>([^<]*)</u.exec(text) ?? [];
    expect(said).toContain("The mail server 127.0.0.1:");
    const { cwd, env } = placeOf(service);
    const settings = { AUTHSVC_MAIL__SMTP_URL: "smtp://127.0.0.1:9", AUTHSVC_MAIL__FROM: "auth@acme.example" };
    const found = await authsvc(["doctor", "--json"], { cwd, env: { ...env, ...settings } });
    expect(found.stdout).toContain(said);
  });

  test("says so of a single one that has waited for five minutes", async () => {
    const quiet = await service.createApp();
    const console = await openConsole(service, { role: "support", appId: quiet.id });
    expect(await mailLink(console, quiet)).toContain("The link is on its way.");
    await failing(quiet.id, 1);
    service.clock.advance(299_000);
    expect(await mailLink(console, quiet)).toContain("The link is on its way.");
    service.clock.advance(1000);
    expect(await mailLink(console, quiet)).toMatch(waits);
  });

  test("tells an operator of one application of its own mails only, also in the menu", async () => {
    const theirs = await service.createApp();
    const console = await openConsole(service, { appId: theirs.id });
    expect((await (await openConsole(service)).get("/people")).text).toMatch(/Mail<\/span>\s*<span class="count"/u);
    expect((await console.get("/people")).text).not.toContain('class="count"');
    expect(await mailLink(console, theirs)).toContain("The link is on its way.");
  });
});

describe("with a mail server", () => {
  const service = useService({ mail: server.mail });
  const app = useApp(service);

  test("a person's time line has the mails that were sent to them, and to nobody else", async () => {
    const console = await openConsole(service);
    const [one, other] = [await newUser(service, app), await newUser(service, app)];
    await resetLinks.linkFor(service.server.app.ctx, one.id, { send: true, dryRun: false }, by.actor);
    await allSent(service);
    const timeLine = async ({ id }: { id: string }) => (await console.get(`/people/${id}`)).text;
    expect(await timeLine(one)).toMatch(/A mail was sent<\/bdi><\/a\s*>\s*<span class="quiet"><bdi>kind: reset</u);
    expect(await timeLine(one)).not.toContain("Mail waiting to be sent");
    expect(await timeLine(other)).not.toContain("A mail was sent");
    // The content and the address are nowhere.
    expect(JSON.stringify(await audit.list(service.server.app.ctx, { userId: one.id, limit: 100 }))).not.toContain("@");
  });

  test("lists for 30 days what was sent to people, with the mail server's answer, and what was given up", async () => {
    const own = await service.createApp();
    const console = await openConsole(service, { role: "viewer", appId: own.id });
    expect((await console.get("/mail?list=sent")).text).toContain("No mail was sent to a person");
    const { id } = await newUser(service, own);
    await resetLinks.linkFor(service.server.app.ctx, id, { send: true, dryRun: false }, by.actor);
    await allSent(service);
    const { text } = await console.get("/mail?list=sent");
    expect(text).toMatch(new RegExp(`Password reset[^]*?/console/people/${id}"[^]*?<bdi>250 `, "u"));
    server.behave({ answers: 550 });
    await resetLinks.linkFor(service.server.app.ctx, id, { send: true, dryRun: false }, by.actor);
    await allSent(service);
    server.behave("takes");
    const givenUp = (await console.get("/mail?list=given-up")).text;
    expect(givenUp).toMatch(/Password reset[^]*?it refuses the recipient&#39;s address \(550\)/u);
    // How many, in the last 24 hours.
    expect(givenUp).toMatch(/Sent in 24 hours<\/dt>\s*<dd>\s*1</u);
    expect(givenUp).toMatch(/Given up in 24 hours<\/dt>\s*<dd>\s*1</u);
    const elsewhere = await openConsole(service, { appId: (await service.createApp()).id });
    for (const list of ["sent", "given-up"]) expect((await elsewhere.get(`/mail?list=${list}`)).text).not.toContain(id);
  });

  test("one full mailbox does not mean that others wait", async () => {
    const { ctx } = service.server.app;
    const busy = await service.createApp();
    const [one, other] = [await newUser(service, busy), await newUser(service, busy)];
    const asked = { appId: busy.id, userId: one.id, kind: "reset", encryptedMail: "", leaseUntil: null } as const;
    const now = service.clock.now;
    const refused = { attempts: 9, lastError: "452", createdAt: now - 3_600_000, nextAttemptAt: now + 3_600_000 };
    await ctx.storage.write((tx) =>
      insertMail(tx, { id: "mail_full", ...asked, ...refused, expiresAt: now + 7_200_000 }),
    );
    const console = await openConsole(service, { appId: busy.id });
    await console.submit(await console.get(`/people/${other.id}`), "/reset-link/mail");
    await vi.waitFor(() => expect(server.to(other.email)).toHaveLength(1), patience);
    await vi.waitFor(async () => expect(await mail.countFailing(ctx, busy.id)).toBe(1), patience);
    const next = await console.submit(await console.get(`/people/${one.id}`), "/reset-link/mail");
    expect(next.text).toContain("The link is on its way.");
    await ctx.storage.write(({ db, tables }) => db.delete(tables.mails));
  });

  test("sends one to anybody who asks, as the command does", async () => {
    const console = await openConsole(service);
    const page = await console.get("/mail");
    expect(page.text).toContain(server.mail.from.address);
    const chosen = { app: app.id, kind: "reset", language: "de" };
    const queued = await console.submit(page, "/mail/test", { ...chosen, to: "page@example.com" });
    expect(queued.text).toContain("The mail is queued.");
    await vi.waitFor(() => expect(server.to("page@example.com")).toHaveLength(1), patience);
    const { cwd, env } = placeOf(service);
    const mailEnv = {
      AUTHSVC_MAIL__SMTP_URL: `smtp://127.0.0.1:${server.port}`,
      AUTHSVC_MAIL__FROM: server.mail.from.address,
    };
    const [shown = ""] = commandsOn(page).filter((line) => line.includes("mail test"));
    const words = shown.replace("APP_ID", app.id).replace("EMAIL", "command@example.com").replace("verify", "reset");
    const done = await authsvc(words.replace("language en", "language de").split(" ").slice(1), {
      cwd,
      env: { ...env, ...mailEnv },
    });
    expect(done).toMatchObject({ code: 0 });
    service.clock.now = Date.now();
    await vi.waitFor(() => expect(server.to("command@example.com")).toHaveLength(1), patience);
    const [byPage, byCommand] = ["page", "command"].map((name) => server.to(`${name}@example.com`)[0]);
    expect(byCommand?.subject).toBe(byPage?.subject);
    expect(byPage?.html).toContain('lang="de"');
    const entries = await audit.list(service.server.app.ctx, { action: "mail.test", limit: 10 });
    expect(entries.map(({ details }) => details)).toEqual([1, 2].map(() => ({ kind: "reset", language: "de" })));
  });

  test("the queue shows why a mail is not sent, and neither its address nor its code", async () => {
    server.behave({ answers: 451 });
    const console = await openConsole(service, { role: "viewer" });
    const owner = await openConsole(service);
    await owner.submit(await owner.get("/mail"), "/mail/test", {
      app: app.id,
      to: "late@example.com",
      kind: "reset",
      language: "en",
    });
    await vi.waitFor(async () => expect((await console.get("/mail")).text).toContain("failed once"), patience);
    const { text } = await console.get("/mail");
    expect(text).toMatch(/451/u);
    expect(text).not.toContain("late@example.com");
    expect(text).not.toContain("12345678");
    server.behave("takes");
    service.clock.advance(60_000);
    await vi.waitFor(async () => expect((await console.get("/mail")).text).toContain("No mail waits."), patience);
  });

  test("J8: an operator of one application sees its mails only", async () => {
    const other = await service.createApp({ name: "Their shop" });
    server.behave({ answers: 451 });
    const owner = await openConsole(service);
    await owner.submit(await owner.get("/mail"), "/mail/test", {
      app: other.id,
      to: "x@example.com",
      kind: "reset",
      language: "en",
    });
    await vi.waitFor(async () => expect((await owner.get("/mail")).text).toContain(other.id), patience);
    const scoped = await openConsole(service, { appId: app.id });
    const page = await scoped.get("/mail");
    expect(page.text).not.toContain(other.id);
    expect(page.text).toContain("No mail waits.");
    expect((await scoped.get(`/mail/texts?app=${other.id}`)).text).not.toContain("Their shop");
    const sent = await scoped.submit(page, "/mail/test", {
      app: other.id,
      to: "y@example.com",
      kind: "reset",
      language: "en",
    });
    expect(sent.status).toBe(200);
    const waiting = await mail.queue(service.server.app.ctx, { appId: other.id, after: undefined, limit: 10 });
    expect(waiting).toHaveLength(1);
    server.behave("takes");
  });

  test("at most ten test mails a minute", async () => {
    const busy = await service.createApp();
    const console = await openConsole(service);
    const page = await console.get("/mail");
    const send = async () =>
      await console.submit(page, "/mail/test", { app: busy.id, to: "z@example.com", kind: "verify", language: "en" });
    for (let sent = 0; sent < 10; sent += 1) expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(429);
  });
});
