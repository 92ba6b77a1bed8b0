import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { mintAppleSecret } from "../../src/applications/providers/provider.ts";
import { isClient } from "../../src/dev/providers/client-credentials.ts";
import { Grants, type Grant } from "../../src/dev/providers/grants.ts";
import { preparedPeople, subjectOf, type Person } from "../../src/dev/providers/people.ts";
import { appleTeam, issuerOf, standInOrigin, standIns, type StandIn } from "../../src/dev/providers/stand-ins.ts";
import type { HttpRequest } from "../../src/http/request.ts";
import { systemRandom } from "../../src/lib/random.ts";

describe("the stand-ins' origin", () => {
  it.each([
    ["http://localhost:8080", "http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://localhost:8080", "http://[::1]:8080", "http://[::1]:8080"],
    ["http://acme.localhost:8080", "http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080", "http://localhost:8080"],
    ["https://acme.localhost", "http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    // There is no other name that surely leads to where "localhost" listens.
    ["http://localhost:8080", "http://localhost:8080", "http://localhost:8080"],
  ])("for a service at %s, which listens on %s, is %s", (baseUrl, listenAddress, origin) => {
    expect(standInOrigin(baseUrl, listenAddress)).toBe(origin);
  });
});

describe("the subject of a person", () => {
  const ada: Person = { name: "Ada", email: "ada@example.com", verified: true };

  it.each(standIns.map(({ name }) => name))("at %s is of the address, whatever else is said", (provider) => {
    const subject = subjectOf(provider, ada);
    expect(subjectOf(provider, { name: "Someone", email: "Ada@Example.com", verified: false })).toBe(subject);
    expect(subjectOf(provider, { ...ada, email: "bob@example.com" })).not.toBe(subject);
    const others = standIns.map(({ name }) => subjectOf(name, ada)).filter((other) => other === subject);
    expect(others).toHaveLength(1);
  });

  it("looks as the provider's own do", () => {
    expect(subjectOf("google", ada)).toMatch(/^1\d{20}$/u);
    expect(Number.isSafeInteger(Number(subjectOf("github", ada)))).toBe(true);
    expect(subjectOf("discord", ada)).toMatch(/^1\d{17}$/u);
    expect(subjectOf("apple", ada)).toMatch(/^\d{6}\.[0-9a-f]{32}\.\d{4}$/u);
  });

  it("without an address is of the name", () => {
    const subjects = [...preparedPeople.values()].map((person) => subjectOf("google", { ...person, email: null }));
    expect(new Set(subjects).size).toBe(preparedPeople.size);
  });
});

describe("what stand-ins remember", () => {
  const person: Person = { name: "Ada", email: null, verified: false };
  const request = { redirectUri: "", state: undefined, scopes: [], codeChallenge: "", nonce: undefined };
  const grant: Grant = { provider: "google", request, person, failure: undefined };
  let now = 0;
  const open = () => new Grants({ clock: () => now, random: systemRandom });

  it("is bounded: the oldest makes room", () => {
    const grants = open();
    const codes = Array.from({ length: 1001 }, () => grants.issueCode(grant));
    const tokens = Array.from({ length: 1001 }, () => grants.issueToken(grant));
    expect(grants.consumeCode("google", codes[0] ?? "")).toBeUndefined();
    expect(grants.consumeCode("google", codes[1] ?? "")).toBeDefined();
    expect(grants.findToken("google", tokens[0] ?? "")).toBeUndefined();
    expect(grants.findToken("google", tokens[1] ?? "")).toBeDefined();
  });

  it("is over in time, and only for the provider that it was made by", () => {
    const grants = open();
    const [code, token] = [grants.issueCode(grant), grants.issueToken(grant)];
    expect(grants.findToken("github", token)).toBeUndefined();
    now += 60_000;
    expect(grants.consumeCode("google", code)).toBeUndefined();
    now += 600_000;
    expect(grants.findToken("google", token)).toBeUndefined();
    expect(grants.consumeCode("github", grants.issueCode(grant))).toBeUndefined();
  });
});

describe("Apple's client secret", () => {
  const apple = standIns.find(({ name }) => name === "apple") as StandIn;
  const origin = "http://127.0.0.1:8080";
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const minute = 60_000;

  function isTaken(changes: Partial<Parameters<typeof mintAppleSecret>[0]> = {}, age = 0): boolean {
    const privateKeyPem = privateKey.export({ type: "pkcs8", format: "pem" });
    const account = { ...appleTeam, clientId: apple.clientId, privateKeyPem, issuer: issuerOf(origin, apple) };
    const now = Date.now();
    const secret = mintAppleSecret({ ...account, ...changes }, now - age);
    const request = { header: () => undefined } as unknown as HttpRequest;
    const form = new Map([
      ["client_id", apple.clientId],
      ["client_secret", secret],
    ]);
    return isClient(apple, request, form, { publicKey, origin, now });
  }

  it("is a fresh token of the team, for this client and this issuer, signed with the team's key", () => {
    const another = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    expect(isTaken()).toBe(true);
    expect(isTaken({}, 4 * minute)).toBe(true);
    expect(isTaken({}, 6 * minute)).toBe(false);
    expect(isTaken({}, -minute)).toBe(false);
    expect(isTaken({ clientId: "another-client" })).toBe(false);
    expect(isTaken({ issuer: "https://appleid.apple.com" })).toBe(false);
    expect(isTaken({ teamId: "ANOTHERTM1" })).toBe(false);
    expect(isTaken({ keyId: "ANOTHERKY1" })).toBe(false);
    expect(isTaken({ privateKeyPem: another.export({ type: "pkcs8", format: "pem" }) })).toBe(false);
  });
});
