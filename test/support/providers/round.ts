import type { NewApplication } from "../../../src/applications/new-application.ts";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import { initiate, Page, redeem, Visitor, type Session, type Tokens } from "../person.ts";
import type { TestApp, TestService } from "../service.ts";
import type { Person } from "./kinds.ts";
import type { Provider } from "./provider.ts";

/** A sign-in that has reached the provider's address. */
export type Started = { session: Session; visitor: Visitor; start: Page; address: URL };

/**
 * What a browser brings back from a provider: an address to open, or a form to post there from the
 * provider's site.
 */
export type Back = { url: string; fields: Record<string, string> | undefined };

export type Round = Started & { done: Page; back: Back };

const actor = { kind: "cli", name: "test" } as const;

/** An app with accounts at these providers; passwords work too. */
export async function appWith(
  service: TestService,
  providers: Provider[],
  input: Partial<NewApplication> = {},
): Promise<TestApp> {
  const app = await service.createApp({ methods: ["password", "oauth"], ...input });
  for (const provider of providers) await setProvider(service, app, provider);
  return app;
}

/** The service with such an app, for a test that needs both. */
export async function withProviders(
  service: TestService,
  ...having: [providers: Provider[], input?: Partial<NewApplication>]
): Promise<{ service: TestService; app: TestApp }> {
  return { service, app: await appWith(service, ...having) };
}

export async function setProvider(service: TestService, app: TestApp, provider: Provider): Promise<void> {
  await providers.set(service.server.app.ctx, app.id, provider.settings(), actor);
}

export async function removeProvider(service: TestService, app: TestApp, provider: Provider): Promise<void> {
  await providers.remove(service.server.app.ctx, app.id, provider.name, actor);
}

/** As an app starts it that has its own button: `authMethod: oauth`. */
export async function startRound(
  service: TestService,
  app: TestApp,
  provider: Provider,
  extra: Record<string, unknown> = {},
): Promise<Started> {
  const session = await initiate(service, app, { authMethod: "oauth", provider: provider.name, ...extra });
  const visitor = new Visitor();
  return reached(session, visitor, await visitor.get(session.authUrl));
}

/**
 * As a person starts it who sees all methods on the sign-in page and presses the provider's button.
 */
export async function startFromPage(
  service: TestService,
  app: TestApp,
  provider: Provider,
  extra: Record<string, unknown> = {},
): Promise<Started> {
  const session = await initiate(service, app, extra);
  const visitor = new Visitor();
  const page = await visitor.get(session.authUrl);
  return reached(session, visitor, await visitor.submit(page, `/oauth/${provider.name}`, {}));
}

function reached(session: Session, visitor: Visitor, start: Page): Started {
  if (start.status !== 303) throw new Error(`the start answered ${start.status}: ${start.text}`);
  return { session, visitor, start, address: start.location };
}

/** This person signs in at the provider, which sends the browser back. */
export async function atProvider(address: URL, provider: Provider, person: Person): Promise<Back> {
  provider.person = person;
  const response = await fetch(address, { redirect: "manual" });
  const page = new Page(address.href, response.status, response.headers, await response.text());
  if (page.status === 302) return { url: page.location.href, fields: undefined };
  if (page.status !== 200) throw new Error(`the provider answered ${page.status}: ${page.text}`);
  const { action, fields } = page.form("/callback");
  return { url: action, fields: unescaped(fields) };
}

/**
 * The browser comes back to the service; after a post from the provider's site, it sends the page
 * on that it gets first.
 */
export async function comeBack(visitor: Visitor, { url, fields }: Back): Promise<Page> {
  if (fields === undefined) return await visitor.get(url);
  const first = await crossSitePost(url, fields);
  if (first.status !== 200 || !first.text.includes("data-continue")) return first;
  const { action, fields: again } = first.form("/callback");
  return await visitor.post(new URL(action, url).href, unescaped(again));
}

/** A form that another site sends: the browser keeps the Lax cookie back. */
export async function crossSitePost(url: string, fields: Record<string, string>): Promise<Page> {
  return await new Visitor().post(url, fields, { origin: "https://appleid.apple.com", "sec-fetch-site": "cross-site" });
}

/** The whole way to a provider and back. */
export async function signInAt(
  service: TestService,
  app: TestApp,
  provider: Provider,
  person: Person,
  extra: Record<string, unknown> = {},
): Promise<Round> {
  const started = await startRound(service, app, provider, extra);
  const back = await atProvider(started.address, provider, person);
  return { ...started, back, done: await comeBack(started.visitor, back) };
}

/** Throws when the provider found something wrong with what it was sent. */
export function mustBeContent({ complaints }: Provider): void {
  if (complaints.length > 0) throw new Error(`a provider complained: ${complaints.join("; ")}`);
}

/** The code that the app receives; throws when there is none. */
export function codeOf(page: Page): string {
  const code = page.status === 303 ? page.location.searchParams.get("code") : null;
  if (code === null)
    throw new Error(`nobody was signed in: ${page.status} ${page.headers.get("location")} ${page.text}`);
  return code;
}

/**
 * Goes on from a page that shows what the first proof of an address removes; any other answer stays
 * as it is.
 */
export async function agreed(visitor: Visitor, session: Session, page: Page): Promise<Page> {
  if (page.status !== 303 || page.location.pathname !== new URL(session.authUrl).pathname) return page;
  return await visitor.submit(await visitor.get(session.authUrl), "/step/take-over", {});
}

/** Signs in, agreeing to what that removes, and buys tokens with the code. */
export async function tokensFrom(
  service: TestService,
  app: TestApp,
  provider: Provider,
  person: Person,
): Promise<Tokens> {
  const { session, visitor, done } = await signInAt(service, app, provider, person);
  return await redeem(service, app, { session, code: codeOf(await agreed(visitor, session, done)) });
}

function unescaped(fields: Record<string, string>): Record<string, string> {
  const text = (value: string) =>
    value
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, text(value)]));
}
