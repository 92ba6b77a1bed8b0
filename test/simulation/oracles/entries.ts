/** O9 and O5: each entry and event says who, about whom and from where, and its parts agree. */
import { isDeepStrictEqual } from "node:util";
import type { auditEvents, logins } from "../../../src/storage/tables/sqlite.ts";
import { problemOfNotices } from "../mails.ts";
import { Violation } from "../model.ts";
import { writtenAt, type World } from "../world.ts";

/** The details of each action; some with `?` only now and then. */
const details = `account.sign-out:; api-key.create: keyId; api-key.expire: keyId; api-key.revoke: keyId;
application.create:; application.update: fields; client-credential.add: clientId credential issuer subject;
client-credential.remove: clientId credential issuer subject; client-secret.create: clientId secretId;
client-secret.expire: clientId secretId; client-secret.revoke: clientId secretId; client.create: clientId;
client.delete: clientId; client.update: clientId fields; code.reuse: loginId; consent.remove: clientId logins;
device.deny: clientId; dpop.replay: clientId; email-code: purpose; factor.added: factor; factor.replaced: factor;
factor.code-used: codesLeft; factor.codes-renewed:; factor.guessed: failures; factor.removed: factor;
group.add: group; group.remove: group; group.create: group secondFactor?; group.delete: group;
machine.token: clientId credential resource scope; mail.sent: kind; method.added: method methodId provider how?;
method.removed: method methodId; method.renamed: method methodId; operator.invite: role; operator.update: role;
password.changed: method methodId endedLogins? provider? wasRequired? with?;
password.reset: endedLogins isFirstProof methodId; password.reset-asked:; personal-token.create: tokenId;
personal-token.end: reason tokenId;
sign-in success: method provider secondFactor? singleSignOn? device?; sign-in failure: method reason? factor?;
sign-in.code-asked:; sign-up.asked:; signing-key.rotate: algorithm keyId signsFrom; token.reuse: loginId;
token.exchange: clientId loginId resource scope subjectClientId subjectResource; user.address-asked:;
user.address-changed: canUndo; user.address-proven: endedLogins; user.address-restored: endedLogins removedMethods;
user.approve:; user.create: method? pending?; user.delete:; user.disable: ended; user.enable:; user.import: users;
user.invite: created sent; user.invite-accepted: provesAddress; user.login success: clientId? loginId method provider?;
user.logout: loginId reason?; user.metadata: fields; user.recovery-link: expiresAt; user.require-new-password:;
user.reset-link: sent; user.revoke-logins: ended; user.terms: accepted version; user.update: fields;
webhook.create: endpointId; webhook.delete: endpointId; webhook.disable: endpointId reason; webhook.test: endpointId;
webhook.redeliver: deliveries endpointId since?; webhook.update: endpointId fields`;

const namesOf = new Map(
  details.split(";").map((line) => {
    const [action = "", names = ""] = line.trim().split(":");
    return [action, names.split(" ").filter((name) => name !== "")];
  }),
);

/** What an entry's target is called in its details, if it is there. */
const targets = ["keyId", "endpointId", "tokenId", "clientId"];
const hasTarget =
  /^(?:api-key|client|webhook|personal-token|group|application|resource|organization|provider|signing-key)\b/u;
const ofLogins = new Set(["user.login", "user.logout", "token.reuse"]);

type Entry = Pick<
  typeof auditEvents.$inferSelect,
  "action" | "actor" | "result" | "userId" | "appId" | "target" | "requestId" | "ipAddress" | "details" | "at"
>;
type Facts = {
  users: Map<string, { appId: string; email: string | null; emailVerified: boolean }>;
  logins: Map<string, typeof logins.$inferSelect>;
  clients: Map<string, { appId: string }>;
  /** Whose it is. */
  methods: Map<string, string>;
  keepers: string;
};
type Names = "userId" | "sessionId" | "email" | "authMethod" | "ipAddress" | "userAgent";
type Event = { event: string; timestamp: string; data: Record<Names, string | null> };

export async function checkEntries({ node, delivered, keepers, mails }: World): Promise<void> {
  const { db, tables } = node.ctx.storage.reader;
  const facts: Facts = {
    users: new Map((await db.select().from(tables.users)).map((row) => [row.id, row])),
    logins: new Map((await db.select().from(tables.logins)).map((row) => [row.id, row])),
    clients: new Map((await db.select().from(tables.clients)).map((row) => [row.id, row])),
    methods: new Map(),
    keepers: keepers.id,
  };
  for (const table of [tables.passkeys, tables.oauthIdentities, tables.passwords])
    for (const { id, userId } of await db.select().from(table)) facts.methods.set(id, userId);
  const entries: Entry[] = await db.select().from(tables.auditEvents);
  for (const entry of entries) checkEntry(entry, facts);
  const rows = await db.select().from(tables.sentMails);
  const problem = problemOfNotices({ entries, users: facts.users, rows, mails }, writtenAt);
  if (problem !== undefined) throw new Violation("O9", problem);
  const atOnce = Map.groupBy(entries, ({ userId, at }) => `${userId} ${at}`);
  for (const body of new Map(delivered.map(({ id, body }) => [id, body])).values()) {
    const { data, timestamp, ...event } = body as unknown as Event;
    checkEvent({ ...event, data }, facts, atOnce.get(`${data.userId} ${Date.parse(timestamp)}`) ?? []);
  }
}

