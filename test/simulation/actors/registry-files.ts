/** Many people at once: what is imported and exported, and the lists of operators. */
import { hash } from "node:crypto";
import { forEach, type BulkAct } from "../../../src/people/bulk.ts";
import * as exports from "../../../src/people/export.ts";
import { importLines } from "../../../src/people/import.ts";
import * as lists from "../../../src/people/list.ts";
import { cbor } from "../../support/cbor.ts";
import type { TestApp } from "../../support/service.ts";
import { newPasskey } from "../key-pairs.ts";
import { listedOf, type KnownUser } from "../known-users.ts";
import { Violation } from "../model.ts";
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
  user.profile = { team: "Imported", ...(some() && { seats: 3 }) };
  user.password = some() ? registry.next("the imported horse battery staple") : "";
  user.mustChange = user.password !== "" && some(0.3);
  const subject = `imported-${email}`;
  const hasPasskey = some();
  user.authMethods = { passkey: hasPasskey, oauth: ["discord"], password: user.password !== "" };
  const isUnfit = some(0.3);
  const { displayName, picture, publicMetadata, privateMetadata, groups, profile, password, mustChange } = user;
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
      identities: [{ provider: "discord", subject, email }],
      ...(password !== "" && { password: { hash: hashOf(registry, password), mustChange } }),
      ...(hasPasskey && passkeysOf(registry)),
    },
    outcome: isUnfit ? { ...clean, leftOut: [{ field: "profile.size", rule: "one of s, l, or null" }] } : clean,
  };
}

/** In the form of the simulation's hashes. */
function hashOf({ chances }: Registry, password: string): string {
  const salt = Buffer.from(chances.bytes(16)).toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash("sha256", `${salt} ${password}`, "base64").replaceAll("=", "")}`;
}

function passkeysOf({ chances }: Registry): Json {
  const handle = Buffer.from(chances.bytes(32)).toString("base64url");
  const { id, cose } = newPasskey(chances, handle);
  const publicKey = Buffer.from(cbor(cose)).toString("base64url");
  return { handle, passkeys: [{ credentialId: id.toString("base64url"), publicKey, name: "Imported" }] };
}

/** O4: a file has everybody once, with all that is known. */
export async function exportAll(registry: Registry, app: TestApp): Promise<void> {
  const { world } = registry;
  const withHashes = registry.chances.chance(0.5);
  const lines = await world.operate(async (ctx) => {
    const read: Json[] = [];
    for await (const page of exports.pages(ctx, app.id, { withHashes })) read.push(...(page as Json[]));
    return read;
  });
  const there = registry.present(app).toSorted((one, other) => (one.userId < other.userId ? -1 : 1));
  const [one] = there;
  const said = registry.ofKnown(app, lines).map(({ handle, password, passkeys, identities, ...line }) => ({
    ...line,
    hasHandle: handle !== undefined,
    hasPassword: password !== undefined,
    hasPasskey: passkeys !== undefined,
    hasIdentity: identities !== undefined,
  }));
  const known = there.map((user) => ({
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
    hasHandle: true,
    hasPassword: withHashes && user.authMethods.password,
    hasPasskey: user.authMethods.passkey,
    hasIdentity: user.authMethods.oauth.length > 0,
  }));
  one?.mustBe(said, known, "an export");
  world.reached("an export compared");
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
  const has = ({ email, displayName, authMethods, moments, groups }: KnownUser): boolean => {
    const { password, passkey, oauth } = authMethods;
    const methods = [
      ...(password ? ["password"] : []),
      ...(passkey ? ["passkey"] : []),
      ...oauth.map((name) => `provider:${name}`),
    ];
    const isDisabled = moments?.disabledAt !== null;
    return (
      (state === undefined || state === (isDisabled ? "disabled" : "active")) &&
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
  world.reached("a list of operators compared");
  if (chances.chance(0.5) && known.length < 6) await doToAll(registry, known, said as unknown as lists.Listed[]);
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
