import { expect, it } from "vitest";
import * as profiles from "../../src/people/profile.ts";
import * as groups from "../../src/users/groups/service.ts";
import { openConsole, type Console } from "../support/console.ts";
import { invite } from "../support/invites.ts";
import { disableUser, newUser } from "../support/mail-flows.ts";
import { isLongRun } from "../support/long-run.ts";
import { giveFactor, giveIdentity, givePasskey, setProvider } from "../support/methods.ts";
import { decoded, goodPassword, newEmail, redeem, signIn, type Page } from "../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";
import { runSql } from "../cli/sql.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

function foundOn({ text }: Page): string[] {
  return [...text.matchAll(/href="\/console\/people\/([\w.-]+)"/gu)].map(([, id = ""]) => id);
}

function nextOf({ text }: Page): string | undefined {
  const [, address] = /href="\/console([^"]*)">Next page/u.exec(text) ?? [];
  return address === undefined ? undefined : decoded(address);
}

/** Everybody on a page and those after it. */
async function walk(console: Console, address: string, afterPage: (page: number) => Promise<void> = async () => {}) {
  const pages: string[][] = [];
  for (let next: string | undefined = address; next !== undefined;) {
    const page: Page = await console.get(next);
    pages.push(foundOn(page));
    next = nextOf(page);
    await afterPage(pages.length);
  }
  return pages;
}

/** One of each kind, from the newest to the oldest. */
async function oneOfEach(service: TestService, app: TestApp) {
  const make = async (work: () => Promise<string>): Promise<string> => {
    service.clock.advance(1000);
    return await work();
  };
  const created = async (): Promise<string> => (await newUser(service, app)).id;
  const withoutMethod = await make(created);
  const password = await make(async () => {
    const { id, email } = await newUser(service, app, { password: goodPassword });
    await redeem(service, app, await signIn(service, app, { email }));
    return id;
  });
  const passkey = await make(async () => {
    const id = await created();
    await givePasskey(service, id);
    await giveFactor(service, id);
    return id;
  });
  const google = await make(created);
  await giveIdentity(service, app, google);
  const blocked = await make(created);
  await giveFactor(service, blocked);
  await runSql(service, `UPDATE second_factors SET failures = 100 WHERE user_id = '${blocked}'`);
  const disabled = await make(created);
  await disableUser(service, disabled);
  const invited = await make(async () => (await invite(service, app, newEmail(), { link: true })).userId ?? "");
  return { invited, disabled, blocked, google, passkey, password, withoutMethod };
}

