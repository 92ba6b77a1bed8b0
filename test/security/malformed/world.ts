import * as recoveryLinks from "../../../src/credentials/mailed/recovery-links.ts";
import type { Route } from "../../../src/http/route.ts";
import { hour } from "../../../src/lib/clock.ts";
import { loadAssets } from "../../../src/pages/assets/assets.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import { openAccount } from "../../support/account.ts";
import { addingSession, prove } from "../../support/adding.ts";
import { changeTo, ownerOf, undoLink } from "../../support/address-change.ts";
import { invite } from "../../support/invites.ts";
import { askForAccount, askForReset, codeIn, linkIn, linkSecret } from "../../support/mail-flows.ts";
import { mailTo, newUser, secretIn } from "../../support/mail-flows.ts";
import type { MailServer } from "../../support/mail.ts";
import { toChoice } from "../../support/memberships.ts";
import { giveFactor, giveIdentity, givePasskey } from "../../support/methods.ts";
import { withOrganizations } from "../../support/organizations.ts";
import {
  goodPassword,
  initiate,
  newEmail,
  redeem,
  signIn,
  validate,
  Visitor,
  type Tokens,
} from "../../support/person.ts";
import type { Provider } from "../../support/providers/provider.ts";
import { appWith, startRound } from "../../support/providers/round.ts";
import type { Receiver } from "../../support/receiver.ts";
import { accessOf } from "../../support/routes.ts";
import type { TestApp, TestService } from "../../support/service.ts";
import { createEndpoint } from "../../support/webhooks.ts";

/**
 * What gets a request past the guards of a route just now. What a route has no use for is empty.
 */
export type Live = {
  /** For the `:name` parts of its path. */
  parameters: Record<string, string>;
  appId: string;
  authorization: string | undefined;
  cookie: string;
  query: Record<string, string>;
  /** Of a form. */
  fields: Record<string, string>;
  /** Of a JSON body. */
  json: Record<string, unknown>;
};

type Person = Tokens & {
  id: string;
  email: string;
  visitor: Visitor;
  accountToken: string;
  loginId: string;
  passkeyId: string;
};
type Place = { sessionId: string; visitor: Visitor; token: string; secret?: string | undefined };
type Peers = { provider: Provider; mailServer: MailServer; receiver: Receiver };

/** Somebody who owns an organization and is invited to another one; the ids for the paths. */
type Owned = { owner: Person; parameters: Record<string, string> };

const acts =
  "name slug policy roles remove add-domain check-domain join-domain remove-domain leave withdraw invite delete restore create setup-link end-setup-link confirm-domain";
const actsOfProvider = "set try confirm agree require withdraw remove relink agree-relink";
const actsOfSetup = "add-domain check-domain provider";

const maxUses = 40;
let networks = 0;

/**
 * An application with people, sign-ins half-way and mails on their way, of which something is
 * always alive whatever is done to it.
 */
