import { request, type IncomingMessage } from "node:http";
import { expect, it, test, vi } from "vitest";
import * as operators from "../../src/operators/service.ts";
import * as newUsers from "../../src/people/new-users.ts";
import * as audit from "../../src/records/audit/audit.ts";
import { openConsole, type Console } from "../support/console.ts";
import { freePort } from "../support/free-port.ts";
import { disableUser, newUser } from "../support/mail-flows.ts";
import { useService } from "../support/one-service.ts";
import { makeOperator, signInTo } from "../support/operators.ts";
import { newEmail, Visitor, type Page } from "../support/person.ts";
import { describeEachDatabase, testConfig, type TestService } from "../support/service.ts";
import { runSql } from "../cli/sql.ts";
import { filled } from "./support-forms.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;
const port = await freePort();
const consoleUrl = `http://127.0.0.1:${port}`;
const team = { console: { host: "127.0.0.1", port, baseUrl: consoleUrl } };

async function exported(console: Console, query: string): Promise<Page> {
  return await console.submit(await console.get(`/people?${query}`), "/people/export");
}

/** The lines without the byte order mark. */
function linesOf({ text }: { text: string }): string[] {
  return text
    .replace(/^\u{FEFF}/u, "")
    .trimEnd()
    .split("\r\n");
}

async function entries({ server }: TestService): Promise<{ action: string; result: string; details: object }[]> {
  const all = await Promise.all(
    ["people.export", "people.exported"].map((action) => audit.list(server.app.ctx, { action, limit: 50 })),
  );
  return all.flat().map(({ action, result, details }) => ({ action, result, details }));
}

/** People with much text, so that no buffer of the system holds them. */
async function many(service: TestService, appId: string, count: number): Promise<void> {
  await runSql(
    service,
    `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})
      INSERT INTO users (id, app_id, email_verified, name, handle, created_at, updated_at, login_count)
      SELECT '${appId}-' || n, '${appId}', 0, hex(zeroblob(10000)), '${appId}' || n, n, 0, 0 FROM s`,
  );
}

describeEachDatabase("exporting people", (current) => {
  it("writes all who match as a table for spreadsheets, on whatever pages of the list they are", async () => {
    const service = current();
    const app = await service.createApp({ name: "=cmd()" });
    const console = await openConsole(service, { appId: app.id });
    const names = ["=1+1", "@sum", "Ada, Countess", 'Ada "A"', "Zoë"];
    const ids: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      service.clock.advance(1000);
      const user = {
        appId: app.id,
        email: `+${newEmail()}`,
        emailVerified: false,
        name: names[n] ?? "Ann",
        password: undefined,
      };
      const { id } = await newUsers.create(service.server.app.ctx, user, { dryRun: false }, by);
      await disableUser(service, id);
      ids.push(id);
    }
    await newUser(service, app);
    const { status, headers, text } = await exported(console, "state=disabled");
    expect([status, headers.get("content-type"), headers.get("cache-control"), headers.get("content-length")]).toEqual([
      200,
      "text/csv; charset=utf-8",
      "no-store",
      null,
    ]);
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="people-\d{4}-\d\d-\d\d\.csv"$/u);
    const [heading = "", ...lines] = linesOf({ text });
    expect(heading).toMatch(/^ID,Application,App ID,Name,Address,/u);
    expect(lines.map((line) => line.split(",")[0])).toEqual(ids.toReversed());
    for (const line of lines) expect(line).toMatch(/^usr_\w+,'=cmd\(\),app_\w+,.*,'\+person[^,]*,no,disabled,,no,/u);
    const [zoe, quoted, countess, sum, one] = lines
      .slice(-5)
      .map((line) => line.split(",'+person")[0]?.split(`${app.id},`)[1]);
    expect([one, sum, countess, quoted, zoe]).toEqual(["'=1+1", "'@sum", '"Ada, Countess"', '"Ada ""A"""', "Zoë"]);
    expect(await entries(service)).toEqual([
      { action: "people.export", result: "success", details: { state: "disabled" } },
      { action: "people.exported", result: "success", details: { people: 60, whole: true } },
    ]);
    service.clock.advance(1);
    const searched = await exported(console, "q=countess");
    expect(linesOf(searched)).toHaveLength(2);
    expect((await entries(service)).at(1)).toEqual({
      action: "people.export",
      result: "success",
      details: { search: true },
    });
  });
});

// The console has its own listener, whatever threads serve the public one.
const service = useService({ ...team, listen: { ...testConfig.listen, threads: 2 } });

