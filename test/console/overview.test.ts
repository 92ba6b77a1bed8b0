import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { day, hour } from "../../src/lib/clock.ts";
import { aggregatedEvents } from "../../src/records/audit/aggregated-events.ts";
import { operatorRoles } from "../../src/storage/column-types.ts";
import { authsvc } from "../cli/in-process.ts";
import { commandsOn, openConsole } from "../support/console.ts";
import { call, redeem, signedUp, signIn, type Page } from "../support/person.ts";
import { describeEachDatabase, describeOnSqlite, type TestApp, type TestService } from "../support/service.ts";

const patience = { timeout: 60_000, interval: 100 };

/** One sign-up and `again` more sign-ins with the password, and failed ones. */
async function visit(service: TestService, app: TestApp, { again = 0, failed = 0 } = {}): Promise<void> {
  const { email } = await signedUp(service, app);
  for (let times = 0; times < again; times += 1) await redeem(service, app, await signIn(service, app, { email }));
  for (let times = 0; times < failed; times += 1)
    await expect(signIn(service, app, { email, password: "not the password" })).rejects.toThrow();
  await aggregatedEvents(service.server.app.ctx).flush();
}

async function refused(service: TestService, app: TestApp): Promise<void> {
  await call(service, "POST", "/auth/initiate", { ...app.headers, authorization: "Bearer wrong" }, {});
  await aggregatedEvents(service.server.app.ctx).flush();
}

/** The words of the number with this name. */
function numberOf({ text }: Page, name: string): string {
  const [, content = ""] = new RegExp(`<dt>${name}</dt>\\s*<dd>(.*?)</dd>`, "su").exec(text) ?? [];
  return wordsOf(content);
}

function wordsOf(markup: string): string {
  return markup
    .replaceAll(/<svg.*?<\/svg>|<[^>]*>/gsu, " ")
    .replaceAll(/[\s\u00A0\u202F]+/gu, " ")
    .replaceAll(/(?<=\() | (?=\))/gu, "")
    .trim();
}

/** The caption of a chart, without its heading. */
function summaryOf({ text }: Page, id: string): string {
  return wordsOf(new RegExp(`id="${id}-summary">(.*?)</p>`, "su").exec(text)?.[1] ?? "");
}

/** The rows of a table, as words. */
function rowsOf({ text }: Page, caption: string): string[] {
  const [, table = ""] = new RegExp(`<caption[^>]*>\\s*${caption}\\s*</caption>(.*?)</table>`, "su").exec(text) ?? [];
  return [...table.matchAll(/<tr>\s*<(td|th scope="row")(.*?)<\/tr>/gsu)].map(([, cell = "", row = ""]) =>
    wordsOf(`<${cell}${row}`),
  );
}

/** So that no test runs across an hour, a day or a week. */
function toMidday({ clock }: TestService): void {
  clock.advance(2 * day - (clock.now % day) + 12.5 * hour);
}

