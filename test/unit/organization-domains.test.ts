import { randomInt } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newContext, type CoreContext } from "../../src/runtime/context.ts";
import { challengeName, lookUp } from "../../src/organizations/domains/lookup.ts";
import { domainOf, parseDomain } from "../../src/organizations/domains/name.ts";
import { outcomeOf, type Domain } from "../../src/organizations/domains/rules.ts";
import { canonicalEmail } from "../../src/lib/email.ts";
import { startNameServer, type NameServer } from "../support/name-server.ts";
import { testConfig } from "../support/service.ts";

describe("the name of a domain", () => {
  test.each([
    ["acme.com", "acme.com"],
    ["  ACME.Com ", "acme.com"],
    ["mail.acme.co.uk", "mail.acme.co.uk"],
    ["acme.github.io", "acme.github.io"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["BÜCHER.example", "xn--bcher-kva.example"],
    ["公司。中国", undefined],
    ["公司.中国", "xn--55qx5d.xn--fiqs8s"],
    ["acme.internal", "acme.internal"],
  ])("%j becomes %j", (text, domain) => {
    const parsed = parseDomain(text);
    expect("domain" in parsed ? parsed.domain : undefined).toBe(domain);
  });

  test.each([
    "",
    "com",
    "localhost",
    "acme",
    "acme.com.",
    ".acme.com",
    "acme..com",
    "@acme.com",
    "ada@acme.com",
    "a@acme.com@evil.io",
    "https://acme.com",
    "acme.com/x",
    "acme.com:53",
    "acme.com,evil.io",
    "acme.com;evil.io",
    "acme.com evil.io",
    "acme.com\nevil.io",
    "acme.com\u0000",
    "ac me.com",
    "*.acme.com",
    "_dmarc.acme.com",
    "10.0.0.1",
    "acme.1",
    "[::1]",
    "a\uFF20acme.com",
    // The Kelvin sign, and a dot that other programs read as one.
    "\u212Aelvin.com",
    "acme\u3002com",
    "acme\u200D.com",
    "straße.example",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(118)}com`,
    "co.uk",
    "github.io",
    "公司.cn",
    "kawasaki.jp",
    "gmail.com",
    "GMAIL.com",
    "yahoo.co.jp",
    "qq.com",
  ])("%j cannot be claimed (40)", (text) => {
    expect(parseDomain(text)).toEqual({ problem: expect.any(String) });
  });

  test("Q13: a domain has the form that it has in stored addresses, and is compared whole (44, 46)", () => {
    for (const domain of ["ACME.com", "Bücher.example", "公司.中国"]) {
      const parsed = parseDomain(domain);
      expect(parsed).toEqual({ domain: domainOf(canonicalEmail(`Ada@${domain}`) ?? "") });
    }
    for (const email of ["a@evilacme.com", "a@x.acme.com", "a@acme.com.evil.io"]) {
      expect(domainOf(canonicalEmail(email) ?? "")).not.toBe("acme.com");
    }
    expect(canonicalEmail("a@acme.com@evil.io")).toBeUndefined();
  });
});

test("Q15: whatever DNS answers and whenever, a domain is lost only by three misses a day apart without a find between", () => {
  const seed = randomInt(2 ** 31);
  const random = seededRandom(seed);
  const [hour, day] = [3_600_000, 86_400_000];
  const results = ["found", "missing", "unknown"] as const;
  for (let run = 0; run < 300; run += 1) {
    let now = 1_700_000_000_000;
    const begun = { appId: "app_1", domain: "acme.com", token: "t", join: "off", createdAt: now } as const;
    const nothing = { worksAt: null, checkedAt: null, answer: null, misses: 0, missedAt: null, setupLinkId: null };
    const claim = (organizationId: string, state: "proved" | "waiting"): Domain => {
      const provedAt = state === "proved" ? now : null;
      return { ...begun, ...nothing, organizationId, state, provedAt, nextCheckAt: now };
    };
    let [holder, rival] = [claim("org_a", "proved"), claim("org_b", "waiting")];
    let misses: number[] = [];
    while (holder.state === "proved" && now < 1_700_000_000_000 + 400 * day) {
      // By a press at any time, or by the service when it is due, or late.
      now = random() < 0.5 ? now + Math.floor(random() * 2 * day) : Math.max(now, holder.nextCheckAt ?? now) + hour;
      const result = results[Math.floor(random() * results.length)] ?? "unknown";
      const answer = { result, reason: null, values: [], isDoubled: false };
      const outcome = outcomeOf({ row: holder, disabledAt: null }, [{ row: rival, disabledAt: null }], answer, now);
      if (result === "found") misses = [];
      if (result === "missing" && now >= (misses.at(-1) ?? 0) + day) misses.push(now);
      if (outcome.own === "ends") throw new Error(`seed ${seed}: a proved domain ended`);
      const isLost = outcome.own.state !== "proved";
      expect([seed, isLost]).toEqual([seed, misses.length === 3]);
      expect([seed, outcome.other?.state, outcome.other?.worksAt]).toEqual(
        isLost ? [seed, "proved", now + 72 * hour] : [seed, undefined, undefined],
      );
      holder = outcome.own;
      rival = outcome.other ?? rival;
    }
  }
});

/** mulberry32 */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("asking for the record", () => {
  const [domain, token] = ["acme.com", "the-token"];
  const name = challengeName(domain);
  let names: NameServer;
  let ctx: CoreContext;

  beforeAll(async () => {
    names = await startNameServer();
    ctx = newContext<CoreContext>({ config: { ...testConfig, dns: { servers: [names.address] } } } as never);
  });
  beforeEach(() => {
    names.zones.clear();
    names.asked.length = 0;
    names.beforeAnswer = () => {};
  });
  afterAll(() => names.close());

  const answer = async () => (await lookUp(ctx, domain, token)).result;

  test("finds the value among others, apart from space around it", async () => {
    names.zones.set(name, { txt: [["v=spf1 -all"], [`  ${token}\t`]] });
    expect(await lookUp(ctx, domain, token)).toEqual({
      result: "found",
      values: ["v=spf1 -all", token],
      isDoubled: false,
      reason: null,
    });
    expect(names.asked).toEqual([name]);
  });

  test.each([
    ["several strings", { txt: [["the-", "tok", "en"]] }],
    ["an alias", { txt: [[token]], alias: "proof.provider.example" }],
    ["an answer that is cut, asked again by TCP", { txt: [[token]], isCut: true }],
  ])("finds it in %s", async (_title, zone) => {
    names.zones.set(name, zone);
    expect(await answer()).toBe("found");
  });

  test("a cut answer is asked by TCP", async () => {
    names.zones.set(name, { txt: [[token]], isCut: true });
    await answer();
    expect(names.asked).toEqual([name, `${name}/tcp`]);
  });

  test.each([
    ["NXDOMAIN", "NXDOMAIN"],
    ["no record", "NOERROR"],
    ["another value", { txt: [["another"]] }],
    ["a value that only contains it", { txt: [[`"${token}"`], [`${token}=`], [token.toUpperCase()]] }],
    ["an alias to nothing", { txt: [], alias: "gone.example" }],
  ] as const)("%s means that it is not there", async (_title, zone) => {
    names.zones.set(name, zone as never);
    expect(await answer()).toBe("missing");
  });

  test.each([
    ["SERVFAIL", "ESERVFAIL"],
    ["REFUSED", "EREFUSED"],
    ["silence", "ETIMEOUT"],
    ["garbage", "EBADRESP"],
  ] as const)("%s is no answer", async (zone, reason) => {
    names.zones.set(name, zone);
    expect(await lookUp(ctx, domain, token)).toEqual({ result: "unknown", values: [], isDoubled: false, reason });
  });

  test("no name server is no answer", async () => {
    const gone = await startNameServer();
    await gone.close();
    const without = newContext<CoreContext>({ config: { ...testConfig, dns: { servers: [gone.address] } } } as never);
    expect(await lookUp(without, domain, token)).toMatchObject({ result: "unknown", reason: expect.any(String) });
  });

  test("a record under the doubled zone is noticed, and proves nothing", async () => {
    names.zones.set(challengeName("acme.com.acme.com"), { txt: [[token]] });
    expect(await lookUp(ctx, domain, token)).toMatchObject({ result: "missing", isDoubled: true });
    names.zones.set(challengeName("acme.com.acme.com"), { txt: [["another"]] });
    expect(await lookUp(ctx, domain, token)).toMatchObject({ result: "missing", isDoubled: false });
  });

  test("what strangers wrote is shown in part", async () => {
    names.zones.set(name, { txt: Array.from({ length: 12 }, (_, at) => ["x".repeat(200), `${"y".repeat(100)}${at}`]) });
    const { values } = await lookUp(ctx, domain, token);
    expect(values).toHaveLength(10);
    expect(values.every((value) => value.length === 255)).toBe(true);
  });
});
