import type * as argon2 from "@node-rs/argon2";
import { describe, expect, it, vi } from "vitest";
import { forgetFailures } from "../../../src/credentials/passwords/service.ts";
import { allSent, disableUser, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { giveIdentity } from "../../support/methods.ts";
import { useService } from "../../support/one-service.ts";
import { goodPassword, initiate, newEmail, Visitor, type Page } from "../../support/person.ts";
import { testConfig, type TestApp } from "../../support/service.ts";

// The real ones, counted: what a try costs must not depend on whose address it names.
const hashing = vi.hoisted(() => ({ verified: [] as string[], made: 0 }));
vi.mock("@node-rs/argon2", async (original) => {
  const real = await original<typeof argon2>();
  return {
    ...real,
    verify: async (...given: Parameters<typeof real.verify>) => {
      hashing.verified.push(/\$m=[^$]*/u.exec(String(given[0]))?.[0] ?? "");
      return await real.verify(...given);
    },
    hash: async (...given: Parameters<typeof real.hash>) => {
      hashing.made += 1;
      return await real.hash(...given);
    },
  };
});

const server = await useMailServer();

/** Tries of each kind. */
const [fewest, most] = [11, 150];
const maxRatio = 1.8;

/** One request of a kind, prepared outside of what is measured. */
type Try = { prepare(): Promise<string>; send(email: string): Promise<Page> };

/** Dear enough that a try without a hash would stand out, cheap enough for a hundred of them. */
const passwords = { ...testConfig.passwords, memoryKiB: 8192, iterations: 2 };
const service = useService({ mail: server.mail, passwords });

/** Hashes and transactions of one try, and everything that its answer says. */
async function workOf(kind: Try): Promise<unknown> {
  const email = await kind.prepare();
  await allSent(service);
  const { storage } = service.server.app.ctx;
  const { write } = storage;
  let writes = 0;
  storage.write = async (...given: unknown[]) => {
    // Nobody sees what is written later: deliveries, sums, names to search, what sweeps remove.
    const { stack = "" } = new Error("caller");
    const isLater = /\/src\/(?:records\/(?:mail|audit|webhooks)\/|people\/folding\.ts)/u.test(
      stack.split("\n")[2] ?? "",
    );
    if (!isLater && !stack.includes("/src/storage/queries/sweep.ts")) writes += 1;
    return await (write as (...those: unknown[]) => Promise<never>)(...given);
  };
  hashing.verified = [];
  hashing.made = 0;
  const page = await kind.send(email).finally(() => {
    storage.write = write;
  });
  const { verified, made } = hashing;
  return { answer: plain(page, email), verified, made, writes };
}

/**
 * The quickest of each kind, tried in turns until they are alike. What else the machine does only
 * adds to a time: more tries come nearer to what the service itself takes.
 */
async function expectLikeTimes(kinds: Record<string, Try>): Promise<void> {
  const seen = Object.entries(kinds).map(([name, kind]) => ({ name, kind, quickest: Infinity }));
  for (let tries = 1; tries <= most; tries += 1) {
    for (const one of tries % 2 === 0 ? seen : seen.toReversed()) {
      const email = await one.kind.prepare();
      const startedAt = performance.now();
      await one.kind.send(email);
      one.quickest = Math.min(one.quickest, performance.now() - startedAt);
    }
    const times = seen.map(({ quickest }) => quickest);
    if (tries >= fewest && Math.max(...times) <= Math.min(...times) * maxRatio) return;
  }
  expect.fail(`unlike times: ${JSON.stringify(seen)}`);
}

/** Sends a form of one page of a sign-in again and again. */
async function sender(app: TestApp, path: string, action: string, more: Record<string, string>) {
  const { authUrl } = await initiate(service, app);
  const visitor = new Visitor();
  const page = await visitor.get(authUrl + path);
  const send = async (email: string): Promise<Page> => await visitor.submit(page, action, { email, ...more });
  // The first post of a browser makes the session its own, which is one write more.
  await send(newEmail());
  return send;
}

/** Everything that an answer says but the address that was sent and the request's own number. */
function plain({ status, headers, text }: Page, email: string): string {
  const own = new Set(["x-request-id", "date", "x-ratelimit-remaining"]);
  const seen = [...headers].filter(([name]) => !own.has(name)).map((header) => header.join(": "));
  return `${status}\n${seen.join("\n")}\n${text}`
    .replaceAll(email, "EMAIL")
    .replaceAll(/sis_[\w-]{43}/gu, "SESSION")
    .replaceAll(/name="token" value="[\w-]{43}"/gu, "TOKEN");
}

describe("what an answer, its work and its time tell about an address", () => {
  /** People of every kind, whose sign-in fails. */
  async function failing(app: TestApp): Promise<Record<string, Try>> {
    const { ctx } = service.server.app;
    const { storage } = ctx;
    const send = await sender(app, "", "/password", { password: "not the password at all" });
    const forget = async (email: string): Promise<string> => {
      await storage.write((tx) => forgetFailures(ctx, tx, { id: "", appId: app.id, email }));
      return email;
    };
    const made = async (more: Parameters<typeof newUser>[2]) => await newUser(service, app, more);
    const oauthOnly = await made({});
    await giveIdentity(service, app, oauthOnly.id);
    const disabled = await made({ password: goodPassword });
    await disableUser(service, disabled.id);
    const throttled = (await made({ password: goodPassword })).email;
    for (let tries = 0; tries < 12; tries += 1) await send(throttled);
    const addresses = {
      wrong: (await made({ password: goodPassword })).email,
      passwordless: (await made({})).email,
      "OAuth-only": oauthOnly.email,
      unverified: (await made({ password: goodPassword, emailVerified: false })).email,
      disabled: disabled.email,
      unknown: newEmail(),
    };
    const kinds = Object.entries(addresses).map(([kind, email]) => [kind, { prepare: () => forget(email), send }]);
    return { ...Object.fromEntries(kinds), throttled: { prepare: async () => throttled, send } } as Record<string, Try>;
  }

  it("P4, CVE-2024-41952, CVE-2026-4633: is nothing when a sign-in fails: same bytes, same hashes, same writes for every kind of account", async () => {
    const kinds = await failing(await service.createApp());
    const works = new Map<string, unknown>();
    for (const [name, kind] of Object.entries(kinds)) works.set(name, await workOf(kind));
    expect(works.get("unknown")).toMatchObject({
      answer: expect.stringMatching(/^401\n/u) as unknown,
      verified: ["$m=8192,t=2,p=1"],
      made: 0,
    });
    for (const [name, work] of works) expect({ name, work }).toEqual({ name, work: works.get("unknown") });
  });

  it("P4: is nothing when the right password comes while the account waits, or after it was disabled", async () => {
    const app = await service.createApp();
    const wrong = await failing(app);
    const right = await sender(app, "", "/password", { password: goodPassword });
    for (const name of ["throttled", "disabled"] as const) {
      const kind = wrong[name] as Try;
      const [refused, alike] = [await workOf({ ...kind, send: right }), await workOf(kind)];
      expect(refused).toEqual(alike);
    }
  });

  it("P4: is nothing that a clock could tell, for any kind of account", async () => {
    await expectLikeTimes(await failing(await service.createApp()));
  });

  it("P4, P8: is nothing when a new password is asked for: same bytes, hashes, writes and time for a known and an unknown address", async () => {
    await expectAlike("/forgot-password", {}, /^200\n/u);
  });

  it("P5: is nothing when an account is asked for: same bytes, hashes, writes and time for a known and an unknown address", async () => {
    await expectAlike("/create-account", { password: goodPassword, name: "Ann" }, /^303\n/u);
  });

  it.each(["open", "closed"] as const)(
    "P4: is nothing when a code to sign in is asked for while sign-up is %s: same bytes, writes and time",
    async (signUp) => {
      await expectAlike("/email-code", {}, /^303\n/u, { settings: { emailCode: true, signUp } });
    },
  );

  async function expectAlike(
    path: string,
    more: Record<string, string>,
    answer: RegExp,
    input: Parameters<typeof service.createApp>[0] = {},
  ): Promise<void> {
    const app = await service.createApp(input);
    const send = await sender(app, path, path, more);
    const known = async (): Promise<string> => (await newUser(service, app, { password: goodPassword })).email;
    const kinds: Record<string, Try> = {
      known: { prepare: known, send },
      unknown: { prepare: async () => newEmail(), send },
    };
    const works = [];
    for (const kind of Object.values(kinds)) works.push(await workOf(kind));
    expect(works[0]).toMatchObject({ answer: expect.stringMatching(answer) as unknown });
    expect(works[0]).toEqual(works[1]);
    await expectLikeTimes(kinds);
  }
});
