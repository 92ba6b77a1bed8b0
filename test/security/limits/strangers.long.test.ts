import { getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import { newProver } from "../../support/dpop.ts";
import { authorizeUrl, codeChallenge, createTestClient } from "../../support/openid.ts";
import { askOptions } from "../../support/passkey-ceremonies.ts";
import { newEmail, Visitor, type Page } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith } from "../../support/providers/round.ts";
import { startReceiver } from "../../support/receiver.ts";
import { serviceOfTest, testConfig, updateApp, type TestService } from "../../support/service.ts";
import { strangersTables } from "./strangers-tables.ts";

const [google] = await useProviders("google");

const minute = 60_000;
/** The limits of calls are this part of the defaults, to send fewer. */
const share = 1 / 10;
/** More than a network may then send in a minute. */
const calls = 12;

/** `send`: begins a minute, and returns what sends one call more. */
type Attack = { network: string; send: (turn: number) => Promise<() => Promise<number>> };

/** Nearly the defaults, with a mail server that is away: what waits for it, waits longest. */
async function defaultService(): Promise<TestService> {
  const away = await startReceiver();
  await away.stop();
  const server = { host: "127.0.0.1", port: Number(new URL(away.url).port), user: undefined, password: undefined };
  return await serviceOfTest("sqlite", {
    trustedProxies: ["127.0.0.1"],
    passwords: { ...testConfig.passwords, attemptsPerMinute: 10 * share },
    rateLimits: {
      authentication: 100 * share,
      userManagement: 500 * share,
      applicationManagement: 100 * share,
      webhooks: 1000 * share,
    },
    webhooks: { allowPrivateNetworks: true, retentionDays: 30 },
    mail: { server: { ...server, tls: "none" }, from: { name: undefined, address: "auth@service.example" } },
  });
}

type Size = { rows: number; longest: number };

async function sizes(service: TestService): Promise<Map<string, Size>> {
  const { db, tables } = service.server.app.ctx.storage.reader;
  const all = new Map<string, Size>();
  for (const table of Object.values<SQLiteTable>(tables)) {
    const lengths = (await db.select().from(table)).map((row) => Object.values(row).map(lengthOf).reduce(sum, 0));
    const longest = lengths.reduce((most, one) => Math.max(most, one), 0);
    all.set(getTableName(table), { rows: lengths.length, longest });
  }
  return all;
}

const sum = (total: number, one: number): number => total + one;

