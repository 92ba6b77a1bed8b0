import { goodPassword, newEmail, signUp } from "../test/support/person.ts";
import type { TestApp, TestService } from "../test/support/service.ts";
import { openConnection, type Received } from "./connection.ts";

/** More than can be hashed at once, so that no core waits for a client. */
const people = 16;

/**
 * Whole password sign-ins a second, `seconds` long: initiate, the page, its form, callback. Each person in a browser of their own, which they
 * keep: a browser that is new to somebody costs a mail as well.
 */
export async function signInsPerSecond(service: TestService, app: TestApp, seconds: number): Promise<number> {
  const browsers = await Promise.all(
    Array.from({ length: people }, async () => {
      const email = newEmail();
      await signUp(service, app, { email });
      return await openBrowser(service, app, email);
    }),
  );
  // The first one in a new browser is not like those after it.
  for (const browser of browsers) await browser.signIn();
  const began = performance.now();
  let done = 0;
  await Promise.all(
    browsers.map(async (browser) => {
      while (performance.now() - began < seconds * 1000) {
        await browser.signIn();
        done += 1;
      }
    }),
  );
  const took = (performance.now() - began) / 1000;
  for (const browser of browsers) browser.close();
  return done / took;
}

async function openBrowser(service: TestService, app: TestApp, email: string) {
  const connection = await openConnection(service.url);
  const cookies = new Map<string, string>();
  const server = `authorization: Bearer ${app.apiKey}\r\nx-service-app-id: ${app.id}\r\ncontent-type: application/json\r\n`;
  const startBody = JSON.stringify({ redirectUri: app.redirectUri });

  async function browse(method: "GET" | "POST", path: string, form?: string): Promise<Received> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const posted = `origin: ${connection.origin}\r\nsec-fetch-site: same-origin\r\ncontent-type: application/x-www-form-urlencoded\r\n`;
    const headers = `cookie: ${cookie}\r\n${form === undefined ? "" : posted}`;
    const answer = await connection.send(method, path, headers, form);
    for (const [, name = "", value = "", attributes = ""] of answer.head.matchAll(
      /\r\nset-cookie: ([^=]+)=([^;\r]*)([^\r]*)/giu,
    ))
      if (/max-age=0/iu.test(attributes)) cookies.delete(name);
      else cookies.set(name, value);
    return answer;
  }

  return {
    async signIn(): Promise<void> {
      const { sessionId } = JSON.parse(
        expected(await connection.send("POST", "/auth/initiate", server, startBody), 200),
      ) as {
        sessionId: string;
      };
      const page = expected(await browse("GET", `/sign-in/${sessionId}`), 200);
      const hidden = [...page.matchAll(/<input\b[^>]*type="hidden"[^>]*>/gu)].map(([input]) => input);
      const form = new URLSearchParams({ email, password: goodPassword });
      // What the page's script would switch on stays off: this browser runs none.
      for (const field of hidden.filter((input) => !/\bdisabled\b/u.test(input))) {
        const name = /name="([^"]*)"/u.exec(field)?.[1];
        if (name !== undefined && !form.has(name)) form.set(name, /value="([^"]*)"/u.exec(field)?.[1] ?? "");
      }
      const posted = await browse("POST", `/sign-in/${sessionId}/password`, form.toString());
      const code = /\r\nlocation: \S*[?&]code=([\w-]+)/iu.exec(posted.head)?.[1];
      if (code === undefined) throw new Error(`no code after the password: ${posted.status}`);
      expected(await connection.send("POST", "/auth/callback", server, JSON.stringify({ code, sessionId })), 200);
    },
    close: connection.close,
  };
}

function expected({ status, body }: Received, wanted: number): string {
  if (status !== wanted) throw new Error(`answered ${status} instead of ${wanted}: ${body.slice(0, 200)}`);
  return body;
}
