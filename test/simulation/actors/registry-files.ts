/** Many people at once: what is imported and exported, and the lists of operators. */
import { hash } from "node:crypto";
import * as applications from "../../../src/applications/service.ts";
import { forEach, type BulkAct } from "../../../src/people/bulk.ts";
import { table } from "../../../src/people/csv-export.ts";
import * as exports from "../../../src/people/export.ts";
import { importLines } from "../../../src/people/import.ts";
import * as lists from "../../../src/people/list.ts";
import { countWaiting, type Stop } from "../../../src/people/waiting.ts";
import { cbor } from "../../support/cbor.ts";
import type { TestApp } from "../../support/service.ts";
import { newPasskey } from "../key-pairs.ts";
import { listedOf, type KnownUser } from "../known-users.ts";
import { Violation } from "../model.ts";
import { askedAgain } from "../resident.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";
import type { Registry } from "../registry.ts";

type Json = Record<string, unknown>;
type Line = { json: Json; user?: KnownUser; outcome: Json };

const actor = { kind: "cli", name: "registry" } as const;
const clean = { outcome: "created", leftOut: [] } as const;

/** O8 and O4: each line as its outcome says, and all of it. Nobody who is there changes. */
export async function importSome(registry: Registry, app: TestApp): Promise<void> {
  const { world, chances } = registry;
  const there = registry.present(app);
  const one = chances.pick(there);
  const createdAt = new Date(Math.floor(time.now() / 1000) * 1000 - chances.below(1_000_000_000)).toISOString();
  const whole = wholeLine(registry, app, createdAt);
  const other = there.find((each) => each !== one);
  const all: Line[] = [
    whole,
    { json: { email: one.email, name: "Imported", disabled: true }, outcome: { outcome: "unchanged" } },
    {
      json: { id: one.userId, email: registry.nextEmail() },
      outcome: { outcome: "refused", field: "id", rule: "belongs to a user with another email" },
    },
    {
      json: { email: registry.nextEmail(), groups: ["blue", "red"] },
      outcome: { outcome: "refused", field: "groups[1]", rule: "not a group of this application" },
    },
    {
      json: { email: registry.nextEmail(), identities: whole.json["identities"] },
      outcome: { outcome: "refused", field: "identities[0].subject", rule: "belongs to another user" },
    },
    { json: { ...whole.json, id: undefined, name: "Again" }, outcome: { outcome: "unchanged" } },
    ...(other
      ? [
          {
            json: { id: "usr_nobody_has_it", email: other.email },
            outcome: { outcome: "refused", field: "email", rule: "belongs to a user with another id" },
          },
        ]
      : []),
  ];
  const lines = all.map(({ json }, at) => ({ line: at + 1, json: JSON.stringify(json) }));
  const from = time.now();
  const run = async (dryRun: boolean): Promise<void> => {
    const outcomes = await world.operate(async (ctx) => await importLines(ctx, app.id, lines, { dryRun }, actor));
    one.mustBe(
      outcomes,
      all.map(({ outcome }, at) => ({ line: at + 1, ...outcome })),
      "what an import says",
    );
  };
  const { user } = whole;
  if (!user) return;
  if (chances.chance(0.3)) {
    await run(true);
    const body = await registry.answered(200, app, "GET", `/users?email=${encodeURIComponent(user.email)}`);
    user.mustBe(body["users"], [], "who a dry run has imported");
    world.reached("a dry run of an import");
  }
  await run(false);
  const found = await registry.answered(200, app, "GET", `/users?email=${encodeURIComponent(user.email)}`);
  const [said] = found["users"] as Json[];
  if (!said) return user.fail("is not there after the import");
  user.userId = String(said["id"]);
  user.learn(said, ["updatedAt", "disabledAt"], { from, to: time.now() });
  if (said["createdAt"] !== createdAt) user.fail(`was created at ${createdAt}, not ${String(said["createdAt"])}`);
  const isDisabled = whole.json["disabled"] === true;
  if ((user.moments?.disabledAt !== null) !== isDisabled) user.fail("is not disabled as the line said");
  user.isUnsure = false;
  user.mustBe(await registry.answered(200, app, "GET", `/users/${user.userId}`), user.shown, "an imported user");
  user.mustBe(
    await registry.answered(200, app, "GET", `/users/${user.userId}/groups`),
    { groups: user.groups },
    "groups",
  );
  world.reached("users imported");
}

