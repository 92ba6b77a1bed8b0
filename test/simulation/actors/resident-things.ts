/** What residents have that ends, and that they try: docs/security.md has a row for each. */
import * as recoveryLinks from "../../../src/credentials/mailed/recovery-links.ts";
import * as resetLinks from "../../../src/credentials/mailed/reset-links.ts";
import * as personalTokens from "../../../src/credentials/personal/service.ts";
import { HostVisitor, program } from "../../support/host-visitor.ts";
import { refresh, Visitor } from "../../support/person.ts";
import { askForToken, tokenIn } from "../../support/personal-tokens.ts";
import { simulatedRequest } from "../browser.ts";
import { issuer, postAs } from "../programs.ts";
import { written } from "../mall-owner.ts";
import type { Held, Resident } from "../resident.ts";
import { time } from "../time.ts";
import { listsToken, offered } from "./resident-account.ts";
import { enterHost, opensBy, script } from "./resident-hosts.ts";
import { by, changedOwn, held, isOpen, minute, moved, really } from "./resident-facts.ts";

export const gather: Record<string, (me: Resident) => Promise<Held | undefined>> = {
  async login(me) {
    const from = time.now();
    const tokens = await me.login();
    const { service } = me.world;
    let { refreshToken } = tokens;
    // Its refresh token is as good as the login, and tried once.
    const refreshes = me.chances.chance(0.5);
    const alive = async (): Promise<boolean> => {
      if (await me.isValid(tokens.accessToken)) return true;
      if (!refreshes) return false;
      const { status, body } = await refresh(service, me.app, refreshToken);
      if (status === 200) refreshToken = String(body["refreshToken"]);
      return status === 200;
    };
    return held("logins", from + 14 * minute, alive);
  },
  async host(me) {
    const from = time.now();
    const [host = "", sibling = "", other = ""] = me.world.house.hosts;
    const browser = new HostVisitor(me.world.service, me.chances.pick(["nginx", "proxy"]), simulatedRequest);
    await enterHost(me, browser, host);
    const value = browser.jar(host).get("__Host-authsvc-proxy") ?? "";
    // O8: the cookie of one host opens no other.
    const thief = new HostVisitor(me.world.service, "nginx", simulatedRequest);
    for (const place of [sibling, other]) {
      thief.jar(place).set("__Host-authsvc-proxy", value);
      const answer = await thief.open(`https://${place}/`, { headers: script });
      me.must("O8", answer.text !== program, `a cookie of ${host} opened ${place}`);
    }
    me.world.reached("a cookie of a host at another");
    // O6: its programs are told who it is, and an address only if it was proven.
    const { headers } = await browser.open(`https://${host}/`, { headers: script });
    const told = `${headers.get("remote-user")} ${headers.get("remote-email")}`;
    const is = `${me.userId} ${me.isVerified ? me.email : null}`;
    me.must("O6", told === is, `a program was told of ${told}, and it is ${is}`);
    const opens = async (): Promise<boolean> =>
      (await browser.open(`https://${host}/`, { headers: script })).text === program;
    return held("logins at hosts", from + 60 * minute, opens);
  },
  async page(me) {
    const from = time.now();
    const browser = new Visitor();
    offered(me, await me.at("", browser));
    return held("account pages", from + 8 * 60 * minute, async () => {
      const page = await browser.get(me.url());
      return page.status === 200 && page.text.includes('name="token"');
    });
  },
  async token(me) {
    if (!me.isVerified) return undefined;
    const form = await me.at("/new-token");
    me.must("O10", form.text.includes('name="until"'), "no form for a token");
    const [host = ""] = me.world.house.hosts;
    const atHost = me.chances.chance(0.5);
    const chosen = atHost ? { [`host.${host}`]: "on" } : {};
    const token = tokenIn(await askForToken(me.world.service, me.app, me.desk, chosen));
    me.leaves("entry personal-token.create", "event personal-token.created");
    await listsToken(me, atHost ? host : undefined);
    await refusedElsewhere(me, token, atHost);
    if (!atHost) await saysWhatItIs(me, token);
    return held("personal tokens", Infinity, async () => {
      if (!atHost) return await me.isValid(token);
      return await opensBy(me, token, host);
    });
  },
  async halfDone(me) {
    if (me.key === "") return undefined;
    const from = time.now();
    const visitor = new Visitor();
    const { session, page } = await me.begin(visitor);
    const { email, password } = me;
    await visitor.submit(page, "/password", { email, password });
    return held("half-done sign-ins", from + 8 * minute, async () =>
      (await visitor.get(session.authUrl)).text.includes("/step/"),
    );
  },
  async code(me) {
    const from = time.now();
    const signedIn = await me.signIn();
    if (signedIn.code === undefined) return undefined;
    return held("codes for apps", from + 45_000, async () => (await me.redeem(signedIn)).status === 200);
  },
  async addressChange(me) {
    const browser = new Visitor();
    const since = time.now();
    const email = me.nextEmail();
    const form = await me.at("/email", browser);
    const asked = await me.press(form, "/account/email", { email }, browser);
    const page = await browser.get(asked.location.href);
    const { code } = await me.mailed("confirm", since, email);
    return held("change of address", time.now() + 30 * minute, async () => {
      const form = /\/account\/email\/code\?/u.test(page.text) ? page : undefined;
      if (!form) return false;
      const typed = await me.press(form, "/account/email/code", { code }, browser);
      const isChanged = typed.location.searchParams.get("notice") === "email";
      if (isChanged) moved(me, email, true);
      if (isChanged) me.leaves(...changedOwn);
      return isChanged;
    });
  },
  async resetLink(me) {
    me.leaves("entry user.reset-link");
    const { link } = await me.world.operate(
      async (ctx) => await resetLinks.linkFor(ctx, me.userId, { ...really, send: false }, by.actor),
    );
    return only(
      me,
      held("reset link", time.now() + 25 * minute, async () => await isOpen(link)),
    );
  },
  async recoveryLink(me) {
    if (me.key === "") return undefined;
    me.leaves("entry user.recovery-link");
    const { link } = await me.world.operate(
      async (ctx) => await recoveryLinks.linkFor(ctx, me.userId, { ...really, lasts: 20 * minute }, by.actor),
    );
    return only(
      me,
      held("recovery link", time.now() + 18 * minute, async () => await isOpen(link)),
    );
  },
};

