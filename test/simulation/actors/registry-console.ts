/** An operator who changes users at the console, and reads there what is known of them. */
import * as audit from "../../../src/records/audit/audit.ts";
import type { TestApp } from "../../support/service.ts";
import { Hand } from "../hand.ts";
import { listedOf, patched, type Asked, type KnownUser } from "../known-users.ts";
import { Violation } from "../model.ts";
import { groups, type Registry } from "../registry.ts";
import { time } from "../time.ts";

type Json = Record<string, unknown>;
type Values = Record<string, string>;
/** `leaves`: what it leaves if it changes something. */
type Act = { form: string; values?: Values; becomes: () => void; leaves: string[] };

const updated = ["entry user.update", "event user.updated"];

export class Counter {
  readonly #registry: Registry;
  #hand: Hand | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async #open(): Promise<Hand> {
    const { world, chances } = this.#registry;
    if (this.#hand) return this.#hand;
    const email = `${this.#registry.next("hand").replace(" ", "")}.of.the.registrar@example.org`;
    this.#hand = await Hand.invited(world, chances, { email, role: "owner" });
    return this.#hand;
  }

  #actsOn(user: KnownUser): Act[] {
    const { chances } = this.#registry;
    const next = (word: string): string => this.#registry.next(word);
    const { emailVerified, mustChange } = user;
    const isDisabled = user.moments?.disabledAt !== null;
    const name = chances.pick([user.displayName ?? "", next("Name"), ""]);
    const picture = chances.pick([user.picture ?? "", "", `https://pictures.example/${next("p").replace(" ", "")}`]);
    const [email, isVerified] = [this.#registry.nextEmail(), chances.chance(0.5)];
    const [team, seats] = [chances.pick([next("Team"), ""]), chances.pick(["7", ""])];
    const part = chances.pick(["public", "private"] as const);
    const patch: Json = { plan: chances.pick(["pro", "free", null]), seat: chances.pick([{ row: next("row") }, 5]) };
    const group = chances.pick(groups);
    const isIn = user.groups.includes(group);
    return [
      {
        form: "profile",
        values: { name, picture },
        becomes: () => Object.assign(user, { displayName: name || null, picture: picture || null }),
        leaves: updated,
      },
      {
        form: "fields",
        values: { "field.team": team, "field.seats": seats },
        becomes: () =>
          (user.profile = patched(user.profile, { team: team || null, seats: seats === "" ? null : Number(seats) })),
        leaves: updated,
      },
      {
        form: "address",
        values: { email, ...(isVerified && { verified: "on" }) },
        becomes: () => {
          Object.assign(user, { email, emailVerified: isVerified });
          user.emails.add(email);
        },
        leaves: updated,
      },
      {
        form: emailVerified ? "address/unverify" : "address/verify",
        becomes: () => (user.emailVerified = !emailVerified),
        leaves: updated,
      },
      {
        form: `metadata/${part}`,
        values: { patch: JSON.stringify(patch) },
        becomes: () => (user[`${part}Metadata`] = patched(user[`${part}Metadata`], patch)),
        leaves: ["entry user.metadata", "event user.updated"],
      },
      {
        form: isIn ? `groups/${group}/remove` : "groups",
        values: isIn ? {} : { group },
        becomes: () =>
          (user.groups = [...user.groups.filter((each) => each !== group), ...(isIn ? [] : [group])].toSorted()),
        leaves: [isIn ? "entry group.remove" : "entry group.add", "event user.updated"],
      },
      {
        form: isDisabled ? "enable" : "disable",
        becomes: () => {},
        leaves: [isDisabled ? "entry user.enable" : "entry user.disable"],
      },
      ...(user.password === "" || mustChange
        ? []
        : [
            {
              form: "require-new-password",
              becomes: () => (user.mustChange = true),
              leaves: ["entry user.require-new-password", "event user.updated"],
            },
          ]),
    ];
  }

