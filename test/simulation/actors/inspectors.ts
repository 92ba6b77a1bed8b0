/**
 * Inspectors hold the console to its own table (docs/console.md): what a role may not do, an old
 * passkey does not prove, or is not part of what it is named with, is refused and changes nothing.
 */
import { readFileSync } from "node:fs";
import { openLocalEntry } from "../../../src/console/entry/local-entry.ts";
import { consoleRouter } from "../../../src/console/listener.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import type { Context } from "../../../src/runtime/context.ts";
import { operatorRoles, type OperatorRole } from "../../../src/storage/column-types.ts";
import type { Page } from "../../support/person.ts";
import { calling } from "../browser.ts";
import type { Generator } from "../generator.ts";
import { Hand } from "../hand.ts";
import { consoleOrigin, messageOf } from "../node.ts";
import { askedAgain } from "../resident.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";

type Line = { path: string; isPage: boolean; role: OperatorRole; marks: string };
/** A thing, and what it is part of, by the names in the paths of the table. */
type Ids = Record<string, string>;

const lines = readTable();
const minute = 60_000;

function readTable(): Line[] {
  const page = readFileSync(new URL("../../../docs/console.md", import.meta.url), "utf8");
  const rows = (page.split("## Who may do what")[1] ?? "").split("\n").filter((line) => line.startsWith("| `/"));
  const all = rows.map((row) => {
    const [, path = "", is, role, marks = ""] = row.split("|").map((cell) => cell.trim());
    return { path: path.replaceAll("`", ""), isPage: is === "page", role: role as OperatorRole, marks };
  });
  return all.filter(({ path }) => path !== "/sign-out");
}

/** Of each table, under which names a path has its columns. */
const columns: Record<string, Ids> = {
  applications: { appId: "id" },
  users: { userId: "id", ofApp: "appId" },
  logins: { userId: "userId", loginId: "id" },
  passkeys: { userId: "userId", methodId: "id" },
  trustedBrowsers: { userId: "userId", browserId: "id" },
  personalTokens: { userId: "userId", tokenId: "id" },
  apiKeys: { appId: "appId", keyId: "id" },
  groups: { appId: "appId", group: "name" },
  clients: { appId: "appId", clientId: "id" },
  clientSecrets: { clientId: "clientId", secretId: "id" },
  organizations: { appId: "appId", orgId: "id", name: "name", isGone: "deletedAt" },
  organizationMembers: { appId: "appId", orgId: "organizationId", userId: "userId", isGone: "leftAt" },
  organizationInvitations: { appId: "appId", orgId: "organizationId", invitationId: "id" },
  organizationDomains: { appId: "appId", orgId: "organizationId", domain: "domain" },
  organizationSetupLinks: { appId: "appId", orgId: "organizationId", linkId: "id" },
  webhookEndpoints: { ofApp: "appId", id: "id", isGone: "clientId" },
};

async function thingsIn({ storage: { reader } }: Context): Promise<Ids[]> {
  const { db, tables } = reader;
  const found: Ids[] = [];
  for (const [name, names] of Object.entries(columns)) {
    const table = tables[name as "users"] as unknown as Record<string, typeof tables.users.id>;
    const wanted = Object.entries(names).map(([as, column]) => [as, table[column]] as const);
    const rows = (await db.select(Object.fromEntries(wanted) as never).from(table as never)) as Ids[];
    found.push(...rows.filter((row) => (row["isGone"] ?? null) === null));
  }
  const console = "app_console";
  const homes = new Map(found.flatMap(({ clientId, appId }) => (appId === undefined ? [] : [[clientId, appId]])));
  for (const each of found) if (each["secretId"] !== undefined) each["appId"] = homes.get(each["clientId"]) ?? "";
  return found.filter((each) => each["ofApp"] !== console && each["appId"] !== console);
}

