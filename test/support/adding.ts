import {
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  Visitor,
  type Page,
  type Session,
  type Tokens,
} from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

/** A person in a browser of their own, signed in to the app. */
export type SignedInVisitor = Tokens & { email: string; visitor: Visitor };

/** Creates an account by password, and keeps the browser that did it. */
export async function signedUpIn(
  service: TestService,
  app: TestApp,
  visitor = new Visitor(),
  email = newEmail(),
): Promise<SignedInVisitor> {
  const session = await initiate(service, app);
  const page = await visitor.get(`${session.authUrl}/create-account`);
  const done = await visitor.submit(page, "/create-account", { email, name: "", password: goodPassword });
  const code = done.location.searchParams.get("code") ?? "";
  return { ...(await redeem(service, app, { session, code })), email, visitor };
}

/** POST /users/auth-methods as the app does it for its user. */
export async function askToAdd(
  service: TestService,
  accessToken: string,
  body: Record<string, unknown>,
): Promise<Awaited<ReturnType<typeof call>>> {
  return await call(service, "POST", "/users/auth-methods", { authorization: `Bearer ${accessToken}` }, body);
}

/** The session that adds a method; throws when the service refuses it. */
export async function addingSession(
  service: TestService,
  app: TestApp,
  accessToken: string,
  body: Record<string, unknown>,
): Promise<Session> {
  const answer = await askToAdd(service, accessToken, { redirectUri: app.redirectUri, ...body });
  if (answer.status !== 200) throw new Error(`add-method answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body as Session;
}

/** Proves by password who one is, on the page of a session, and follows to its next page. */
export async function prove(visitor: Visitor, session: Session, email: string, password = goodPassword): Promise<Page> {
  const page = await visitor.get(session.authUrl);
  const done = await visitor.submit(page, "/password", { email, password });
  return done.status === 303 && done.location.href === session.authUrl ? await visitor.get(session.authUrl) : done;
}