function checkEntry(entry: Entry, { users, logins, clients, methods }: Facts): void {
  const { action, actor, result, userId, appId, target, requestId, ipAddress, details: said } = entry;
  const must = (isSo: boolean, message: string): void => {
    if (!isSo) throw new Violation("O9", `${message}: ${JSON.stringify(entry)}`);
  };
  const names = said["others"] === true ? undefined : (namesOf.get(action) ?? namesOf.get(`${action} ${result}`));
  const own = Object.keys(said).filter((name) => !["count", "until"].includes(name));
  const missing = names?.find((name) => !name.endsWith("?") && !own.includes(name));
  const more = names && own.find((name) => !names.some((each) => each.replace("?", "") === name));
  must(missing === undefined && more === undefined, `an entry without ${missing} or with ${more}`);
  must(hasTarget.test(action) === (target !== null), "an entry with or without a target");
  const named = targets.find((each) => each in said);
  must(target === null || named === undefined || said[named] === target, "an entry with another target");
  const [kind = "", name = ""] = actor.split(":");
  // The service also acts because of a request; who guesses is told by the failures before.
  const isFree = kind === "service" || kind === "operator" || action === "factor.guessed";
  if (!isFree) must((kind === "cli") === (requestId === null), "an entry's request");
  // Addresses go with their person, and another person's is not kept.
  const isOthers = kind === "user" && userId !== null && userId !== name && name !== "unknown";
  const keepsAddress = requestId !== null && !isOthers && (userId === null || users.has(userId));
  // Several that share a row may have no network in common.
  if (said["others"] !== true) must(keepsAddress === (ipAddress !== null), "an entry's address");
  for (const id of [userId, kind === "user" ? name : null]) {
    const user = users.get(id ?? "");
    must(!user || appId === null || user.appId === appId, "an entry of somebody at another application");
  }
  const client = clients.get(String(said["clientId"]));
  must(!client || client.appId === appId, "an entry of the client of another application");
  const owner = methods.get(String(said["methodId"]));
  must(owner === undefined || owner === userId, "an entry of the method of somebody else");
  const login = logins.get(String(said["loginId"]));
  if (!login) return;
  must(login.userId === userId && login.appId === appId, "an entry of the login of somebody else");
  if (action !== "user.login") return;
  const is = [said["method"], said["clientId"] ?? null, said["provider"] ?? null];
  must(isDeepStrictEqual(is, [login.signedInWith, login.clientId, login.provider]), "an entry of another login");
}

/** `entries`: about the same person at the same instant. */
function checkEvent(
  { event, data }: Omit<Event, "timestamp">,
  { users, logins, keepers }: Facts,
  entries: Entry[],
): void {
  const must = (isSo: boolean, message: string): void => {
    if (!isSo) throw new Violation("O5", `${message}: ${event} ${JSON.stringify(data)}`);
  };
  const { userId, sessionId, email, authMethod, ipAddress, userAgent } = data;
  const login = logins.get(sessionId ?? "");
  must(!login || login.userId === userId, "an event of the login of somebody else");
  must(ofLogins.has(event) === (sessionId !== null), "an event with or without a login");
  const user = users.get(userId ?? "");
  if (!user || event === "user.deleted") return;
  // The application of keepers does not always let servers have it.
  const isTold = user.email === null || user.appId === keepers;
  must(email !== null || isTold, "an event without an address");
  if (event !== "user.login") {
    // The address of a person who acted. What is used twice may come from a server.
    const isEnd = event === "user.logout" || event === "token.reuse";
    const own = entries.filter(({ actor }) => isEnd || !/^(?:app|operator|client|cli):/u.test(actor));
    const isFrom = own.some((entry) => entry.ipAddress === ipAddress);
    // Two acts may have happened at once; a name that a provider gives has no entry of its own.
    const isGiven = event === "user.updated" && !entries.some(({ action }) => /^(?:user|password)\./u.test(action));
    const isOthers = ipAddress === null && (isEnd || isGiven || own.length < entries.length || own.length === 0);
    must(isFrom || isOthers, "an event from another address than its entry");
  } else if (login) {
    const is = [authMethod, ipAddress, userAgent];
    must(isDeepStrictEqual(is, [login.signedInWith, login.ipAddress, login.userAgent]), "an event of another login");
  }
}
