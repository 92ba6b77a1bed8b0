import { describe, expect, it } from "vitest";
import { createClientAddresses } from "../../src/http/addresses.ts";
import { parseJson } from "../../src/http/json-body.ts";
import { networkOf } from "../../src/lib/networks.ts";
import { createLocalLimiter } from "../../src/rate-limits/limiter.ts";

describe("client addresses", () => {
  it("are the peer's when no proxy is trusted, whatever the header says", () => {
    const { clientAddress } = createClientAddresses([]);
    expect(clientAddress("203.0.113.9", "1.2.3.4")).toBe("203.0.113.9");
    expect(clientAddress("::ffff:203.0.113.9", undefined)).toBe("203.0.113.9");
  });

  it("are the right-most one that no trusted proxy has", () => {
    const { clientAddress } = createClientAddresses(["10.0.0.0/8", "fd00::/8"]);
    expect(clientAddress("10.0.0.1", "6.6.6.6, 203.0.113.9, 10.2.3.4")).toBe("203.0.113.9");
    expect(clientAddress("::ffff:10.0.0.1", "203.0.113.9")).toBe("203.0.113.9");
    expect(clientAddress("fd00::1", "2001:DB8:0:0:0:0:0:9")).toBe("2001:db8::9");
    expect(clientAddress("203.0.113.9", "6.6.6.6")).toBe("203.0.113.9");
  });

  it("stay at the proxy's when what it forwards is no address", () => {
    const { clientAddress } = createClientAddresses(["10.0.0.0/8"]);
    for (const header of ["", "garbage", "6.6.6.6, unknown", "1.2.3.4:", "host:80", "[1.2.3.4", "\u00a06.6.6.6"])
      expect(clientAddress("10.0.0.1", header)).toBe("10.0.0.1");
    expect(clientAddress("10.0.0.1", undefined)).toBe("10.0.0.1");
  });

  it.each([
    ["203.0.113.9:4711", "203.0.113.9"],
    ["[2001:db8::9]:4711", "2001:db8::9"],
    ["[2001:db8::9]", "2001:db8::9"],
    ["6.6.6.6:1, [::ffff:203.0.113.9]:80, 10.2.3.4:99", "203.0.113.9"],
  ])("are told from their ports: %s", (forwardedFor, address) => {
    expect(createClientAddresses(["10.0.0.0/8"]).clientAddress("10.0.0.1", forwardedFor)).toBe(address);
  });

  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:ffff:1:2:3", "2001:db8:0:0::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["1::2:3:4:5:6", "1:0:0:2::/64"],
  ])("L3: %s is counted as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each(["::ffff:1.2.3.4", "::FFFF:1.2.3.4", "0:0:0:0:0:ffff:102:304", "::ffff:0102:0304"])(
    "L3: %s is the IPv4 address that it maps",
    (address) => {
      expect(createClientAddresses([]).clientAddress(address, undefined)).toBe("1.2.3.4");
    },
  );
});

describe("JSON bodies", () => {
  const parse = (text: string): unknown => parseJson(Buffer.from(text));

  it("are read as they are", () => {
    expect(parse('{"a":[1,{"b":"c\\":"}],"d":{"a":"x"},"\\u0065":null}')).toEqual({
      a: [1, { b: 'c":' }],
      d: { a: "x" },
      e: null,
    });
    expect(parse(' "text: \\"a\\" : 1" ')).toBe('text: "a" : 1');
  });

  it.each(['{"a":1,"a":2}', '{"a":{"b":1,"b":2}}', '[{"x":1,"x":1}]', '{"a":1,"\\u0061":2}', '{"a":1, "a" : 2}'])(
    "are refused when a key is given twice: %s",
    (text) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ details: "body: a key is given twice" }));
    },
  );

  it.each(['{"a":"\\u0000"}', '{"a":"\\ud800"}', '{"a\\u0000":1}', '["\\udc00"]'])(
    "are refused when storage could not give a string back: %s",
    (text) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
    },
  );

  it("are refused when they are not UTF-8", () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(
      expect.objectContaining({ details: "body: must be JSON in UTF-8" }),
    );
    expect(() => parseJson(Buffer.from('{"a":1}', "utf16le"))).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST" }),
    );
  });

  it("may nest as deep as they like without harm", () => {
    expect(() => parse("[".repeat(8000) + "]".repeat(8000))).not.toThrow();
    expect(() => parse("[".repeat(8000))).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  });
});

describe("the rate limiter", () => {
  it("counts in aligned minutes and forgets them whole", () => {
    let now = 90_000;
    const limiter = createLocalLimiter(() => now);
    expect(limiter.count("a", 2, "stranger")).toEqual({
      limit: 2,
      remaining: 1,
      resetAt: 120,
      exceeded: false,
      retryAfterSeconds: 30,
    });
    expect(limiter.count("a", 2, "stranger")).toMatchObject({ remaining: 0, exceeded: false });
    expect(limiter.count("a", 2, "stranger")).toMatchObject({ remaining: 0, exceeded: true, retryAfterSeconds: 30 });
    expect(limiter.count("b", 2, "stranger")).toMatchObject({ remaining: 1, exceeded: false });
    now = 120_000;
    expect(limiter.count("a", 2, "stranger")).toMatchObject({ remaining: 1, resetAt: 180, exceeded: false });
  });

  it("L10: stays within bounds when a million keys come in one minute", () => {
    const limiter = createLocalLimiter(() => 0);
    for (let key = 0; key < 1_000_000; key += 1) limiter.count(`k${key}`, 10, "stranger");
    expect(limiter.count("k5", 10, "stranger")).toMatchObject({ remaining: 8 });
    for (let key = 0; key < 10; key += 1) limiter.count(`new${key}`, 10, "stranger");
    expect(limiter.count("new again", 10, "stranger")).toMatchObject({ exceeded: true });
    // Nobody who is known is put into the crowd, however large it is.
    expect(limiter.count("user", 10, "known")).toMatchObject({ remaining: 9 });
  });
});
