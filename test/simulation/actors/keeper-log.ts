/** The log as operators read it: lists, pages and files have exactly the entries that fit. */
import * as audit from "../../../src/records/audit/audit.ts";
import { exportEntries } from "../../../src/records/audit/export.ts";
import { formats, type Format } from "../../../src/records/audit/formats.ts";
import type { AuditFilter } from "../../../src/records/audit/store.ts";
import * as stream from "../../../src/records/audit/stream.ts";
import type { Context } from "../../../src/runtime/context.ts";
import type { AuditCursor } from "../../../src/storage/column-types.ts";
import { inOrder, sameText, surplus, without } from "../firm-answers.ts";
import type { Hand } from "../hand.ts";
import type { Resident } from "../resident.ts";
import { cefOf, csvOf } from "./keeper-files.ts";
import { refusalOf } from "./keeper-settings.ts";

type Entry = audit.AuditEventAnswer;

const minute = 60_000;
const actor = { kind: "cli", name: "keepers" } as const;
/** Of entries about exports, for this test. */
const retention = minute / 2;

export class LogReader {
  readonly #me: Resident;
  readonly #owner: Hand;
  #cursor: AuditCursor | undefined;
  /** Those that the stream began after, and those that it has told of. */
  readonly #told = new Set<string>();

  constructor(me: Resident, owner: Hand) {
    this.#me = me;
    this.#owner = owner;
  }

