/**
 * Every setting of an application, changed by a command, a file, the console and the server, and
 * read back whole. What a change did not name stays as it was.
 */
import { applicationRows, type ApplicationChange, type ApplicationField } from "../../../src/applications/settings.ts";
import { fileKeyOf, objectOf, valueIn, type Setting } from "../../../src/applications/setting.ts";
import * as applications from "../../../src/applications/service.ts";
import { textOf } from "../../../src/console/applications/setting.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import type { Context } from "../../../src/runtime/context.ts";
import * as desiredStates from "../../../src/upkeep/desired-state/service.ts";
import { call } from "../../support/person.ts";
import { command } from "../command-line.ts";
import { sameText, surplus } from "../firm-answers.ts";
import type { Hand } from "../hand.ts";
import type { Resident } from "../resident.ts";

const cli = { kind: "cli", name: "keepers" } as const;
const label = { en: "A field" };
const https = "https://app.example";

/** Of settings that have words of their own: some of their values, and some that are refused. */
const values: Partial<Record<ApplicationField, { some: (number: string) => unknown[]; wrong: unknown[] }>> = {
  name: { some: (number) => [`Keepers ${number}`], wrong: ["", "a".repeat(201)] },
  domain: { some: () => ["keepers.example", "one.keepers.example"], wrong: ["Keepers.example", "10.0.0.1", "a b"] },
  redirectUris: {
    some: () => [0, 1, 2].map((at) => [`${https}/callback`, `${https}/${at}`, ...(at === 0 ? [] : [`${https}/3`])]),
    wrong: [["http://app.example/"], [`${https}/a#b`], ["javascript:alert(1)"]],
  },
  "branding.logo": {
    some: () => [`${https}/a.png`, `${https}/b.png`],
    wrong: ["http://app.example/a.png", "/pictures/a/b"],
  },
  "branding.primaryColor": { some: () => ["#1d4ed8", "#aa00bb"], wrong: ["red", "#12345"] },
  "branding.companyName": { some: (number) => [`Company ${number}`], wrong: ["a".repeat(201), " "] },
  "branding.homeUrl": { some: () => [`${https}/home`, `${https}/other`], wrong: ["http://app.example/home"] },
  "settings.signUpEmailDomains": {
    some: () => [["example.org"], ["example.org", "*.example.org"]],
    wrong: [[], ["localhost"], ["*.*.example.org"]],
  },
  "settings.signUpBlockedDomains": {
    some: () => [["no.example"], ["no.example", "never.example"]],
    wrong: [["*.no.example"]],
  },
  "settings.signUpApprovalMail": {
    some: () => ["team@example.org", "staff@example.org"],
    wrong: ["Team@example.org", "x"],
  },
  claims: {
    some: () => [[{ claim: "plan", from: "public.plan", in: ["access"] }]],
    wrong: [[{ claim: "sub", from: "groups", in: ["access"] }], [{ claim: "a", from: "value", in: ["id"] }]],
  },
  "settings.clientDocuments": { some: () => ["any", ["a.example", "b.example"]], wrong: [[], ["https://a.example"]] },
  "settings.relyingPartyId": { some: () => ["keepers.example"], wrong: ["Keepers.example"] },
  "settings.mailName": { some: (number) => [`Mail ${number}`], wrong: ["a".repeat(65)] },
  "settings.organizationRoles": { some: () => [["billing"], ["billing", "audit:owners"]], wrong: [["owner"], ["a b"]] },
  "settings.profileFields": {
    some: () =>
      ["team", "unit"].map((name) => [
        { name, type: "text", label, askAt: "never", required: false, editableBy: "user", maxLength: 200 },
      ]),
    wrong: [[{ name: "a b", type: "text", label }], [{ name: "a", type: "choice", label }]],
  },
  "settings.termsVersion": { some: () => ["1", "2"], wrong: ["a".repeat(65)] },
  "settings.texts": {
    some: () => ["Welcome", "Hello"].map((en) => [{ place: "sign-in.title", text: { en } }]),
    wrong: [[{ place: "nowhere", text: { en: "a" } }]],
  },
};
for (const path of ["branding.termsUrl", "branding.privacyUrl", "branding.supportUrl", "settings.termsUrl"] as const)
  values[path] = { some: () => [`${https}/one`, `${https}/two`], wrong: ["http://app.example/one"] };

/** These depend on others, or on keys of signatures. */
const left = /^authMethods\.(passkey\.|oauth\.providers)|companySignIn|relatedOrigins|signingAlgorithm/u;
const known = applicationRows.filter(([path]) => !left.test(path));