describeEachDatabase("the list of people", (current) => {
  it("shows everybody of all applications at once, the newest first, with the state of each", async () => {
    const service = current();
    const [one, other] = [await service.createApp(), await service.createApp()];
    const first = await oneOfEach(service, one);
    service.clock.advance(1000);
    const { id: last } = await newUser(service, other);
    const page = await (await openConsole(service)).get("/people");
    expect(foundOn(page).slice(0, 8)).toEqual([last, ...Object.values(first)]);
    const states = [...page.text.matchAll(/<span class="state \w+">([^<]+)</gu)].map(([, word]) => word);
    expect(states.slice(0, 4)).toEqual(["active", "invited", "disabled", "factor blocked"]);
    const ofOne = await (await openConsole(service, { appId: other.id })).get("/people");
    expect(foundOn(ofOne)).toEqual([last]);
  });

  it("finds by state, method, second factor and group, with and without a text, in one application and in all", async () => {
    const service = current();
    const app = await service.createApp();
    await setProvider(service, app);
    const all = await oneOfEach(service, app);
    const { invited, disabled, blocked, google, passkey, password, withoutMethod } = all;
    await groups.put(service.server.app.ctx, app.id, "staff", {}, by);
    await groups.add(service.server.app.ctx, app.id, "staff", [disabled, password, passkey], by);
    const wanted: [filter: Record<string, string>, found: string[]][] = [
      [{ state: "active" }, [google, passkey, password, withoutMethod]],
      [{ state: "invited" }, [invited]],
      [{ state: "disabled" }, [disabled]],
      [{ state: "blocked" }, [blocked]],
      [{ method: "passkey" }, [passkey]],
      [{ method: "password" }, [password]],
      [{ method: "provider:google" }, [google]],
      [{ method: "provider:github" }, []],
      [{ method: "none" }, [invited, disabled, blocked, withoutMethod]],
      [{ factor: "none" }, [invited, disabled, google, password, withoutMethod]],
      [{ state: "active", factor: "none", method: "none" }, [withoutMethod]],
      [{ group: "staff" }, [disabled, passkey, password]],
      [{ group: "staff", factor: "none" }, [disabled, password]],
      [{ group: "staff", state: "disabled" }, [disabled]],
      [{ group: "staff", state: "invited" }, []],
    ];
    const console = await openConsole(service);
    const isOurs = (id: string): boolean => Object.values(all).includes(id);
    for (const [filter, found] of wanted) {
      for (const inApp of "group" in filter ? [app.id] : [app.id, ""]) {
        const page = await console.get(`/people?${new URLSearchParams({ ...filter, app: inApp }).toString()}`);
        expect([filter, foundOn(page).filter(isOurs)]).toEqual([filter, found]);
      }
      // An invited person has no name here, so the text is a part of every address.
      const query = new URLSearchParams({ ...filter, app: app.id, q: "example" });
      expect([filter, foundOn(await console.get(`/people?${query.toString()}`))]).toEqual([filter, found]);
    }
    // The invitation expires; who was invited and signed in is active.
    service.clock.advance(8 * 24 * 3_600_000);
    expect(foundOn(await console.get(`/people?app=${app.id}&state=invited`))).toEqual([]);
    expect(foundOn(await console.get(`/people?app=${app.id}&state=active`))[0]).toBe(invited);
  });

  it("neither skips nor repeats anybody among 10,000 of one instant, while people come and go", async () => {
    const service = current();
    const app = await service.createApp();
    const { ctx } = service.server.app;
    const count = isLongRun ? 10_000 : 1000;
    const series =
      service.dialect === "sqlite"
        ? `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})`
        : `WITH s AS (SELECT generate_series(1::bigint, ${count}) AS n)`;
    await runSql(
      service,
      `${series} INSERT INTO users (id, app_id, email_verified, handle, created_at, updated_at, login_count)
        SELECT 'same.' || (n + 100000), '${app.id}', ${service.dialect === "sqlite" ? "0" : "false"}, 'same' || n, ${service.clock.now}, 0, 0 FROM s`,
    );
    const console = await openConsole(service, { appId: app.id });
    const gone = [`same.${100_000 + count / 2}`, "same.100100"];
    const pages = await walk(console, "/people", async (page) => {
      if (page === 2) {
        service.clock.advance(1);
        await newUser(service, app);
      }
      const next = page === 4 ? gone[0] : page === 6 ? gone[1] : undefined;
      if (next !== undefined) await profiles.remove(ctx, next, by);
    });
    const seen = pages.flat();
    expect(new Set(seen).size).toBe(seen.length);
    const left = Array.from({ length: count }, (_each, n) => `same.${100_001 + n}`).filter((id) => !gone.includes(id));
    expect(left.filter((id) => !seen.includes(id))).toEqual([]);
    expect(pages.slice(0, -1).every((page) => page.length === 50)).toBe(true);
  }, 60_000);

  it("looks at 2,000 people a page where no index knows the filter, says how far back, and continues from there", async () => {
    const service = current();
    const app = await service.createApp();
    const count = 4500;
    const series =
      service.dialect === "sqlite"
        ? `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})`
        : `WITH s AS (SELECT generate_series(1::bigint, ${count}) AS n)`;
    await runSql(
      service,
      `${series} INSERT INTO users (id, app_id, email_verified, handle, created_at, updated_at, login_count)
        SELECT 'rare' || (n + 100000), '${app.id}', ${service.dialect === "sqlite" ? "0" : "false"}, 'rare' || n, ${Date.UTC(2026, 0, 1)} + n * 3600000, 0, 0 FROM s`,
    );
    await givePasskey(service, "rare100003");
    const console = await openConsole(service);
    const first = await console.get(`/people?app=${app.id}&method=passkey`);
    expect(foundOn(first)).toEqual([]);
    expect(first.text).toContain("Nobody so far.");
    expect(first.text).toMatch(/among people created since <time[^>]*>\d+ \w+ 2026/u);
    const pages = await walk(console, `/people?app=${app.id}&method=passkey`);
    expect(pages).toEqual([[], [], ["rare100003"]]);
    expect(await walk(console, `/people?app=${app.id}&method=password`)).toEqual([[], [], []]);
    // An index knows the disabled ones.
    await disableUser(service, "rare100001");
    expect(await walk(console, `/people?app=${app.id}&state=disabled`)).toEqual([["rare100001"]]);
  }, 60_000);
});
