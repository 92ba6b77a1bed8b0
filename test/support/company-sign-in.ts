import type { OrganizationProvider } from "../../src/organizations/provider/provider.ts";
import { openAccount } from "./account.ts";
import { employee, proveDomain, storeProvider, type CompanyProvider } from "./company-provider.ts";
import type { ActiveTokens } from "./memberships.ts";
import { withOrganizations } from "./organizations.ts";
import { authorizeUrl, createTestClient } from "./openid.ts";
import {
  attribute,
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  Visitor,
  type Page,
  type Session,
} from "./person.ts";
import type { Claims } from "./providers/id-tokens.ts";
import { setUpTotp, type Authenticated } from "./factors.ts";
import { updateApp, type TestApp, type TestService } from "./service.ts";

let made = 0;

export type CameTo = { session: Session; visitor: Visitor; page: Page };

/** An organization whose people sign in by `company`, and the ways of a browser there. */
export async function withCompanySignIn(
  service: TestService,
  company: CompanyProvider,
  fields: Partial<OrganizationProvider> = {},
  settings: Parameters<typeof withOrganizations>[1] = {},
) {
  const all = await withOrganizations(service, { companySignIn: "on", ...settings });
  const { app, send } = all;
  const organization = await all.newOrganization({ name: "Initech" });
  const domain = `acme${(made += 1)}.example`;
  await proveDomain(service, organization, domain);
  const provider = await storeProvider(service, organization, company, fields);
  const at = (name: string): string => `${name}@${domain}`;

  /** An account with this address and a password; `roles`: a member of the organization. */
  async function account(email: string, roles: string[] | null = ["member"]): Promise<string> {
    const { body } = await send("POST", "/users", { email, emailVerified: true, password: goodPassword });
    const id = String(body["id"]);
    if (roles) await send("PUT", `${organization.path}/members/${id}`, { roles });
    return id;
  }

  async function invite(email: string, roles = ["member"]): Promise<void> {
    const { body } = await send("POST", `${organization.path}/invitations`, { invitations: [{ email, roles }] });
    const [result] = body["results"] as { error?: unknown }[];
    if (result?.error) throw new Error(JSON.stringify(result.error));
  }

  /** Types an address on the sign-in page; the answer is the page that names the company. */
  async function typed(email: string, visitor = new Visitor(), extra: Record<string, unknown> = {}): Promise<CameTo> {
    const session = await initiate(service, app, extra);
    const page = await visitor.get(session.authUrl);
    // A browser that came before is led there at once.
    if (page.text.includes('/company"') && !page.text.includes('/password"')) return { session, visitor, page };
    return { session, visitor, page: await visitor.submit(page, "/password", { email, password: "anything-at-all" }) };
  }

  /** Presses on, and is named `person` there; the answer of the callback. */
  async function pressed({ visitor, page }: CameTo, person: Claims | undefined): Promise<Page> {
    company.person = person;
    const left = await visitor.submit(page, "/company", {});
    const address = /0; url=(.*)$/u.exec(left.headers.get("refresh") ?? "")?.[1];
    if (address === undefined) throw new Error(`did not leave: ${left.status} ${left.text.slice(0, 1500)}`);
    return await visitor.get((await company.visit(address)).href);
  }

  /** To the page after, or to the application for a known browser. */
  async function come(email: string, person: Claims, visitor = new Visitor(), extra = {}): Promise<CameTo> {
    const came = await typed(email, visitor, extra);
    return { ...came, page: await followed(visitor, await pressed(came, person)) };
  }

  async function agree({ visitor, page, session }: CameTo, values: Record<string, string> = {}): Promise<CameTo> {
    return { visitor, session, page: await followed(visitor, await visitor.submit(page, "/company/agree", values)) };
  }

  /** The tokens of a sign-in that has come back to the application. */
  async function tokens({ session, page }: CameTo) {
    const code = page.location.searchParams.get("code") ?? "";
    if (code === "") throw new Error(`no code: ${page.status} ${page.location.href} ${page.text.slice(0, 1500)}`);
    return (await redeem(service, app, { session, code })) as ActiveTokens;
  }

  /** A member who signed in by the provider once. */
  async function newcomer(name: string, visitor = new Visitor()) {
    const email = at(name);
    await invite(email);
    const done = await agree(await come(email, employee(`sub-${name}`, email), visitor));
    return { email, subject: `sub-${name}`, visitor, done };
  }

  /** Follows redirects within the service. */
  async function followed(visitor: Visitor, page: Page): Promise<Page> {
    let last = page;
    while (last.status === 303 && last.location.origin === new URL(service.url).origin)
      last = await visitor.get(last.location.href);
    return last;
  }

  async function openIdClient(changes: Parameters<typeof createTestClient>[2] = {}) {
    const client = await createTestClient(service, app, { companySignIn: true, ...changes });
    return { client, url: (parameters = {}) => authorizeUrl(service, client, parameters) };
  }

  const membersOf = async (): Promise<string[]> => {
    const { body } = await send("GET", `${organization.path}/members?limit=100`);
    return (body["members"] as { email: string }[]).map(({ email }) => email);
  };
  const userOf = async (email: string): Promise<Record<string, unknown> | undefined> => {
    const { body } = await call(service, "GET", `/applications/${app.id}/users?email=${email}`, app.headers);
    return (body["users"] as Record<string, unknown>[])[0];
  };

  return {
    ...all,
    organization,
    domain,
    provider,
    at,
    account,
    invite,
    typed,
    pressed,
    come,
    agree,
    tokens,
    newcomer,
    followed,
    openIdClient,
    membersOf,
    userOf,
    newEmail,
  };
}