/** The words of a command; undefined: it has no flag of its own. */
function flagsOf(row: Setting, value: unknown): string[] | undefined {
  const { flag, kind, none = "" } = row;
  if (flag === undefined || kind === "other" || applicationRows.filter(([, each]) => each.flag === flag).length > 1)
    return undefined;
  const given = (text: string): string => `${flag.split(" ")[0]}=${text}`;
  if (kind === "lines") return ((value as string[] | null) ?? [""]).map(given);
  if (value === null) return [given(kind === "choice" ? none : "")];
  if (kind === "switch") return [given(value === true ? "on" : "off")];
  if (Array.isArray(value)) return [given(value.join(","))];
  return [given(kind === "duration" ? textOf(row, value) : typeof value === "string" ? value : JSON.stringify(value))];
}

type Shape = Record<string, unknown>;

export class Settings {
  readonly #me: Resident;
  readonly #owner: Hand;
  #count = 0;

  constructor(me: Resident, owner: Hand) {
    this.#me = me;
    this.#owner = owner;
  }

  async open(): Promise<void> {
    const { world, app } = this.#me;
    const terms = { termsVersion: "0", termsUrl: `${https}/terms` };
    await world.operate(async (ctx) => await applications.update(ctx, app.id, { settings: terms }, cli));
  }

  async read(): Promise<Shape> {
    const { world, app } = this.#me;
    const row = await world.operate(async (ctx) => await applications.find(ctx, ctx.storage.reader, app.id));
    const flat = applicationRows.map(([path, setting]) => [path, valueIn(row ?? {}, path, setting) ?? null]);
    return { id: row?.id, createdAt: row?.createdAt, ...(Object.fromEntries(flat) as Shape) };
  }

  /** Of now, without those of before: some may be of a future that a clock was set to. */
  async entries(before: readonly audit.AuditEventAnswer[] = []): Promise<audit.AuditEventAnswer[]> {
    const { world, app } = this.#me;
    const wanted = { appId: app.id, action: "application.update", since: this.#me.begun, limit: 500 };
    const known = new Set(before.map(({ id }) => id));
    return (await world.operate(async (ctx) => await audit.list(ctx, wanted))).filter(({ id }) => !known.has(id));
  }

  #value(path: ApplicationField, { kind, options = {}, range, ...row }: Setting): unknown {
    const { chances, name } = this.#me;
    this.#count += 1;
    const names = Object.keys(options);
    // Terms have both a version and an address, or neither.
    if (row.default === null && !path.startsWith("settings.terms") && chances.chance(0.25)) return null;
    if (kind === "switch") return chances.chance(0.5);
    if (kind === "choice") return chances.pick(names);
    if (kind === "choices") return names.filter((_, at) => at === 0 || chances.chance(0.5));
    if (path.startsWith("settings.rateLimits.")) return 100_000 + chances.below(9);
    if (range) return chances.pick([range.least, range.most, range.least + chances.below(range.most - range.least)]);
    return chances.pick(values[path]?.some(`${this.#count} of ${name}`) ?? []);
  }

  /** O4: it has this value, and all else is as before. O9: one entry says who changed what. */
  async changes(): Promise<void> {
    const { world, chances, app } = this.#me;
    const [path, row] = chances.pick(chances.chance(0.8) ? known : known.filter(([, { byApiKey }]) => byApiKey));
    const value = this.#value(path, row);
    const before = await this.read();
    const entriesBefore = await this.entries();
    const change = objectOf([[path, value]]) as ApplicationChange;
    const ways = this.#ways(path, row, { value, was: before[path] });
    const way = row.byApiKey && chances.chance(0.5) ? "server" : chances.pick(Object.keys(ways));
    const isPlanned = chances.chance(0.3);
    const flags = flagsOf(row, value);
    if (isPlanned && flags) await command(world, ["app", "update", app.id, ...flags, "--dry-run"]);
    if (isPlanned) {
      const planned = await world.operate(async (ctx) => await applications.checkUpdate(ctx, app.id, change));
      const is = valueIn(planned, path, row) ?? null;
      this.#me.must("O4", sameText(is, value), `a plan of ${path} has ${JSON.stringify(is)}`);
      this.#mustBe(await this.read(), before, `the plan of ${path}`);
    }
    const actor = (await ways[way]?.()) ?? "";
    world.note(`${this.#me.name} changes ${path} by ${way}`);
    const should = { ...before, [path]: value };
    // Mails keep the name that the operator gave it.
    if (path === "name" && way === "server" && value !== before["name"])
      should["settings.mailName"] ??= before["branding.companyName"] ?? before["name"];
    this.#mustBe(await this.read(), should, `${path} by ${way}`);
    const added = await this.entries(entriesBefore);
    const isNew = !sameText(before[path], value);
    this.#me.must("O9", added.length === (isNew ? 1 : 0), `${added.length} entries of a change of ${path} by ${way}`);
    world.reached(`a setting changed by ${way}`);
    const [entry] = added;
    if (!entry) return await this.shown();
    const top = path.split(".")[0];
    const says: unknown[] = [entry.actor, entry.target, entry.details, entry.changes];
    const told = [actor, app.id, { fields: top }, changesOf(path, row, before[path], value)];
    // The log names a part of a list, and of some settings only the names.
    if (row.publicPart) says[3] = told[3];
    this.#me.must("O9", sameText(says, told), `an entry of ${path} by ${way} says ${JSON.stringify(says)}`);
    await this.shown();
    if (chances.chance(0.15)) await this.#refused();
  }