/** Somebody with all that a line can say. */
function wholeLine(registry: Registry, app: TestApp, createdAt: string): Line & { user: KnownUser } {
  const { chances } = registry;
  const user = registry.added(app);
  const { email } = user;
  const some = (chance = 0.6): boolean => chances.chance(chance);
  user.emailVerified = some();
  user.displayName = some() ? "Ada Imported" : null;
  user.picture = some() ? `https://pictures.example/${email}` : null;
  user.publicMetadata = some() ? { plan: "imported" } : {};
  user.privateMetadata = some() ? { seat: { row: "imported" } } : {};
  user.groups = some() ? ["blue"] : [];
  user.profile = { team: "Imported", ...(some() && { seats: 3 }), ...(some() && { agrees: some() }) };
  user.password = some() ? registry.next("the imported horse battery staple") : "";
  user.mustChange = user.password !== "" && some(0.3);
  const subject = `imported-${email}`;
  const hasPasskey = some();
  user.authMethods = { passkey: hasPasskey, oauth: ["discord"], password: user.password !== "" };
  const isUnfit = some(0.3);
  const { displayName, picture, publicMetadata, privateMetadata, groups, profile, password, mustChange } = user;
  const identity = { provider: "discord", subject, issuer: "discord.com", ...(some() && { email }) };
  // Who has an authenticator app would be asked for its code.
  const hasTotp = password === "" && some();
  user.line = {
    identities: [identity],
    ...(password !== "" && { password: { hash: hashOf(registry, password), ...(some() && { setAt: createdAt }) } }),
    ...(hasPasskey ? passkeysOf(registry, createdAt) : some() && { handle: handleOf(registry) }),
    ...(hasTotp && { totpSecret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" }),
    ...(hasTotp && some() && { recoveryDigests: ["one", "two"].map((code) => hash("sha256", code, "base64url")) }),
  };
  return {
    user,
    json: {
      email,
      emailVerified: user.emailVerified,
      name: displayName,
      picture,
      createdAt,
      disabled: some(0.3),
      publicMetadata,
      privateMetadata,
      groups,
      profile: { ...profile, ...(isUnfit && { size: "m" }) },
      ...user.line,
      // Without an issuer, it is the provider's.
      ...(some() && { identities: [{ ...identity, issuer: undefined }] }),
      ...(password !== "" && { password: { ...(user.line["password"] as Json), mustChange } }),
    },
    outcome: isUnfit ? { ...clean, leftOut: [{ field: "profile.size", rule: "one of s, l, or null" }] } : clean,
  };
}

/** In the form of the simulation's hashes. */
function hashOf({ chances }: Registry, password: string): string {
  const salt = Buffer.from(chances.bytes(16)).toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash("sha256", `${salt} ${password}`, "base64").replaceAll("=", "")}`;
}

const handleOf = ({ chances }: Registry): string => Buffer.from(chances.bytes(32)).toString("base64url");

function passkeysOf(registry: Registry, createdAt: string): Json {
  const { chances } = registry;
  const handle = handleOf(registry);
  const { id, cose } = newPasskey(chances, handle);
  const key = {
    credentialId: id.toString("base64url"),
    publicKey: Buffer.from(cbor(cose)).toString("base64url"),
    signCount: chances.below(5),
    transports: chances.pick([[], ["usb", "nfc"]]),
    aaguid: "00000000-0000-4000-8000-000000000007",
    name: "Imported",
    discoverable: chances.chance(0.5),
    backedUp: chances.chance(0.5),
    createdAt,
  };
  return { handle, passkeys: [key] };
}

async function exported({ world }: Registry, app: TestApp, withHashes: boolean): Promise<Json[]> {
  return await askedAgain(() =>
    world.operate(async (ctx) => {
      const read: Json[] = [];
      for await (const page of exports.pages(ctx, app.id, { withHashes })) read.push(...(page as Json[]));
      return read;
    }),
  );
}

/** O4: a file has everybody once, with all that is known. */
export async function exportAll(registry: Registry, app: TestApp): Promise<void> {
  const { world } = registry;
  const withHashes = registry.chances.chance(0.5);
  const lines = await exported(registry, app, withHashes);
  const there = registry.present(app).toSorted((one, other) => (one.userId < other.userId ? -1 : 1));
  const [one] = there;
  const lineOf = new Map(there.map(({ userId, line }) => [userId, line]));
  const said = registry.ofKnown(app, lines).map(({ handle, password, passkeys, identities, ...line }) => {
    const whole = lineOf.get(String(line["id"]));
    const { hash: hashed, setAt, mustChange = false } = (password ?? {}) as Json;
    return {
      ...line,
      handle: whole?.["handle"] === undefined ? handle !== undefined : handle,
      password: password && (whole?.["password"] ? { hash: hashed, setAt, mustChange } : { mustChange }),
      passkeys,
      identities,
    };
  });
  const known = there.map((user) => {
    const { line = {}, authMethods, mustChange } = user;
    return {
      id: user.userId,
      email: user.email,
      emailVerified: user.emailVerified,
      ...(user.displayName !== null && { name: user.displayName }),
      ...(user.picture !== null && { picture: user.picture }),
      createdAt: user.moments?.createdAt,
      ...(user.moments?.disabledAt !== null && { disabled: true }),
      ...(Object.keys(user.profile).length > 0 && { profile: user.profile }),
      ...(Object.keys(user.publicMetadata).length > 0 && { publicMetadata: user.publicMetadata }),
      ...(Object.keys(user.privateMetadata).length > 0 && { privateMetadata: user.privateMetadata }),
      ...(user.groups.length > 0 && { groups: user.groups }),
      ...(withHashes && user.hasTotp && { totpSecret: line["totpSecret"] }),
      ...(withHashes && user.codesLeft > 0 && { recoveryDigests: (line["recoveryDigests"] as string[]).toSorted() }),
      handle: line["handle"] ?? true,
      password: withHashes && authMethods.password ? { ...(line["password"] as Json), mustChange } : undefined,
      passkeys: line["passkeys"],
      identities: line["identities"],
    };
  });
  one?.mustBe(said, known, "an export");
  world.reached("an export compared");
}

/** O4: an exported line makes the same person at the other application, with an id of their own. */
export async function moveOne(registry: Registry, app: TestApp): Promise<void> {
  const { world, chances } = registry;
  const other = world.registry.find((each) => each !== app) as TestApp;
  const taken = new Set(registry.users.filter((user) => user.app === other).flatMap(({ emails }) => [...emails]));
  const subjectOf = ({ line }: KnownUser) => (line?.["identities"] as { subject: string }[] | undefined)?.[0]?.subject;
  const moved = new Set(registry.users.filter((user) => user.app === other).map(subjectOf));
  const free = registry
    .present(app)
    .filter((user) => user.line !== undefined && !taken.has(user.email) && !moved.has(subjectOf(user)));
  if (free.length === 0) return;
  const from = chances.pick(free);
  const line = (await exported(registry, app, true)).find(({ id }) => id === from.userId);
  if (!line) return from.fail("is not in an export");
  const user = registry.added(other, from.email);
  const { emailVerified, displayName, picture, publicMetadata, privateMetadata, groups, profile } = from;
  const { password, mustChange, authMethods } = from;
  Object.assign(user, { emailVerified, displayName, picture, publicMetadata, privateMetadata, groups, profile });
  // A handle and passkeys are one person's, whichever the application.
  const withoutKeys = { handle: undefined, passkeys: undefined };
  Object.assign(user, { password, mustChange, line: { ...from.line, ...withoutKeys } });
  user.authMethods = { ...authMethods, passkey: false };
  const begun = time.now();
  const lines = [
    { ...line, id: undefined },
    { ...line, ...withoutKeys, id: undefined },
  ];
  const asked = lines.map((each, at) => ({ line: at + 1, json: JSON.stringify(each) }));
  const outcomes = await world.operate(
    async (ctx) => await importLines(ctx, other.id, asked, { dryRun: false }, actor),
  );
  const refused = { line: 1, outcome: "refused", field: "handle", rule: "belongs to another user" };
  user.mustBe(outcomes, [refused, { line: 2, ...clean }], "what an import of an export says");
  const found = await registry.answered(200, other, "GET", `/users?email=${encodeURIComponent(user.email)}`);
  const [said] = found["users"] as Json[];
  if (!said) return user.fail("is not there after the import of an export");
  user.userId = String(said["id"]);
  user.learn(said, ["updatedAt", "disabledAt"], { from: begun, to: time.now() });
  if (said["createdAt"] !== from.moments?.createdAt) user.fail("was created at another time than in the export");
  user.isUnsure = false;
  user.mustBe(await registry.answered(200, other, "GET", `/users/${user.userId}`), user.shown, "a moved user");
  await exportAll(registry, other);
  world.reached("an exported line imported elsewhere");
}

/** O4: how many must answer what is demanded. Those of whom not all is known may count. */
export async function countThose(registry: Registry, app: TestApp): Promise<void> {
  const { world, chances } = registry;
  const there = registry.present(app).filter(({ moments }) => moments?.disabledAt === null);
  const unsure = registry.users.filter((user) => user.app === app && user.isUnsure && !user.isGone).length;
  const one = registry.present(app)[0];
  const field = chances.pick(["team", "size", "seats", "born", "phone", "agrees", "customer"]);
  const askAt = chances.pick(["signUp", "nextSignIn", "never"] as const);
  const found = await askedAgain(() => world.operate((ctx) => applications.find(ctx, ctx.storage.reader, app.id)));
  if (!found) throw new Violation("O4", `${app.id} is not there`);
  const { settings } = found;
  const profileFields = (settings.profileFields ?? []).map((each) =>
    each.name === field ? { ...each, required: true, askAt } : each,
  );
  const isServers = field === "customer";
  const lacks = ({ profile, moments }: KnownUser): boolean => {
    const value = profile[field];
    const isMissing = value === undefined || (field === "agrees" && value === false);
    return isMissing && (askAt !== "signUp" || moments?.lastLoginAt === null);
  };
  const [stop, asked, counts] = chances.pick<[Stop, object, ((user: KnownUser) => boolean) | undefined]>([
    ["terms", { termsVersion: "1", termsUrl: "https://terms.example" }, () => true],
    ["terms", { termsVersion: "1", termsUrl: "https://terms.example", termsRequired: false }, undefined],
    ["factor", { secondFactor: "required" }, (user) => !user.hasTotp && !user.authMethods.passkey],
    ["proof", { signUpRequireVerified: true }, (user) => !user.emailVerified && user.moments?.lastLoginAt === null],
    ["profile", { profileFields }, isServers || askAt === "never" ? undefined : lacks],
    ["profile", { profileFields }, isServers || askAt === "never" ? undefined : lacks],
    ["server", { profileFields }, isServers ? lacks : undefined],
  ]);
  const wanted = { id: app.id, settings: { ...settings, ...asked } };
  const said = await askedAgain(() => world.operate((ctx) => countWaiting(ctx, wanted, stop)));
  const least = counts && there.filter(counts).length;
  const isSo = least === undefined ? said === undefined : said !== undefined && said >= least && said <= least + unsure;
  if (!isSo) one?.fail(`${said} wait for ${stop} of ${JSON.stringify(asked)} instead of ${least}`);
  world.reached("those who wait counted");
}

const bulkActs: readonly BulkAct[] = ["disable", "enable", "revokeLogins", "requireNewPassword"];

/** O4: a list of operators has whom it is asked for, and what is done to them all is done. */
export async function listForOperators(registry: Registry, app: TestApp): Promise<void> {
  const { world, chances } = registry;
  const there = registry.present(app);
  const one = chances.pick(there);
  const state = chances.pick([undefined, "active", "disabled", "invited", "pending", "blocked"]);
  const group = chances.pick([undefined, undefined, "blue", "green"]);
  const method = chances.pick([undefined, "password", "passkey", "none", "provider:discord"]);
  const lacksFactor = chances.chance(0.3);
  const text = chances.chance(0.3) ? "ADA" : undefined;
  const asked = { text, appId: app.id, state, group, method, lacksFactor };
  const listed = await world.operate(async (ctx) => {
    const wanted = await lists.checked(ctx, asked);
    const all: lists.Listed[] = [];
    for (let after: lists.Page["next"]; ;) {
      const { people, next } = await lists.page(ctx, wanted, { after, limit: chances.pick([1, 3, 50]) });
      all.push(...people);
      if (!next) return all;
      after = next;
    }
  });
  const has = ({ email, displayName, authMethods, moments, groups, hasTotp }: KnownUser): boolean => {
    const { password, passkey, oauth } = authMethods;
    const methods = [
      ...(password ? ["password"] : []),
      ...(passkey ? ["passkey"] : []),
      ...oauth.map((name) => `provider:${name}`),
    ];
    const isDisabled = moments?.disabledAt !== null;
    return (
      (state === undefined || state === (isDisabled ? "disabled" : "active")) &&
      !(lacksFactor && hasTotp) &&
      (group === undefined || groups.includes(group)) &&
      (method === undefined || (method === "none" ? methods.length === 0 : methods.includes(method))) &&
      (text === undefined || `${email} ${displayName}`.toLowerCase().includes(text.toLowerCase()))
    );
  };
  const known = listedOf(there, { sort: "-createdAt" }).filter(has);
  const idsOf = (all: readonly unknown[]): string[] =>
    group === undefined ? all.map(String) : all.map(String).toSorted();
  const said = registry.ofKnown(app, listed);
  one.mustBe(
    idsOf(said.map(({ id }) => id)),
    idsOf(known.map(({ userId }) => userId)),
    `a list of ${JSON.stringify(asked)}`,
  );
  for (const { id, listedAs, hasFactor, ...answer } of said) {
    const user = known.find(({ userId }) => userId === id);
    const should = { ...user?.listed, listedAs: user?.moments?.disabledAt === null ? "active" : "disabled" };
    user?.mustBe({ id, ...answer, listedAs, hasFactor }, { ...should, hasFactor: user.hasTotp }, "one of a list");
  }
  world.reached("a list of operators compared");
  if (chances.chance(0.5)) await tableOf(registry, app, asked, known);
  if (chances.chance(0.5) && known.length < 6) await doToAll(registry, known, said as unknown as lists.Listed[]);
}

/** O4: the same people, as a table for people. */
async function tableOf(
  registry: Registry,
  app: TestApp,
  asked: lists.Asked,
  known: readonly KnownUser[],
): Promise<void> {
  const { world } = registry;
  const text = await askedAgain(() =>
    world.operate(async (ctx) => {
      const about = { asked, wanted: await lists.checked(ctx, asked), applications: new Map([[app.id, "Of here"]]) };
      const parts: string[] = [];
      for await (const part of table(ctx, about, { actor }, () => Promise.resolve(true))) parts.push(part);
      return parts.join("");
    }),
  );
  const [, ...rows] = text.split("\r\n").filter((row) => row !== "");
  const ids = new Set(known.map(({ userId }) => userId));
  const said = rows.filter((row) => ids.has(row.split(",")[0] ?? ""));
  const should = known.map((user) => {
    const { authMethods, moments } = user;
    const { passkey, password, oauth } = authMethods;
    const methods = [...(passkey ? ["passkey"] : []), ...(password ? ["password"] : []), ...oauth].join(" ");
    const at = (moment: string | null = null): string => moment?.slice(0, 19).replace("T", " ") ?? "";
    const yes = (is: boolean): string => (is ? "yes" : "no");
    const cells = [user.userId, "Of here", app.id, user.displayName ?? "", user.email, yes(user.emailVerified)];
    cells.push(moments?.disabledAt === null ? "active" : "disabled", methods, yes(user.hasTotp));
    cells.push(at(moments?.createdAt), at(moments?.lastLoginAt), at(moments?.disabledAt));
    return cells.join(",");
  });
  known[0]?.mustBe(said.toSorted(), should.toSorted(), "a table of people");
  world.reached("a table of people compared");
}

async function doToAll(
  registry: Registry,
  known: readonly KnownUser[],
  listed: readonly lists.Listed[],
): Promise<void> {
  const { world, chances } = registry;
  const act = chances.pick(bulkActs);
  for (const user of known) user.isUnsure = true;
  const from = time.now();
  const outcomes = await world.operate(async (ctx) => await forEach(ctx, act, listed, { actor }));
  // A full disk is told in words, and nobody knows what was done.
  if (outcomes.some(({ words }) => /^(?:Failed|Not tried)/u.test(words))) throw new Lost("the disk is full");
  for (const user of known) {
    const { isDone } = outcomes.find(({ person }) => person.id === user.userId) ?? {};
    const isDisabled = user.moments?.disabledAt !== null;
    const canBeDone =
      act === "revokeLogins" ||
      (act === "disable" && !isDisabled) ||
      (act === "enable" && isDisabled) ||
      (act === "requireNewPassword" && user.password !== "" && !user.mustChange);
    if (isDone !== canBeDone) throw new Violation("O4", `${act} of ${user.name}: ${isDone} instead of ${canBeDone}`);
    if (act === "revokeLogins") user.leaves("entry user.revoke-logins");
    if (!isDone || act === "revokeLogins") continue;
    if (act === "disable" || act === "enable") user.leaves(`entry user.${act}`);
    else {
      user.mustChange = true;
      user.leaves("entry user.require-new-password", "event user.updated");
    }
    const body = await registry.answered(200, user.app, "GET", `/users/${user.userId}`);
    user.learn(body, act === "requireNewPassword" ? [] : ["updatedAt", "disabledAt"], { from, to: time.now() });
    if (act !== "requireNewPassword" && (user.moments?.disabledAt === null) !== (act === "enable"))
      user.fail(`${act} changed nothing`);
    user.mustBe(body, user.shown, `a user after ${act}`);
  }
  for (const user of known) user.isUnsure = false;
  world.reached("an act on many people");
}
