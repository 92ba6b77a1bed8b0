import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";

/**
 * In most texts of ours: no answer may repeat it in an error, nor write it into a page unescaped.
 */
export const canary = "cAnArY";
const marked = `"'><${canary}>`;

/** Right, left out, or this. */
export type Chosen = { right: true } | { absent: true } | { text: string };

/** What is done to the bytes of a body. */
export type Mangling = { how: "cut" | "insert" | "flip" | "utf16" | "bom" | "repeat"; at: number; bytes: Uint8Array };

export const nasty = [
  "",
  " ",
  "\0",
  "a\0b",
  "\uD800",
  "\uDFFFx\uD800",
  "\r\nSet-Cookie: a=b",
  "\u202Eabc",
  "\u2028",
  "\uFEFF",
  "ﬁ",
  "İ",
  "😀".repeat(100),
  "é".repeat(3000),
  "x".repeat(300),
  "x".repeat(5000),
  ..."null undefined NaN -0 1e400 99999999999999999999".split(" "),
  "[object Object]",
  ..."__proto__ constructor toString ../../../etc/passwd .. % %zz %00 %ff %c0%af %ed%a0%80 %2e%2e%2f".split(" "),
  "' OR 1=1 --",
  ..."\\ ${jndi:ldap://127.0.0.1/a} {{7*7}} javascript:alert(1) data:text/html,x".split(" "),
  ..."https://evil.example //evil.example https://a:b@evil.example#c https://[::1]/ http://169.254.169.254/".split(" "),
  ..."a@b@c a@b,c@d person@exämple.org".split(" "),
  `${"a".repeat(250)}@example.org`,
  ..."eyJhbGciOiJub25lIn0.e30. whsec_ whsec_%%%% app_1 usr_1 2026-02-30T25:61:61Z en-u-co-phonebk 12345678".split(" "),
];

export const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...nasty) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
);
export const text = fc.oneof(
  { weight: 2, arbitrary: anyText },
  {
    weight: 3,
    arbitrary: fc.tuple(anyText, fc.boolean()).map(([some, first]) => (first ? marked + some : some + marked)),
  },
);

/** Texts of JSON, of which some are none. */
export const jsonLeaf = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => JSON.stringify(value)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ..."null true false 0 -0 1 -1 1e400 -1e400 1e-400 0.1 9007199254740993 [] {} [[]] [{}] {\"\":{}} NaN 01 +1 .5 'a'".split(
        " ",
      ),
      "9".repeat(400),
      '{"__proto__":{"admin":true}}',
      '{"constructor":{"prototype":{}}}',
      '{"length":1000000000}',
      '{"toJSON":1,"then":1}',
      '"\\ud800"',
      '"\\u0000"',
      '"\\x41"',
      '"a\u0000b"',
      '"a\nb"',
      `[${'"user.login",'.repeat(300)}"user.login"]`,
      `[${"0,".repeat(2000)}0]`,
      JSON.stringify([`${marked}1`, `${marked}2`]),
      JSON.stringify({ enabled: marked, providers: [marked] }),
      ...[10, 1000, 7000].flatMap((depth) => [
        "[".repeat(depth) + "]".repeat(depth),
        '{"a":'.repeat(depth / 5) + "1" + "}".repeat(depth / 5),
      ]),
      "[".repeat(10_000) + "]".repeat(10_000),
      JSON.stringify("x".repeat(17_000)),
    ),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
);

/**
 * Every name that a handler asks a form or a query for, as the sources say: a new one is tried by
 * itself.
 */
const root = path.resolve(import.meta.dirname, "../../..");
const sources = globSync("src/**/*.ts", { cwd: root }).map((file) => readFileSync(path.join(root, file), "utf8"));
const namesIn = (pattern: RegExp): string[] => [
  ...new Set(sources.flatMap((source) => [...source.matchAll(pattern)].map(([, name = ""]) => name))),
];
export const formNames = namesIn(/\bform\.(?:get|has)\("([\w-]+)"\)/gu);
export const queryNames = namesIn(/\bquery(?:\(\))?\.(?:get|has)\("([\w-]+)"\)/gu);

export const ascii = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((unit) => String.fromCharCode(unit)),
  maxLength: 40,
});
/**
 * What Node's parser takes as a value, and (rarely) what it refuses. One character stands for one
 * byte.
 */