  /** How it can be changed, each of which answers who did it. */
  #ways(
    path: ApplicationField,
    row: Setting,
    { value, was }: { value: unknown; was: unknown },
  ): Record<string, () => Promise<string>> {
    const { world, app } = this.#me;
    const { form, kind } = row;
    const change = objectOf([[path, value]]) as ApplicationChange;
    // No box, and a field for each place.
    const isField = form !== undefined && kind !== "choices" && kind !== "other";
    const at = `/applications/${app.id}`;
    return {
      command: async () => {
        const flags = flagsOf(row, value);
        if (flags && this.#me.chances.chance(0.7)) {
          const { code, notes } = await command(world, ["app", "update", app.id, ...flags]);
          this.#me.must("O10", code === 0, `app update ${flags.join(" ")} ended with ${code}: ${notes}`);
          return "cli:terminal";
        }
        await world.operate(async (ctx) => await applications.update(ctx, app.id, change, cli));
        return `cli:${cli.name}`;
      },
      file: async () => {
        // A part that a file does not name stays.
        if ((path === "claims" || path.startsWith("settings.rate")) && value === null)
          return (await this.#ways(path, row, { value, was })["command"]?.()) ?? "";
        await world.operate(async (ctx) => await this.#apply(ctx, path, row, change));
        return `cli:${cli.name}`;
      },
      ...(isField && {
        console: async () => {
          const last = row.name ?? path.split(".").at(-1) ?? "";
          const name = path.startsWith("settings.rateLimits.") ? `limit.${last}` : last;
          const [page, save] =
            form === "branding" ? [`${at}/branding`, `${app.id}/branding`] : [at, `${app.id}/settings/${form}`];
          const done = await this.#owner.press(page, save, { [name]: textOf(row, value) });
          // What has not changed is shown again.
          const isSame = done.status === 200 && sameText(value, was);
          this.#me.must("O10", done.status === 303 || isSame, `the console does not save ${path}: ${done.status}`);
          return this.#owner.actor;
        },
      }),
      ...(row.byApiKey && {
        server: async () => {
          const { status, body } = await this.#me.server("PATCH", "", change);
          this.#me.must("O10", status === 200, `no change of ${path}: ${status} ${JSON.stringify(body.error)}`);
          return `app:${app.id}`;
        },
      }),
    };
  }

  /** The exported file, with this value: nothing else changes. */
  async #apply(ctx: Context, path: ApplicationField, row: Setting, change: ApplicationChange): Promise<void> {
    const { applications: all = [] } = await desiredStates.exportState(ctx);
    const own = all.find(({ id }) => id === this.#me.app.id);
    const text = row.kind === "duration" ? textOf(row, valueIn(change, path, row)) : valueIn(change, path, row);
    const given = objectOf([[fileKeyOf(path, row), path.startsWith("settings.") ? text : valueIn(change, path, row)]]);
    const { webhooks: _, groups: __, ...rest } = { ...own };
    const state = { version: 1, applications: [merged(rest, given)] } as Parameters<typeof desiredStates.plan>[1];
    const options = { prune: false, keepIdentities: false, actor: cli };
    const planned = await desiredStates.plan(ctx, state, options);
    await desiredStates.apply(ctx, state, { ...options, planned });
    if (!this.#me.chances.chance(0.2)) return;
    const left = await desiredStates.plan(ctx, state, options);
    this.#me.must("O4", left.length === 0, `a file is applied, and changes ${JSON.stringify(left)}`);
  }

  #mustBe(is: Shape, should: Shape, what: string): void {
    const lines = (of: Shape): string[] =>
      Object.entries(of).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    const more = surplus(lines(is), lines(should)).join("; ");
    this.#me.must(
      "O4",
      sameText(is, should),
      `${what}: ${more} instead of ${surplus(lines(should), lines(is)).join("; ")}`,
    );
  }

  /** O8: a value against its rule. */
  async #refused(): Promise<void> {
    const { world, chances, app } = this.#me;
    const before = await this.read();
    for (const [path, { range }] of applicationRows) {
      const wrong = range ? [range.least - 1, range.most + 1, range.least + 0.5] : (values[path]?.wrong ?? []);
      if (wrong.length === 0) continue;
      const change = objectOf([
        ["name", "Refused"],
        [path, chances.pick(wrong)],
      ]) as ApplicationChange;
      const work = async (ctx: Context): Promise<unknown> => await applications.update(ctx, app.id, change, cli);
      const code = await refusalOf(async () => await world.operate(work));
      this.#me.must("O8", code === "INVALID_REQUEST", `${JSON.stringify(change)} was answered by ${code}`);
    }
    this.#mustBe(await this.read(), before, "settings that were refused");
    world.reached("settings refused");
  }

  /** O4: what its server, an operator and strangers read is what is stored. */
  async shown(): Promise<void> {
    const { world, app } = this.#me;
    const row = await this.read();
    const { status, body } = await this.#me.server("GET", "");
    this.#me.must("O4", status === 200, `no application: ${status}`);
    const methods = (all: boolean): Shape => ({
      passkey: { enabled: row["authMethods.passkey.enabled"], required: row["authMethods.passkey.required"] },
      oauth: { enabled: row["authMethods.oauth.enabled"], providers: all ? row["authMethods.oauth.providers"] : [] },
      password: { enabled: row["authMethods.password.enabled"] },
    });
    const about = (...names: string[]): Shape =>
      Object.fromEntries(names.map((name) => [name, row[`branding.${name}`]]));
    const shared = { id: app.id, name: row["name"], domain: row["domain"] };
    const own = { ...shared, redirectUris: row["redirectUris"], authMethods: methods(true) };
    const branding = about(
      "logo",
      "primaryColor",
      "companyName",
      ...(row["branding.homeUrl"] === null ? [] : ["homeUrl"]),
    );
    const { stats, ...rest } = body;
    this.#mustBe(rest, { ...own, branding }, "the application");
    const [people, listed] = await world.operate(async (ctx) => {
      const { db, tables } = ctx.storage.reader;
      const users = await db.select({ appId: tables.users.appId }).from(tables.users);
      const all = await applications.list(ctx);
      return [users.filter(({ appId }) => appId === app.id).length, all.find(({ id }) => id === app.id)];
    });
    const counted = { totalUsers: people, activeUsers: 0, totalLogins: 0 };
    this.#mustBe({ stats, ...listed }, { stats: counted, ...rest }, "the application in the list");
    const { service } = world;
    const open = await call(service, "GET", `/api/config?app_id=${app.id}`, {});
    const isOpen = row["settings.queryEndpoints"] === true;
    this.#me.must("O8", (open.status === 200) === isOpen, `what is public was answered with ${open.status}`);
    if (!isOpen) return;
    this.#mustBe(
      open.body,
      {
        ...shared,
        branding: about("logo", "primaryColor", "companyName"),
        authMethods: methods(false),
        emailCode: row["settings.emailCode"],
        passwordRules: { minLength: row["settings.passwordMinLength"], maxLength: 256 },
        issuer: service.url,
        jwksUri: `${service.url}/.well-known/jwks.json`,
        scopes: row["settings.scopes"],
      },
      "what is public of the application",
    );
  }
}

