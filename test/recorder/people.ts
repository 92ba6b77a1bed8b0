import { hash } from "node:crypto";
import { assertion, attest, newPasskey, type SoftPasskey } from "../support/authenticator.ts";
import { codeAt } from "../support/factors.ts";
import { Visitor, type Page } from "../support/person.ts";
import type { Recording } from "./recording.ts";

export type Json = Record<string, unknown>;
export type Answer = { status: number; body: Json };
export type App = { id: string; key: string; redirectUri: string };
export type Tokens = { accessToken: string; refreshToken: string; user: { id: string } };
export type Session = { authUrl: string; sessionId: string };

export const password = "correct horse battery staple";
const verifier = "v".repeat(64);
const challenge = hash("sha256", verifier, "base64url");

export function headersOf({ id, key }: App): Record<string, string> {
  return { authorization: `Bearer ${key}`, "x-service-app-id": id };
}

/** What people and servers do, by the front doors. */
export function peopleOf(recording: Recording) {
  const { url } = recording;

  async function call(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: unknown,
  ): Promise<Answer> {
    const isForm = body instanceof URLSearchParams;
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: { ...(body === undefined || isForm ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    let read: Json = {};
    try {
      read = JSON.parse(text) as Json;
    } catch {
      // A page, or nothing.
    }
    return { status: response.status, body: read };
  }

  async function initiate(app: App, more: Json = {}): Promise<Session> {
    const { body } = await call("POST", "/auth/initiate", headersOf(app), { redirectUri: app.redirectUri, ...more });
    return body as Session;
  }

  async function mailTo(email: string, before = ""): Promise<string> {
    for (let tries = 0; tries < 1000; tries += 1) {
      const mail = recording.mails.last(email);
      if (mail !== before && mail !== "") return mail;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`no mail to ${email}`);
  }

  const codeIn = (mail: string): string => /^(\d{4} \d{4})\r?$/mu.exec(mail)?.[1] ?? "";
  const linkIn = (mail: string): string => /http:\/\/localhost\S+?(?=[\s"<]|$)/u.exec(mail)?.[0] ?? "";

  async function follow(visitor: Visitor, page: Page): Promise<Page> {
    return page.headers.get("location") === null ? page : await visitor.get(page.location.href);
  }

  async function redeem(app: App, session: Session, page: Page): Promise<Tokens> {
    const code = page.location.searchParams.get("code") ?? "";
    const { status, body } = await call("POST", "/auth/callback", headersOf(app), {
      code,
      sessionId: session.sessionId,
    });
    if (status !== 200) throw new Error(`callback answered ${status}`);
    return body as Tokens;
  }

  /** Types the code of the mail, if that is asked for. */
  async function confirmed(visitor: Visitor, page: Page, email: string, earlier: string): Promise<Page> {
    if (!page.location.pathname.endsWith("/confirm")) return page;
    const asked = await follow(visitor, page);
    return await visitor.submit(asked, "/confirm", { code: codeIn(await mailTo(email, earlier)) });
  }

  async function signUp(app: App, email: string, visitor = new Visitor()): Promise<Tokens & { visitor: Visitor }> {
    const session = await initiate(app);
    const earlier = recording.mails.last(email);
    const form = await visitor.get(`${session.authUrl}/create-account`);
    const page = await visitor.submit(form, "/create-account", { email, name: "Ada", password });
    return { ...(await redeem(app, session, await confirmed(visitor, page, email, earlier))), visitor };
  }

  async function signIn(app: App, email: string, visitor = new Visitor(), more: Json = {}): Promise<Tokens> {
    const session = await initiate(app, more);
    const page = await visitor.submit(await visitor.get(session.authUrl), "/password", { email, password });
    return await redeem(app, session, page);
  }

  /** Signs in with password and code, and trusts the browser. */
  async function signInWithCode(app: App, email: string, key: string): Promise<Tokens> {
    const visitor = new Visitor();
    const session = await initiate(app);
    const page = await visitor.submit(await visitor.get(session.authUrl), "/password", { email, password });
    const step = await follow(visitor, page);
    recording.wait(60_000);
    const done = await visitor.submit(step, "/step/code", { code: codeAt(key, recording.now()), trust: "yes" });
    return await redeem(app, session, done);
  }

  /** Proves with the password where `page` leads, and with a code if that is asked for. */
  async function prove(visitor: Visitor, page: Page, email: string, key?: string): Promise<Page> {
    const form = await follow(visitor, page);
    if (!/action="[^"]*\/password"/u.test(form.text)) return form;
    let next = await follow(visitor, await visitor.submit(form, "/password", { email, password }));
    if (key !== undefined && next.text.includes("/step/code")) {
      recording.wait(60_000);
      next = await follow(visitor, await visitor.submit(next, "/step/code", { code: codeAt(key, recording.now()) }));
    }
    return next;
  }

  async function options(visitor: Visitor, page: Page, form: string, fields: Record<string, string> = {}) {
    const { action, fields: hidden } = page.form(form);
    const answer = await visitor.post(`${new URL(action, page.url).href}/options`, { ...hidden, ...fields });
    return (answer.json() as { options: { challenge: string; user?: { id: string } } }).options;
  }

  async function signUpByPasskey(app: App, email: string, visitor = new Visitor()) {
    const session = await initiate(app);
    const earlier = recording.mails.last(email);
    const page = await visitor.get(`${session.authUrl}/create-account`);
    const asked = await options(visitor, page, "/passkey", { email, name: "" });
    const passkey = newPasskey("ES256", asked.user?.id);
    const credential = attest(passkey, { challenge: asked.challenge, origin: url });
    const done = await visitor.submit(page, "/passkey", { credential: JSON.stringify(credential) });
    return { ...(await redeem(app, session, await confirmed(visitor, done, email, earlier))), passkey, visitor };
  }

  async function signInByPasskey(app: App, passkey: SoftPasskey, visitor = new Visitor()): Promise<Tokens> {
    const session = await initiate(app);
    const page = await visitor.get(session.authUrl);
    const asked = await options(visitor, page, "/passkey");
    const credential = assertion(passkey, { challenge: asked.challenge, origin: url });
    return await redeem(
      app,
      session,
      await visitor.submit(page, "/passkey", { credential: JSON.stringify(credential) }),
    );
  }

  /** Sets an authenticator app up on the account page; key and recovery codes. */
  async function setUpFactor(app: App, email: string, visitor: Visitor): Promise<{ key: string; codes: string[] }> {
    const place = `${url}/account/factor?app_id=${app.id}`;
    let form = await visitor.get(place);
    if (form.status === 303) form = await prove(visitor, form, email);
    if (!form.text.includes('class="key"')) form = await visitor.get(place);
    const key = /<p class="key"[^>]*>([A-Z2-7 ]+)<\/p>/u.exec(form.text)?.[1] ?? "";
    const shown = await visitor.submit(form, `/account/factor?app_id=${app.id}`, {
      code: codeAt(key, recording.now()),
    });
    return { key, codes: [...shown.text.matchAll(/<li>([A-Z2-7-]{29})<\/li>/gu)].map(([, code = ""]) => code) };
  }

  /** Signs in at the authorization endpoint, agrees if asked, and gets tokens. */
  async function openIdCode(
    client: { id: string; redirectUri: string },
    email: string,
    more: Record<string, string> = {},
    visitor = new Visitor(),
  ) {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: client.id,
      redirect_uri: client.redirectUri,
      scope: "openid profile email offline_access",
      state: "st",
      nonce: "n",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...more,
    });
    const start = await visitor.get(`${url}/oauth2/authorize?${query.toString()}`);
    let page = await visitor.submit(await follow(visitor, start), "/password", { email, password });
    if (page.headers.get("location")?.includes("/sign-in/") === true) {
      page = await visitor.submit(await follow(visitor, page), "/step/consent", {});
    }
    return {
      grant_type: "authorization_code",
      code: page.location.searchParams.get("code") ?? "",
      redirect_uri: client.redirectUri,
      code_verifier: verifier,
    };
  }

  const form = (fields: Record<string, string>): URLSearchParams => new URLSearchParams(fields);
  return {
    call,
    initiate,
    mailTo,
    codeIn,
    linkIn,
    follow,
    redeem,
    signUp,
    signIn,
    signInWithCode,
    prove,
    options,
    signUpByPasskey,
    signInByPasskey,
    setUpFactor,
    openIdCode,
    form,
  };
}

export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${encodeURIComponent(secret)}`).toString("base64")}` };
}