describeEachDatabase("the overview", (service) => {
  it("shows what was counted: in the time, a week before, by method and by application", async () => {
    toMidday(service);
    const [shop, forum] = [await service.createApp({ name: "Shop" }), await service.createApp({ name: "Forum" })];
    await visit(service, shop, { again: 3 });
    service.clock.advance(7 * day);
    await visit(service, shop, { again: 1, failed: 3 });
    await visit(service, forum);
    await refused(service, shop);
    const console = await openConsole(service);
    let page = await console.get("/overview");
    expect(page.status).toBe(200);
    // Of the four sign-ins a week before, only a part of the hour counts: it is not over now.
    const before = /^3 [234] a week before$/u;
    expect(numberOf(page, "Sign-ins")).toMatch(before);
    expect(numberOf(page, "Sign-ups")).toMatch(/^2 /u);
    expect(numberOf(page, "Failed sign-ins")).toBe("3 none a week before");
    expect(numberOf(page, "Refused calls")).toBe("1 none a week before");
    expect(numberOf(page, "Active users today")).toBe("2 3 in the last 30 days");
    expect(numberOf(page, "People now")).toBe("3 7 live logins");
    expect(summaryOf(page, "sign-ins")).toMatch(
      /^3 sign-ins, at most 3 \(12:00\)\. 12:00 until now: 3, [234] in the same hours a week before\.$/u,
    );
    expect(summaryOf(page, "refusals")).toBe(
      "1 refused call, at most 1 (12:00). 12:00 until now: 1, none in the same hours a week before.",
    );
    expect(rowsOf(page, "Sign-ins by method")).toEqual(["Password 3 100 % 3"]);
    expect(rowsOf(page, "Sign-ins by application")).toEqual(["Shop 2 67 % 3", "Forum 1 33 % 0"]);

    for (const range of ["month", "year"]) {
      page = await console.get(`/overview?range=${range}`);
      expect(summaryOf(page, "sign-ins")).toMatch(/^7 sign-ins, at most 4 /u);
      expect(summaryOf(page, "sign-ups")).toMatch(/^3 sign-ups, at most 2 /u);
      expect(rowsOf(page, "Sign-ins by application")).toEqual(["Shop 6 86 % 3", "Forum 1 14 % 0"]);
    }
    expect(rowsOf(page, "Sign-ins").reduce((sum, row) => sum + Number(row.split(" ").at(-1)), 0)).toBe(7);
    expect(rowsOf(page, "Sign-ins").at(-1)).toMatch(/ until now 3$/u);

    page = await console.get(`/overview?range=week&app=${forum.id}`);
    expect(numberOf(page, "Sign-ins")).toBe("1 none a week before");
    expect(numberOf(page, "People now")).toBe("1 1 live login");
    expect(summaryOf(page, "sign-ins")).toMatch(/^1 sign-in, at most 1 \(\w{3} 12:00\)\. /u);
    expect(page.text).not.toContain("This service");

    // Made of whole days and the hours before and after them.
    const { now } = service.clock;
    const time = (at: number): string => new Date(at).toISOString().slice(0, 16);
    const shown = async (query: string) => rowsOf(await console.get(`/overview?${query}`), "Sign-ins by application");
    const [both, latter] = [
      ["Shop 6 86 % 3", "Forum 1 14 % 0"],
      ["Shop 2 67 % 3", "Forum 1 33 % 0"],
    ];
    expect(await shown(`from=${time(now - 7 * day)}&until=${time(now)}`)).toEqual(both);
    expect(await shown(`from=${time(now - 7 * day + hour)}&until=${time(now)}`)).toEqual(latter);
    expect(await shown(`from=${time(now - 8 * day)}&until=${time(now - hour)}`)).toEqual(["Shop 4 100 % 0"]);
    service.clock.advance(day);
    expect(await shown("range=week")).toEqual(latter);
  });

  it("shows what the running service does, what waits and how large the database is", async () => {
    await visit(service, await service.createApp());
    const page = await (await openConsole(service)).get("/overview");
    const of = (name: string): string => numberOf(page, name);
    expect(of("Password hashes")).toMatch(/^\d+ running, \d+ waiting, [\d.]+ a second$/u);
    expect(of("Webhooks waiting")).toBe("0");
    expect(of("Mails waiting")).toBe("0");
    expect(of("Database")).toMatch(
      service.dialect === "sqlite" ? /^SQLite, [\d.]+ MiB$/u : /^PostgreSQL, [\d.]+ MiB$/u,
    );
  });
});

