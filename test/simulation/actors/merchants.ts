/**
 * People with programs and APIs of their own, whose operator changes them. Each token, and each
 * answer about one, is compared as a whole with what was asked for, granted and changed since.
 */
import * as clients from "../../../src/applications/clients/service.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import { Visitor } from "../../support/person.ts";
import { operator, Shop, type Asked, type Resource } from "../mall.ts";
import { lives, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import type { Part, World } from "../world.ts";
import {
  proofs,
  pushedRequests,
  onDevices,
  keysOfTheService,
  livesOfLogins,
  attemptsOfANetwork,
  fapi,
} from "./merchants-flows.ts";
import { signedOut, trusting } from "./merchants-browsers.ts";
import { atHosts } from "./merchants-hosts.ts";
import { consented, exchanged } from "./merchants-grants.ts";
import { ownSignIn } from "./merchants-own.ts";
import { requests, livesOfKeys } from "./merchants-requests.ts";
import { everySetting, everySettingOfAResource, assertions, dryRuns } from "./merchants-settings.ts";

export type Act = (shop: Shop) => Promise<void>;

const everything = "openid profile email groups offline_access";

export async function merchants(world: World, part: Part): Promise<void> {
  const { app } = world.mall;
  await Promise.all([
    lives(world, part, { app, name: "merchant", network: 140 }, live),
    lives(world, part, { app, name: "porter", network: 170 }, liveAtHosts),
  ]);
}

const acts: Record<string, Act> = {
  narrowed,
  fewerScopes,
  claimsByName,
  otherFacts,
  ownSignIn,
  redirectGone,
  disabled,
  deleted,
  resourceChanged,
  resourceGone,
  exchanged,
  consented,
  groupsOnly,
  revoked,
  proofs,
  pushedRequests,
  onDevices,
  keysOfTheService,
  livesOfLogins,
  attemptsOfANetwork,
  fapi,
  everySetting,
  everySettingOfAResource,
  livesOfKeys,
  assertions,
  dryRuns,
};

async function live(me: Resident, part: Pick<Part, "isOver" | "pause">): Promise<void> {
  const shop = new Shop(me);
  await shop.moveIn();
  const first = me.chances.pick<Record<string, Act>>([{ requests }, { signedOut }, { trusting }, { trusting }]);
  await shop.actsOf("merchants", first, 1, part);
  // Whose second factor is known has done enough.
  if (me.key === "") await shop.actsOf("merchants", acts, 7, part);
}

async function liveAtHosts(me: Resident, part: Pick<Part, "isOver" | "pause">): Promise<void> {
  const shop = new Shop(me);
  await shop.moveIn();
  await shop.actsOf("merchants", { atHosts }, 1, part);
}

/** Some scopes, `openid` among them. */
function someScopes({ me }: Shop, all = everything): string {
  return all
    .split(" ")
    .filter((scope) => scope === "openid" || me.chances.chance(0.7))
    .join(" ");
}

/** A refresh may be for less, and never for more; the grant stays as it is. */
async function narrowed(shop: Shop): Promise<void> {
  const { me } = shop;
  const resource = me.chances.chance(0.5) ? await shop.newResource("shelf") : undefined;
  const client = await shop.newClient("web", resource ? { resources: [resource.identifier] } : {});
  const all = resource ? "openid email offline_access read write" : "openid profile email offline_access";
  const login = await shop.login(client, { scope: all, ...(resource && { resource }) });
  await shop.look(login);
  const some = all.split(" ").filter(() => me.chances.chance(0.5));
  if (some.length > 0) await shop.refreshed(login, some, { scope: some.join(" ") });
  await shop.look(login);
  const before = login.refresh;
  await shop.refusesRefresh(login, "invalid_scope", "for more than was granted", { scope: `${all} groups` });
  if (resource)
    await shop.refusesRefresh(login, "invalid_target", "for another resource", { resource: "https://other.example" });
  me.must("O2", login.refresh === before, "a refused refresh replaced the token");
  await shop.refreshed(login);
  await shop.look(login, client);
}

/** The next tokens lack the scopes that a client has lost; those of now keep what they say. */
async function fewerScopes(shop: Shop): Promise<void> {
  const client = await shop.newClient("web");
  const asked = { scope: everything };
  const login = await shop.login(client, asked);
  const { begun } = await shop.authorize(client, asked);
  await shop.update(client, { scopes: someScopes(shop).split(" ") });
  await shop.look(login);
  await shop.refreshed(login);
  await shop.look(login);
  // A code of before grants what the client has when it is redeemed.
  if (begun) await shop.look(await shop.start(begun));
  await shop.look(await shop.login(client, asked));
  await shop.update(client, { scopes: everything.split(" ") });
  await shop.refreshed(login);
}

/** The `claims` parameter, of which a program gets what it may have. */
async function claimsByName(shop: Shop): Promise<void> {
  const { me } = shop;
  const some = (): Record<string, null> =>
    Object.fromEntries(
      ["name", "email", "preferred_username", "email_verified", "updated_at", "groups", "zoneinfo"]
        .filter(() => me.chances.chance(0.6))
        .map((name) => [name, null]),
    );
  const asksPeople = me.chances.chance(0.5);
  const client = await shop.newClient(
    "web",
    asksPeople
      ? { kind: "native", consent: "ask" }
      : { idTokenClaims: me.chances.pick(["granted", "minimal"]), scopes: someScopes(shop).split(" ") },
  );
  const login = await shop.login(client, {
    scope: me.chances.pick(["openid", "openid email", "openid profile"]),
    claims: { userinfo: some(), id_token: some() },
  });
  await shop.look(login);
  await shop.refreshed(login);
  await shop.look(login);
}

/** Answers say what is so now; a token what was so when it was issued. */
async function otherFacts(shop: Shop): Promise<void> {
  const { me } = shop;
  const client = await shop.newClient("web", { idTokenClaims: "granted" });
  const login = await shop.login(client, { scope: "openid profile email groups" });
  await shop.change({ name: shop.word("Name"), badge: shop.word("badge"), grade: 10 + me.chances.below(9) });
  await shop.say(
    me.chances.pick([{ team: null }, { team: shop.word("team"), seats: null }, { customer: null, seats: 7 }]),
    me.chances.pick([null, `https://mall.example/${shop.word("picture")}.png`]),
  );
  await shop.belong("regulars", !shop.person.groups.includes("regulars"));
  if (me.chances.chance(0.7)) {
    await shop.prove(false);
    await shop.look(login);
    await shop.refreshed(login);
    await shop.look(login);
    await shop.prove(true);
  }
  await shop.look(login);
  await shop.refreshed(login);
  await shop.look(login, client);
}

/** O8: nobody is sent to an address that is no client's. */
async function redirectGone(shop: Shop): Promise<void> {
  const { me, app } = shop;
  const [first, second] = ["https://one.example/callback", "https://two.example/callback?with=query"] as const;
  const kind = me.chances.pick(["web", "spa", "native"] as const);
  const client = await shop.newClient("web", { kind, redirectUris: [first, second] });
  const at = async (address: string) =>
    (await shop.authorize(client, { scope: "openid", more: { redirect_uri: address } })).page;
  const isError = async (address: string): Promise<void> => {
    const page = await at(address);
    me.must("O8", page.status === 400, `${address} is no address of ${client.id}: ${page.status}`);
  };
  const { begun } = await shop.authorize(client, { scope: "openid", more: { redirect_uri: second } });
  me.must("O10", begun !== undefined, `no code at ${second}`);
  await isError(`${first}/more`);
  await isError(second.replace("two", "TWO").replace("query", "other"));
  await isError(app.redirectUri);
  if (begun && me.chances.chance(0.5)) {
    const { status } = await shop.redeem(begun, { redirect_uri: first });
    me.must("O3", status === 400, "a code was redeemed with another redirect URI");
  } else if (begun) {
    await shop.update(client, { redirectUris: [first] });
    // Responses go only to addresses of now.
    const { status } = await shop.redeem(begun, { redirect_uri: second });
    me.must("O1", status === 400, "a code was redeemed for a redirect URI that was removed");
    await isError(second);
  }
  if (kind === "native") {
    await shop.update(client, { redirectUris: ["http://127.0.0.1/callback"] });
    const address = `http://127.0.0.1:${1024 + me.chances.below(9000)}/callback`;
    const back = await at(address);
    me.must("O10", back.location.href.startsWith(address), "a loopback address with another port was refused");
    await isError("http://127.0.0.1/other");
  }
}

/** O1: a disabled client can do nothing, and its logins go on once it is enabled. */
async function disabled(shop: Shop): Promise<void> {
  const { me } = shop;
  const resource = me.chances.chance(0.5) ? await shop.newResource("shelf") : undefined;
  const kind = me.chances.pick(["web", "spa"] as const);
  const client = await shop.newClient("web", { kind, resources: resource ? [resource.identifier] : [] });
  const asked: Asked = { scope: `${someScopes(shop)} read`, ...(resource && { resource }) };
  const login = await shop.login(client, asked);
  const { begun } = await shop.authorize(client, asked);
  await shop.update(client, { enabled: false });
  await shop.look(login);
  await shop.refusesRefresh(login, "invalid_client", "although it is disabled");
  const refused = await shop.authorize(client, asked);
  me.must("O8", refused.page.status === 400, `a disabled client signs in: ${refused.page.status}`);
  if (begun) me.must("O1", (await shop.redeem(begun)).status === 401, "a disabled client redeemed a code");
  if (kind === "web") {
    const { status } = await shop.post(client, "/oauth2/introspect", { token: "none" });
    me.must("O8", status === 401, "a disabled client introspects");
  }
  await shop.update(client, { enabled: true });
  await shop.refreshed(login);
  await shop.look(login);
}

/** O1: a deleted client's logins end, and its id is nobody's again. */
async function deleted(shop: Shop): Promise<void> {
  const { me, app } = shop;
  const backchannelLogoutUri = "https://mall.example/logout";
  const client = await shop.newClient("web", { backchannelLogoutUri });
  const asksPeople = me.chances.chance(0.5) ? { consent: "ask" as const } : {};
  const other = await shop.newClient("other", asksPeople);
  const asked = { scope: someScopes(shop) };
  const [login, stays] = [await shop.login(client, asked), await shop.login(other, asked)];
  const { begun } = await shop.authorize(client, asked);
  await shop.command(async (ctx) => await clients.remove(ctx, client.id, operator));
  client.is = { ...client.is, disabledAt: "gone" };
  login.isOver = true;
  await shop.look(login);
  await shop.refusesRefresh(login, "invalid_client", "although it is deleted");
  if (begun) me.must("O1", (await shop.redeem(begun)).status === 401, "a deleted client redeemed a code");
  const { page } = await shop.authorize(client, asked);
  me.must("O8", page.status === 400, `a deleted client signs in: ${page.status}`);
  const input = { id: client.id, appId: app.id, name: "again" };
  const again = await shop.refusal(async (ctx) => await clients.create(ctx, input, {}, operator));
  me.must("O3", again === "CONFLICT", `the id of a deleted client was given again: ${again}`);
  await shop.leaves(client.id, "client.create", "client-secret.create", "client.delete");
  await shop.look(stays);
  await shop.refreshed(stays);
}

/** A refresh follows what a resource has now. */
async function resourceChanged(shop: Shop): Promise<void> {
  const { me } = shop;
  const resource = await shop.newResource("shelf");
  const client = await shop.newClient("web", {
    resources: [resource.identifier],
    ...(me.chances.chance(0.5) && { resourceScopes: ["read", "write"] }),
  });
  const asked: Asked = { resource, ...(me.chances.chance(0.5) && { scope: "openid read write admin" }) };
  const login = await shop.login(client, asked);
  const { begun } = await shop.authorize(client, asked);
  await shop.look(login);
  const scopes = me.chances.pick([["read"], ["read", "admin"], ["write", "more"]]);
  const seconds = 60 * (1 + me.chances.below(50));
  await shop.command(async (ctx) => {
    const change = { scopes: scopes.map((name) => ({ name, sentence: name })), accessTokenSeconds: seconds };
    await resources.update(ctx, resource.identifier, change, operator);
  });
  Object.assign(resource, { scopes, seconds });
  await shop.look(login);
  await shop.refreshed(login);
  await shop.look(login);
  if (begun) {
    const of = { ...login, scopes: shop.granted(client, asked) };
    // Those that were asked for then, of which some are left.
    const had = asked.scope === undefined ? { ...asked, scope: "read write admin" } : asked;
    if (of.scopes.length > 0) await shop.look(await shop.start({ ...begun, asked: had }));
  }
}

/** O1: what a client may not ask for any more, or what is there no more. */
async function resourceGone(shop: Shop): Promise<void> {
  const { me } = shop;
  const resource = await shop.newResource("shelf");
  const client = await shop.newClient("web", { resources: [resource.identifier] });
  const other = await shop.newClient("other");
  const asked: Asked = { resource, scope: "openid read" };
  const login = await shop.login(client, asked);
  const { begun } = await shop.authorize(client, asked);
  const remove = async (): Promise<string> =>
    await shop.refusal(async (ctx) => await resources.remove(ctx, resource.identifier, operator));
  me.must("O4", (await remove()) === "CONFLICT", "a resource was deleted although a client lists it");
  const refused = await shop.authorize(other, asked);
  me.must("O8", refused.error === "invalid_target", `another client asked for a resource: ${refused.error}`);
  await shop.update(client, { resources: [] });
  await shop.look(login);
  await shop.refusesRefresh(login, "invalid_target", "for a resource that it lists no more");
  if (begun) me.must("O1", (await shop.redeem(begun)).status === 400, "a code worked for a resource of before");
  me.must("O4", (await remove()) === "done", "a resource that nobody lists was not deleted");
  for (const issued of login.tokens) issued.isOver = true;
  resource.isListed = false;
  await shop.look(login);
  await time.pause(2000);
  // Of the same name, and another one.
  await shop.command(async (ctx) => {
    const scopes = [{ name: "read", sentence: "May read" }];
    const { identifier } = resource;
    await resources.create(ctx, { appId: shop.app.id, identifier, name: "again", scopes }, operator);
  });
  await shop.update(client, { resources: [resource.identifier] });
  await shop.look(login);
  await shop.refusesRefresh(login, "invalid_target", "for a resource that was created again");
  const again: Resource = { ...resource, scopes: ["read"], seconds: 900, isListed: true };
  await shop.look(await shop.login(client, { ...asked, resource: again }));
}

/** O8: a client signs in its groups, and refreshes for nobody else. */
async function groupsOnly(shop: Shop): Promise<void> {
  const { me } = shop;
  const client = await shop.newClient("web", { allowedGroups: ["buyers"] });
  const asked = { scope: someScopes(shop) };
  const login = await shop.login(client, asked);
  const { begun } = await shop.authorize(client, asked);
  const isMoved = me.chances.chance(0.5);
  if (isMoved) await shop.belong("buyers", false);
  else await shop.update(client, { allowedGroups: ["nobody"] });
  const refused = await shop.authorize(client, asked);
  me.must("O8", refused.error === "access_denied", `${client.id} signs in who is in no group: ${refused.error}`);
  if (begun) me.must("O8", (await shop.redeem(begun)).status === 400, "a code of before worked for no group");
  await shop.refusesRefresh(login, "invalid_grant", "for somebody in none of its groups");
  if (isMoved) await shop.belong("buyers", true);
  else await shop.update(client, { allowedGroups: null });
  await shop.refreshed(login);
  await shop.look(login);
}

/** O1: a client ends its own logins and no other's, by either token. */
async function revoked(shop: Shop): Promise<void> {
  const { me } = shop;
  const backchannelLogoutUri = "https://mall.example/logout";
  const [client, other] = [await shop.newClient("web", { backchannelLogoutUri }), await shop.newClient("other")];
  me.world.mall.receivers.add(client.id);
  const asked = { scope: someScopes(shop) };
  const visitor = new Visitor();
  const login = await shop.login(client, asked, { visitor });
  const beside = await shop.login(other, asked);
  const token = me.chances.pick([login.refresh, login.tokens[0]?.token ?? ""]);
  const hint = me.chances.pick<Record<string, string>>([
    {},
    { token_type_hint: "access_token" },
    { token_type_hint: "refresh_token" },
  ]);
  const theirs = await shop.post(me.chances.pick([other, shop.itself]), "/oauth2/revoke", { token, ...hint });
  me.must("O8", theirs.status === 200, `a revocation by another client: ${theirs.status}`);
  await shop.look(login);
  const wrong = await shop.post({ ...client, secret: `${client.secret}x` }, "/oauth2/revoke", { token });
  me.must("O8", wrong.status === 401, "a wrong secret revokes");
  await shop.look(login);
  const { status } = await shop.post(client, "/oauth2/revoke", { token, ...hint });
  me.must("O10", status === 200, `a revocation was refused: ${status}`);
  await shop.ended(login, "after it was revoked");
  await shop.look(beside);
}
