import { request } from "node:http";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { insertProxyLogin } from "../../src/forward-auth/store.ts";
import { loginCookie } from "../../src/forward-auth/cookies.ts";
import { digestOf, newSecret } from "../../src/lib/random.ts";
import { parseJwt } from "../../src/tokens/jwt.ts";
import { day } from "../../src/lib/clock.ts";
import { eq } from "drizzle-orm";
import { signedUp } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

/** For `serviceOfTests`: the proxy is this machine. */
export const forProxies = {
  trustedProxies: ["127.0.0.1"],
  forwardAuth: { host: "127.0.0.1", port: 0, tls: undefined, plain: false },
};

export type DoorAnswer = { status: number; headers: Record<string, string | string[] | undefined>; body: string };

/** A request with exactly these header lines. */
export async function rawRequest(
  url: string,
  path: string,
  lines: readonly (readonly [name: string, value: string])[],
  method = "GET",
  body?: Record<string, string>,
): Promise<DoorAnswer> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<DoorAnswer>();
  const named = lines.some(([name]) => name.toLowerCase() === "host") ? lines : [["Host", "door"] as const, ...lines];
  const sent = request(
    { hostname, port, path, method, headers: named.flat(), setHost: false, agent: false },
    (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
    },
  );
  sent.on("information", ({ statusCode }) => reject(new Error(`an answer ${statusCode} came first`)));
  sent.on("error", reject);
  sent.end(body && new URLSearchParams(body).toString());
  return await promise;
}

type AskedFor = { method?: string; path?: string; cookie?: string; more?: [name: string, value: string][] };

/** A check, as a correct block of each kind sends it. */
export async function ask(
  { server }: TestService,
  door: "proxy" | "nginx",
  host: string,
  { method = "GET", path = "/", cookie, more = [] }: AskedFor = {},
): Promise<DoorAnswer> {
  const family: [string, string][] =
    door === "nginx"
      ? [
          ["X-Original-Method", method],
          ["X-Original-Url", `https://${host}${path}`],
        ]
      : [
          ["X-Forwarded-Proto", "https"],
          ["X-Forwarded-Host", host],
          ["X-Forwarded-Method", method],
          ["X-Forwarded-Uri", path],
        ];
  const cookies: [string, string][] = cookie === undefined ? [] : [["Cookie", cookie]];
  const at = door === "nginx" ? "/auth-request" : "/forward-auth";
  return await rawRequest(server.forwardAuthUrl ?? "", at, [...family, ...cookies, ...more]);
}

let hosts = 0;

/** A client of kind proxy with a host of its own. */
export async function createProxy({ server }: TestService, app: TestApp, input: Partial<NewClient> = {}) {
  hosts += 1;
  const host = input.hosts?.[0] ?? `program${hosts}.example.com`;
  const { client } = await clients.create(
    server.app.ctx,
    {
      appId: app.id,
      name: "Program",
      kind: "proxy",
      access: input.allowedGroups ? "groups" : "everyone",
      ...input,
      hosts: input.hosts ?? [host],
    },
    {},
    { actor: { kind: "cli", name: "test" } },
  );
  return { client, host };
}

/** Signs a new person in at a host, without its pages. */
export async function personAt(
  service: TestService,
  app: TestApp,
  { client, host }: { client: { id: string }; host: string },
) {
  const tokens = await signedUp(service, app);
  const { sid: loginId = "", sub: userId = "" } = (parseJwt(tokens.accessToken)?.claims ?? {}) as Record<
    string,
    string
  >;
  return { loginId, userId, tokens, cookie: await cookieAt(service, { client, host }, loginId) };
}

/** A cookie of a host for a login, which becomes one of the host's client. */
export async function cookieAt(
  { server, clock }: TestService,
  { client, host }: { client: { id: string }; host: string },
  loginId: string,
): Promise<string> {
  const { ctx } = server.app;
  const secret = newSecret(ctx.random);
  const { now } = clock;
  await ctx.storage.write(async (tx) => {
    const { logins } = tx.tables;
    await tx.db.update(logins).set({ clientId: client.id }).where(eq(logins.id, loginId));
    const times = { createdAt: now, lastUsedAt: now, expiresAt: now + 7 * day };
    await insertProxyLogin(tx, { digest: digestOf(secret), loginId, clientId: client.id, host, ...times });
  });
  return `${loginCookie(host)}=${secret}`;
}