export async function openWorld(service: TestService, peers: Peers) {
  const { provider, mailServer, receiver } = peers;
  const app = await appWith(service, [provider], { methods: ["passkey", "password", "oauth"] });
  const strict = await service.createApp({
    authMethods: { passkey: { enabled: true, required: true }, password: { enabled: true } },
  });
  /** The one whose settings are changed. */
  const changed = await service.createApp();
  const companies = await withOrganizations(service, {
    organizationCreation: "people",
    organizationRoles: ["billing"],
    companySignIn: "on",
  });
  const assetFile = loadAssets().links.hostedScript.split("/").at(-1) ?? "";
  let person: Person | undefined;
  let owned: Owned | undefined;
  let turn = 0;
  const places = new Map<string, { place: Place; uses: number }>();
  let endpointId: string | undefined;

  async function newPerson(of = app): Promise<Person> {
    const { id, email } = await newUser(service, of, { password: goodPassword });
    const visitor = new Visitor();
    const tokens = await redeem(service, of, await signIn(service, of, { email }, {}, visitor));
    const passkeyId = await givePasskey(service, id);
    await giveIdentity(service, of, id, provider.name);
    const page = await openAccount(service, of, visitor);
    const loginId = await logins.loginIdOf(service.server.app.ctx, tokens.accessToken);
    return { ...tokens, id, email, visitor, accountToken: tokenIn(page.text), loginId, passkeyId };
  }

  async function somebody(): Promise<Person> {
    return (person ??= await newPerson());
  }

  async function newOwned(): Promise<Owned> {
    const owner = await newPerson(companies.app);
    const organization = await companies.newOrganization({ owner: owner.id });
    await companies.send("POST", `${organization.path}/domains`, { domain: "acme.example" });
    const parameters = {
      appId: companies.app.id,
      orgId: organization.id,
      userId: await organization.newMember("owner"),
      domain: "acme.example",
      invitationId: await inviteInto(organization.path, newEmail()),
      id: await inviteInto((await companies.newOrganization()).path, owner.email),
    };
    return { owner, parameters };
  }

  async function inviteInto(path: string, email: string): Promise<string> {
    const invitations = [{ email, roles: ["member"] }];
    const { body } = await companies.send("POST", `${path}/invitations`, { invitations });
    return (body["results"] as { invitation: { id: string } }[])[0]?.invitation.id ?? "";
  }

  async function someOwned(): Promise<Owned> {
    return (owned ??= await newOwned());
  }

  async function opened(authUrl: string, sessionId: string, visitor = new Visitor()): Promise<Place> {
    const page = await visitor.get(authUrl);
    return { sessionId, visitor, token: tokenIn(page.text) };
  }

  /** A link that needs no sign-in of its own. */
  async function openedLink(link: string): Promise<Place> {
    const place = await opened(link, "none");
    return { ...place, secret: linkSecret(link) };
  }

  /**
   * Sign-ins at the point that the pages below these words are for; of anything else, at the
   * beginning.
   */
  const makers: Record<string, () => Promise<Place>> = {
    async add() {
      const { accessToken, email } = await somebody();
      const kinds = [{ type: "password" }, { type: "passkey" }, { type: "oauth", provider: provider.name }];
      const session = await addingSession(service, app, accessToken, kinds[places.size % 3] ?? {});
      const visitor = new Visitor();
      const page = await prove(visitor, session, email);
      return { sessionId: session.sessionId, visitor, token: tokenIn(page.text) };
    },
    async invitation() {
      const email = newEmail();
      await inviteInto((await companies.newOrganization()).path, email);
      const { text } = await mailTo(mailServer, email);
      return await openedLink(/https?:\/\/\S+\/organization\/invitation\/\S+/u.exec(text)?.[0] ?? "");
    },
    async setup() {
      const email = newEmail();
      await companies.send("POST", `${(await companies.newOrganization()).path}/setup-links`, { email });
      const place = await openedLink(linkIn(await mailTo(mailServer, email, 1, /Set up/u)));
      const link = `${service.url}/organization/setup/${place.secret}?app_id=${companies.app.id}`;
      const { token } = place;
      await place.visitor.post(link, { token });
      await place.visitor.post(link, { token, code: codeIn(await mailTo(mailServer, email, 1, /^\d{8} /u)) });
      return place;
    },
    async organization() {
      const { owner } = await newOwned();
      const { page, visitor, session } = await toChoice(service, { app: companies.app, email: owner.email });
      return { sessionId: session.sessionId, visitor, token: tokenIn(page.text) };
    },
    async step() {
      const { id, email } = await newUser(service, strict, { password: goodPassword });
      if (places.size % 2 === 0) await givePasskey(service, id);
      const session = await initiate(service, strict);
      const visitor = new Visitor();
      await visitor.submit(await visitor.get(session.authUrl), "/password", { email, password: goodPassword });
      return await opened(session.authUrl, session.sessionId, visitor);
    },
    async confirm() {
      const { visitor, session, email, page } = await askForAccount(service, app, { visitor: elsewhere() });
      const secret = secretIn(await mailTo(mailServer, email));
      return { sessionId: session.sessionId, visitor, token: tokenIn(page.text), secret };
    },
    async reset() {
      const { email } = await newUser(service, app, { password: goodPassword });
      const { visitor, session, page } = await askForReset(service, app, email, elsewhere());
      const secret = secretIn(await mailTo(mailServer, email));
      return { sessionId: session.sessionId, visitor, token: tokenIn(page.text), secret };
    },
    async invite() {
      const { link } = await invite(service, app, newEmail(), { link: true });
      return await openedLink(link ?? "");
    },
    async recover() {
      const { id } = await newUser(service, app, { password: goodPassword });
      await giveFactor(service, id);
      const wish = { lasts: hour, dryRun: false };
      const { link } = await recoveryLinks.linkFor(service.server.app.ctx, id, wish, { kind: "cli", name: "test" });
      return await openedLink(link ?? "");
    },
    async restore() {
      const owner = await ownerOf(service, app);
      await changeTo(service, mailServer, owner);
      return await openedLink(await undoLink(mailServer, owner.email));
    },
    async begin() {
      const { authUrl, sessionId } = await initiate(service, app);
      return await opened(authUrl, sessionId);
    },
  };

  const placeOf = ({ path }: Route): string =>
    Object.keys(makers).find((word) => path.split("/").includes(word)) ?? "begin";

  async function placeFor(route: Route): Promise<Place> {
    const kind = placeOf(route);
    const known = places.get(kind);
    if (known && known.uses < maxUses) {
      known.uses += 1;
      return known.place;
    }
    const place = await makers[kind]?.();
    if (!place) throw new Error(`no place ${kind}`);
    places.set(kind, { place, uses: 1 });
    return place;
  }

  async function jsonFor({ path }: Route): Promise<Record<string, unknown>> {
    if (path === "/auth/callback") {
      const { email } = await somebody();
      const { code, session } = await signIn(service, app, { email });
      return { code, sessionId: session.sessionId, state: undefined };
    }
    if (path === "/webhooks/endpoints") return { url: receiver.url };
    if (isOfOrganizations(path)) return { owner: (await someOwned()).owner.id, domain: "acme.example" };
    const { refreshToken } = await somebody();
    return { redirectUri: app.redirectUri, refreshToken };
  }

  async function parametersFor(route: Route, appId: string): Promise<Record<string, string>> {
    const { path } = route;
    if (path.startsWith("/webhooks/") && path.includes(":id")) {
      endpointId ??= await createEndpoint(service, app, { url: receiver.url });
      return { id: endpointId };
    }
    if (path.includes(":sessionId")) return { sessionId: (await placeFor(route)).sessionId, provider: provider.name };
    if (path.includes(":token")) return { token: (await placeFor(route)).secret ?? "" };
    if (isOfOrganizations(path)) return (await someOwned()).parameters;
    if (path.includes(":methodId") || path.includes(":loginId")) {
      const { passkeyId, loginId } = await somebody();
      return { methodId: passkeyId, loginId };
    }
    return { appId, provider: provider.name, file: assetFile };
  }

  return {
    app,

    async live(route: Route): Promise<Live> {
      const access = accessOf(route);
      const ofOrganizations = isOfOrganizations(route.path);
      const used: TestApp = ofOrganizations ? companies.app : route.limit === "applicationManagement" ? changed : app;
      const isOfServer = access !== undefined && /^(?:server|manager)/u.test(access);
      const isOfAccount = /^\/(?:account|organization)/u.test(route.path);
      const isOfPlace = /:sessionId|:token/u.test(route.path);
      const user = isOfServer ? undefined : ofOrganizations ? (await someOwned()).owner : await somebody();
      const parameters = await parametersFor(route, used.id);
      const place = isOfPlace ? await placeFor(route) : undefined;
      const visitor = place?.visitor ?? (isOfAccount ? user?.visitor : undefined);
      const round = route.path === "/oauth/:provider/callback" ? await startRound(service, app, provider) : undefined;
      return {
        parameters,
        appId: used.id,
        authorization: isOfServer
          ? used.headers["authorization"]
          : access === undefined || access === "anyone"
            ? undefined
            : `Bearer ${user?.accessToken}`,
        cookie: cookiesOf(round?.visitor ?? visitor),
        query: {
          // API calls about organizations refuse unknown parameters.
          ...(ofOrganizations && access !== undefined ? {} : { app_id: used.id }),
          ...(actsAt(route.path) && { organization: parameters["orgId"] ?? "" }),
          ...(access?.startsWith("token") || access?.startsWith("query") ? { token: user?.accessToken ?? "" } : {}),
          ...(route.path.endsWith("/authorize") ? { redirect_uri: app.redirectUri } : {}),
          ...(round ? { state: round.address.searchParams.get("state") ?? "", code: "unknown" } : {}),
        },
        fields: {
          token: place?.token ?? user?.accountToken ?? "",
          ...fieldsOfAct(route.path, parameters),
          ...(round ? { state: round.address.searchParams.get("state") ?? "", code: "unknown" } : {}),
        },
        json: access === undefined || route.method === "GET" ? {} : await jsonFor(route),
      };
    },

    /** To be told of every answer: what it ended is made anew when it is needed next. */
    async heal(route: Route, method: string, status: number): Promise<void> {
      if (status >= 400) return;
      if (/:sessionId|:token/u.test(route.path) && status === 303) places.delete(placeOf(route));
      if (method === "GET" || method === "HEAD") return;
      if (route.path.startsWith("/webhooks/") && method === "DELETE") endpointId = undefined;
      if (isOfOrganizations(route.path)) owned = undefined;
      if (route.path.includes(":methodId")) person = undefined;
      if (/^\/(users|auth|account)\//u.test(route.path) && person !== undefined && !(await isAlive(person)))
        person = undefined;
    },
  };

  /** The acts in turn, every second time with the fields that they need. */
  function fieldsOfAct(
    path: string,
    { userId = "", invitationId = "", domain = "" }: Record<string, string>,
  ): Record<string, string> {
    const names = actsAt(path)?.split(" ");
    if (!names) return {};
    const act = names[(turn += 1) % names.length] ?? "";
    if (turn % 2 === 0) return { act };
    const ids = { user: userId, invitation: invitationId, domain, email: newEmail() };
    const provided = { issuer: "https://login.acme.example", clientId: "client-1", clientSecret: "secret" };
    const named = { name: "Best", slug: `best-${turn}`, join: "on", addresses: newEmail(), "role.member": "on" };
    return { act, ...ids, ...named, ...provided };
  }

  async function isAlive({ accessToken, visitor }: Person): Promise<boolean> {
    if ((await validate(service, app, accessToken)).status !== 200) return false;
    return (await openAccount(service, app, visitor)).text.includes('name="token"');
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/**
 * A browser in a network of its own, which may have mails sent whatever others had. Takes a service
 * that trusts this machine as a proxy.
 */
function elsewhere(): Visitor {
  networks += 1;
  return new Visitor({ "x-forwarded-for": `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}` });
}

/** The acts of a page that has several. */
function actsAt(path: string): string | undefined {
  if (path === "/organization") return acts;
  if (path === "/organization/provider") return actsOfProvider;
  return path.startsWith("/organization/setup/") ? actsOfSetup : undefined;
}

const isOfOrganizations = (path: string): boolean => /^\/organization|\/organizations/u.test(path);

function cookiesOf(visitor: Visitor | undefined): string {
  return [...(visitor?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
}

function tokenIn(page: string): string {
  return /name="token" value="([^"]*)"/u.exec(page)?.[1] ?? "";
}