export const headerText = fc.oneof(
  { weight: 3, arbitrary: ascii },
  { weight: 3, arbitrary: ascii.map((value) => value + marked) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0x80, max: 0xff }).map((unit) => String.fromCharCode(unit)),
      maxLength: 40,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", ",", ";", "=", "\t", "x".repeat(4000), "a,".repeat(500), "\0", "a\rb", "\u007F"),
  },
);

export const chosen = (right: number, other: Arbitrary<string>): Arbitrary<Chosen> =>
  fc.oneof(
    { weight: right, arbitrary: fc.constant<Chosen>({ right: true }) },
    { weight: 1, arbitrary: fc.constant<Chosen>({ absent: true }) },
    { weight: 2, arbitrary: other.map<Chosen>((value) => ({ text: value })) },
  );

export const credential = fc.oneof(
  headerText,
  headerText.map((value) => `Bearer ${value}`),
  fc.constantFrom(
    "Bearer",
    "Bearer ",
    "Basic YTpi",
    "bearer x",
    "Bearer a b",
    `Bearer ask_${marked}`,
    "Bearer eyJhbGciOiJub25lIn0.e30.",
    `Bearer ${"a.".repeat(1000)}`,
    `Bearer ${Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"../../x"}').toString("base64url")}.e30.AAAA`,
  ),
);

export const headers: Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      ..."x-forwarded-for forwarded x-real-ip cf-connecting-ip x-forwarded-proto x-forwarded-host origin referer user-agent accept accept-language accept-encoding if-none-match if-modified-since range x-http-method-override x-original-url sec-fetch-site sec-purpose access-control-request-method access-control-request-headers cookie authorization x-service-app-id content-type x-request-id traceparent via te prefer".split(
        " ",
      ),
    ),
    headerText,
  ),
  fc.constantFrom<[string, string]>(
    ["content-encoding", "gzip"],
    ["content-encoding", "identity"],
    ["expect", "100-continue"],
    ["upgrade", "h2c"],
    ["connection", "close"],
    ["connection", "upgrade"],
    ["host", "evil.example"],
    ["origin", "https://app.example"],
    ["origin", "null"],
    ["origin", "https://evil.example"],
    ["sec-fetch-site", "same-origin"],
    ["sec-fetch-site", "cross-site"],
    ["sec-purpose", "prefetch"],
    ["accept-language", "de;q=9,*;q=-1,xx-".repeat(100)],
    ["x-forwarded-for", "1.2.3.4, ::1, unknown, %00"],
    ["user-agent", "u".repeat(3000)],
    ["cookie", "a=b;".repeat(800)],
    ["__proto__", "x"],
    ["constructor", "x"],
  ),
);

export const mangling: Arbitrary<Mangling> = fc.record({
  how: fc.constantFrom("cut", "insert", "flip", "utf16", "bom", "repeat"),
  at: fc.nat(400),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }),
});
export const sometimes = <T>(arbitrary: Arbitrary<T>): Arbitrary<T | undefined> =>
  fc.option(arbitrary, { freq: 4, nil: undefined });
export const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom(
    Buffer.from("{}"),
    Buffer.from(""),
    Buffer.alloc(100),
    Buffer.alloc(16_384, "a"),
    Buffer.alloc(16_385, "a"),
    Buffer.alloc(60_000, "["),
    Buffer.from("[".repeat(8000)),
    Buffer.from("&".repeat(10_000)),
    Buffer.from("a=1&".repeat(4000)),
    Buffer.from('{"a":1,"a":2}'),
    Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
    Buffer.from([0x22, 0xc0, 0x80, 0x22]),
  ),
);

/** True so many times as often as false. */
export const boolean = (right: number): Arbitrary<boolean> =>
  fc.oneof({ weight: right, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });

/**
 * Percent-encoded as a path or a query may be; half characters as the three bytes that they would
 * be.
 */
export function encodeLoosely(value: string): string {
  return [...value]
    .map((character) =>
      character.isWellFormed()
        ? encodeURIComponent(character)
        : [...Buffer.from([0xed, 0xa0, 0x80])].map((byte) => `%${byte.toString(16)}`).join(""),
    )
    .join("");
}