function lengthOf(value: unknown): number {
  return value === null ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** Each kind of call that leaves something in the database, from a network of its own. */
async function attacksOf(service: TestService): Promise<Attack[]> {
  const app = await appWith(service, [google], { methods: ["password", "passkey", "oauth"] });
  await updateApp(service, app, { settings: { emailCode: true, publicClients: true } });
  const { ctx } = service.server.app;
  const endpoint = {
    url: "https://hooks.example.com/",
    events: ["login.failed", "user.created"],
    secret: "s".repeat(40),
  };
  await webhooks.create(ctx, app.id, endpoint, { actor: { kind: "cli", name: "test" } });
  const client = await createTestClient(service, app, {
    kind: "native",
    redirectUris: ["https://app.example/callback"],
  });
  const tv = await createTestClient(service, app, { kind: "device", redirectUris: [] });
  const prover = await newProver(service);
  const agent = "x".repeat(600);
  const long = {
    state: "s".repeat(2048),
    nonce: "n".repeat(1024),
    claims: JSON.stringify({
      userinfo: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${"c".repeat(70)}${n}`, null])),
    }),
    ui_locales: "en ".repeat(80).trim(),
    code_challenge: codeChallenge,
    code_challenge_method: "S256",
  };
  const asked = new URL(authorizeUrl(service, client, long));

  const headersOf = (network: string) => ({ "x-forwarded-for": network, "user-agent": agent });
  const posted = (
    network: string,
    path: string,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ) => {
    const init = { method: "POST", body: new URLSearchParams(form), headers: { ...headersOf(network), ...headers } };
    return async () => (await fetch(`${service.url}${path}`, init)).status;
  };
  /** A page of a session of this minute, in one browser. */
  const opened = async (network: string, path: string): Promise<{ visitor: Visitor; page: Page }> => {
    const visitor = new Visitor(headersOf(network));
    const begun = await visitor.get(asked.href);
    return { visitor, page: begun.status === 303 ? await visitor.get(`${begun.location.href}${path}`) : begun };
  };

  return [
    {
      network: "198.51.100.1",
      send: async () => async () =>
        (await fetch(asked.href, { headers: headersOf("198.51.100.1"), redirect: "manual" })).status,
    },
    {
      network: "198.51.100.2",
      send: async () => posted("198.51.100.2", "/oauth2/par", Object.fromEntries(asked.searchParams)),
    },
    {
      network: "198.51.100.3",
      send: async () =>
        posted("198.51.100.3", "/oauth2/device_authorization", {
          client_id: tv.id,
          scope: "openid profile email offline_access",
        }),
    },
    {
      network: "198.51.100.4",
      send: async () => async () => {
        const dpop = await prover.proof("POST", "/oauth2/token");
        const form = {
          client_id: client.id,
          grant_type: "authorization_code",
          code: "x",
          redirect_uri: "https://a.b/",
        };
        return await posted("198.51.100.4", "/oauth2/token", form, { dpop })();
      },
    },
    {
      network: "198.51.100.5",
      send: async () => {
        const { visitor, page } = await opened("198.51.100.5", "");
        return async () => (await visitor.submit(page, "/password", { email: newEmail(), password: "wrong" })).status;
      },
    },
    {
      network: "198.51.100.6",
      send: async () => {
        const { visitor, page } = await opened("198.51.100.6", "");
        return async () => (await visitor.submit(page, "/oauth/google", {})).status;
      },
    },
    {
      network: "198.51.100.7",
      send: async () => {
        const { visitor, page } = await opened("198.51.100.7", "");
        return async () =>
          await askOptions({ visitor, page }).then(
            () => 200,
            (error: unknown) => Number(/\d{3}/u.exec(String(error))?.[0] ?? 0),
          );
      },
    },
    ...["/email-code", "/forgot-password", "/create-account"].map((path, index) => ({
      network: `198.51.100.${8 + index}`,
      send: async () => async () => {
        const { visitor, page } = await opened(`198.51.100.${8 + index}`, path);
        if (page.status === 429) return 429;
        const values = { email: newEmail(), name: "n".repeat(200), password: "correct horse battery staple" };
        return (await visitor.submit(page, path, values)).status;
      },
    })),
  ];
}

it("L11: the most that one network sends in an hour fills only the tables of the security page, as far as it says", async () => {
  const service = await defaultService();
  const most = new Map<string, Size>();
  for (const { send } of await attacksOf(service)) {
    service.clock.advance(25 * 60 * minute - (service.clock.now % minute));
    await service.server.app.sweep();
    const before = await sizes(service);
    for (let turn = 0; turn < 60; turn += 1) {
      const one = await send(turn);
      for (let call = 0; call < calls; call += 1) if ((await one()) === 429) break;
      service.clock.advance(minute);
      if (turn % 10 !== 9) continue;
      for (const [table, { rows, ...size }] of await sizes(service)) {
        const more = rows - (before.get(table)?.rows ?? 0);
        if (more > (most.get(table)?.rows ?? 0)) most.set(table, { ...size, rows: more });
      }
      await service.server.app.sweep();
    }
  }
  const listed = strangersTables();
  for (const [table, { rows, longest }] of most) {
    const { bytes = -1, rows: maxRows = -1 } = listed.get(table) ?? {};
    // These do not depend on the limit of calls.
    const isFixed = ["mails", "audit_events", "activity_counts"].includes(table);
    const limit = isFixed ? maxRows : maxRows * share;
    expect({ table, longest, rows, fits: longest <= bytes && rows <= limit }).toEqual({
      table,
      longest,
      rows,
      fits: true,
    });
  }
}, 1_800_000);
