import { assertion, attest, newPasskey, type Asked, type Credential, type SoftPasskey } from "./authenticator.ts";
import { addingSession } from "./adding.ts";
import { initiate, newEmail, redeem, Visitor, type Page, type Session, type Tokens } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

/**
 * A page with a passkey form, in the browser that has it open. `form`: how the form's action ends,
 * "/passkey" by default.
 */
export type OpenForm = { visitor: Visitor; page: Page; form?: string };

export type Ceremony = OpenForm & { session: Session };

export type PasskeyOptions = {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
  user?: { id: string; name: string; displayName: string };
  excludeCredentials?: { id: string }[];
  allowCredentials?: { id: string }[];
  [name: string]: unknown;
};

/** The sign-in page, or the one that makes accounts (`path` "/create-account"). */
export async function openCeremony(
  service: TestService,
  app: TestApp,
  path: "" | "/create-account",
  visitor = new Visitor(),
): Promise<Ceremony> {
  const session = await initiate(service, app);
  return { visitor, session, page: await visitor.get(session.authUrl + path) };
}

/** The page that adds a passkey for this user, in this browser. */
export async function openAdding(
  service: TestService,
  app: TestApp,
  { accessToken, visitor }: { accessToken: string; visitor: Visitor },
): Promise<Ceremony> {
  const session = await addingSession(service, app, accessToken, { type: "passkey" });
  return { visitor, session, page: await visitor.get(session.authUrl) };
}

/** Makes a passkey as the page asks for it, under an id of its own or this one. */
export async function makePasskey(
  service: TestService,
  ceremony: Ceremony,
  { email, id }: { email?: string; id?: SoftPasskey["id"] } = {},
): Promise<{ passkey: SoftPasskey; done: Page }> {
  const options = await askOptions(ceremony, email === undefined ? {} : { email, name: "" });
  const passkey = { ...newPasskey("ES256", options.user?.id), ...(id === undefined ? {} : { id }) };
  return { passkey, done: await post(ceremony, attest(passkey, askedBy(service, options))) };
}

/** Asks for options, as the script of the page does. */
export async function askOptions(ceremony: OpenForm, fields: Record<string, string> = {}): Promise<PasskeyOptions> {
  const { visitor, page, form = "/passkey" } = ceremony;
  const { action, fields: hidden } = page.form(form);
  const answer = await visitor.post(`${new URL(action, page.url).href}/options`, { ...hidden, ...fields });
  if (answer.status !== 200) throw new Error(`options answered ${answer.status}: ${answer.text}`);
  return (answer.json() as { options: PasskeyOptions }).options;
}

export function askedBy(service: TestService, { challenge }: PasskeyOptions): Asked {
  return { challenge, origin: service.url };
}

/** Sends the page's form, with this as the credential. */
export async function post(
  { visitor, page, form = "/passkey" }: OpenForm,
  credential: Credential | string,
): Promise<Page> {
  const text = typeof credential === "string" ? credential : JSON.stringify(credential);
  return await visitor.submit(page, form, { credential: text });
}

export type PasskeyOwner = Tokens & { email: string; passkey: SoftPasskey; visitor: Visitor };

/** Somebody whose only way in is a passkey. */
export async function signUpByPasskey(
  service: TestService,
  app: TestApp,
  { email = newEmail(), algorithm }: { email?: string; algorithm?: Parameters<typeof newPasskey>[0] } = {},
): Promise<PasskeyOwner> {
  const ceremony = await openCeremony(service, app, "/create-account");
  const options = await askOptions(ceremony, { email, name: "" });
  const passkey = newPasskey(algorithm, options.user?.id);
  const done = await post(ceremony, attest(passkey, askedBy(service, options)));
  if (done.status !== 303) throw new Error(`sign-up by passkey answered ${done.status}: ${done.text}`);
  const code = done.location.searchParams.get("code") ?? "";
  const tokens = await redeem(service, app, { session: ceremony.session, code });
  return { ...tokens, email, passkey, visitor: ceremony.visitor };
}

/** The honest way in; what the last page of it says. */
export async function signInByPasskey(
  service: TestService,
  app: TestApp,
  passkey: SoftPasskey,
  twist: Parameters<typeof assertion>[2] = {},
): Promise<Page> {
  const ceremony = await openCeremony(service, app, "");
  const options = await askOptions(ceremony);
  return await post(ceremony, assertion(passkey, askedBy(service, options), twist));
}
