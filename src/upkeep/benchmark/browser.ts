import { bodyOf, callHeaders, headerLines, openConnection, type Received } from "./connection.ts";

/** An application, as its own server knows it. */
export type ClientApplication = { id: string; apiKey: string; redirectUri: string };

export type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** The state of a sign-in with an open page. */
type OpenPage = { sessionId: string; origin: string; form: string };

/**
 * A person's browser and the application's server on one connection, signing in by password in the
 * contract's four steps. It keeps its cookies, because a new browser costs a mail.
 */
export async function openBrowser(url: string, app: ClientApplication, person: { email: string; password: string }) {
  const connection = await openConnection(url);
  const cookies = new Map<string, string>();
  const server = headerLines({ ...callHeaders(app.id, app.apiKey), "content-type": "application/json" });
  const startBody = JSON.stringify({ redirectUri: app.redirectUri });

  async function browse(method: "GET" | "POST", path: string, headers: string, form?: string): Promise<Received> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await connection.send(method, path, `cookie: ${cookie}\r\n${headers}`, form);
    for (const [, name = "", value = "", attributes = ""] of answer.head.matchAll(
      /\r\nset-cookie: ([^=]+)=([^;\r]*)([^\r]*)/giu,
    ))
      if (/max-age=0/iu.test(attributes)) cookies.delete(name);
      else cookies.set(name, value);
    return answer;
  }

  /** Initiates, and opens the page. */
  async function open(): Promise<OpenPage> {
    // In reality the previous sign-in's cookie has expired: nobody signs in many times per hour.
    for (const name of cookies.keys()) if (name.includes("authsvc-visit-")) cookies.delete(name);
    const started = await connection.send("POST", "/auth/initiate", server, startBody);
    const { sessionId, authUrl } = JSON.parse(bodyOf(started, 200)) as { sessionId: string; authUrl: string };
    const page = bodyOf(await browse("GET", `/sign-in/${sessionId}`, ""), 200);
    return { sessionId, origin: new URL(authUrl).origin, form: filledIn(page, person) };
  }

  /**
   * Posts the form of an open page. The answer is 303 to the application, or a page with an error.
   */
  async function submit({ sessionId, origin, form }: OpenPage): Promise<Received> {
    const headers = `origin: ${origin}\r\nsec-fetch-site: same-origin\r\ncontent-type: application/x-www-form-urlencoded\r\n`;
    return await browse("POST", `/sign-in/${sessionId}/password`, headers, form);
  }

  /** The callback. */
  async function redeem({ sessionId }: OpenPage, posted: Received): Promise<void> {
    const code = /\r\nlocation: \S*[?&]code=([\w-]+)/iu.exec(posted.head)?.[1];
    if (code === undefined) throw new Error(`no code after the password: ${posted.status}`);
    bodyOf(await connection.send("POST", "/auth/callback", server, JSON.stringify({ code, sessionId })), 200);
  }

  return {
    open,
    submit,
    redeem,
    /** An address of the service, with the browser's cookies. */
    get: async (path: string): Promise<Received> => await browse("GET", path, ""),
    async signIn(): Promise<void> {
      const page = await open();
      await redeem(page, await submit(page));
    },
    close: connection.close,
  };
}

/** Leaves out what a page's script would enable: this browser runs none. */
function filledIn(page: string, { email, password }: { email: string; password: string }): string {
  const hidden = [...page.matchAll(/<input\b[^>]*type="hidden"[^>]*>/gu)].map(([input]) => input);
  const form = new URLSearchParams({ email, password });
  for (const field of hidden.filter((input) => !/\bdisabled\b/u.test(input))) {
    const name = /name="([^"]*)"/u.exec(field)?.[1];
    if (name !== undefined && !form.has(name)) form.set(name, /value="([^"]*)"/u.exec(field)?.[1] ?? "");
  }
  return form.toString();
}
