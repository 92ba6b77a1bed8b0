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
  it("says what is not done yet, with the command that does it, until it is done", async () => {
    const console = await openConsole(service);
    const command = "authsvc db backup FILE";
    const before = await console.get("/overview");
    expect(commandsOn(before)).toContain(command);
    expect(before.text).toContain("No mail is sent");
    expect(before.text).toMatch(/href="#unfinished">\d+ things are not done yet/u);
    const { url } = service.config.database;
    const env = {
      AUTHSVC_DATA: service.dataDir,
      ...(url === undefined ? {} : { AUTHSVC_DATABASE__URL: url, AUTHSVC_MASTER_KEY: service.config.masterKey ?? "" }),
    };
    const file = join(service.dataDir, "overview.backup");
    expect((await authsvc(["db", "backup", file, "--yes"], { cwd: service.dataDir, env })).code).toBe(0);
    await vi.waitFor(async () => expect(commandsOn(await console.get("/overview"))).not.toContain(command), patience);
    service.clock.advance(9 * day);
    await vi.waitFor(async () => expect(commandsOn(await console.get("/overview"))).toContain(command), patience);
  });

  it("shows what was counted: today, a week before, over time, by method and by application", async () => {
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
    expect(numberOf(page, "Sign-ins today")).toMatch(/^3 \d+ % (?:above|below) a week before \([234]\)$|^3 as a week/u);
    expect(numberOf(page, "Sign-ups today")).toMatch(/^2 /u);
    expect(numberOf(page, "Failed sign-ins today")).toBe("3 none a week before");
    expect(numberOf(page, "Refused calls today")).toBe("1 none a week before");
    expect(numberOf(page, "Active users today")).toMatch(/^2 .* 3 in 30 days$/u);
    expect(numberOf(page, "People")).toBe("3 7 live logins");
    expect(summaryOf(page, "sign-ins")).toBe("3 sign-ins, at most 3 (12:00).");
    expect(summaryOf(page, "refusals")).toBe("1 refused call, at most 1 (12:00).");
    expect(rowsOf(page, "Sign-ins by method")).toEqual(["Password 3 3"]);
    expect(rowsOf(page, "Sign-ins by application")).toEqual(["Shop 2 3", "Forum 1 0"]);

    for (const range of ["month", "year"]) {
      page = await console.get(`/overview?range=${range}`);
      expect(summaryOf(page, "sign-ins")).toMatch(/^7 sign-ins, at most 4 /u);
      expect(summaryOf(page, "sign-ups")).toMatch(/^3 sign-ups, at most 2 /u);
      expect(rowsOf(page, "Sign-ins by application")).toEqual(["Shop 6 3", "Forum 1 0"]);
    }
    expect(rowsOf(page, "Sign-ins").reduce((sum, row) => sum + Number(row.split(" ").at(-1)), 0)).toBe(7);

    page = await console.get(`/overview?range=week&app=${forum.id}`);
    expect(numberOf(page, "Sign-ins today")).toBe("1 none a week before");
    expect(numberOf(page, "People")).toBe("1 1 live logins");
    expect(summaryOf(page, "sign-ins")).toMatch(/^1 sign-in, at most 1 \(\w{3} 12:00\)\.$/u);
    expect(page.text).not.toContain("This service");
  });

  it("shows what the running service does, what waits and how large the database is", async () => {
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
      expect(numberOf(page, "Sign-ins today")).toBe("1 none a week before");
      expect(numberOf(page, "Refused calls today")).toBe("0 none a week before");
      expect(numberOf(page, "People")).toBe("1 1 live logins");
      for (const foreign of [other.id, "Others", "This service", "not done yet", "Database", "Mails waiting"])
        expect(page.text).not.toContain(foreign);
    }
    expect((await console.get(`/overview?app=${other.id}`)).status).toBe(404);
  });

  it.each(operatorRoles)("is there for every role: %s", async (role) => {
    const page = await (await openConsole(service, { role })).get("/overview");
    expect([page.status, page.text.includes("This service")]).toEqual([200, true]);
  });

  it("refuses a wrong filter by name, and knows no application that is not there", async () => {
    const console = await openConsole(service);
    const wrong = await console.get("/overview?range=decade");
    expect([wrong.status, wrong.text.includes("range: day, week, month or year")]).toEqual([400, true]);
    expect((await console.get("/overview?app=app_nowhere")).status).toBe(404);
    expect((await console.get("/overview?app=app_console")).status).toBe(404);
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
  describeOnSqlite("without applications", (service) => {
    it("says so in words, and what to do first", async () => {
      const page = await (await openConsole(service)).get("/overview");
      expect(page.text).toContain("No sign-ins in this time.");
      expect(commandsOn(page)).toContain("authsvc app create --name NAME --redirect-uri URI");
    });
  });
});
