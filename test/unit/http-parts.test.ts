import { describe, expect, it } from "vitest";
import { createClientAddresses } from "../../src/http/addresses.ts";
import { LocalLimiter } from "../../src/rate-limits/limiter.ts";

describe("client addresses", () => {
  it.each([
    ["203.0.113.9:4711", "203.0.113.9"],
    ["[2001:db8::9]:4711", "2001:db8::9"],
    ["[2001:db8::9]", "2001:db8::9"],
    ["6.6.6.6:1, [::ffff:203.0.113.9]:80, 10.2.3.4:99", "203.0.113.9"],
  ])("are told from their ports: %s", (forwardedFor, address) => {
    expect(createClientAddresses(["10.0.0.0/8"]).clientAddress("10.0.0.1", forwardedFor)).toBe(address);
  });
});

it("a trusted proxy that says no address is reported once, with what it says", () => {
  const said: string[][] = [];
  const addresses = createClientAddresses(["10.0.0.0/8"], (...told) => void said.push(told));
  for (const claim of ["203.0.113.9", undefined, "unknown", "_hidden", "203.0.113.9, unknown"])
    addresses.clientAddress("10.0.0.1", claim);
  addresses.clientAddress("192.0.2.1", "unknown");
  expect(said).toEqual([["10.0.0.1", "unknown"]]);
});

describe("the rate limiter", () => {
  it("L10: stays within bounds when a million keys come in one minute", () => {
    const limiter = new LocalLimiter(() => 0);
    for (let key = 0; key < 1_000_000; key += 1) limiter.count(`k${key}`, 10, "stranger");
    expect(limiter.count("k5", 10, "stranger")).toMatchObject({ remaining: 8 });
    for (let key = 0; key < 10; key += 1) limiter.count(`new${key}`, 10, "stranger");
    expect(limiter.count("new again", 10, "stranger")).toMatchObject({ exceeded: true });
    // Nobody who is known is put into the crowd, however large it is.
    expect(limiter.count("user", 10, "known")).toMatchObject({ remaining: 9 });
  });
});