const namesIn = (path: string): string[] => [...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
const filledIn = (path: string, ids: Ids): string =>
  path.replaceAll(/:(\w+)/gu, (_part, name: string) => encodeURIComponent(ids[name] ?? "nothing"));
const isAllowed = (role: OperatorRole, line: Line): boolean =>
  operatorRoles.indexOf(role) >= operatorRoles.indexOf(line.role);

export async function inspect(world: World, { chances, isOver }: Part): Promise<void> {
  const caller = { world, ipAddress: "203.0.113.21", chances: chances.fork("network") };
  await calling(caller, async () => {
    const inspector = new Inspector(world, chances);
    while (!isOver()) {
      await time.pause(2 * minute + chances.below(2 * minute));
      try {
        await inspector.looks();
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  });
}

class Inspector {
  readonly #world: World;
  readonly #chances: Generator;
  readonly #hands = new Map<OperatorRole, Hand>();
  readonly #begun = time.now();
  #things: Ids[] = [];
  #count = 0;
  /** What is left to be tried, by role, and with an old passkey. */
  readonly #left = new Map<string, Line[]>();

  constructor(world: World, chances: Generator) {
    this.#world = world;
    this.#chances = chances;
  }

  async looks(): Promise<void> {
    const chances = this.#chances;
    this.#things = await this.#world.operate(thingsIn);
    for (const role of operatorRoles.toReversed()) {
      if (this.#hands.has(role)) continue;
      const email = `${role}.of.inspection.${(this.#count += 1)}@example.org`;
      this.#hands.set(role, await Hand.invited(this.#world, chances, { email, role }));
    }
    const refused = ({ role }: Line): boolean => role !== "viewer";
    for (const [role, hand] of this.#hands)
      for (let count = 0; count < (role === "owner" ? 3 : 8); count += 1)
        await this.#tries(role, hand, role === "owner" ? this.#chances.pick(lines) : this.#next(role, refused));
    for (let count = 0; count < 6; count += 1) await this.#isLate();
    await this.#local();
    // O9: none of this was done.
    for (const hand of this.#hands.values()) await this.#leftNothing(hand.actor);
  }

  /** Each once, before any is tried again. */
  #next(kind: string, isWanted: (line: Line) => boolean): Line {
    const left = this.#left.get(kind) ?? [];
    const all = left.length > 0 ? left : lines.filter(isWanted);
    const line = this.#chances.pick(all);
    this.#left.set(
      kind,
      all.filter((each) => each !== line),
    );
    return line;
  }

  async #leftNothing(actor: string): Promise<void> {
    const wanted = { actor, since: this.#begun, limit: 10 };
    const [entry] = await askedAgain(() => this.#world.operate((ctx) => audit.list(ctx, wanted)));
    if (entry) this.#world.fail("O8", `what was refused was done: ${JSON.stringify(entry)}`);
  }

  /** A thing for the last name of a path; `isMixed`: something above it is another one's. */
  #draw(path: string): { ids: Ids; isMixed: boolean; isKnown: boolean } {
    const names = namesIn(path);
    const last = names.at(-1) ?? "";
    const fitting = this.#things.filter((each) => names.every((name) => each[name] !== undefined));
    if (fitting.length === 0 || last === "") return { ids: {}, isMixed: false, isKnown: last === "" };
    const ids = this.#chances.pick(fitting);
    const above = names.filter((name) => name !== last);
    if (above.length === 0 || this.#chances.chance(0.3)) return { ids, isMixed: false, isKnown: true };
    const other = this.#chances.pick(above);
    const changed = { ...ids, [other]: this.#chances.pick(fitting)[other] ?? "" };
    const isThere = fitting.some((each) => names.every((name) => each[name] === changed[name]));
    return { ids: isThere ? ids : changed, isMixed: !isThere, isKnown: true };
  }

  /** What its forms ask for, as far as they can be right. */
  #values({ userId = "", name = "" }: Ids): Record<string, string> {
    const others = this.#things.filter((each) => each["userId"]);
    const who = this.#chances.chance(0.5) ? userId : (this.#chances.pick(others)["userId"] ?? "");
    const role = { "roles.member": "on", roles: "member", "was.roles": "" };
    return { ...role, who, name: "Inspected", confirmation: name, group: "staff", email: "x@example.org" };
  }

  async #tries(role: OperatorRole, hand: Hand, line: Line): Promise<void> {
    const { ids, isMixed, isKnown } = this.#draw(line.path);
    const path = filledIn(line.path, ids);
    const may = isAllowed(role, line);
    const what = `${line.path} by ${role}${isMixed ? ", of something else" : ""}`;
    // What they may do, they do not do here.
    if (!line.isPage && may && !isMixed) return;
    const done = line.isPage ? await hand.open(path) : await hand.post(path, this.#values(ids));
    this.#judge(line, done, { what, may, isMixed, isKnown });
  }

  #judge(
    { isPage, path }: Line,
    { status, text }: Pick<Page, "status" | "text">,
    { what, may, isMixed, isKnown }: { what: string; may: boolean; isMixed: boolean; isKnown: boolean },
  ): void {
    // By a code that arrived twice.
    if (text.includes("Your session has ended")) throw new Lost("the session has ended");
    this.#world.reached(`the console's table: ${may ? "allowed" : "not allowed"}`);
    const says = text.includes("Your role does not allow this.");
    if (!may && (status !== 403 || !says)) this.#world.fail("O8", `${what} was answered ${status}`);
    if (may && says) this.#world.fail("O10", `${what} is not allowed`);
    if (!may || (!isPage && !isMixed)) return;
    if (isMixed && status < 400) this.#world.fail("O8", `${what} was answered ${status}`);
    // Somebody may just have deleted it, and a trial or preview needs more than its path.
    const isPlain = isKnown && !isMixed && namesIn(path).length === 0 && !/\/(?:try|back|preview)\b/u.test(path);
    if (isPlain && status >= 400) this.#world.fail("O10", `${what} was answered ${status}`);
  }

  /** O6: an act that asks for the passkey, by a browser that used it long ago. */
  async #isLate(): Promise<void> {
    const line = this.#next("late", ({ marks }) => marks.includes("asks for the passkey"));
    const able = [...this.#hands].filter(([role]) => isAllowed(role, line));
    const [, hand] = this.#chances.pick(able);
    const { ids } = this.#draw(line.path);
    const done = await hand.postLate(filledIn(line.path, ids), this.#values(ids));
    if (!done || done.status === 303) return;
    if (done.text.includes("Your session has ended")) throw new Lost("the session has ended");
    const isAsked = done.status === 403 && done.text.includes("Confirm with your passkey");
    if (!isAsked) this.#world.fail("O6", `${line.path} with an old passkey was answered ${done.status}`);
    this.#world.reached("an old passkey at the console");
  }

  /** O8: `authsvc console --app` shows one application alone, `--read-only` changes nothing. */
  async #local(): Promise<void> {
    const chances = this.#chances;
    const appId = chances.pick(this.#things.filter((each) => each["appId"]))["appId"] ?? "";
    const role = chances.pick(["viewer", "owner"] as const);
    const actor = { kind: "cli", name: "inspector" } as const;
    const homes = new Map<string, string>();
    for (const { ofApp, appId: of = ofApp ?? "", ...ids } of this.#things)
      for (const id of [ids["orgId"], ids["id"], ofApp === undefined ? undefined : ids["userId"]])
        if (id !== undefined) homes.set(id, of);
    const draws = Array.from({ length: 8 }, () => {
      const line = chances.pick(lines);
      const { ids, isMixed } = this.#draw(line.path);
      return { line, ids, isMixed, values: this.#values(ids) };
    });
    await this.#world.operate(async (ctx) => {
      const entry = openLocalEntry(ctx, { actor, role, name: "inspector", appId }, () => consoleOrigin);
      const router = consoleRouter(ctx, entry);
      let cookie = "";
      const ask = async (method: string, path: string, values?: Record<string, string>) => {
        const type = values && { "content-type": "application/x-www-form-urlencoded" };
        const headers = { ...type, ...(cookie !== "" && { cookie }) };
        const body = values ? new URLSearchParams(values).toString() : "";
        const got = await router(messageOf({ listener: "console", method, path, headers, body }, "127.0.0.1"));
        return { status: got.status, lines: got.lines, text: Buffer.from(got.body).toString() };
      };
      const before = await ask("GET", "/console/overview");
      const wrong = await ask("GET", `/console/enter?token=${"x".repeat(43)}`);
      const entered = await ask("GET", entry.linkPath);
      cookie = /^[^;]+/u.exec(entered.lines[entered.lines.indexOf("set-cookie") + 1] ?? "")?.[0] ?? "";
      const again = await ask("GET", entry.linkPath);
      const statuses = [before, wrong, entered, again].map(({ status }) => status).join();
      if (statuses !== "403,403,303,403") this.#world.fail("O8", `a link of authsvc console: ${statuses}`);
      const { text } = await ask("GET", "/console/overview");
      const token = /name="token" value="([^"]+)"/u.exec(text)?.[1] ?? "";
      for (const { line, ids, isMixed, values } of draws) {
        const path = `/console${filledIn(line.path, ids)}`;
        const own = ids["appId"] ?? ids["ofApp"] ?? (ids["userId"] === undefined ? appId : homes.get(ids["userId"]));
        const may = isAllowed(role, line) && !line.marks.includes("whole service");
        const isOther = isMixed || (own !== appId && namesIn(line.path).length > 0);
        if (!line.isPage && may && !isOther) continue;
        const done = await ask(line.isPage ? "GET" : "POST", path, line.isPage ? undefined : { token, ...values });
        const what = `${line.path} by a ${role} of ${appId}${isOther ? ", of another application" : ""}`;
        this.#judge(line, done, { what, may, isMixed: isOther, isKnown: true });
        const foreign = [...done.text.matchAll(/\b(?:usr|org|whe)_[0-9a-z]{20,}/gu)].find(([id]) => {
          const home = homes.get(id);
          return home !== undefined && home !== appId && !path.includes(id);
        });
        if (foreign) this.#world.fail("O8", `${what} shows ${foreign[0]} of ${homes.get(foreign[0])}`);
      }
      this.#world.reached("a console for one application");
    });
    await this.#leftNothing("cli:inspector");
  }
}
