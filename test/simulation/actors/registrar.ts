/**
 * The server of two applications that have the same people. It reads all that is said of them, and
 * compares it whole: one by one, in groups, in lists of every order, and in files.
 */
import { call, initiate, Visitor } from "../../support/person.ts";
import type { TestApp } from "../../support/service.ts";
import { calling } from "../browser.ts";
import { patched, type KnownUser } from "../known-users.ts";
import { Violation } from "../model.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";
import { groups, Registry } from "../registry.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { creating, flagsOf, switchSeveral } from "./registry-commands.ts";
import { countThose, exportAll, importSome, listForOperators, moveOne } from "./registry-files.ts";

type Json = Record<string, unknown>;

const names = ["Ada Lovelace", "ada Byron", "Bea Shop", "Bob O'Brien", "Chloe Strasse", null];

/** Of fields of each type. */
const badValues: Json[] = [
  { born: "2023-02-29" },
  { born: "1.2.2023" },
  { phone: "123" },
  { phone: "1".repeat(16) },
  { phone: "call me" },
  { agrees: "yes" },
  { seats: "1" },
  { team: "" },
  { team: "a".repeat(1001) },
  { team: 5 },
  { size: "S" },
];

export async function registrar(world: World, { chances, isOver, pause }: Part): Promise<void> {
  const ipAddress = "203.0.131.1";
  await calling({ world, ipAddress, chances: chances.fork("network") }, async () => {
    const registry = new Registrar(world, chances, ipAddress);
    let isOpen = false;
    while (!isOver()) {
      await pause(30_000);
      try {
        isOpen ||= await registry.open();
        if (isOpen) await registry.act();
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  });
}

class Registrar extends Registry {
  /** Whether both applications have their groups. */
  async open(): Promise<boolean> {
    for (const app of this.world.registry)
      for (const group of groups) await this.call(app, "PUT", `/groups/${group}`, {});
    return true;
  }

  async act(): Promise<void> {
    const app = this.chances.pick(this.world.registry);
    const there = this.present(app);
    const one = there.length === 0 ? undefined : this.chances.pick(there);
    if (!one || there.length < 4) return await this.#create(app);
    if (there.length > 9) return await this.#delete(one);
    const works: ((user: KnownUser) => Promise<void>)[] = [
      async () => await this.#create(app),
      async () => await this.#create(app),
      async () => await this.#refusedCreation(app),
      async (user) => await this.#change(user),
      async (user) => await this.#change(user),
      async (user) => await this.#refusedChange(user),
      async (user) => await this.#keep(user),
      async (user) => await this.#keep(user),
      async (user) => await this.#belong(user),
      async (user) => await this.#belong(user),
      async (user) => await this.#signIn(user),
      async (user) => await this.#signIn(user),
      async (user) => await this.#access(user),
      async () => await switchSeveral(this, app),
      async (user) => await this.#requireNewPassword(user),
      async (user) => await this.#methods(user),
      async (user) => await this.#delete(user),
      async (user) => await this.#foreign(user),
      async () => await importSome(this, app),
      async () => await importSome(this, app),
      async () => await exportAll(this, app),
      async () => await moveOne(this, app),
      async () => await countThose(this, app),
      async () => await listForOperators(this, app),
    ];
    // What was asked for may be known or not.
    const user = one;
    user.isUnsure = true;
    await this.chances.pick(works)(user);
    user.isUnsure = false;
    await this.#read(user);
    await (this.chances.chance(0.7) ? this.list(app) : this.search(app));
  }

  #draw<Value>(value: () => Value): Value | undefined {
    return this.chances.chance(0.5) ? value() : undefined;
  }

  #profile(): Json {
    const { chances } = this;
    return {
      ...(chances.chance(0.6) && { team: chances.chance(0.7) ? this.next("Team") : null }),
      ...(chances.chance(0.4) && { size: chances.pick(["s", "l", null]) }),
      ...(chances.chance(0.4) && { seats: chances.pick([1, 2.5, null]) }),
      ...(chances.chance(0.4) && { customer: this.next("Customer") }),
      ...(chances.chance(0.4) && { born: chances.pick(["2024-02-29", "1999-12-31", null]) }),
      ...(chances.chance(0.4) && { phone: chances.pick(["+493012345678", "1234", null]) }),
      ...(chances.chance(0.4) && { agrees: chances.pick([true, false, null]) }),
    };
  }

  async #create(app: TestApp): Promise<void> {
    const { chances, world } = this;
    const other = world.registry.find((each) => each !== app) as TestApp;
    // Somebody of the other application may have the same address.
    const there = new Set(this.users.filter((user) => user.app === app).map(({ email }) => email));
    const free = this.present(other).filter(({ email }) => !there.has(email));
    const email = free.length > 0 && chances.chance(0.3) ? chances.pick(free).email : this.nextEmail();
    const user = this.added(app, email);
    const emailVerified = this.#draw(() => chances.chance(0.7));
    const name = this.#draw(() => chances.pick(names));
    const picture = this.#draw(() => `https://pictures.example/${email}`);
    const password = this.#draw(() => this.next("the horse battery staple of"));
    const profile = this.#draw(() => this.#profile());
    const sent = chances.chance(0.2) ? email.replace("registered", "Registered") : email;
    const from = time.now();
    const byCommand = picture === undefined && chances.chance(0.4);
    const asked = { email: sent, emailVerified, name, picture, password, profile };
    const body = byCommand
      ? ((await this.commanded(user, creating(app, asked), { input: password })) as Json)
      : await this.answered(201, app, "POST", "/users", asked);
    user.userId = String(body["id"]);
    user.emailVerified = emailVerified ?? false;
    user.displayName = name ?? null;
    user.picture = picture ?? null;
    user.password = password ?? "";
    user.authMethods.password = password !== undefined;
    user.profile = patched({}, profile ?? {});
    user.learn(body, ["createdAt", "updatedAt"], { from, to: time.now() });
    user.mustBe(body, user.listed, "the answer to a creation");
    user.leaves("entry user.create", "event user.created");
    user.isUnsure = false;
    world.reached("a user created by the registrar");
    await this.#read(user);
  }

  /** O8: what is refused leaves nothing. */
  async #refusedCreation(app: TestApp): Promise<void> {
    const { chances } = this;
    const email = this.nextEmail();
    const taken = chances.pick(this.present(app)).email;
    const [status, body] = chances.pick<[number, Json]>([
      [409, { email: taken.toUpperCase().replace("EXAMPLE.ORG", "example.org") }],
      [400, { email, password: "short" }],
      [400, { email, password: "a common password of many" }],
      [400, { email, password: "a weak password of some" }],
      [400, { email, password: email }],
      [400, { email, picture: "http://pictures.example/a" }],
      [400, { email, name: "a".repeat(201) }],
      [400, { email, profile: { size: "m" } }],
      [400, { email, profile: { unknown: "a" } }],
      [400, { email, unknown: true }],
      [400, { email: "nobody" }],
    ]);
    const answer = await this.call(app, "POST", "/users", body);
    if (answer.status !== status)
      throw new Violation("O8", `a creation with ${JSON.stringify(body)} answered ${answer.status}`);
    const { users } = await this.answered(200, app, "GET", `/users?email=${encodeURIComponent(email)}`);
    if ((users as unknown[]).length > 0) throw new Violation("O8", `${email} was refused, and is there`);
    const now = new Date(time.now()).toISOString();
    for (const [method, path] of [
      ["GET", `/users?createdSince=${now}&createdBefore=${now}`],
      ["GET", "/users?limit=0"],
      ["PUT", "/groups/no%20group"],
    ] as const) {
      const refused = await this.call(app, method, path, method === "PUT" ? {} : undefined);
      if (refused.status !== 400) throw new Violation("O8", `${method} ${path} answered ${refused.status}`);
    }
    this.world.reached("a user that the registrar was refused");
  }

  async #change(user: KnownUser): Promise<void> {
    const { chances } = this;
    const email = chances.chance(0.3) ? this.nextEmail() : undefined;
    const emailVerified = chances.chance(0.3) ? chances.chance(0.5) : undefined;
    const name = chances.chance(0.4) ? chances.pick([...names, this.next("Name")]) : undefined;
    const picture = chances.chance(0.3)
      ? chances.pick([null, `https://pictures.example/${this.nextEmail()}`])
      : undefined;
    const profile = this.#draw(() => this.#profile());
    const before = JSON.stringify([user.email, user.emailVerified, user.displayName, user.picture, user.profile]);
    const named = this.named(user);
    const isMoving = email !== undefined && email !== user.email;
    user.emailVerified = emailVerified ?? (isMoving ? false : user.emailVerified);
    user.email = email ?? user.email;
    user.emails.add(user.email);
    if (name !== undefined) user.displayName = name;
    if (picture !== undefined) user.picture = picture;
    user.profile = patched(user.profile, profile ?? {});
    const after = JSON.stringify([user.email, user.emailVerified, user.displayName, user.picture, user.profile]);
    const from = time.now();
    const change = { email, emailVerified, name, picture, profile };
    const isEmpty = Object.values({ ...change, profile: profile && Object.keys(profile)[0] }).every(
      (value) => value === undefined,
    );
    const body =
      !isEmpty && chances.chance(0.4)
        ? ((await this.commanded(user, ["user", "update", named, ...flagsOf(change)])) as Json)
        : await this.answered(200, user.app, "PATCH", `/users/${user.userId}`, change);
    user.learn(body, before === after ? [] : ["updatedAt"], { from, to: time.now() });
    user.mustBe(body, user.shown, `the answer to ${JSON.stringify(change)}`);
    if (before !== after) user.leaves("entry user.update", "event user.updated");
    this.world.reached("a user changed by the registrar");
  }

  /** O8: all fields change, or none. */
  async #refusedChange(user: KnownUser): Promise<void> {
    const { chances } = this;
    const other = this.present(user.app).find((each) => each !== user);
    const bad: [number, Json][] = [
      [400, { picture: "http://pictures.example/a" }],
      [400, { profile: { size: "m" } }],
      [400, { profile: { other: "a" } }],
      [400, { profile: chances.pick<Json>(badValues) }],
      [400, { profile: chances.pick<Json>(badValues) }],
      [400, { email: "nobody" }],
      [400, { disabled: "yes" }],
    ];
    const [status, body] = chances.pick(other ? [...bad, [409, { email: other.email }] as [number, Json]] : bad);
    const change = { name: this.next("Refused"), ...body };
    const answer = await this.call(user.app, "PATCH", `/users/${user.userId}`, change);
    if (answer.status !== status)
      throw new Violation("O8", `the change ${JSON.stringify(change)} answered ${answer.status}`);
  }

  /** Merge patches of what the server keeps about somebody. */
  async #keep(user: KnownUser): Promise<void> {
    const { chances } = this;
    const path = `/users/${user.userId}/metadata`;
    const draw = (): Json => ({
      ...(chances.chance(0.5) && { plan: chances.pick(["pro", "free", null]) }),
      ...(chances.chance(0.5) && { seat: chances.pick([{ row: this.next("row") }, { place: 4 }, { row: null }, 5]) }),
    });
    if (chances.chance(0.15)) {
      const patch = { public: { plan: "refused" }, private: { text: "a".repeat(4100) } };
      const { status } = await this.call(user.app, "PATCH", path, patch);
      if (status !== 400) throw new Violation("O8", `metadata of more than 4 KiB: ${status}`);
      return;
    }
    const [isPublic, isPrivate] = [chances.chance(0.6), chances.chance(0.6)];
    const patch = { ...(isPublic && { public: draw() }), ...(isPrivate && { private: draw() }) };
    const before = JSON.stringify([user.publicMetadata, user.privateMetadata]);
    user.publicMetadata = patched(user.publicMetadata, patch.public ?? {});
    user.privateMetadata = patched(user.privateMetadata, patch.private ?? {});
    const isChanged = before !== JSON.stringify([user.publicMetadata, user.privateMetadata]);
    const from = time.now();
    const flags = Object.entries(patch).map(([part, value]) => `--${part}=${JSON.stringify(value)}`);
    const body = chances.chance(0.3)
      ? await this.commanded(user, ["user", "metadata", this.named(user), ...flags])
      : await this.answered(200, user.app, "PATCH", path, patch);
    const { publicMetadata, privateMetadata } = user;
    user.mustBe(body, { public: publicMetadata, private: privateMetadata }, `metadata after ${JSON.stringify(patch)}`);
    if (!isChanged) return;
    user.leaves("entry user.metadata", "event user.updated");
    await this.#relearn(user, ["updatedAt"], from);
  }

  async #relearn(user: KnownUser, changed: Parameters<KnownUser["learn"]>[1], from: number): Promise<void> {
    const body = await this.answered(200, user.app, "GET", `/users/${user.userId}`);
    user.learn(body, changed, { from, to: time.now() });
  }

  async #belong(user: KnownUser): Promise<void> {
    const group = this.chances.pick(groups);
    const joins = this.chances.chance(0.6);
    const isIn = user.groups.includes(group);
    if (this.chances.chance(0.6))
      await this.answered(200, user.app, joins ? "PUT" : "DELETE", `/groups/${group}/members/${user.userId}`);
    else {
      const args = ["group", joins ? "add" : "remove", group, user.userId, `--app=${user.app.id}`];
      const done = { name: group, appId: user.app.id, [joins ? "added" : "removed"]: joins === isIn ? 0 : 1 };
      user.mustBe(await this.commanded(user, args), done, `what ${args.join(" ")} says`);
    }
    if (joins !== isIn) user.leaves(joins ? "entry group.add" : "entry group.remove", "event user.updated");
    user.groups = [...user.groups.filter((each) => each !== group), ...(joins ? [group] : [])].toSorted();
  }

  /** Only with the present password, while not disabled. */
  async #signIn(user: KnownUser): Promise<void> {
    const { world } = this;
    if (user.password === "" || user.mustChange) return await this.#change(user);
    const isDisabled = user.moments?.disabledAt !== null;
    const from = time.now();
    const session = await initiate(world.service, user.app);
    const visitor = new Visitor();
    const page = await visitor.get(session.authUrl);
    const form = { email: user.email, password: user.password };
    let done = await visitor.submit(page, "/password", form);
    if (isDisabled) {
      if (done.status === 303) throw new Violation("O8", `${user.name} signs in although disabled`);
      return;
    }
    for (let turns = 0; turns < 4 && done.status === 303 && done.location.origin === world.service.url; turns += 1) {
      const next = await visitor.get(done.location.href);
      done = next.text.includes("/step/skip") ? await visitor.submit(next, "/step/skip", {}) : next;
    }
    const code = done.location.searchParams.get("code");
    // After wrong ones, people wait: nobody has given any here.
    if (code === null) throw new Violation("O10", `${user.name} cannot sign in: ${done.status} at ${done.url}`);
    const body = { code, sessionId: session.sessionId };
    const tokens = await call(world.service, "POST", "/auth/callback", user.app.headers, body);
    if (tokens.status !== 200) throw new Lost("the code was too late");
    // With today's cost, the password was hashed anew.
    if (user.line) user.line = { ...user.line, password: undefined };
    user.loginCount += 1;
    user.lastIpAddress = this.ipAddress;
    await this.#relearn(user, ["lastLoginAt"], from);
    await this.#ownData(user, String(tokens.body["accessToken"]));
  }

  /** What somebody reads of themselves: nothing that is the server's alone. */
  async #ownData(user: KnownUser, accessToken: string): Promise<void> {
    const { world } = this;
    const headers = { authorization: `Bearer ${accessToken}` };
    const { status, body } = await call(world.service, "GET", "/users/profile", headers);
    if (status !== 200) throw new Violation("O4", `${user.name} cannot read the own profile: ${status}`);
    const hidden = ["privateMetadata", "appId", "updatedAt", "disabledAt"];
    const known = Object.fromEntries(Object.entries(user.shown).filter(([name]) => !hidden.includes(name)));
    user.mustBe(body, known, "the own profile");
    const { body: said } = await call(world.service, "GET", "/auth/validate", {
      ...headers,
      "x-service-app-id": user.app.id,
    });
    const { email, emailVerified, displayName: name } = user;
    user.mustBe(said["user"], { id: user.userId, email, emailVerified, name }, "who is validated");
    world.reached("the own data of a user");
    if (!this.chances.chance(0.5)) return;
    // O1: each login that the server ends, and how many these were.
    const ended = await this.answered(200, user.app, "POST", `/users/${user.userId}/logout`, {});
    if (!(Number(ended["ended"]) >= 1)) throw new Violation("O1", `${user.name}: no login ended`);
    user.leaves("entry user.revoke-logins");
    const after = await call(world.service, "GET", "/users/profile", headers);
    if (after.status !== 401) throw new Violation("O1", `${user.name} reads the own profile after the logout`);
  }

  /** Disables or enables. */
  async #access(user: KnownUser): Promise<void> {
    const isDisabled = user.moments?.disabledAt !== null;
    const disabled = this.chances.chance(0.7) ? !isDisabled : isDisabled;
    const from = time.now();
    const body = await this.answered(200, user.app, "PATCH", `/users/${user.userId}`, { disabled });
    user.learn(body, disabled === isDisabled ? [] : ["disabledAt", "updatedAt"], { from, to: time.now() });
    if ((user.moments?.disabledAt !== null) !== disabled) user.fail(`disabled is not ${disabled}`);
    user.mustBe(body, user.shown, `the answer to disabled: ${disabled}`);
    if (disabled !== isDisabled) user.leaves(disabled ? "entry user.disable" : "entry user.enable");
    this.world.reached("a user disabled or enabled by the registrar");
  }

  async #requireNewPassword(user: KnownUser): Promise<void> {
    const path = `/users/${user.userId}/require-new-password`;
    if (user.password === "") {
      const { status } = await this.call(user.app, "POST", path, {});
      if (status !== 409) throw new Violation("O8", `${user.name} has no password, which must change: ${status}`);
      await this.commanded(user, ["user", "require-new-password", user.userId], { code: 4 });
      return;
    }
    const way = user.emailVerified || user.authMethods.passkey ? "sign-in" : "reset";
    const should = { required: !user.mustChange, way };
    if (this.chances.chance(0.5)) {
      const said = await this.commanded(user, ["user", "require-new-password", this.named(user)]);
      user.mustBe(said, { id: user.userId, ...should }, "what a required new password says");
    } else
      user.mustBe(await this.answered(200, user.app, "POST", path, {}), should, "what a required new password answers");
    if (!user.mustChange) user.leaves("entry user.require-new-password", "event user.updated");
    user.mustChange = true;
    this.world.reached("a new password required by the registrar");
  }

  /** O8: the last way in stays, and no other's is removed. */
  async #methods(user: KnownUser): Promise<void> {
    const path = `/users/${user.userId}/auth-methods`;
    const { methods } = (await this.answered(200, user.app, "GET", path)) as {
      methods: { id: string; type: string }[];
    };
    const { password, oauth, passkey } = user.authMethods;
    const known = [...(password ? ["password"] : []), ...(passkey ? ["passkey"] : []), ...oauth.map(() => "oauth")];
    user.mustBe(methods.map(({ type }) => type).toSorted(), known.toSorted(), "the list of methods");
    const [one] = methods;
    if (!one) return;
    const other = this.present(user.app).find((each) => each !== user);
    if (other && this.chances.chance(0.4)) {
      const { status } = await this.call(user.app, "DELETE", `/users/${other.userId}/auth-methods/${one.id}`);
      if (status !== 404) throw new Violation("O8", `a method of ${user.name} removed from ${other.name}: ${status}`);
      return;
    }
    const from = time.now();
    const isLast = methods.length === 1;
    if (this.chances.chance(0.5)) {
      const evenLast = isLast && this.chances.chance(0.5);
      const args = ["user", "remove-method", user.userId, one.id, ...(evenLast ? ["--even-last"] : [])];
      await this.commanded(user, args, { code: isLast && !evenLast ? 4 : 0 });
      if (isLast && !evenLast) return;
    } else {
      const { status } = await this.call(user.app, "DELETE", `${path}/${one.id}`);
      if (status !== (isLast ? 400 : 200))
        throw new Violation("O8", `removing one of ${methods.length} methods of ${user.name}: ${status}`);
      if (status !== 200) return;
    }
    if (one.type === "password") Object.assign(user, { password: "", mustChange: false });
    user.authMethods = {
      password: password && one.type !== "password",
      passkey: passkey && one.type !== "passkey",
      oauth: one.type === "oauth" ? [] : oauth,
    };
    const of = { password: "password", passkey: "passkeys", oauth: "identities" }[one.type] ?? "";
    if (user.line) user.line = { ...user.line, [of]: undefined };
    user.leaves(`entry method.removed ${one.type}`, `event method.removed ${one.type}`);
    await this.#relearn(user, ["updatedAt"], from);
    this.world.reached("a method removed by the registrar");
  }

  async #delete(user: KnownUser): Promise<void> {
    user.leaves("entry user.delete", "event user.deleted");
    this.world.ledger.left({ actor: "", act: "deleteOwn", about: user.userId }, { isSure: false });
    const since = time.now();
    user.isUnsure = true;
    if (this.chances.chance(0.6)) await this.answered(200, user.app, "DELETE", `/users/${user.userId}`);
    else await this.commanded(user, ["user", "delete", user.userId]);
    user.isGone = true;
    user.isUnsure = false;
    this.world.reached("a user deleted by the registrar");
    const { email } = user;
    const isShared = this.users.some((each) => each !== user && each.emails.has(email));
    if (!isShared && this.world.clockWasRight(since)) await checkNothingIsLeft(this.world, user, since);
    await this.#read(user);
  }

  /** O8: a user of another application is unknown, and no key opens another application. */
  async #foreign(user: KnownUser): Promise<void> {
    const other = this.world.registry.find((each) => each !== user.app) as TestApp;
    const of = `/users/${user.userId}`;
    const asked: [string, string, unknown?][] = [
      ["GET", of],
      ["PATCH", of, { name: "Foreign" }],
      ["PATCH", of, { disabled: true }],
      ["DELETE", of],
      ["POST", `${of}/logout`, {}],
      ["POST", `${of}/require-new-password`, {}],
      ["POST", `${of}/approve`, {}],
      ["GET", `${of}/auth-methods`],
      ["GET", `${of}/factors`],
      ["DELETE", `${of}/factors`],
      ["GET", `${of}/personal-tokens`],
      ["GET", `${of}/groups`],
      ["GET", `${of}/metadata`],
      ["PATCH", `${of}/metadata`, { public: { plan: "foreign" } }],
      ["PUT", `/groups/blue/members/${user.userId}`],
    ];
    const [method, path, body] = this.chances.pick(asked);
    const { status } = await this.call(other, method, path, body);
    await this.#foreignCursor(user.app, other);
    if (status !== 404) throw new Violation("O8", `${other.id}: ${method} ${path} of another answered ${status}`);
    const { service } = this.world;
    const opened = await call(service, method, `/applications/${user.app.id}${path}`, other.headers, body);
    if (opened.status !== 401)
      throw new Violation("O8", `a key of ${other.id} opened ${user.app.id}: ${opened.status}`);
    this.world.reached("a user of another application");
  }

  /** O8: a cursor leads on in its own list alone. */
  async #foreignCursor(app: TestApp, other: TestApp): Promise<void> {
    const [filter, another] = this.chances.pick([
      ["search=registered", "search=gistered"],
      ["sort=-name", "sort=name"],
    ] as const);
    const { nextCursor } = await this.answered(200, app, "GET", `/users?${filter}&limit=1`);
    if (typeof nextCursor !== "string") return;
    const more = `&cursor=${encodeURIComponent(nextCursor)}`;
    for (const [of, query] of [
      [app, another],
      [other, filter],
    ] as const) {
      const { status } = await this.call(of, "GET", `/users?${query}${more}`);
      if (status !== 400) throw new Violation("O8", `a cursor of another list answered ${status}`);
    }
  }

  /** O4: each answer about somebody, whole. */
  async #read(user: KnownUser): Promise<void> {
    const path = `/users/${user.userId}`;
    if (user.isGone) {
      const { status } = await this.call(user.app, "GET", path);
      if (status !== 404) throw new Violation("O1", `${user.name} is there after the deletion: ${status}`);
      await this.commanded(user, ["user", "show", user.userId], { code: 3, isRead: true });
      return;
    }
    user.mustBe(await this.answered(200, user.app, "GET", path), user.shown, "a user");
    if (this.chances.chance(0.3)) {
      const shown = (await this.commanded(user, ["user", "show", this.named(user)], { isRead: true })) as Json;
      user.mustBe({ ...shown, methods: undefined }, user.shown, "what a command shows of a user");
    }
    const { groups: isIn, publicMetadata, privateMetadata } = user;
    const other = this.chances.pick<[string, Json]>([
      ["groups", { groups: isIn }],
      ["metadata", { public: publicMetadata, private: privateMetadata }],
      ["factors", { totp: user.hasTotp, recoveryCodes: user.codesLeft, failures: 0, blocked: false }],
      ["personal-tokens", { tokens: [] }],
    ]);
    const said = await this.answered(200, user.app, "GET", `${path}/${other[0]}`);
    const is = other[0] === "factors" ? { ...said, totp: said["totp"] !== null } : said;
    user.mustBe(is, other[1], `what ${other[0]} answers`);
  }
}
