/**
 * Wardens have an application that they run at the console alone. Each form changes what it says
 * and nothing else, leaves its entry, and does nothing before it is pressed.
 */
import { eq, inArray } from "drizzle-orm";
import * as audit from "../../../src/records/audit/audit.ts";
import { call, Visitor, type Page } from "../../support/person.ts";
import { sameText, textOf } from "../firm-answers.ts";
import { Hand } from "../hand.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";
import { askedAgain, lives, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import type { Part, World } from "../world.ts";
import { filled } from "../../console/support-forms.ts";

type Values = Record<string, string>;
type Row = Record<string, unknown>;
/** A form of a page: what it is filled with, what it changes, and the entry that it leaves. */
type Form = { at: string; action: string; values?: Values; changes: string[]; leaves?: string[]; boxes?: string };
type Person = { id: string; email: string; isDisabled: boolean };

/** Rows of an application, by the column that names it; those of clients and groups follow. */
const tables = {
  applications: "id",
  apiKeys: "appId",
  oauthProviders: "appId",
  groups: "appId",
  clients: "appId",
  clientSecrets: "clientId",
  webhookEndpoints: "appId",
  users: "appId",
} as const;
/** What moves without an act. */
const moving = /^(?:updatedAt|lastUsedAt)$/u;

export async function wardens(world: World, part: Part): Promise<void> {
  const team = { hand: undefined as Hand | undefined };
  await lives(world, part, { app: world.app, name: "warden", network: 170 }, async (me, { isOver, pause }) => {
    team.hand ??= await Hand.invited(world, me.chances, { email: `hand.of.${me.name}@example.org`, role: "owner" });
    world.wardens.add(team.hand.actor);
    const warden = new Warden(me, team.hand);
    await warden.opens();
    for (let rounds = 0; rounds < 6 && !isOver(); rounds += 1) {
      await pause(100_000);
      await warden.acts();
    }
    await warden.closes();
  });
}

class Warden {
  readonly #me: Resident;
  readonly #hand: Hand;
  readonly #id: string;
  #key = "";
  readonly #seen = new Set<string>();
  readonly #people: Person[] = [];

  constructor(me: Resident, hand: Hand) {
    this.#me = me;
    this.#hand = hand;
    this.#id = `app_of_${me.name}`;
  }

  get #place(): string {
    return `/applications/${this.#id}`;
  }

  async #rows(): Promise<Map<string, unknown>> {
    const cells = new Map<string, unknown>();
    await this.#me.world.operate(async (ctx) => {
      const { db, tables: all } = ctx.storage.reader;
      const clients: string[] = [];
      for (const [name, column] of Object.entries(tables)) {
        const table = all[name as "users"];
        const owner = table[column as "appId"];
        const isOwn = column === "clientId" ? inArray(owner, clients) : eq(owner, this.#id);
        for (const row of (await db.select().from(table).where(isOwn)) as Row[]) {
          if (name === "clients") clients.push(String(row["id"]));
          const key = String(row["id"] ?? row["name"]);
          cells.set(`${name} ${key}`, "");
          for (const [cell, value] of Object.entries(row))
            if (!moving.test(cell)) cells.set(`${name} ${key} ${cell}`, textOf(value));
        }
      }
    });
    return cells;
  }

  /** "+clients": a row that is new; "clients.name": a cell that has changed. */
  #changes(before: Map<string, unknown>, after: Map<string, unknown>): string[] {
    const found = new Set<string>();
    const rowOf = (key: string): string => key.split(" ").slice(0, 2).join(" ");
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const [table = "", , cell] = key.split(" ");
      if (!before.has(rowOf(key))) found.add(`+${table}`);
      else if (!after.has(rowOf(key))) found.add(`-${table}`);
      else if (before.get(key) !== after.get(key)) found.add(`${table}.${cell}`);
    }
    return [...found].toSorted();
  }

  /** Actions of those that were not there before: times say nothing while a clock is wrong. */
  async #newEntries(appId = this.#id): Promise<string[]> {
    const wanted = { actor: this.#hand.actor, appId, limit: 500 };
    const entries = await askedAgain(() => this.#me.world.operate((ctx) => audit.list(ctx, wanted)));
    const fresh = entries.filter(({ id, action }) => action !== "user.login" && !this.#seen.has(id));
    for (const { id } of fresh) this.#seen.add(id);
    return fresh.map(({ action }) => action).toSorted();
  }

  /** Fills in a form of a page and presses its button. */
  async #does({ at, action, values = {}, changes, leaves = [], boxes = "" }: Form): Promise<Page> {
    const { chances, world } = this.#me;
    const what = action.replaceAll(/[a-z]{3}_\w+/gu, "…");
    const page = await this.#hand.open(at);
    this.#me.must("O10", page.status === 200, `no page for ${what}: ${page.status}`);
    const before = await this.#rows();
    await this.#newEntries();
    const mustLeaveAll = async (how: string): Promise<void> => {
      const changed = this.#changes(before, await this.#rows());
      this.#me.must("O4", changed.length === 0, `${what} ${how} changed ${changed.join()}`);
      this.#me.must("O9", (await this.#newEntries()).length === 0, `${what} ${how} left an entry`);
    };
    const form = page.text.split("<form").find((text) => /action="([^"]+)"/u.exec(text)?.[1]?.endsWith(action)) ?? "";
    if (form.includes('name="check"') && chances.chance(0.3)) {
      const checked = await this.#hand.submit(page, action, { ...values, check: "yes" }, boxes);
      if (checked.status === 200) await mustLeaveAll("as a check");
    }
    if (chances.chance(0.2)) {
      const fields = { ...filled(page, action), ...values, token: "x".repeat(43) };
      const path = new URL(page.form(action).action, page.url).pathname.replace("/console", "");
      const { status } = await this.#hand.postAs(path, fields);
      this.#me.must("O8", status >= 400, `${what} with another token was answered ${status}`);
      await mustLeaveAll("with another token");
    }
    const done = await this.#hand.submit(page, action, values, boxes);
    this.#me.must(
      "O10",
      [200, 303].includes(done.status),
      `${what} is refused: ${done.status} ${/class="problem"[^>]*>([^<]*)/u.exec(done.text)?.[1] ?? ""}`,
    );
    const changed = this.#changes(before, await this.#rows());
    this.#me.must("O4", sameText(changed, changes.toSorted()), `${what} changed ${changed.join()}`);
    // One for each of several keys.
    const left = [...new Set(await this.#newEntries())];
    this.#me.must("O9", sameText(left, leaves), `${what} left ${left.join()}`);
    world.reached("a form of the console that was compared whole");
    return done;
  }

  /** What a page shows once, such as a secret. */
  #shown(page: Page, form: RegExp): string {
    const found = form.exec(page.text)?.[0];
    this.#me.must("O4", found !== undefined, `a page does not show ${String(form)}`);
    return found ?? "";
  }

  async #server(method: string, path: string, key = this.#key) {
    const headers = { authorization: `Bearer ${key}`, "x-service-app-id": this.#id };
    return await askedAgain(() => call(this.#me.world.service, method, `${this.#place}${path}`, headers));
  }

  async #mustWork(key: string, works: boolean): Promise<void> {
    const { status } = await this.#server("GET", "/users", key);
    this.#me.must(works ? "O4" : "O1", (status === 200) === works, `a key of the console is answered ${status}`);
  }

  async opens(): Promise<void> {
    const name = this.#me.next("Ward");
    const values = { name, id: this.#id, redirectUris: "https://ward.example/callback", "methods.password": "on" };
    const page = await this.#hand.open("/applications");
    const done = await this.#hand.submit(page, "/console/applications", values, "methods");
    this.#me.must("O10", done.status === 200, `no application is made: ${done.status}`);
    this.#key = this.#shown(done, /ak_\w{20,}/u);
    await this.#mustWork(this.#key, true);
    const own = await this.#hand.open(this.#place);
    this.#me.must("O4", own.text.includes(name), "the page of a new application does not name it");
  }

  async acts(): Promise<void> {
    const act = this.#me.chances.pick([
      () => this.#keys(),
      () => this.#client(),
      () => this.#client(),
      () => this.#endpoint(),
      () => this.#provider(),
      () => this.#group(),
      () => this.#person(),
      () => this.#person(),
      () => this.#bulk(),
      () => this.#links(),
      () => this.#team(),
    ]);
    await act();
  }

  async #keys(): Promise<void> {
    const { chances } = this.#me;
    const at = `${this.#place}/keys`;
    const label = this.#me.next("Label");
    const made = await this.#does({
      at,
      action: `${this.#id}/keys`,
      values: { label },
      changes: ["+apiKeys"],
      leaves: ["api-key.create"],
    });
    const text = this.#shown(made, /ak_\w{20,}/u);
    await this.#mustWork(text, true);
    if (chances.chance(0.5)) {
      const overlap = chances.pick(["0s", "1m"]);
      const ends = ["apiKeys.expiresAt", ...(overlap === "0s" ? ["apiKeys.revokedAt"] : [])];
      const from = time.now();
      const rotated = await this.#does({
        at,
        action: `${this.#id}/keys/rotate`,
        values: { label, overlap },
        changes: ["+apiKeys", ...ends],
        leaves: ["api-key.create", "api-key.expire"],
      });
      const before = this.#key;
      this.#key = this.#shown(rotated, /ak_\w{20,}/u);
      await this.#mustWork(this.#key, true);
      if (overlap !== "0s" && time.now() < from + 40_000) await this.#mustWork(before, true);
      if (overlap !== "0s") await time.pause(70_000);
      await this.#mustWork(before, false);
      return;
    }
    const id = this.#shown(made, /key_\w{20,}/u);
    await this.#does({
      at,
      action: `${id}/revoke`,
      changes: ["apiKeys.revokedAt"],
      leaves: ["api-key.revoke"],
    });
    await this.#mustWork(text, false);
    await this.#mustWork(this.#key, true);
  }

  /** Whether a client is known by this secret. */
  async #isClient(id: string, secret: string): Promise<boolean> {
    const headers = {
      authorization: `Basic ${btoa(`${id}:${secret}`)}`,
      "content-type": "application/x-www-form-urlencoded",
    };
    const { status } = await askedAgain(() =>
      call(this.#me.world.service, "POST", "/oauth2/introspect", headers, "token=x"),
    );
    return status === 200;
  }

  async #client(): Promise<void> {
    const { chances } = this.#me;
    const clients = `${this.#place}/clients`;
    const name = this.#me.next("Client");
    const uri = "https://client.example/callback";
    const made = await this.#does({
      at: clients,
      action: `${this.#id}/clients`,
      values: { name, kind: "web", redirectUris: uri },
      changes: ["+clientSecrets", "+clients"],
      leaves: ["client-secret.create", "client.create"],
    });
    const [id, secret] = [this.#shown(made, /cli_\w{20,}/u), this.#shown(made, /cs_[\w-]{20,}/u)];
    const at = `${clients}/${id}`;
    const works = async (text: string, isSo: boolean, when: string): Promise<void> => {
      const is = await this.#isClient(id, text);
      this.#me.must(isSo ? "O4" : "O1", is === isSo, `a client's secret ${isSo ? "fails" : "works"} ${when}`);
    };
    await works(secret, true, "at first");
    const other = await this.#does({
      at,
      action: `${id}/secrets`,
      changes: ["+clientSecrets"],
      leaves: ["client-secret.create"],
    });
    const second = this.#shown(other, /cs_[\w-]{20,}/u);
    const acts: (() => Promise<void>)[] = [
      async () => {
        const changed = chances.pick<[string, string]>([
          ["name", this.#me.next("Renamed")],
          ["redirectUris", `${uri}\nhttps://client.example/other`],
          ["postLogoutRedirectUris", "https://client.example/out"],
          ["consent", "ask"],
        ]);
        await this.#does({
          at,
          action: `${id}/settings`,
          values: Object.fromEntries([changed]),
          changes: [`clients.${changed[0]}`],
          leaves: ["client.update"],
        });
        const { text } = await this.#hand.open(at);
        const shown = changed[1].split("\n").at(-1) ?? "";
        this.#me.must("O4", text.includes(shown), `the page of a client does not show ${changed.join()}`);
      },
      async () => {
        const secretId = this.#shown(other, /sec_\w{20,}/u);
        await this.#does({
          at,
          action: `${secretId}/revoke`,
          changes: ["clientSecrets.revokedAt"],
          leaves: ["client-secret.revoke"],
        });
        await works(second, false, "after it was revoked");
        await works(secret, true, "after another was revoked");
      },
      async () => {
        const rotated = await this.#does({
          at,
          action: `${id}/secrets/rotate`,
          values: { overlap: "0s" },
          changes: ["+clientSecrets", "clientSecrets.expiresAt", "clientSecrets.revokedAt"],
          leaves: ["client-secret.create", "client-secret.expire"],
        });
        await works(this.#shown(rotated, /cs_[\w-]{20,}/u), true, "after a rotation");
        for (const text of [secret, second]) await works(text, false, "after a rotation");
      },
      async () => {
        await this.#does({ at, action: `${id}/disable`, changes: ["clients.disabledAt"], leaves: ["client.update"] });
        await works(secret, false, "of a disabled client");
        await this.#does({ at, action: `${id}/enable`, changes: ["clients.disabledAt"], leaves: ["client.update"] });
        await works(secret, true, "of an enabled client");
      },
    ];
    await chances.pick(acts)();
    if (chances.chance(0.5)) return;
    await this.#does({
      at,
      action: `${id}/delete`,
      changes: ["-clientSecrets", "-clients"],
      leaves: ["client.delete"],
    });
    await works(secret, false, "of a deleted client");
  }

  async #endpoint(): Promise<void> {
    const { chances } = this.#me;
    const url = `https://${this.#me.name}.hooks.example/${chances.below(1000)}`;
    // These happen to nobody here.
    const events = { "event:organization.created": "on", "event:organization.deleted": "on" };
    const made = await this.#does({
      at: `/webhooks/new?app=${this.#id}`,
      action: "/console/webhooks",
      values: { app: this.#id, url, ...events },
      boxes: "event",
      changes: ["+webhookEndpoints"],
      leaves: ["webhook.create"],
    });
    this.#shown(made, /whsec_[\w+/=]{20,}/u);
    const id = this.#shown(made, /whe_\w{20,}/u);
    const at = `/webhooks/${id}`;
    const acts: Form[] = [
      { at, action: `${id}/change`, values: { url: `${url}/new` }, changes: ["webhookEndpoints.url"] },
      {
        at,
        action: `${id}/rotate-secret`,
        values: { overlap: chances.pick(["24h", "7d"]) },
        changes: ["encryptedOldSecret", "encryptedSecret", "oldSecretUntil"].map((cell) => `webhookEndpoints.${cell}`),
        leaves: ["webhook.update"],
      },
      { at, action: `${id}/enable`, changes: ["webhookEndpoints.disabledReason", "webhookEndpoints.enabled"] },
    ];
    await this.#does({ leaves: ["webhook.update"], ...chances.pick(acts) });
    const list = await this.#hand.open(`/webhooks?app=${this.#id}`);
    this.#me.must("O4", list.text.includes(id), "the list does not have a new endpoint");
    await this.#does({ at, action: `${id}/delete`, changes: ["-webhookEndpoints"], leaves: ["webhook.delete"] });
  }

  async #provider(): Promise<void> {
    const { chances } = this.#me;
    const name = chances.pick(["google", "github"]);
    const at = `${this.#place}/providers/${name}`;
    await this.#does({
      at,
      action: `${this.#id}/providers`,
      values: { clientId: "ward", secret: "the secret of a ward" },
      changes: ["+oauthProviders", "applications.authMethods"],
      leaves: ["provider.set"],
    });
    const { text } = await this.#hand.open(at);
    this.#me.must("O8", !text.includes("the secret of a ward"), "a page shows the secret of a provider");
    await this.#does({
      at,
      action: `${this.#id}/providers/${name}`,
      values: { clientId: this.#me.next("ward").replaceAll(" ", "-") },
      changes: ["oauthProviders.clientId", "oauthProviders.encryptedSecret"],
      leaves: ["provider.set"],
    });
    await this.#does({
      at,
      action: `${name}/remove`,
      changes: ["-oauthProviders", "applications.authMethods"],
      leaves: ["provider.remove"],
    });
  }

  async #group(): Promise<void> {
    const name = this.#me.next("group").replaceAll(" ", "-");
    const at = `${this.#place}/groups`;
    await this.#does({
      at,
      action: `${this.#id}/groups`,
      values: { name },
      changes: ["+groups"],
      leaves: ["group.create"],
    });
  }

  async #person(): Promise<Person> {
    const { chances } = this.#me;
    const email = this.#me.nextEmail();
    const isVerified = chances.chance(0.5);
    await this.#does({
      at: `/people?app=${this.#id}`,
      action: "/people/create",
      values: { appId: this.#id, email, name: "Ada", ...(isVerified && { verified: "on" }) },
      changes: ["+users"],
      leaves: ["user.create"],
    });
    const { body } = await this.#server("GET", `/users?email=${encodeURIComponent(email)}`);
    const [user = {}] = (body["users"] ?? []) as Row[];
    this.#me.must("O4", user["emailVerified"] === isVerified, `a new user is ${JSON.stringify(user)}`);
    const person: Person = { id: String(user["id"]), email, isDisabled: false };
    this.#people.push(person);
    for (const text of [email, person.id, email.slice(0, -4)]) {
      const found = await this.#hand.open(`/search?q=${encodeURIComponent(text)}`);
      const leads = found.status === 303 ? found.location.href : found.text;
      this.#me.must("O4", leads.includes(person.id), `a search does not find ${text}`);
    }
    return person;
  }

  /** Chosen ones, or all who match. */
  async #bulk(): Promise<void> {
    const { chances } = this.#me;
    while (this.#people.length < 3) await this.#person();
    const isAll = chances.chance(0.5);
    const act = chances.pick(["disable", "enable"] as const);
    const isChange = (person: Person): boolean => person.isDisabled === (act === "enable");
    const chosen = isAll ? this.#people : this.#people.filter(() => chances.chance(0.6));
    if (chosen.length === 0) return;
    const query = new URLSearchParams({ act, app: this.#id, ...(isAll && { all: "yes" }) });
    if (!isAll) for (const { id } of chosen) query.set(`id.${id}`, "on");
    const changed = chosen.filter(isChange);
    await this.#newEntries();
    const before = await this.#rows();
    const done = await this.#hand.press(`/bulk?${query.toString()}`, `/bulk/${act}`);
    this.#me.must("O10", done.status === 200, `${act} of ${chosen.length} people: ${done.status}`);
    const cells = this.#changes(before, await this.#rows());
    this.#me.must(
      "O4",
      sameText(cells, changed.length > 0 ? ["users.disabledAt"] : []),
      `${act} of many changed ${cells.join()}`,
    );
    for (const person of changed) person.isDisabled = act === "disable";
    for (const { id, isDisabled, email } of this.#people) {
      const { body } = await this.#server("GET", `/users/${id}`);
      const is = (body["disabledAt"] ?? null) !== null;
      this.#me.must("O4", is === isDisabled, `after ${act} of many, ${email} is ${is ? "" : "not "}disabled`);
    }
    const left = (await this.#newEntries()).filter((action) => action === `user.${act}`);
    this.#me.must("O9", left.length === changed.length, `${act} of ${changed.length} left ${left.length} entries`);
    this.#me.world.reached("many people changed at the console");
  }

  /** Links that a page shows once: the newest works, and none after it was used or withdrawn. */
  async #links(): Promise<void> {
    const { chances } = this.#me;
    const email = this.#me.nextEmail();
    const invited = await this.#does({
      at: `/people?app=${this.#id}`,
      action: "/people/invite",
      values: { appId: this.#id, email, link: "on" },
      changes: ["+users"],
      leaves: ["user.invite"],
    });
    const link = /https?:\/\/\S+?\/invite\/[\w-]+/u;
    const first = this.#shown(invited, link);
    const id = this.#shown(invited, /usr_\w{20,}/u);
    this.#people.push({ id, email, isDisabled: false });
    const opens = async (text: string): Promise<boolean> => {
      const page = await askedAgain(() => new Visitor().get(text));
      return page.status === 200 && page.text.includes("<form");
    };
    this.#me.must("O4", await opens(first), "an invitation of the console does not open");
    const at = `/people/${id}`;
    if (chances.chance(0.5)) {
      const again = await this.#does({ at, action: `${id}/invitation`, changes: [], leaves: ["user.invite"] });
      this.#me.must("O1", !(await opens(first)), "an invitation opens after another one");
      this.#me.must("O4", await opens(this.#shown(again, link)), "a second invitation does not open");
    } else {
      const left = ["user.invite-withdrawn"];
      await this.#does({ at, action: `${id}/invitation/withdraw`, changes: [], leaves: left });
      this.#me.must("O1", !(await opens(first)), "an invitation opens after it was withdrawn");
    }
    const made = await this.#does({ at, action: `${id}/reset-link`, changes: [], leaves: ["user.reset-link"] });
    const reset = this.#shown(made, /https?:\/\/\S+?\/reset\/[\w-]+/u);
    const password = this.#me.next("the password of a ward");
    const done = await this.#me.use(reset, { password });
    this.#me.must("O10", done.text.includes("Your password is changed"), `no reset: ${done.status}`);
    this.#me.must("O3", !(await opens(reset)), "a reset link of the console works twice");
    this.#me.world.reached("links of the console used and withdrawn");
  }

  /** O1: the link of an invitation to operate does not open after it was withdrawn. */
  async #team(): Promise<void> {
    const email = `invited.by.${this.#me.nextEmail()}`;
    await this.#newEntries("app_console");
    const page = await this.#hand.press("/operators", "/console/operators", { email, role: "viewer", link: "on" });
    this.#me.must("O10", page.status === 200, `no operator is invited: ${page.status}`);
    const link = this.#shown(page, /https?:\/\/\S+?\/invite\/[\w-]+/u);
    const list = await this.#hand.open("/operators");
    const row =
      list.text
        .slice(0, list.text.indexOf(email))
        .match(/usr_\w{20,}/gu)
        ?.at(-1) ?? "";
    const opens = async (): Promise<boolean> => {
      const opened = await askedAgain(() => new Visitor().get(link));
      return opened.status === 200 && opened.text.includes("<form");
    };
    this.#me.must("O4", await opens(), "an invitation of an operator does not open");
    const gone = await this.#hand.submit(list, `${row}/withdraw`);
    this.#me.must("O10", gone.status === 303, `an invitation is not withdrawn: ${gone.status}`);
    this.#me.must("O1", !(await opens()), "the invitation of an operator opens after it was withdrawn");
    const left = await this.#newEntries("app_console");
    const should = ["operator.invite", "operator.invite-withdrawn", "user.delete", "user.invite"];
    this.#me.must("O9", sameText(left, should), `an invitation of an operator left ${left.join()}`);
  }

  async closes(): Promise<void> {
    const page = await this.#hand.open(this.#place);
    const name = filled(page, `${this.#id}/delete`);
    const wrong = await this.#hand.submit(page, `${this.#id}/delete`, { confirmation: "another" });
    this.#me.must("O8", wrong.status >= 400, `an application is deleted by another name: ${wrong.status}`);
    await this.#mustWork(this.#key, true);
    const since = time.now();
    const known = page.text.match(/<h1[^>]*>\s*([^<]+?)\s*</u)?.[1] ?? "";
    const done = await this.#hand.submit(page, `${this.#id}/delete`, { ...name, confirmation: known });
    this.#me.must("O10", done.status === 303, `an application is not deleted: ${done.status}`);
    await this.#mustWork(this.#key, false);
    for (const { id, email } of this.#people)
      await checkNothingIsLeft(this.#me.world, { name: email, userId: id, email }, since);
    const left = await this.#rows();
    this.#me.must("O11", left.size === 0, `of a deleted application is left ${[...left.keys()].slice(0, 3).join()}`);
    this.#me.world.reached("an application made and deleted at the console");
  }
}
