/** Of merchants: what a browser opens by what was proven in it, and how it is signed out. */
import * as factors from "../../../src/factors/service.ts";
import { Visitor, type Page } from "../../support/person.ts";
import { forgeriesOf } from "../forgery.ts";
import type { Json, Login, Shop } from "../mall.ts";
import { issuer } from "../programs.ts";
import { time } from "../time.ts";

const two = "urn:authsvc:acr:2";
const typed = { acr: two, amr: ["pwd", "otp", "mfa"] };

/** `isAnew`: a request for a new proof. `isStrict`: trust in the browser is not enough for it. */
type Wish = { more: Record<string, string>; claims?: Json; isAnew?: boolean; isStrict?: boolean };

const wishes: readonly Wish[] = [
  { more: {} },
  { more: { prompt: "login" }, isAnew: true },
  { more: { max_age: "0" }, isAnew: true, isStrict: true },
  { more: { max_age: "1" }, isAnew: true, isStrict: true },
  { more: { max_age: "100000" }, isStrict: true },
  { more: { acr_values: two }, isStrict: true },
  { more: { acr_values: `urn:authsvc:acr:1 ${two}` } },
  { more: {}, claims: { acr: { essential: true, values: [two, "phr"] } }, isStrict: true },
];

/** O6 and O8: each request asks for the proofs that are missing, and tokens say what was proven. */
export async function trusting(shop: Shop): Promise<void> {
  const { me } = shop;
  const { chances, world } = me;
  const oneFactor = shop.proven;
  me.key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
  const factor = { secret: me.key, recoveryDigests: [] };
  await world.operate(async (ctx) => {
    await ctx.storage.write((tx) => factors.importFactor(ctx, tx, me.userId, factor, ctx.clock()));
  });
  const client = await shop.newClient("web");
  const visitor = new Visitor();
  /** What the browser has proven; `from`: not before. */
  const browser = { from: time.now(), at: 0, hasTyped: false };
  let last: Login | undefined;
  for (let turns = 0; turns < 7; turns += 1) {
    const asks = chances.chance(0.3);
    // Consent asks for a proof of the last ten minutes.
    if (asks && time.now() > browser.from + 480_000 && browser.at > 0) continue;
    const at = asks ? await shop.newClient("asks", { kind: "native", consent: "ask" }) : client;
    const { more, claims, ...wish } = chances.pick(wishes);
    const isAnew = wish.isAnew === true || browser.at === 0;
    const isTrusted = wish.isStrict !== true && !asks && me.trusted > 0;
    const mustType = !isTrusted && (isAnew || !browser.hasTyped);
    const isSilent = more["prompt"] === undefined && chances.chance(0.3);
    const asked = {
      scope: "openid email",
      more: { ...more, ...(isSilent && { prompt: "none" }) },
      ...(claims && { claims: { id_token: claims } }),
    };
    const what = `${asks ? "for consent" : ""} ${JSON.stringify([more, claims])}`;
    // `max_age` is compared in whole seconds.
    await time.pause(2500);
    Object.assign(me, { trusts: chances.chance(0.6), codeAt: 0 });
    const { page, begun, error } = await shop.authorize(at, asked, { visitor });
    const should = !isSilent ? "" : isAnew || mustType ? "login_required" : asks ? "consent_required" : "";
    shop.same("O8", error, should, `the answer to a request ${what}`);
    if (isSilent && !begun) continue;
    me.must("O10", begun !== undefined, `no code ${what}: ${page.status} ${page.url}`);
    if (!begun) return;
    shop.same("O8", me.codeAt > 0, mustType, `whether a request ${what} asks for a code`);
    browser.hasTyped = mustType || (browser.hasTyped && !isAnew);
    shop.proven = browser.hasTyped ? typed : oneFactor;
    if (isAnew) browser.from = begun.from;
    last = await shop.start({ ...begun, from: browser.from });
    // A code beside a single sign-on makes the first proof no younger.
    if (isAnew) browser.at = last.authTime;
    shop.same("O6", last.authTime, browser.at, `auth_time after a request ${what}`);
    world.reached(`a request in a trusted browser: ${mustType ? "with" : "without"} a code`);
  }
  if (!last) return;
  await shop.refreshed(last);
  await shop.look(last);
}