  async acts(): Promise<void> {
    await this.#follows();
    await this.#me.chances.pick([
      () => this.#lists(),
      () => this.#lists(),
      () => this.#exports(),
      () => this.#exports(),
      () => this.#isStopped(),
      () => this.#shows(),
      () => this.#prunes(),
    ])();
  }

  /** As the table has them, the oldest first. */
  async #stored(ctx: Context, minutes = 5): Promise<Entry[]> {
    const { db, tables } = ctx.storage.reader;
    const rows = await db.select().from(tables.auditEvents);
    const since = ctx.clock() - minutes * minute;
    return rows
      .filter(({ at }) => at >= since)
      .toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1))
      .map(({ organizationId, at, ...row }) => ({
        ...(without(row, "writtenIn") as Omit<typeof row, "writtenIn">),
        at: new Date(at).toISOString(),
        ...(organizationId !== null && { organizationId }),
      }));
  }

  /** What was read while nobody wrote, and what was there; undefined if somebody always did. */
  async #quietly<Read>(read: (ctx: Context, stored: Entry[]) => Promise<Read>) {
    return await this.#me.world.operate(async (ctx) => {
      for (let tries = 0; tries < 3; tries += 1) {
        // Counts that wait are written.
        await audit.list(ctx, { limit: 1 });
        const before = await this.#stored(ctx);
        if (before.length === 0) return undefined;
        const result = await read(ctx, before);
        const after = await this.#stored(ctx);
        if (sameText(before.at(-1), after.at(-1)) && before.length === after.length) return { before, result };
      }
      return undefined;
    });
  }

  /** Fields of one of them, so that some fit. */
  #draw(stored: readonly Entry[]): AuditFilter & { since: number } {
    const { chances } = this.#me;
    const one = chances.pick(stored);
    const may = <Value>(value: Value | null | undefined, chance = 0.25): Value | undefined =>
      value === null || !chances.chance(chance) ? undefined : value;
    const at = Date.parse(one.at);
    return {
      appId: may(one.appId, 0.5),
      exceptAppId: may(one.appId, 0.15),
      userId: may(one.userId),
      action: may(one.action),
      result: may(one.result),
      actor: may(one.actor),
      actorKind: may(one.actor.split(":")[0], 0.15),
      ipAddress: may(one.ipAddress),
      target: may(one.userId ?? one.target, 0.2),
      requestId: may(one.requestId, 0.1),
      id: may(one.id, 0.05),
      since: Math.max(Date.parse(stored[0]?.at ?? ""), may(at, 0.2) ?? 0),
      before: may(at, 0.15),
    };
  }

  async #lists(): Promise<void> {
    const { chances, world } = this.#me;
    let asked: AuditFilter = {};
    const [limit, oldest, size] = [chances.pick([1, 5, 10_000]), chances.chance(0.4), chances.pick([1, 3, 20])];
    const read = await this.#quietly(async (ctx, stored) => {
      asked = this.#draw(stored);
      const list = await audit.list(ctx, { ...asked, limit, oldest });
      const pages: Entry[] = [];
      for (let after: AuditFilter["after"]; ;) {
        const page = await audit.list(ctx, { ...asked, limit: size, oldest, ...(after && { after }) });
        pages.push(...(oldest ? page : page.toReversed()));
        const last = pages.at(-1);
        if (!last || page.length < size || pages.length > 60) return { list, pages };
        after = { at: Date.parse(last.at), id: last.id };
      }
    });
    if (!read) return;
    const fit = read.before.filter((entry) => fits(entry, asked));
    const { list, pages } = read.result;
    const inOrder = oldest ? fit : fit.toReversed();
    const what = `of ${JSON.stringify(asked)}`;
    this.#mustBe(list, oldest ? fit.slice(0, limit) : fit.slice(-limit), `the list ${what}`);
    this.#mustBe(pages, pages.length > 60 ? inOrder.slice(0, pages.length) : inOrder, `the pages ${what}`);
    world.reached("a filtered log compared");
  }

  #mustBe(is: readonly unknown[], should: readonly unknown[], what: string): void {
    const [more, less] = [surplus(texts(is), texts(should)), surplus(texts(should), texts(is))];
    const message = `${more.length} too much (${more[0]}), ${less.length} missing (${less[0]})`;
    this.#me.must("O9", more.length + less.length === 0, `${what}: ${message}`);
    this.#me.must("O9", sameText(is, should), `${what} is in another order`);
  }

  async #exported(asked: AuditFilter, how: { format: Format; oldest: boolean }, mayGoOn = true): Promise<string> {
    const { world } = this.#me;
    return await world.operate(async (ctx) => {
      const wanted = { filter: asked, given: { action: asked.action ?? "any" }, ...how };
      let text = "";
      const parts = exportEntries(ctx, wanted, { actor }, async () => await Promise.resolve(mayGoOn));
      for await (const part of parts) text += part;
      return text;
    });
  }

  /** O9: a file has the entries that fit, and two entries say who took how many. */
  async #exports(): Promise<void> {
    const { chances, world } = this.#me;
    const [format, oldest] = [chances.pick(formats), chances.chance(0.5)];
    const [recent, before] = await world.operate(async (ctx) => [await this.#stored(ctx), await this.#stored(ctx, 15)]);
    if (!recent || !before || recent.length === 0) return;
    const asked = this.#draw(recent);
    const isByHand = format === "csv" && chances.chance(0.5);
    const kept = isByHand ? { since: asked.since, appId: asked.appId, action: asked.action } : asked;
    const text = isByHand ? await this.#byHand(kept) : await this.#exported(kept, { format, oldest });
    const after = await world.operate(async (ctx) => await this.#stored(ctx, 15));
    const known = new Set(before.map(({ id }) => id));
    const added = after.filter(({ id }) => !known.has(id));
    const begins = added.find(({ action }) => action === "audit.export");
    const ends = added.find(({ action }) => action === "audit.exported");
    // Another entry was written in the meantime.
    if (added.length !== 2 || !begins || !ends) return;
    const fit = after.filter((entry) => entry !== ends && fits(entry, kept));
    const should = oldest && !isByHand ? fit : fit.toReversed();
    const lines = text.split("\n").filter((line) => line !== "");
    if (format === "ndjson")
      this.#mustBe(
        lines.map((line) => JSON.parse(line) as unknown),
        should,
        "an export",
      );
    else if (format === "csv") this.#mustBe(csvOf(text), [csvOf.heading, ...should.map(csvOf.row)], "a table");
    else this.#mustBe(lines.map(cefOf), should.map(cefOf.entry), "an export for collectors");
    const who = isByHand ? this.#owner.actor : `cli:${actor.name}`;
    for (const entry of [begins, ends])
      this.#me.must(
        "O9",
        entry.actor === who && entry.appId === (kept.appId ?? null) && entry.result === "success",
        `an export by ${who} of ${String(kept.appId)} has ${JSON.stringify(entry)}`,
      );
    this.#me.must(
      "O9",
      sameText(ends.details, { entries: fit.length, whole: true }),
      `an export of ${fit.length} says ${JSON.stringify(ends.details)}`,
    );
    world.reached("an export of the log compared");
  }

  async #byHand({ since = 0, appId, action }: AuditFilter): Promise<string> {
    const query = { since: new Date(since).toISOString(), ...(appId && { app: appId }), ...(action && { action }) };
    const done = await this.#owner.press(`/audit?${new URLSearchParams(query).toString()}`, "/audit/export");
    this.#me.must("O10", done.status === 200, `an owner exports nothing: ${done.status}`);
    return done.text;
  }

  /** O8: who may not go on gets no entry, and the log says so. */
  async #isStopped(): Promise<void> {
    const { app, world } = this.#me;
    const known = await world.operate(async (ctx) => new Set((await this.#stored(ctx, 15)).map(({ id }) => id)));
    const how = { format: "ndjson", oldest: true } as const;
    const code = await refusalOf(async () => await this.#exported({ appId: app.id }, how, false));
    this.#me.must("O8", code === "INSUFFICIENT_SCOPE", `an export that may not go on: ${code}`);
    const after = await world.operate(async (ctx) => await this.#stored(ctx));
    const own = after.filter(({ id, actor: who }) => !known.has(id) && who === `cli:${actor.name}`);
    // Entries of one millisecond are in any order.
    const inOrder = own.toSorted((one, other) => (one.action < other.action ? -1 : 1));
    const is = inOrder.map(({ action, result, details }) => [action, result, details]);
    const should = [
      ["audit.export", "success", { action: "any" }],
      ["audit.exported", "failure", { entries: 0, whole: false }],
    ];
    this.#me.must("O9", sameText(is, should), `an export that was stopped says ${JSON.stringify(is)}`);
    world.reached("an export of the log stopped");
  }

  /** The console has the newest fifty, and those before them. */
  async #shows(): Promise<void> {
    const { chances, app, world } = this.#me;
    const query = chances.pick([`app=${app.id}`, `app=${app.id}&result=success`, "actor=cli:keepers"]);
    const before = await world.operate(async (ctx) => await this.#stored(ctx));
    const since = before[0]?.at ?? "";
    const idsOf = (text: string): string[] => [...text.matchAll(/data-open="(aud_\w+)"/gu)].map(([, id = ""]) => id);
    const first = await this.#owner.open(`/audit?${query}&since=${since}`);
    const older = /after=[\w.-]+/u.exec(first.text)?.[0];
    const second = older === undefined ? undefined : await this.#owner.open(`/audit?${query}&since=${since}&${older}`);
    const after = await world.operate(async (ctx) => await this.#stored(ctx));
    if (before.length === 0 || before.at(-1)?.id !== after.at(-1)?.id) return;
    const wanted: AuditFilter = query.startsWith("actor")
      ? { actor: "cli:keepers" }
      : { appId: app.id, result: query.includes("result") ? "success" : undefined };
    const fit = before.filter((entry) => fits(entry, wanted)).map(({ id }) => id);
    const shown = [...idsOf(first.text), ...idsOf(second?.text ?? "")];
    this.#mustBe(shown, fit.toReversed().slice(0, 100), `the page of ${query}`);
    world.reached("a page of the log compared");
  }

  /** O5: a follower gets each entry once. */
  async #follows(): Promise<void> {
    const { chances, world } = this.#me;
    await world.operate(async (ctx) => {
      if (!this.#cursor) {
        const ids = async (): Promise<string[]> => (await this.#stored(ctx, 1000)).map(({ id }) => id);
        const before = await ids();
        const { origin, position } = await stream.hereIn(ctx);
        const all = await ids();
        // An entry of the same time may come before or after: the follower begins at another time.
        if (all.join() !== before.join()) return;
        this.#cursor = { origin, after: position, rest: null };
        for (const id of all) this.#told.add(id);
        return;
      }
      const problem = await stream.foreignBecause(ctx, this.#cursor);
      this.#me.must("O5", problem === undefined, `a cursor of the log ${problem}`);
      const before = await this.#stored(ctx, 1000);
      const limit = chances.pick([1, 7, 500]);
      const told: Entry[] = [];
      for (let page = await stream.readOn(ctx, this.#cursor, { limit }); ;) {
        this.#me.must("O5", page.entries.length <= limit, "a page of the log is too long");
        told.push(...page.entries.map(audit.answerOf));
        this.#cursor = page.cursor;
        if (!page.more) break;
        page = await stream.readOn(ctx, page.cursor, { limit });
      }
      const twice = told.find(({ id }) => this.#told.has(id));
      this.#me.must("O5", !twice, `the entry ${twice?.id} was told twice`);
      for (const { id } of told) this.#told.add(id);
      const missing = before.find(({ id }) => !this.#told.has(id));
      this.#me.must("O5", !missing, `nobody was told of the entry ${JSON.stringify(missing)}`);
      const byId = new Map(before.map((entry) => [entry.id, entry]));
      // The address is forgotten with its person.
      const texts = (entry: Entry): string => JSON.stringify(without(entry, "ipAddress"), inOrder);
      const other = told.find((entry) => texts(byId.get(entry.id) ?? entry) !== texts(entry));
      this.#me.must("O5", !other, `a follower got ${JSON.stringify(other)}`);
      if (told.length > 0) world.reached("the log followed");
    });
  }

  /** O4: a retention of its own ends the entries of one action, and nothing else. */
  async #prunes(): Promise<void> {
    const { world } = this.#me;
    await world.operate(async (ctx) => {
      const before = await this.#stored(ctx, 1000);
      const days = retention / (1440 * minute);
      const kept = [
        { action: "audit.export", days },
        { action: "audit", days: 365 },
      ].toReversed();
      const config = { ...ctx.config, audit: { ...ctx.config.audit, retention: kept } };
      const from = ctx.clock() - retention;
      while (await audit.sweep({ ...ctx, config }));
      const to = ctx.clock() - retention;
      const left = new Set((await this.#stored(ctx, 1000)).map(({ id }) => id));
      for (const { id, action, at } of before) {
        const mayGo = action === "audit.export" && Date.parse(at) < to;
        const mustGo = action === "audit.export" && Date.parse(at) < from;
        this.#me.must("O4", left.has(id) ? !mustGo : mayGo, `${action} of ${at} is ${left.has(id) ? "kept" : "gone"}`);
      }
      world.reached("old entries pruned");
    });
  }
}

function texts(some: readonly unknown[]): string[] {
  return some.map((each) => JSON.stringify(each, inOrder));
}

function fits(entry: Entry, asked: AuditFilter): boolean {
  const at = Date.parse(entry.at);
  const { exceptAppId, actorKind, target, since, before, ...same } = asked;
  const others = Object.entries(same).filter(([, value]) => value !== undefined);
  return (
    others.every(([name, value]) => entry[name as keyof Entry] === value) &&
    (exceptAppId === undefined || entry.appId !== exceptAppId) &&
    (actorKind === undefined || entry.actor.startsWith(`${actorKind}:`)) &&
    (target === undefined || (target.startsWith("usr_") ? entry.userId : entry.target) === target) &&
    (since === undefined || at >= since) &&
    (before === undefined || at < before)
  );
}