/** Posts the form of the list; the answer is read by the caller. */
async function begin(visitor: Visitor, url: string, query: string): Promise<IncomingMessage> {
  const page = await visitor.get(`${url}/console/people?${query}`);
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = {
    cookie,
    origin: url,
    "sec-fetch-site": "same-origin",
    "content-type": "application/x-www-form-urlencoded",
  };
  const posted = request(`${url}/console/people/export`, { method: "POST", headers, agent: false });
  posted.on("error", () => {});
  posted.end(new URLSearchParams(filled(page, "/people/export")).toString());
  return await new Promise((resolve) => posted.once("response", resolve));
}

async function read(answer: IncomingMessage): Promise<{ text: string; isWhole: boolean }> {
  let text = "";
  answer.setEncoding("utf8");
  try {
    for await (const part of answer) text += String(part);
  } catch {
    // It was cut.
  }
  return { text, isWhole: answer.complete };
}

async function endOf(count: number): Promise<object | undefined> {
  return await vi.waitFor(async () => {
    const ends = (await entries(service)).filter(({ action }) => action === "people.exported");
    expect(ends).toHaveLength(count);
    return ends.at(-1);
  }, 20_000);
}

test("an export waits for a client that reads slowly, and is noted as cut when it is gone", async () => {
  const app = await service.createApp();
  await many(service, app.id, 2000);
  const console = await openConsole(service, { appId: app.id });
  const before = (await entries(service)).length / 2;
  const slow = await begin(console.visitor, console.url, "");
  slow.pause();
  const { text, isWhole } = await read(await begin(console.visitor, console.url, ""));
  expect([linesOf({ text }).length, isWhole]).toEqual([2001, true]);
  // The other one began later, and has all: this one would be through, if nothing held it up.
  expect(await endOf(before + 1)).toMatchObject({ details: { people: 2000, whole: true } });
  service.clock.advance(1);
  slow.destroy();
  const cut = (await endOf(before + 2)) as { result: string; details: { people: number; whole: boolean } };
  expect([cut.result, cut.details.whole]).toEqual(["failure", false]);
  expect(cut.details.people).toBeLessThan(2000);
}, 60_000);

test("J7: an export ends visibly broken when the operator's role ends", async () => {
  const app = await service.createApp();
  await many(service, app.id, 2000);
  const [owner] = [await makeOperator(service, "owner"), await makeOperator(service, "owner")];
  const visitor = new Visitor();
  await signInTo(service, await visitor.get(`${consoleUrl}/console/overview`), owner, visitor);
  const before = (await entries(service)).filter(({ action }) => action === "people.exported").length;
  const answer = await begin(visitor, consoleUrl, `app=${app.id}`);
  answer.pause();
  expect(answer.headers["content-length"]).toBeUndefined();
  await operators.update(service.server.app.ctx, owner.id, { role: "support" }, { dryRun: false }, by);
  const { text, isWhole } = await read(answer);
  expect(isWhole).toBe(false);
  expect(linesOf({ text }).length).toBeLessThan(2000);
  expect(await endOf(before + 1)).toMatchObject({ result: "failure", details: { whole: false } });
}, 60_000);

test("J7: an export is no use of the session, which ends as if nobody were there", async () => {
  const app = await service.createApp();
  await many(service, app.id, 2000);
  const [owner, visitor] = [await makeOperator(service, "owner"), new Visitor()];
  await signInTo(service, await visitor.get(`${consoleUrl}/console/overview`), owner, visitor);
  const answer = await begin(visitor, consoleUrl, `app=${app.id}`);
  answer.pause();
  service.clock.advance(31 * 60_000);
  expect((await read(answer)).isWhole).toBe(true);
  service.clock.advance(30 * 60_000);
  expect((await visitor.get(`${consoleUrl}/console/overview`)).status).toBe(303);
}, 60_000);

test("J9: an export needs a passkey of the last ten minutes; J3: and an owner", async () => {
  const [owner, support] = [await makeOperator(service, "owner"), await makeOperator(service, "support")];
  const [byOwner, bySupport] = [new Visitor(), new Visitor()];
  await signInTo(service, await byOwner.get(`${consoleUrl}/console/overview`), owner, byOwner);
  await signInTo(service, await bySupport.get(`${consoleUrl}/console/overview`), support, bySupport);
  const count = (await entries(service)).length;
  const page = await bySupport.get(`${consoleUrl}/console/people`);
  expect(page.text).not.toContain("/people/export");
  const { token = "" } = page.form("/sign-out").fields;
  expect((await bySupport.post(`${consoleUrl}/console/people/export`, { token })).status).toBe(403);
  service.clock.advance(11 * 60_000);
  const list = await byOwner.get(`${consoleUrl}/console/people?state=disabled`);
  const asked = await byOwner.post(`${consoleUrl}/console/people/export`, filled(list, "/people/export"));
  expect(asked.status).toBe(403);
  expect(asked.text).toContain("Nothing has changed.");
  expect((await entries(service)).length).toBe(count);
});