/** O1 and O8: who is signed out, at once or after a question, and where the browser goes then. */
export async function signedOut(shop: Shop): Promise<void> {
  const { me } = shop;
  const { chances, world } = me;
  const [home, other] = ["https://mall.example/home", "https://mall.example/other"];
  const postLogoutRedirectUris = [home, other];
  const [client, second] = [
    await shop.newClient("web", { postLogoutRedirectUris }),
    await shop.newClient("other", { postLogoutRedirectUris }),
  ];
  const [visitor, there] = [new Visitor(), new Visitor()];
  const from = time.now();
  const asked = { scope: "openid email" };
  const none = { ...asked, more: { prompt: "none" } };
  const login = await shop.login(client, asked, { visitor });
  const silent = await shop.authorize(second, none, { visitor });
  me.must("O10", silent.begun !== undefined, `no single sign-on: ${silent.error}`);
  if (!silent.begun) return;
  const beside = await shop.start({ ...silent.begun, from });
  const elsewhere = await shop.login(client, asked, { visitor: there });
  const theirs = world.mall.hints.filter(({ userId }) => userId !== me.userId).slice(-5);
  world.mall.hints.push({ userId: me.userId, token: login.idToken });
  const end = async (query: Record<string, string>, by = visitor): Promise<Page> =>
    await by.get(`${issuer}/oauth2/end-session?${new URLSearchParams(query).toString()}`);
  await shop.update(client, { postLogoutRedirectUris: [home] });
  const [hint, returns] = [{ id_token_hint: login.idToken }, { post_logout_redirect_uri: home }];
  const forged = chances.pick([
    ...forgeriesOf(login.idToken, chances),
    { what: "for access", token: login.tokens[0]?.token ?? "" },
  ]);
  const all: [what: string, status: number, query: Record<string, string>][] = [
    ["with an address of before", 400, { ...hint, post_logout_redirect_uri: other }],
    ["to an address that names no client", 400, returns],
    ["of another client than the token's", 400, { ...hint, client_id: second.id }],
    [`with a token ${forged.what}`, 400, { id_token_hint: forged.token, ...returns }],
    ["of nobody", 200, {}],
    ["without a token", 200, { client_id: client.id, ...returns }],
    ["with a token of another browser", 200, { id_token_hint: elsewhere.idToken, ...returns }],
    ["with a token of another browser, and a client", 200, { id_token_hint: elsewhere.idToken, client_id: client.id }],
    ["with a token of somebody else", 200, { id_token_hint: chances.pick(theirs)?.token ?? "" }],
  ];
  let question: Page | undefined;
  for (const [what, status, query] of all) {
    if (chances.chance(0.3) || (query["id_token_hint"] ?? "x") === "") continue;
    const page = await end(query);
    // Somebody else's token may be of a key that was revoked.
    const isRight = page.status === status || (what.endsWith("else") && page.status === 400);
    me.must("O8", isRight, `a logout ${what} is answered ${page.status}, not ${status}`);
    if (status === 200 && query["post_logout_redirect_uri"] !== undefined) question = page;
  }
  await shop.look(chances.pick([login, beside]));
  // In a browser where nobody is signed in, a token ends no login whose browser is open.
  if (chances.chance(0.3)) await end(hint, new Visitor());
  // A token that has expired is a hint, too.
  if (chances.chance(0.2)) await time.pause(16 * 60_000);
  await shop.look(login);
  const confirms = question !== undefined && chances.chance(0.4);
  const by = chances.pick([login, beside]);
  if (by === beside) await shop.update(second, { postLogoutRedirectUris: [home] });
  const done =
    confirms && question
      ? await visitor.submit(question, `/oauth2/end-session/confirm?client_id=${client.id}`, {})
      : await end({ id_token_hint: by.idToken, ...returns, state: "bye" });
  const leads = confirms ? home : `${home}?state=bye`;
  me.must("O8", done.status === 303 && done.location.href === leads, `a logout leads elsewhere: ${done.status}`);
  await shop.ended(login, "after a logout");
  await shop.ended(beside, "after a logout of its browser");
  const refused = await shop.authorize(second, none, { visitor });
  me.must("O1", refused.error === "login_required", `a browser that signed out is signed in: ${refused.error}`);
  await shop.look(elsewhere);
  // Here, the token of the other browser names the same person.
  const hinted = await shop.authorize(second, { ...none, more: { ...none.more, ...hint } }, { visitor: there });
  me.must("O4", hinted.begun !== undefined, `another browser was signed out, too: ${hinted.error}`);
}