/** O3: a link ends the one before it. */
function only(me: Resident, link: Held): Held {
  for (const earlier of me.held) if (earlier.kind === link.kind) earlier.isOver = true;
  return link;
}

/** O6: what introspection answers of a token. */
async function saysWhatItIs(me: Resident, token: string): Promise<void> {
  const server = { id: me.app.id, secret: me.app.apiKey };
  const { body } = await postAs(server, "/oauth2/introspect", { token });
  const { exp, iat, jti, ...said } = body;
  const of = { iss: issuer, sub: me.userId, aud: me.app.id, client_id: me.app.id, scope: "profile" };
  const should = { ...me.claims, active: true, token_type: "Bearer", ...of, acr: "urn:authsvc:acr:1" };
  me.must("O6", written(said) === written(should), `a token says ${written(said)} and not ${written(should)}`);
  const isTimely = Number(iat) * 1000 <= time.now() && Number(exp) * 1000 > time.now() && typeof jti === "string";
  me.must("O6", isTimely, `a token is from ${String(iat)} to ${String(exp)}`);
  const at = token.length - 9;
  const other = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
  me.must("O8", !(await me.isValid(other)), "a token with another character is valid");
}

/** O8: a token opens what was chosen, for its owner; nobody else can end it. */
async function refusedElsewhere(me: Resident, token: string, atHost: boolean): Promise<void> {
  const { world } = me;
  const [host = "", sibling = ""] = world.house.hosts;
  for (const place of atHost ? [sibling] : [host, sibling])
    me.must("O8", !(await opensBy(me, token, place)), `a token opened ${place}, which was not chosen`);
  const headers = { authorization: `Bearer ${token}`, "x-service-app-id": world.app.id };
  const elsewhere = await fetch(`${world.service.url}/auth/validate`, { headers });
  me.must("O8", elsewhere.status !== 200, "a token was good at another application");
  const other = world.residents.findLast(
    (each) => each !== me && each.userId !== "" && each.app === me.app && !each.isGone,
  );
  if (!other) return;
  const [theirs] = await world.operate(async (ctx) => await personalTokens.list(ctx, other.userId, { all: false }));
  if (!theirs) return;
  const form = await me.at();
  const tried = await me.desk.post(me.url(`/tokens/${theirs.id}/end`), form.form("/sign-out").fields);
  me.world.reached("somebody else's token at the account page");
  me.must("O8", tried.status === 404, `ended a token of ${other.name}: ${tried.status}`);
}
