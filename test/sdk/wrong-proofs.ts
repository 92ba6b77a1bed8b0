import { createPrivateKey, generateKeyPairSync, hash, sign } from "node:crypto";
import type { Prover } from "../support/dpop.ts";

/** What a right proof would be for. */
export type Target = { prover: Prover; token: string; method: string; url: string; now: number };

type Parts = { header?: Record<string, string>; claims?: Record<string, string>; whole?: [string, string] };

const encoded = (text: string | Buffer): string => Buffer.from(text).toString("base64url");
const long = (length: number, character = "9"): string => character.repeat(length);
const bytes = (length: number, value = 0xff): string => encoded(Buffer.alloc(length, value));

/** Makes proofs by ES256 of raw JSON: each member is its text, as no library would write it. */
export function writerOf({ prover, token, method, url, now }: Target) {
  const key = createPrivateKey({ key: prover.privateJwk, format: "jwk" });
  const usual = {
    header: { typ: '"dpop+jwt"', alg: '"ES256"', jwk: JSON.stringify(prover.jwk) },
    claims: {
      jti: '"a"',
      htm: JSON.stringify(method),
      htu: JSON.stringify(url),
      iat: String(Math.floor(now / 1000)),
      ath: JSON.stringify(hash("sha256", token, "base64url")),
    },
  };

  const objectOf = (members: Record<string, string>): string =>
    `{${Object.entries(members)
      .filter(([, value]) => value !== "")
      .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
      .join(",")}}`;

  function signed(header: string | Buffer, payload: string | Buffer, by = key): string {
    const input = `${encoded(header)}.${encoded(payload)}`;
    return `${input}.${encoded(sign("sha256", Buffer.from(input), { key: by, dsaEncoding: "ieee-p1363" }))}`;
  }

  return {
    signed,
    texts: (jti: string): [header: string, payload: string] => [
      objectOf(usual.header),
      objectOf({ ...usual.claims, jti: JSON.stringify(jti) }),
    ],
    write: ({ header, claims }: Parts): string =>
      signed(objectOf({ ...usual.header, ...header }), objectOf({ ...usual.claims, ...claims })),
  };
}

