import { eq } from "drizzle-orm";
import { saveConsent } from "../../src/applications/clients/consents-store.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { insertIdentity } from "../../src/credentials/identities/identity-store.ts";
import * as addressChange from "../../src/credentials/mailed/address-change.ts";
import * as resetLinks from "../../src/credentials/mailed/reset-links.ts";
import * as emailTokens from "../../src/credentials/mailed/service.ts";
import * as methods from "../../src/credentials/methods/service.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import * as operatorTokens from "../../src/sessions/operator-tokens.ts";
import * as ownLogins from "../../src/sessions/login-ends.ts";
import * as grants from "../../src/sign-in/grants.ts";
import * as userAdministration from "../../src/people/administration.ts";
import * as groups from "../../src/users/groups/service.ts";
import * as userMetadata from "../../src/people/metadata-changes.ts";
import * as users from "../../src/users/service.ts";
import { openAccount, press } from "./account.ts";
import { addingSession, prove } from "./adding.ts";
import { assertion, attest, newPasskey, type SoftPasskey } from "./authenticator.ts";
import { createClient, secretOf, signInByClient, type SignedInByClient } from "./clients-logout.ts";
import { choose } from "./invites.ts";
import { newUser, linkSecret } from "./mail-flows.ts";
import { givePasskey } from "./methods.ts";
import { basic } from "./openid-tokens.ts";
import { authorizeUrl } from "./openid.ts";
import { askedBy, askOptions, post as postCredential, type Ceremony } from "./passkey-ceremonies.ts";
import { call, goodPassword, initiate, newEmail, redeem, signIn, Visitor, type Page, type Tokens } from "./person.ts";
import type { Provider } from "./providers/provider.ts";
import { atProvider, comeBack, startRound } from "./providers/round.ts";
import type { TestApp, TestService } from "./service.ts";

/** Somebody with a login of the application and one of a client, both of one browser. */
export type Someone = Tokens & {
  id: string;
  email: string;
  visitor: Visitor;
  clientId: string;
  atClient: SignedInByClient;
};

/** Where people sign in. `provider`: GitHub's stand-in. */
export type Place = { service: TestService; app: TestApp; provider: Provider };

/** Prepares a change of somebody's access. What it returns makes the change. */
type Prepare = (person: Someone) => Promise<() => Promise<unknown>>;

export type AccessChange = [title: string, prepare: Prepare];

let numbers = 1000;
/** The number of a GitHub account that nobody has used yet. */
const numbered = () => (numbers += 1);

const operator = { kind: "cli", name: "test" } as const;
const by = { actor: operator };
const source = { ipAddress: "127.0.0.1", userAgent: "test", requestId: "test" };
const otherPassword = "another horse, another battery";

/** A new person, whose address is unverified. */
export async function newSomeone({ service, app }: Place): Promise<Someone> {
  const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
  const visitor = new Visitor();
  const tokens = await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
  const clientId = await createClient(service, app, { consent: "ask" });
  const now = service.clock.now;
  const consent = { userId: id, clientId, scopes: ["openid", "email"], createdAt: now, updatedAt: now };
  await service.server.app.ctx.storage.write((tx) => saveConsent(tx, consent));
  return { ...tokens, id, email, visitor, clientId, atClient: await signInByClient(service, email, clientId, visitor) };
}

