import type { TestApp, TestService } from "./service.ts";

/**
 * A person's browser without scripts: keeps cookies, reads forms, never follows a redirect by
 * itself.
 */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly headers: Record<string, string>;

  constructor(headers: Record<string, string> = {}) {
    this.headers = headers;
  }

  async get(url: string, headers: Record<string, string> = {}): Promise<Page> {
    return await this.#send(url, { headers });
  }

  /**
   * Posts the form of `page` whose action ends with `action`, with its hidden fields and these
   * values.
   */
  async submit(
    page: Page,
    action: string,
    values: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    const form = page.form(action);
    return await this.post(new URL(form.action, page.url).href, { ...form.fields, ...values }, headers);
  }

  /** The same for a form with a file. */
  async upload(page: Page, action: string, file: File, values: Record<string, string> = {}): Promise<Page> {
    const form = page.form(action);
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...form.fields, ...values })) body.set(name, value);
    body.set("file", file);
    const url = new URL(form.action, page.url);
    return await this.#send(url.href, {
      method: "POST",
      body,
      headers: { origin: url.origin, "sec-fetch-site": "same-origin" },
    });
  }

  async post(url: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    const origin = new URL(url).origin;
    return await this.#send(url, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { origin, "sec-fetch-site": "same-origin", ...headers },
    });
  }

  /** Another browser with the same cookies and headers. */
  copy(): Visitor {
    const copy = new Visitor(this.headers);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }

  async #send(
    url: string,
    init: { method?: string; body?: URLSearchParams | FormData; headers: Record<string, string> },
  ): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { ...this.headers, ...init.headers, ...(cookie ? { cookie } : {}) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const [name = "", value = ""] = pair.split("=");
      if (/max-age=0/iu.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return new Page(url, response.status, response.headers, await response.text());
  }
}

export class Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(url: string, status: number, headers: Headers, text: string) {
    this.url = url;
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  /** Where it redirects to. */
  get location(): URL {
    return new URL(this.headers.get("location") ?? "about:blank", this.url);
  }

  form(actionEnd: string): { action: string; fields: Record<string, string> } {
    for (const match of this.text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gu)) {
      const action = attribute(match[1] ?? "", "action");
      if (action === undefined || ![action, action.split("?")[0]].some((end) => end?.endsWith(actionEnd))) continue;
      const inputs = [...(match[2] ?? "").matchAll(/<input\b[^>]*type="hidden"[^>]*>/gu)].map(([input]) => input);
      const hidden = inputs.filter((input) => !/\sdisabled\b/u.test(input));
      return {
        action,
        fields: Object.fromEntries(
          hidden.map((input) => [attribute(input, "name") ?? "", attribute(input, "value") ?? ""]),
        ),
      };
    }
    throw new Error(`no form ${actionEnd} in a page with status ${this.status}: ${this.text.slice(0, 2000)}`);
  }

  json(): unknown {
    return JSON.parse(this.text);
  }
}

export function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`, "u").exec(tag)?.[1];
  return value === undefined ? undefined : decoded(value);
}

/** Text of a page, without the escapes of its markup. */
export function decoded(text: string): string {
  return text
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#96;", "`")
    .replaceAll("&amp;", "&");
}

export type Session = { authUrl: string; sessionId: string; expiresAt: string };
export type Tokens = { accessToken: string; refreshToken: string; expiresIn: number; user: Record<string, unknown> };

export const goodPassword = "correct horse battery staple";

let people = 0;
/** An address that nobody has used yet. */
export function newEmail(): string {
  people += 1;
  return `person${people}.${process.pid}@example.org`;
}

/** A call of the JSON API. */
export async function call(
  service: TestService,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<{
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { error?: { code: string; message: string; details: string; requestId: string } };
}> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}

export async function initiate(
  service: TestService,
  app: TestApp,
  extra: Record<string, unknown> = {},
): Promise<Session> {
  const { status, body } = await call(service, "POST", "/auth/initiate", app.headers, {
    redirectUri: app.redirectUri,
    ...extra,
  });
  if (status !== 200) throw new Error(`initiate answered ${status}: ${JSON.stringify(body)}`);
  return body as Session;
}

