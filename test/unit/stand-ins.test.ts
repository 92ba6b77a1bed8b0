import { describe, expect, it } from "vitest";
import { createGrants, type Grant } from "../../src/dev/providers/grants.ts";
import { preparedPeople, subjectOf, type Person } from "../../src/dev/providers/people.ts";
import { standInOrigin, standIns } from "../../src/dev/providers/stand-ins.ts";
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
  const open = () => createGrants({ clock: () => now, random: systemRandom });

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
