import { expect, it } from "vitest";
import { day, hour } from "../../src/lib/clock.ts";
import { rangeOf } from "../../src/console/overview/time-range.ts";
import { addActivity } from "../../src/records/activity/activity-store.ts";
import type { ActivityEvent } from "../../src/storage/column-types.ts";
import { seeded } from "../../scripts/screenshots/console-year.ts";
import { openConsole, type Console } from "../support/console.ts";
import { redeem, signedUp, signIn, type Page } from "../support/person.ts";
import { describeOnSqlite, type TestService } from "../support/service.ts";

const seed = Number(process.env["AUTHSVC_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

type Count = { event: ActivityEvent; at: number; value: number };

const kinds: [event: ActivityEvent, kind: string][] = [
  ["sign-in", "password"],
  ["sign-in", "passkey"],
  ["sign-in", "oauth:google"],
  ["sign-up", "password"],
  ["sign-in.failed", "password"],
  ["second-factor.failed", "totp"],
  ["refusal", "RATE_LIMITED"],
];
const charts: [id: string, name: string, events: ActivityEvent[]][] = [
  ["sign-ins", "Sign-ins", ["sign-in"]],
  ["sign-ups", "Sign-ups", ["sign-up"]],
  ["failures", "Failed sign-ins", ["sign-in.failed", "second-factor.failed"]],
  ["refusals", "Refused calls", ["refusal"]],
];

/** Of 80 days, mostly of the last ones; what was written. */
async function countAtRandom({ server, clock }: TestService, appId: string, random: () => number): Promise<Count[]> {
  const counts: Count[] = [];
  await server.app.ctx.storage.write(async (tx) => {
    for (let turn = 0; turn < 400; turn += 1) {
      const at = clock.now - Math.floor(80 * day * random() ** 3);
      const [event, kind] = kinds[Math.floor(random() * kinds.length)] ?? ["sign-in", "password"];
      const value = 1 + Math.floor(random() * 9);
      await addActivity(tx, { appId, event, kind, value, hour: at - (at % hour), day: at - (at % day) });
      counts.push({ event, at, value });
    }
  });
  return counts;
}

const numberIn = (text: string): number => Number(text.replaceAll(/[\s\u202F]/gu, ""));

/** The rows of a chart's table: where each leads, and its total. */
function rowsOf({ text }: Page, id: string): { path: string; total: number }[] {
  const [, table = ""] = new RegExp(`data-live="${id}-table">(.*?)</table>`, "su").exec(text) ?? [];
  const [, body = ""] = /<tbody>(.*)<\/tbody>/su.exec(table) ?? [];
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gsu)].map(([, row = ""]) => ({
    path: /href="\/console([^"]*)"/u.exec(row)?.[1]?.replaceAll("&amp;", "&") ?? "",
    total: numberIn([...row.matchAll(/class="number">([^<]*)</gu)].at(-1)?.[1] ?? "NaN"),
  }));
}

/** The tile with this name. */
function tileOf({ text }: Page, name: string): number {
  return numberIn(new RegExp(`<dt>${name}</dt>\\s*<dd>([\\d\\u202F]+)`, "u").exec(text)?.[1] ?? "NaN");
}

function sum(counts: readonly { value: number }[]): number {
  return counts.reduce((total, { value }) => total + value, 0);
}

describeOnSqlite("charts and the numbers behind them", (service) => {
  async function page(console: Console, path: string): Promise<Page> {
    const found = await console.get(path);
    expect([path, found.status]).toEqual([path, 200]);
    return found;
  }

  it(`agree for any time: tiles, bars, and what a bar leads to, down to an hour (seed ${seed})`, async () => {
    const random = seeded(seed);
    const app = await service.createApp();
    // So that the page has charts.
    await redeem(service, app, await signIn(service, app, { email: (await signedUp(service, app)).email }));
    const other = await service.createApp();
    const counts = await countAtRandom(service, other.id, random);
    const console = await openConsole(service);
    const inAddress = (at: number): string => new Date(at).toISOString().slice(0, 16);
    for (let turn = 0; turn < 15; turn += 1) {
      const until = service.clock.now - Math.floor(70 * day * random() ** 2);
      const from = until - Math.ceil(40 * day * random() ** 3 + hour);
      let path = `/overview?app=${other.id}&from=${inAddress(from)}&until=${inAddress(until)}`;
      for (;;) {
        const shown = await page(console, path);
        const query = new URL(path, "http://console").searchParams;
        const rows = rowsOf(shown, "sign-ins");
        const range = rangeOf(new Map(query), service.clock.now);
        if (typeof range === "string") throw new Error(range);
        const { from: start, to: end } = range;
        for (const [id, name, events] of charts) {
          const expected = sum(counts.filter(({ event, at }) => events.includes(event) && at >= start && at < end));
          expect([path, name, tileOf(shown, name)]).toEqual([path, name, expected]);
          if (shown.text.includes(`id="${id}-title"`))
            expect([path, id, sumOf(rowsOf(shown, id))]).toEqual([path, id, expected]);
        }
        const next = rows.filter(({ total }) => total > 0)[
          Math.floor(random() * rows.filter(({ total }) => total > 0).length)
        ];
        if (!next) break;
        expect(next.path).not.toBe(path);
        expect(tileOf(await page(console, next.path), "Sign-ins")).toBe(next.total);
        path = next.path;
      }
    }
  });

  it("shows at one hour its audit entries, and nothing of other applications to those who see one", async () => {
    const [own, other] = [await service.createApp(), await service.createApp()];
    const at = service.clock.now;
    for (const app of [own, other]) await signedUp(service, app);
    const from = new Date(at - (at % hour)).toISOString().slice(0, 16);
    const path = `/overview?from=${from}`;
    const all = await (await openConsole(service)).get(path);
    expect(all.text).toContain(other.id);
    expect(all.text).toMatch(/Audit entries.*Account created.*Webhooks not delivered/su);
    const limited = await (await openConsole(service, { appId: own.id })).get(path);
    expect(limited.text).toContain("Account created");
    expect(limited.text).not.toContain(other.id);
  });
});

function sumOf(rows: readonly { total: number }[]): number {
  return rows.reduce((total, row) => total + row.total, 0);
}