/** Proofs that nobody may take, with what is odd about each. All that can be is rightly signed. */
export function wrongProofs(target: Target): [what: string, proof: string][] {
  const { write, signed, texts } = writerOf(target);
  const [header, payload] = texts("odd");
  const right = signed(header, payload);
  const [first = "", second = "", signature = ""] = right.split(".");
  const jwk = (changes: object): string => JSON.stringify({ ...target.prover.jwk, ...changes });
  const withKey = (text: string, alg = '"ES256"'): string => write({ header: { jwk: text, alg } });
  const rsa = (n: string, e: string): string => withKey(JSON.stringify({ kty: "RSA", n, e }), '"RS256"');
  const odd = ["null", "true", "0", "-1", "[]", "{}", '""', '"\\ud800"', '"\\u0000"', '["a"]'];

  const rows: [string, string[]][] = [
    [
      "iat",
      [...odd, long(400), `-${long(400)}`, long(5000), "1e400", "-1e400", "1e308", "NaN", "Infinity", '"1"', "[1]"],
    ],
    ["jti", odd.filter((each) => each !== '"\\u0000"')],
    ["htm", [...odd, '"get"', '" GET"', '["GET"]']],
    [
      "htu",
      [
        ...odd,
        ...[
          "https://[",
          "https://[::1",
          "https://api.example.com:99999/orders",
          "https://api.example.com:x/orders",
          "//api.example.com/orders",
          "https:api.example.com/orders",
          "https:\\\\api.example.com\\orders",
          " https://api.example.com/orders",
          "https://api.example.com/ord\ners",
          "https://api.example.com/orders\u0000",
          "https://me@api.example.com/orders",
          "https://api.example.com/%6frders/%",
          "https://api.example.com/örders",
          "https://ap\u0131.example.com/orders",
          "javascript:0",
          long(4000, "/"),
        ].map((each) => JSON.stringify(each)),
      ],
    ],
    ["ath", odd],
  ];
  const claims = rows.flatMap(([name, values]) =>
    ["", ...values].map((value): [string, string] => [
      `${name} ${value.slice(0, 40)}`,
      write({ claims: { [name]: value } }),
    ]),
  );
  const headers = [...odd, '"none"', '"HS256"', '"__proto__"', '"constructor"', '"es256"'].flatMap(
    (value): [string, string][] => [
      [`typ ${value}`, write({ header: { typ: value } })],
      [`alg ${value}`, write({ header: { alg: value } })],
      [`jwk ${value}`, write({ header: { jwk: value } })],
      [`crit ${value}`, write({ header: { crit: value } })],
    ],
  );
  const members = [
    null,
    5,
    "",
    [],
    {},
    "\ud800",
    "é",
    "*",
    long(44, "A"),
    long(43, "A"),
    long(42, "A"),
    bytes(33),
    bytes(3000),
  ];
  const keys = ["x", "y", "kty", "crv"].flatMap((name) =>
    members.map((value): [string, string] => [
      `${name} ${JSON.stringify(value).slice(0, 40)}`,
      withKey(jwk({ [name]: value })),
    ]),
  );
  const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const { n = "", e = "" } = short.publicKey.export({ format: "jwk" });
  const padded = encoded(Buffer.concat([Buffer.alloc(128), Buffer.from(n, "base64url")]));
  const ofShort = (modulus: string): string =>
    signed(
      `{"typ":"dpop+jwt","alg":"RS256","jwk":${JSON.stringify({ kty: "RSA", n: modulus, e })}}`,
      payload,
      short.privateKey,
    );
  const zeroBefore = (value = ""): string => encoded(Buffer.concat([Buffer.alloc(1), Buffer.from(value, "base64url")]));
  const { x, y } = target.prover.jwk;
  const otherKeys: [string, string][] = [
    ["a zero before x", withKey(jwk({ x: zeroBefore(x) }))],
    ["a zero before y", withKey(jwk({ y: zeroBefore(y) }))],
    ...["NaN", "Infinity", "-Infinity", "01", "'a'"].map((text): [string, string] => [
      `${text} in a claim that nobody reads`,
      write({ claims: { other: text } }),
    ]),
    ["an RSA key of 1,024 bits", ofShort(n)],
    ["the same with zeros before it", ofShort(padded)],
    ["an RSA key of no length", rsa("", "AQAB")],
    ["an RSA key of zeros", rsa(bytes(256, 0), "AQAB")],
    ["an RSA key of 24,000 bits", rsa(bytes(3000), "AQAB")],
    ["an RSA key whose exponent is as long", rsa(bytes(256), bytes(256))],
    ["an RSA key whose exponent is 1", rsa(bytes(256), "AQ")],
    ["an RSA key in numbers", withKey('{"kty":"RSA","n":5,"e":3}', '"PS256"')],
    ["an Ed25519 key of zeros", withKey(JSON.stringify({ kty: "OKP", crv: "Ed25519", x: bytes(32, 0) }), '"EdDSA"')],
    ["an Ed25519 key of ones", withKey(JSON.stringify({ kty: "OKP", crv: "Ed25519", x: bytes(32) }), '"Ed25519"')],
    ["a key of another kind", withKey(jwk({}), '"EdDSA"')],
    ["a private member", withKey(jwk({ d: null }))],
  ];
  const wholes = [
    "",
    "[]",
    "5",
    "null",
    '"x"',
    "{",
    `${payload}x`,
    long(4000, "["),
    `${long(900, "[")}${long(900, "]")}`,
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    `\ufeff${payload}`,
    Buffer.from(payload, "utf16le"),
  ].flatMap((text, nth): [string, string][] => [
    [`payload ${nth}`, signed(header, text)],
    [`header ${nth}`, signed(text, payload)],
  ]);
  const [r, s] = [
    Buffer.from(signature, "base64url").subarray(0, 32),
    Buffer.from(signature, "base64url").subarray(32),
  ];
  const signatures = [
    "",
    "AAAA",
    signature.slice(0, -2),
    `${signature}AA`,
    `${signature}==`,
    `${signature}\n`,
    `!${signature}`,
    "é",
    encoded(Buffer.concat([Buffer.alloc(32), s])),
    encoded(Buffer.concat([r, Buffer.alloc(32)])),
    bytes(64),
    bytes(64, 0),
  ].map((text): [string, string] => [`signature ${text.slice(0, 12)}`, `${first}.${second}.${text}`]);
  const garbled = [
    "",
    ".",
    "..",
    "...",
    "a.b.c",
    `${right}.a`,
    `${right}, ${right}`,
    ` ${right}`,
    `${first}*.${second}.${signature}`,
    `${first}.${second}\n.${signature}`,
    `${first}=.${second}.${signature}`,
    long(9000, "a"),
    "\ud800.\ud800.\ud800",
    "é.é.é",
  ].map((text): [string, string] => [`text ${text.slice(0, 12)}`, text]);
  return [...claims, ...headers, ...keys, ...otherKeys, ...wholes, ...signatures, ...garbled];
}

/** Changes of right proofs at random, by this seed. Some are still right. */
export function changedProofs(target: Target, seed: number, count: number): string[] {
  const { signed, texts } = writerOf(target);
  // Mulberry32.
  let state = seed;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  const pieces = [
    '"',
    "{",
    "[",
    "]",
    "}",
    ",",
    ":",
    "\\",
    "\\ud800",
    "9",
    "e9",
    "-",
    ".",
    "null",
    "\u0000",
    "é",
    "A",
    "_",
    " ",
  ];
  const changed = (text: string): string => {
    const at = below(text.length + 1);
    return text.slice(0, at) + (pieces[below(pieces.length + 4)] ?? "") + text.slice(at + below(3));
  };
  return Array.from({ length: count }, (_, nth) => {
    const [header, payload] = texts(`${seed} ${nth}`);
    const kind = below(3);
    if (kind === 0) return changed(signed(header, payload));
    return kind === 1 ? signed(changed(header), payload) : signed(header, changed(payload));
  });
}