/** The sign-in page, or one below it, in a browser of its own. */
export async function openPage(
  service: TestService,
  app: TestApp,
  extra: Record<string, unknown> = {},
  path = "",
): Promise<{ session: Session; visitor: Visitor; page: Page }> {
  const session = await initiate(service, app, extra);
  const visitor = new Visitor();
  return { session, visitor, page: await visitor.get(session.authUrl + path) };
}

/** Creates an account by password and stops where the app receives the code. */
export async function signUp(
  service: TestService,
  app: TestApp,
  person: { email: string; password?: string; name?: string } = { email: newEmail() },
  extra: Record<string, unknown> = {},
): Promise<{ session: Session; code: string; location: URL }> {
  const session = await initiate(service, app, extra);
  const visitor = new Visitor();
  const page = await visitor.get(`${session.authUrl}/create-account`);
  const done = await visitor.submit(page, "/create-account", {
    email: person.email,
    name: person.name ?? "",
    password: person.password ?? goodPassword,
  });
  if (done.status !== 303) throw new Error(`sign-up answered ${done.status}: ${done.text}`);
  const { location } = done.location.pathname.endsWith("/confirm")
    ? await confirmFromMailbox(visitor, done.location.href, person.email)
    : done;
  return { session, code: location.searchParams.get("code") ?? "", location };
}

/** In development mode: types the code of the mail to `email` into the page that waits for it. */
export async function confirmFromMailbox(visitor: Visitor, url: string, email: string): Promise<Page> {
  const page = await visitor.get(url);
  return await visitor.submit(page, "/confirm", { code: await codeInMailbox(url, email) });
}

/** In development mode: the code of the newest mail with one to `email`, as it is shown there. */
export async function codeInMailbox(url: string, email: string, used?: string): Promise<string> {
  for (;;) {
    const { mails } = (await (await fetch(new URL("/dev/mail.json", url))).json()) as {
      mails: { to: string; text: string }[];
    };
    // A notice of before may arrive after it.
    const codes = mails.filter(({ to }) => to === email).map(({ text }) => /^\d{4} \d{4}$/mu.exec(text)?.[0]);
    const code = codes.find((each) => each !== undefined && each !== used);
    if (code !== undefined) return code;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function signIn(
  service: TestService,
  app: TestApp,
  person: { email: string; password?: string },
  extra: Record<string, unknown> = {},
  visitor = new Visitor(),
): Promise<{ session: Session; code: string }> {
  const session = await initiate(service, app, extra);
  const page = await visitor.get(session.authUrl);
  const done = await visitor.submit(page, "/password", {
    email: person.email,
    password: person.password ?? goodPassword,
  });
  if (done.status !== 303) throw new Error(`sign-in answered ${done.status}: ${done.text}`);
  return { session, code: done.location.searchParams.get("code") ?? "" };
}

export async function redeem(
  service: TestService,
  app: TestApp,
  signedIn: { session: Session; code: string },
  extra: Record<string, unknown> = {},
): Promise<Tokens> {
  const { status, body } = await call(service, "POST", "/auth/callback", app.headers, {
    code: signedIn.code,
    sessionId: signedIn.session.sessionId,
    ...extra,
  });
  if (status !== 200) throw new Error(`callback answered ${status}: ${JSON.stringify(body)}`);
  return body as Tokens;
}

/** A new user with live tokens. */
export async function signedUp(
  service: TestService,
  app: TestApp,
  email = newEmail(),
  extra: Record<string, unknown> = {},
): Promise<Tokens & { email: string }> {
  return { ...(await redeem(service, app, await signUp(service, app, { email }, extra))), email };
}

export async function validate(service: TestService, app: TestApp, accessToken: string) {
  return await call(service, "GET", "/auth/validate", {
    authorization: `Bearer ${accessToken}`,
    "x-service-app-id": app.id,
  });
}

/** Whether the access token among what callback or refresh answered is good right now. */
export async function isLive(service: TestService, app: TestApp, tokens: Record<string, unknown>): Promise<boolean> {
  return (await validate(service, app, String(tokens["accessToken"]))).status === 200;
}

export async function refresh(service: TestService, app: TestApp, refreshToken: string) {
  return await call(service, "POST", "/auth/refresh", app.headers, { refreshToken });
}
