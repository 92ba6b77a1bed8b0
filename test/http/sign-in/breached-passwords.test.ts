import { join } from "node:path";
import { Writable } from "node:stream";
import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { buildBreachedFile } from "../../../src/credentials/passwords/breached/build.ts";
import { createLog } from "../../../src/lib/log.ts";
import { emptyFolder } from "../../cli/command.ts";
import { addingSession, signedUpIn } from "../../support/adding.ts";
import { lineOf } from "../../support/breached.ts";
import { acceptWithPassword, invite } from "../../support/invites.ts";
import { tryPassword, tryToSignUp } from "../../support/limits.ts";
import { askForReset, linkIn, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { call, goodPassword, initiate, newEmail, Visitor, type Page } from "../../support/person.ts";
import { startTestService, testConfig } from "../../support/service.ts";
import { useService } from "../../support/one-service.ts";

const breached = "sixty herons above the breach";
const breachedFile = join(emptyFolder(), "breached.bin");
async function* list() {
  yield Buffer.from(lineOf(breached));
}
await buildBreachedFile(breachedFile, list(), { now: 0, onProgress() {} });

const lines: string[] = [];
const capture = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});
const calls: string[] = [];
const server = await useMailServer();
const passwords = { ...testConfig.passwords, breachedFile };
const current = useService(
  { mail: server.mail, passwords },
  {
    log: createLog({ level: "debug", format: "json" }, capture),
    async fetch(address) {
      calls.push(String(address instanceof Request ? address.url : address));
      throw new TypeError("this service has no network");
    },
  },
);
const withoutMail = useService({ passwords });

const sentence = "This one has appeared in a data breach. Choose one that you use nowhere else.";

function expectRefused(page: Page): void {
  expect(page.status).toBe(422);
  expect(page.text).toContain(sentence);
}

describe("a breached password is refused", () => {
  it("where an account is created, also while it is typed", async () => {
    const app = await withoutMail().createApp();
    const visitor = new Visitor();
    const page = await visitor.get(`${(await initiate(withoutMail(), app)).authUrl}/create-account`);
    const [, path = ""] = /data-check="([^"]+)"/u.exec(page.text) ?? [];
    const { token = "" } = page.form("/create-account").fields;
    const told = await visitor.post(new URL(path, page.url).href, { token, email: "", password: breached });
    expect(JSON.parse(told.text)).toEqual({ problem: sentence });
    expectRefused(await visitor.submit(page, "/create-account", { email: newEmail(), password: breached }));
  });

  it("where it is changed", async () => {
    const app = await withoutMail().createApp();
    const owner = await signedUpIn(withoutMail(), app);
    const adding = await addingSession(withoutMail(), app, owner.accessToken, { type: "password" });
    const form = await owner.visitor.get(adding.authUrl);
    expectRefused(await owner.visitor.submit(form, "/add/password", { password: breached }));
    expect((await owner.visitor.submit(form, "/add/password", { password: `${breached}!` })).status).toBe(303);
  });

  it("where it is reset, and where an invitation is accepted", async () => {
    const app = await current().createApp();
    const email = newEmail();
    await newUser(current(), app, { email });
    await askForReset(current(), app, email);
    const link = linkIn(await mailTo(server, email, 1, /password/u));
    const visitor = new Visitor();
    const form = await visitor.get(link);
    expectRefused(await visitor.submit(form, new URL(link).pathname, { password: breached }));
    const { link: invitation } = await invite(current(), app, newEmail(), { link: true });
    expectRefused(await acceptWithPassword(invitation ?? "", breached));
  });

  it("where the application's server creates a user", async () => {
    const app = await withoutMail().createApp();
    const bearer = { authorization: `Bearer ${app.apiKey}` };
    const user = { email: newEmail(), password: breached };
    expect(await call(withoutMail(), "POST", `/applications/${app.id}/users`, bearer, user)).toMatchObject({
      status: 400,
      body: {
        error: { code: "INVALID_REQUEST", details: "password: not in the list of passwords from data breaches" },
      },
    });
  });

  it("in the language of the page", async () => {
    const app = await withoutMail().createApp();
    const told: string[] = [];
    for (const language of ["en", "de", "es", "fr", "ja", "pt", "ar"]) {
      const visitor = new Visitor({ "accept-language": language });
      const page = await visitor.get(`${(await initiate(withoutMail(), app)).authUrl}/create-account`);
      const refused = await visitor.submit(page, "/create-account", { email: newEmail(), password: breached });
      told.push(/id="password-problem"[^>]*>([^<]*)</u.exec(refused.text)?.[1] ?? "");
    }
    expect(new Set(told).size).toBe(7);
    expect(told[1]).toBe(
      "Dieses ist in einem Datenleck aufgetaucht. Wählen Sie eines, das Sie sonst nirgends verwenden.",
    );
  });

  it("and neither it nor its hash is logged, stored or sent anywhere", async () => {
    const digest = hash("sha1", breached, "hex");
    const known = `${lines.join("")}${await current().databaseText()}${calls.join(" ")}`;
    expect(known.length).toBeGreaterThan(10_000);
    expect(known).not.toContain(breached);
    expect(known.toLowerCase()).not.toContain(digest.slice(0, 8));
    expect(calls).toEqual([]);
  });
});

it("an existing password that is breached still signs in", async () => {
  // A copy: the test changes it.
  const running = await startTestService("sqlite", { passwords: { ...testConfig.passwords } });
  try {
    const app = await running.service.createApp();
    const email = newEmail();
    expect((await tryToSignUp(running.service, app, { email, password: breached })).status).toBe(303);
    running.service.config.passwords.breachedFile = breachedFile;
    await running.restart();
    expectRefused(await tryToSignUp(running.service, app, { email: newEmail(), password: breached }));
    expect((await tryPassword(running.service, app, email, breached)).status).toBe(303);
  } finally {
    await running.stop();
  }
});

it("a password that is not in the file is taken", async () => {
  const app = await withoutMail().createApp();
  expect((await tryToSignUp(withoutMail(), app, { email: newEmail(), password: goodPassword })).status).toBe(303);
});