/** By which code it was refused. */
export async function refusalOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== "string") throw error;
    return code;
  }
  return "nothing";
}

/** What the log tells: not the values of texts, which may be secrets. */
function changesOf(path: string, row: Setting, was: unknown, is: unknown): Shape | null {
  const isOpen = row.isPublic === true || ["number", "duration", "switch", "choice", "choices"].includes(row.kind);
  const listOf = (value: unknown): string[] =>
    value === null ? [] : Array.isArray(value) ? value.map(String) : [textOf(row, value)];
  if (!isOpen) return null;
  const [from, to] = [listOf(was), listOf(is)];
  const isOrder = sameText(from.toSorted(), to.toSorted());
  const [removed, added] = [surplus(from, to), surplus(to, from)].map((each) => each.join(", "));
  return { [path]: isOrder ? { from: from.join(", "), to: to.join(", ") } : { from: removed, to: added } };
}

function merged(one: Shape, other: object): Shape {
  const inner = Object.entries(other).map(([name, value]) => {
    const before = one[name];
    const isShape = Object(value) === value && !Array.isArray(value) && Object(before) === before;
    return [name, isShape ? merged(before as Shape, value as object) : (value as unknown)];
  });
  return { ...one, ...(Object.fromEntries(inner) as Shape) };
}