/** The page on which owners set up the provider of an organization. */
export function ofProviderPage(service: TestService, app: TestApp, id: string) {
  const url = `${service.url}/organization/provider?app_id=${app.id}&organization=${id}`;
  async function press(visitor: Visitor, fields: Record<string, string>): Promise<Page> {
    const { text } = await openAccount(service, app, visitor);
    const token = /name="token" value="([^"]+)"/u.exec(text)?.[1] ?? "";
    return await visitor.post(url, { token, ...fields });
  }
  /** Presses "Try it": the address at the provider. */
  async function tryAddress(visitor: Visitor): Promise<string> {
    const { text } = await press(visitor, { act: "try" });
    return attribute(/<a class="button main"[^>]*>/u.exec(text)?.[0] ?? "", "href") ?? "";
  }
  return { url, page: async (visitor: Visitor) => (await visitor.get(url)).text, press, tryAddress };
}

/** `withCompanySignIn` and somebody who has a password, and an identity at the company. */
export async function withEmma(
  service: TestService,
  company: CompanyProvider,
  fields: Partial<OrganizationProvider> = {},
  settings: Parameters<typeof withOrganizations>[1] = {},
) {
  const scopes = ["profile" as const, "email" as const, "groups" as const];
  const acme = await withCompanySignIn(service, company, fields, { scopes, ...settings });
  const email = acme.at("emma");
  const userId = await acme.account(email);
  /** By the password, past the page of the company. */
  async function byPassword(visitor = new Visitor(), extra: Record<string, unknown> = {}): Promise<CameTo> {
    const session = await initiate(service, acme.app, extra);
    const page = await visitor.get(`${service.url}/sign-in/${session.sessionId}?own=1`);
    return { session, visitor, page: await visitor.submit(page, "/password", { email, password: goodPassword }) };
  }
  const own = await acme.tokens(await byPassword());
  await service.server.app.ctx.storage.write(async ({ db, tables }) => {
    const row = { organizationId: acme.organization.id, appId: acme.app.id, issuer: company.issuer, subject: "emma" };
    const times = { createdAt: 0, lastUsedAt: null };
    await db.insert(tables.organizationIdentities).values({ ...row, ...times, userId, email });
  });
  const person = employee("emma", email);
  async function came(visitor = new Visitor(), extra = {}) {
    return await acme.agree(await acme.come(email, person, visitor, extra));
  }
  return { ...acme, email, userId, own, person, came, byPassword };
}

/** An authenticator app, which they set up while their company does not sign them in; its key. */
export async function giveTotp(
  service: TestService,
  { app, email }: { app: TestApp; email: string },
): Promise<Authenticated> {
  await updateApp(service, app, { settings: { companySignIn: "off", secondFactor: "required" } });
  const set = await setUpTotp(service, app, email);
  await updateApp(service, app, { settings: { companySignIn: "on", secondFactor: "optional" } });
  // Its code was used.
  service.clock.advance(60_000);
  return set;
}
