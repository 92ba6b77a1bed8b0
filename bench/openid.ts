import { openBrowser, type Browser } from "../src/upkeep/benchmark/browser.ts";
import { bodyOf, headerLines, openConnection } from "../src/upkeep/benchmark/connection.ts";
import { repeat } from "../src/upkeep/benchmark/load.ts";
import { percentile } from "../src/upkeep/benchmark/percentiles.ts";
import { inTurns, type Context } from "./context.ts";
import { measured } from "./report.ts";
import { withSubject, type Subject } from "./subject.ts";
import type { Database } from "./tokens.ts";
import { startBareServer } from "./yardsticks.ts";

/** So many that nobody has hundreds of logins. */
const people = 100;
const connections = 32;

/**
 * What OpenID Connect clients call, in turns with node:http alone: the authorization endpoint by
 * single sign-on, without a form; the token endpoint with the codes of that; userinfo.
 */
export async function measureOpenId(context: Context, { name, environment }: Database): Promise<void> {
  const { program, report, load, rounds, seconds } = context;
  const bare = await startBareServer();
  try {
    await withSubject({ program, environment, people }, async (subject) => {
      const round = await openRound(subject);
      const late = { bare: [] as number[], authorize: [] as number[], token: [] as number[], userinfo: [] as number[] };
      const noted = (call: keyof typeof late, found: { perSecond: number; p99Milliseconds: number }): number => {
        late[call].push(found.p99Milliseconds);
        return found.perSecond;
      };
      const measures = {
        bare: async () => noted("bare", await load({ kind: "get", url: bare.url, headers: [{}] }, { seconds })),
        authorize: async () => noted("authorize", await round.authorize(seconds)),
        token: async () => noted("token", await round.token(seconds)),
        userinfo: async () => {
          const headers = round.accessTokens.map((token) => ({ authorization: `Bearer ${token}` }));
          const url = `${subject.server.url}/oauth2/userinfo`;
          return noted("userinfo", await load({ kind: "get", url, headers }, { seconds }));
        },
      };
      // Warm up, so that the service's code is compiled.
      for (const measure of Object.values(measures)) await measure();
      for (const values of Object.values(late)) values.length = 0;
      const found = await inTurns(rounds, measures);
      report.note("node:http alone, the bytes of a validate", `${measured(found.bare)}/s`);
      const words = {
        authorize: "authorize by single sign-on",
        token: "token for a code, with an ID token",
        userinfo: "userinfo",
      };
      for (const [call, title] of Object.entries(words) as [keyof typeof words, string][])
        report.rate(`${name}: ${title} (p99 ${measured(percentile(late[call], 0.5))} ms)`, found[call], found.bare);
      round.close();
    });
  } finally {
    await bare.stop();
  }
}

/** Browsers that are signed in, and the codes and tokens that clients got by them. */
async function openRound({ server, app, people: persons }: Subject) {
  const browsers: Browser[] = [];
  for (const person of persons) {
    const browser = await openBrowser(server.url, app, person);
    await browser.signIn();
    browsers.push(browser);
  }
  const opened = await Promise.all(Array.from({ length: connections }, async () => await openConnection(server.url)));
  const query = { response_type: "code", client_id: app.id, redirect_uri: app.redirectUri, scope: "openid email" };
  const address = `/oauth2/authorize?${new URLSearchParams(query).toString()}`;
  const credentials = Buffer.from(`${app.id}:${app.apiKey}`).toString("base64");
  const headers = headerLines({
    authorization: `Basic ${credentials}`,
    "content-type": "application/x-www-form-urlencoded",
  });
  let codes: string[] = [];
  let accessTokens: string[] = [];
  let turn = 0;

  /** Each browser has a connection of its own, but few of them call at the same time. */
  async function authorize(): Promise<void> {
    turn = (turn + 1) % browsers.length;
    const browser = browsers[turn];
    if (!browser) throw new Error("nobody is signed in");
    browsers.splice(turn, 1);
    const { head } = await browser.get(address);
    browsers.push(browser);
    const code = /\r\nlocation: \S*[?&]code=([\w-]+)/iu.exec(head)?.[1];
    if (code === undefined) throw new Error(`no code: ${head}`);
    codes.push(code);
  }

  return {
    get accessTokens() {
      return accessTokens;
    },

    async authorize(seconds: number) {
      codes = [];
      const works = Array.from({ length: connections }, () => authorize);
      return await repeat(works, (_done, elapsedSeconds) => elapsedSeconds >= seconds);
    },

    /** Redeems the codes of `authorize`, as long as there are any. */
    async token(seconds: number) {
      accessTokens = [];
      const works = opened.map((connection) => async () => {
        const form = { grant_type: "authorization_code", code: codes.pop() ?? "", redirect_uri: app.redirectUri };
        const answer = await connection.send("POST", "/oauth2/token", headers, new URLSearchParams(form).toString());
        accessTokens.push((JSON.parse(bodyOf(answer, 200)) as { access_token: string }).access_token);
      });
      return await repeat(works, (_done, elapsedSeconds) => elapsedSeconds >= seconds || codes.length === 0);
    },

    close(): void {
      for (const connection of [...opened, ...browsers]) connection.close();
    },
  };
}