describeOnSqlite("who sees what on the overview", (service) => {
  it("shows an operator of one application that one only, and nothing about the whole service", async () => {
    toMidday(service);
    const [own, other] = [await service.createApp({ name: "Own" }), await service.createApp({ name: "Others" })];
    await visit(service, own);
    await visit(service, other, { again: 4 });
    await refused(service, other);
    const console = await openConsole(service, { appId: own.id });
    for (const query of ["", `?app=${own.id}`, "?range=year", "?range=month&app="]) {
      const page = await console.get(`/overview${query}`);
      expect(page.status).toBe(200);
      expect(numberOf(page, "Sign-ins")).toMatch(/^1 none (?:a week|\d+ weeks) before$/u);
      expect(numberOf(page, "Refused calls")).toMatch(/^0 none /u);
      expect(numberOf(page, "People now")).toBe("1 1 live login");
      for (const foreign of [other.id, "Others", "This service", "/console/service", "Database", "Mails waiting"])
        expect(page.text).not.toContain(foreign);
    }
    expect((await console.get(`/overview?app=${other.id}`)).status).toBe(404);
  });

  it.each(operatorRoles)("is there for every role: %s", async (role) => {
    await visit(service, await service.createApp());
    const page = await (await openConsole(service, { role })).get("/overview");
    expect([page.status, page.text.includes("This service")]).toEqual([200, true]);
  });

  it("refuses a wrong filter by name, and knows no application that is not there", async () => {
    await visit(service, await service.createApp());
    const console = await openConsole(service);
    const wrong = await console.get("/overview?range=decade");
    expect([wrong.status, wrong.text.includes("range: day, week, month or year")]).toEqual([400, true]);
    expect((await console.get("/overview?app=app_nowhere")).status).toBe(404);
    expect((await console.get("/overview?app=app_console")).status).toBe(404);
  });

  it("keeps the zone of the page's times in its filter and its links", async () => {
    await visit(service, await service.createApp());
    const console = await openConsole(service);
    const { text } = await console.get("/overview?range=week&zone=Asia/Tokyo");
    expect(text).toMatch(/<input\s[^>]*name="zone"\s[^>]*value="Asia\/Tokyo"/u);
    const links = [...text.matchAll(/href="(\/console\/overview\?[^"]*)"/gu)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(30);
    expect(links.filter((path) => !path.includes("zone=Asia"))).toEqual([]);
    expect((await console.get("/overview")).text).not.toContain('name="zone"');
  });

  it("shows an application's name as text, whatever it holds", async () => {
    const name = "<img src=x onerror=alert(1)>";
    const app = await service.createApp({ name });
    await visit(service, app);
    const { text } = await (await openConsole(service)).get("/overview");
    expect(text).not.toContain("<img");
    expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;");
  });

  it("has no inline style or script", async () => {
    for (const range of ["day", "year"])
      expect((await (await openConsole(service)).get(`/overview?range=${range}`)).text).not.toMatch(
        /<[^>]*\s(?:style|on\w+)=|<style|<script(?! type="module" src=)/u,
      );
  });
});

describe("a new service", () => {
  const done = ({ text }: Page): string[] =>
    [...text.matchAll(/<h3>\s*([^<]*?)\s*<span class="state good">done/gu)].map(([, name = ""]) => name);

  describeOnSqlite("without applications", (service) => {
    it("shows what to do instead of charts, and what is done of it", async () => {
      const console = await openConsole(service);
      let page = await console.get("/overview");
      expect([page.text.includes("No sign-ins"), done(page)]).toEqual([false, []]);
      for (const command of [
        "authsvc app create --name NAME --redirect-uri URI",
        "authsvc db backup FILE",
        "authsvc operator invite --email EMAIL --role owner",
      ])
        expect(commandsOn(page)).toContain(command);
      for (const line of ["smtpUrl: ", "baseUrl: https://", "certFile: ", "listen: 127.0.0.1:"])
        expect(page.text).toContain(line);

      const app = await service.createApp();
      page = await console.get("/overview");
      expect(done(page)).toEqual(["Create an application"]);
      expect(page.text).toContain(`AUTHSVC_APP_ID=${app.id}`);
      expect(page.text).toContain(`/console/applications/${app.id}/try`);

      await call(service, "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri });
      const file = join(service.dataDir, "overview.backup");
      const env = { AUTHSVC_DATA: service.dataDir };
      expect((await authsvc(["db", "backup", file, "--yes"], { cwd: service.dataDir, env })).code).toBe(0);
      await vi.waitFor(
        async () =>
          expect(done(await console.get("/overview"))).toEqual([
            "Create an application",
            "Connect its server",
            "Make a backup",
          ]),
        patience,
      );

      await visit(service, app);
      page = await console.get("/overview");
      expect([page.text.includes("Set up this service"), numberOf(page, "Sign-ins")]).toEqual([
        false,
        "1 none a week before",
      ]);
    });

    it("shows no step about operators to others than owners, and no button that they may not press", async () => {
      const page = await (await openConsole(service, { role: "viewer" })).get("/overview");
      expect(page.text).not.toMatch(/second operator|Back up now|Create a key/u);
    });
  });
});