  #state({ email, emailVerified, displayName, picture, profile, publicMetadata, ...user }: KnownUser): string {
    const { privateMetadata, groups: isIn, mustChange } = user;
    return JSON.stringify([
      email,
      emailVerified,
      displayName,
      picture,
      profile,
      publicMetadata,
      privateMetadata,
      isIn,
      mustChange,
    ]);
  }

  /** O4 and O9: as by the API. O8: an old page, or a value against its rule, changes nothing. */
  async acts(user: KnownUser): Promise<void> {
    const { world, chances } = this.#registry;
    const hand = await this.#open();
    const act = chances.pick(this.#actsOn(user));
    const path = `/people/${user.userId}`;
    const page = await hand.open(path);
    this.#mustShow(user, page.text);
    // A name that the page shows is not changed by its form.
    const isChange = !["", user.displayName ?? ""].includes(act.values?.["name"] ?? "");
    const isStale = act.form === "profile" && isChange && chances.chance(0.4);
    if (isStale) await this.#rename(user);
    if (chances.chance(0.2)) await this.#refused(user, hand);
    const before = this.#state(user);
    const from = time.now();
    const done = await hand.submit(page, `${user.userId}/${act.form}`, act.values);
    const isContested = isStale && act.values?.["name"] !== user.displayName;
    if ((done.status === 303) === isContested)
      throw new Violation(isContested ? "O4" : "O10", `${act.form} of ${user.name} at the console: ${done.status}`);
    if (isContested) return;
    act.becomes();
    const isAccess = act.form === "enable" || act.form === "disable";
    const isChanged = isAccess || before !== this.#state(user);
    if (isChanged) user.leaves(...act.leaves);
    if (isChanged) await this.#isBy(user, hand, act.leaves[0] ?? "");
    // Memberships and marks are not the user's own.
    const isOther = /^(?:groups|require)/u.test(act.form);
    const moments = isAccess ? (["disabledAt", "updatedAt"] as const) : isOther ? [] : (["updatedAt"] as const);
    await this.#learn(user, isChanged ? moments : [], from);
    world.reached("a user changed at the console");
  }

  /** O9: the log says who did it. */
  async #isBy({ userId, name }: KnownUser, { actor }: Hand, line: string): Promise<void> {
    const wanted = { userId, action: line.replace("entry ", ""), limit: 1 };
    const [entry] = await this.#registry.world.operate((ctx) => audit.list(ctx, wanted));
    if (entry?.actor !== actor) throw new Violation("O9", `${line} of ${name} is by ${String(entry?.actor)}`);
  }

  async #learn(user: KnownUser, changed: Parameters<KnownUser["learn"]>[1], from: number): Promise<void> {
    const body = await this.#registry.answered(200, user.app, "GET", `/users/${user.userId}`);
    user.learn(body, changed, { from, to: time.now() });
    user.mustBe(body, user.shown, "a user after an act at the console");
  }

  /** By their server, while the page is open. */
  async #rename(user: KnownUser): Promise<void> {
    const name = this.#registry.next("Meanwhile");
    const from = time.now();
    user.displayName = name;
    const body = await this.#registry.answered(200, user.app, "PATCH", `/users/${user.userId}`, { name });
    user.leaves(...updated);
    user.learn(body, ["updatedAt"], { from, to: time.now() });
  }

  async #refused(user: KnownUser, hand: Hand): Promise<void> {
    const { chances } = this.#registry;
    const other = this.#registry.present(user.app).find((each) => each !== user);
    const tries: [string, Values][] = [
      ["profile", { picture: "http://pictures.example/a" }],
      ["profile", { name: "a".repeat(201) }],
      ["fields", { "field.size": "m" }],
      ["address", { email: "nobody" }],
      ["metadata/public", { patch: "no JSON" }],
      ["metadata/private", { patch: JSON.stringify({ text: "a".repeat(4100) }) }],
      ["delete", { confirmation: other?.email ?? "nobody" }],
      ...(other ? ([["address", { email: other.email }]] as [string, Values][]) : []),
    ];
    const [form, values] = chances.pick(tries);
    const { status } = await hand.press(`/people/${user.userId}`, `${user.userId}/${form}`, values);
    if (status < 400) throw new Violation("O8", `${form} with ${JSON.stringify(values)} at the console: ${status}`);
    await this.#learn(user, [], time.now());
  }

  /** O4: what the page says of somebody. */
  #mustShow(user: KnownUser, html: string): void {
    const text = html.replaceAll("&#39;", "'").replaceAll("&quot;", '"');
    const { displayName, email, groups: isIn, publicMetadata, privateMetadata } = user;
    const wanted = [email, displayName ?? email, ...isIn.map((group) => `group=${group}`)];
    for (const metadata of [publicMetadata, privateMetadata])
      if (Object.keys(metadata).length > 0) wanted.push(...Object.keys(metadata).map((key) => `"${key}"`));
    const missing = wanted.find((each) => !text.includes(each));
    if (missing !== undefined) user.fail(`the page of the console does not have ${missing}`);
    const isDisabled = user.moments?.disabledAt !== null;
    for (const [form, is] of [
      ["enable", isDisabled],
      ["disable", !isDisabled],
      ["address/verify", !user.emailVerified],
      ["address/unverify", user.emailVerified],
    ] as const)
      if (text.includes(`${user.userId}/${form}"`) !== is)
        user.fail(`the page ${is ? "lacks" : "has"} the form ${form}`);
  }

  /** O4: the list of people by a filter, and as a table. */
  async lists(app: TestApp): Promise<void> {
    const { chances, world } = this.#registry;
    const hand = await this.#open();
    const there = this.#registry.present(app);
    const asked: Asked = {
      ...(chances.chance(0.4) && { state: chances.pick(["active", "disabled"]) }),
      ...(chances.chance(0.4) && { group: chances.pick(groups) }),
    };
    const query = new URLSearchParams({ app: app.id, ...asked });
    const page = await hand.open(`/people?${query.toString()}`);
    const found = [...page.text.matchAll(/href="\/console\/people\/(usr_\w+)"/gu)].map(([, id = ""]) => id);
    const known = new Set(there.map(({ userId }) => userId));
    const should = there.filter((user) => listedOf([user], asked).length > 0).map(({ userId }) => userId);
    const one = chances.pick(there);
    one.mustBe(
      found.filter((id) => known.has(id)).toSorted(),
      should.toSorted(),
      `the console's list of ${query.toString()}`,
    );
    world.reached("a list of people at the console");
  }

  /** Somebody new, as the form says. */
  async creates(user: KnownUser): Promise<void> {
    const { chances } = this.#registry;
    const hand = await this.#open();
    const [isVerified, name] = [chances.chance(0.5), chances.pick(["", "Ada at the counter"])];
    const values = { appId: user.app.id, email: user.email, name, ...(isVerified && { verified: "on" }) };
    const from = time.now();
    const done = await hand.press("/people", "/people/create", values);
    if (done.status !== 303) throw new Violation("O10", `nobody is created at the console: ${done.status}`);
    const { users } = await this.#registry.answered(
      200,
      user.app,
      "GET",
      `/users?email=${encodeURIComponent(user.email)}`,
    );
    const [body = {}] = users as Json[];
    Object.assign(user, { userId: String(body["id"]), emailVerified: isVerified, displayName: name || null });
    user.learn(body, ["createdAt", "updatedAt"], { from, to: time.now() });
    user.leaves("entry user.create", "event user.created");
    user.isUnsure = false;
  }

  async deletes({ userId, email, name }: KnownUser): Promise<void> {
    const hand = await this.#open();
    const done = await hand.press(`/people/${userId}`, `${userId}/delete`, { confirmation: email });
    if (done.status !== 303) throw new Violation("O10", `${name} is not deleted at the console: ${done.status}`);
  }
}