/** Everything that begins, ends or changes somebody's access and needs the user for that. */
export function accessChanges(current: () => Place): AccessChange[] {
  const service = () => current().service;
  const app = () => current().app;
  const provider = () => current().provider;
  const storage = () => service().server.app.ctx.storage;
  const ctx = () => service().server.app.ctx;

  const does =
    (act: (person: Someone) => Promise<unknown>): Prepare =>
    async (person) =>
    async () =>
      await act(person);

  const calls = (method: string, path: string, body?: unknown): Prepare =>
    does(async ({ accessToken }) => {
      const headers = { authorization: `Bearer ${accessToken}`, "x-service-app-id": app().id };
      return await call(service(), method, path, headers, body);
    });

  /** At an endpoint of OpenID Connect, as the client. */
  async function atClient({ clientId }: Someone, path: string, form: Record<string, string>): Promise<Response> {
    const headers = basic({ client: { id: clientId }, secret: secretOf(clientId) });
    return await fetch(`${service().url}${path}`, { method: "POST", body: new URLSearchParams(form), headers });
  }

  function clientOf({ clientId }: Someone) {
    return { id: clientId, redirectUris: ["https://wiki.example/callback"] };
  }

  async function silently(person: Someone): Promise<Page> {
    const url = authorizeUrl(service(), clientOf(person), { scope: "openid email", prompt: "none" });
    return await person.visitor.get(url);
  }

  async function pageOf(visitor: Visitor, extra: Record<string, unknown> = {}): Promise<Ceremony> {
    const session = await initiate(service(), app(), extra);
    return { visitor, session, page: await visitor.get(session.authUrl) };
  }

  /** The page that adds a method, in a browser that has just proven who it is. */
  async function addingPage({ accessToken, email }: Someone, body: Record<string, unknown>): Promise<Ceremony> {
    const visitor = new Visitor();
    const session = await addingSession(service(), app(), accessToken, body);
    return { visitor, session, page: await prove(visitor, session, email) };
  }

  async function registered(ceremony: Ceremony): Promise<{ passkey: SoftPasskey; credential: string }> {
    const options = await askOptions(ceremony);
    const passkey = newPasskey(undefined, options.user?.id);
    return { passkey, credential: JSON.stringify(attest(passkey, askedBy(service(), options))) };
  }

  /** A token as a mail has it. */
  async function mailed(
    { id: userId, email }: Someone,
    purpose: "verify" | "undo" | "change" | "invite",
    ...whose: string[]
  ) {
    const slot = emailTokens.slot(ctx(), purpose, userId, ...whose);
    const of = { slot, purpose, appId: app().id, userId, email: purpose === "verify" ? email : newEmail() };
    const { link } = await storage().write((tx) =>
      emailTokens.issue(ctx(), tx, purpose === "invite" ? { ...of, email: "" } : of, service().clock.now),
    );
    const secret = linkSecret(link);
    const token = await emailTokens.find(ctx(), secret);
    if (!token) throw new Error("the token is over already");
    return { secret, token };
  }

  async function userOf({ id }: Someone) {
    const user = await users.find(ctx().storage.reader, id);
    if (!user) throw new Error("the user is gone already");
    return user;
  }

  const signInByPassword = (extra: Record<string, unknown>): Prepare =>
    async function prepare({ email, visitor }) {
      const { page } = await pageOf(visitor, extra);
      return async () => await visitor.submit(page, "/password", { email, password: goodPassword });
    };

  return [
    ["a sign-in by password", signInByPassword({})],
    ["a sign-in in another language", signInByPassword({ locale: "de" })],
    [
      "a sign-in by password, and its code",
      does(async (person) => await redeem(service(), app(), await signIn(service(), app(), person))),
    ],
    [
      "a sign-in by passkey",
      async (person) => {
        const adding = await addingPage(person, { type: "passkey" });
        const { passkey, credential } = await registered(adding);
        await postCredential(adding, credential);
        const ceremony = await pageOf(new Visitor());
        const asked = askedBy(service(), await askOptions(ceremony));
        return async () => await postCredential(ceremony, assertion(passkey, asked));
      },
    ],
    [
      "a sign-in at a provider",
      async ({ id }) => {
        const subject = String(numbered());
        const { host: directory } = new URL(provider().settings().userinfoUrl ?? "");
        const now = service().clock.now;
        const identity = { appId: app().id, userId: id, provider: "github", issuer: directory, subject };
        const row = { ...identity, id: `mth_${subject}`, email: null, createdAt: now, lastUsedAt: now };
        await storage().write((tx) => insertIdentity(tx, row));
        const { visitor, address } = await startRound(service(), app(), provider());
        const back = await atProvider(address, provider(), { subject, email: newEmail(), verified: true });
        return async () => await comeBack(visitor, back);
      },
    ],
    [
      "the first proof of an address",
      async ({ email }) => {
        const { visitor, address } = await startRound(service(), app(), provider());
        const back = await atProvider(address, provider(), { subject: String(numbered()), email, verified: true });
        const asked = await comeBack(visitor, back);
        const page = await visitor.get(asked.location.href);
        return async () => await visitor.submit(page, "/step/take-over", {});
      },
    ],
    ["single sign-on", does(silently)],
    [
      "consent",
      async (person) => {
        const url = authorizeUrl(service(), clientOf(person), { scope: "openid email profile" });
        const started = await person.visitor.get(url);
        const page = await person.visitor.get(started.location.href);
        return async () => await person.visitor.submit(page, "/step/consent", {});
      },
    ],
    [
      "the redemption of a code",
      async (person) => {
        const signedIn = await signIn(service(), app(), person);
        return async () => await redeem(service(), app(), signedIn);
      },
    ],
    [
      "a second use of a code",
      async (person) => {
        const signedIn = await signIn(service(), app(), person);
        await redeem(service(), app(), signedIn);
        return async () => await redeem(service(), app(), signedIn);
      },
    ],
    [
      "the redemption of a client's code",
      async (person) => {
        const code = (await silently(person)).location.searchParams.get("code") ?? "none";
        const form = { grant_type: "authorization_code", code, redirect_uri: clientOf(person).redirectUris[0] ?? "" };
        return async () => await atClient(person, "/oauth2/token", form);
      },
    ],
    [
      "a token for support",
      does(async ({ id }) => {
        const asked = { userId: id, scopes: undefined, seconds: 60 };
        return await operatorTokens.mint(ctx(), asked, { dryRun: false }, operator);
      }),
    ],
    [
      "an invitation's first method",
      async (person) => {
        const [password] = await methods.list(ctx().storage.reader, person.id);
        await methods.remove(ctx(), person.id, password?.id ?? "", by, { evenLast: true });
        const visitor = new Visitor();
        const { secret } = await mailed(person, "invite");
        const page = await choose(`${service().url}/invite/${secret}`, "password", visitor);
        return async () => await visitor.submit(page, "/add/password", { password: otherPassword });
      },
    ],
    [
      "a new passkey",
      async (person) => {
        const adding = await addingPage(person, { type: "passkey" });
        const { credential } = await registered(adding);
        return async () => await postCredential(adding, credential);
      },
    ],
    ["a logout of one login", calls("POST", "/auth/logout", {})],
    ["a logout of all sessions", calls("POST", "/auth/logout", { allSessions: true })],
    [
      "the end of one login on the account page",
      does(async ({ id: userId, accessToken }) =>
        ownLogins.endOne(ctx(), { id: await logins.loginIdOf(ctx(), accessToken), userId }, { reason: "account", by }),
      ),
    ],
    ["the end of all logins on the account page", does(async ({ id }) => ownLogins.endAll(ctx(), id, by))],
    [
      "the end of other logins on the account page",
      does(async ({ id }) => ownLogins.endOthers(ctx(), id, "another browser", by)),
    ],
    [
      "the sign-out on the account page",
      async ({ visitor }) => {
        const page = await openAccount(service(), app(), visitor);
        return async () => await press(app(), visitor, page, "/sign-out");
      },
    ],
    [
      "the logout at a client",
      does(async ({ visitor, atClient: { idToken } }) =>
        visitor.get(
          `${service().url}/oauth2/end-session?${new URLSearchParams({ id_token_hint: idToken }).toString()}`,
        ),
      ),
    ],
    [
      "the logout at a client in no browser",
      async ({ id, atClient: { idToken } }) => {
        const { browserSessions } = storage().reader.tables;
        await storage().write(async ({ db }) => await db.delete(browserSessions).where(eq(browserSessions.userId, id)));
        const query = new URLSearchParams({ id_token_hint: idToken }).toString();
        return async () => await new Visitor().get(`${service().url}/oauth2/end-session?${query}`);
      },
    ],
    [
      "an operator's end of one login",
      does(async ({ accessToken }) =>
        logins.end(ctx(), await logins.loginIdOf(ctx(), accessToken), { dryRun: false }, operator),
      ),
    ],
    [
      "an operator's revokeLogins",
      does(async ({ id }) => userAdministration.revokeLogins(ctx(), id, { dryRun: false }, by)),
    ],
    ["an operator's disable", does(async ({ id }) => userAdministration.disable(ctx(), id, { dryRun: false }, by))],
    [
      "an operator's new address",
      does(async ({ id }) => userAdministration.update(ctx(), id, { email: newEmail() }, { dryRun: false }, by)),
    ],
    ["a new name", calls("PATCH", "/users/profile", { name: "Ada" })],
    ["the deletion of an account", calls("DELETE", "/users/profile")],
    [
      "metadata",
      does(async ({ id }) => userMetadata.patch(ctx(), { userId: id }, { public: { plan: "pro" }, private: {} }, by)),
    ],
    [
      "a group",
      async ({ id }) => {
        await groups.create(ctx(), app().id, "staff", by);
        return async () => await groups.add(ctx(), app().id, "staff", [id], by);
      },
    ],
    [
      "the removal of a method",
      async (person) => {
        const id = await givePasskey(service(), person.id);
        return await calls("DELETE", `/users/auth-methods/${id}`)(person);
      },
    ],
    [
      "a changed password",
      async (person) => {
        const { visitor, page } = await addingPage(person, { type: "password" });
        return async () => await visitor.submit(page, "/add/password", { password: otherPassword });
      },
    ],
    [
      "a reset password",
      async ({ id }) => {
        const { link } = await resetLinks.linkFor(ctx(), id, { send: false, dryRun: false }, operator);
        const visitor = new Visitor();
        const page = await visitor.get(link ?? "");
        return async () => await visitor.submit(page, new URL(page.url).pathname, { password: otherPassword });
      },
    ],
    [
      "the proof of an address",
      async (person) => {
        const { secret } = await mailed(person, "verify");
        const user = await userOf(person);
        return async () => await emailTokens.confirmVerify(ctx(), user, { secret }, source);
      },
    ],
    [
      "a changed address",
      async (person) => {
        const user = await userOf(person);
        const { browserSessions } = storage().reader.tables;
        const sessions = await storage().reader.db.select().from(browserSessions);
        const session = sessions.findLast(({ userId }) => userId === person.id);
        const tie = session?.tie ?? session?.digest ?? "none";
        const { token } = await mailed(person, "change", tie, person.email);
        return async () => await addressChange.confirm(ctx(), { user, tie }, { token }, source);
      },
    ],
    [
      "a restored address",
      async (person) => {
        const { secret } = await mailed(person, "undo", newEmail());
        const visitor = new Visitor();
        const page = await visitor.get(`${service().url}/restore/${secret}`);
        return async () => await visitor.submit(page, new URL(page.url).pathname, {});
      },
    ],
    ["the removal of consent", does(async ({ id, clientId }) => grants.remove(ctx(), id, clientId, by))],
    ["the deletion of a client", does(async ({ clientId }) => clients.remove(ctx(), clientId, by))],
  ];
}

/** What changes access and needs only the login. */
export function loginChanges(current: () => Place): AccessChange[] {
  const service = () => current().service;
  async function atClient({ clientId }: Someone, path: string, form: Record<string, string>): Promise<Response> {
    const headers = basic({ client: { id: clientId }, secret: secretOf(clientId) });
    return await fetch(`${service().url}${path}`, { method: "POST", body: new URLSearchParams(form), headers });
  }
  return [
    [
      "a refresh",
      async ({ refreshToken }) =>
        async () =>
          await call(service(), "POST", "/auth/refresh", current().app.headers, { refreshToken }),
    ],
    [
      "a client's refresh",
      async (person) => async () => {
        const form = { grant_type: "refresh_token", refresh_token: person.atClient.refreshToken };
        return await atClient(person, "/oauth2/token", form);
      },
    ],
    [
      "a client's withdrawal of its token",
      async (person) => async () => await atClient(person, "/oauth2/revoke", { token: person.atClient.refreshToken }),
    ],
    [
      "a disabled client",
      async ({ clientId }) =>
        async () =>
          await clients.update(service().server.app.ctx, clientId, { enabled: false }, by),
    ],
  ];
}
