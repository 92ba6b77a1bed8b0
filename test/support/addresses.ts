/**
 * Addresses as people, providers and other systems write them, for every door that takes one.
 * `stored`: the one form. `unsupported`: only the part before the @ is at fault.
 */

/** What anybody may have. */
export const acceptedAddresses: [typed: string, stored: string][] = [
  ["ada@example.org", "ada@example.org"],
  [" Ada@Example.ORG ", "ada@example.org"],
  ["o'brien@example.org", "o'brien@example.org"],
  ["R&D@example.org", "r&d@example.org"],
  ["a.b_c+d-e/f=g?h^i~j*k#l@example.org", "a.b_c+d-e/f=g?h^i~j*k#l@example.org"],
  [`${"a".repeat(64)}@example.org`, `${"a".repeat(64)}@example.org`],
  ["ada@ab--c.example", "ada@ab--c.example"],
  ["ada@3com.1.example", "ada@3com.1.example"],
  ["ada@bücher.example", "ada@xn--bcher-kva.example"],
  ["ADA@BÜCHER.EXAMPLE", "ada@xn--bcher-kva.example"],
  ["ada@bu\u0308cher.example", "ada@xn--bcher-kva.example"],
  ["ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"],
  ["ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example"],
  ["ada@xn--a.example", "ada@xn--a.example"],
  ["ada@xn--fa-hia.example", "ada@xn--fa-hia.example"],
  ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"],
  ["ada@ﾃｽﾄ.example", "ada@xn--zckzah.example"],
  ["ada@пример.рф", "ada@xn--e1afmkfd.xn--p1ai"],
  ["ada@ياسمين.example", "ada@xn--mgby6ceqd.example"],
  ["ada@\u212Bngström.example", "ada@xn--ngstrm-hua5l.example"],
  ["o'brien@BÜCHER.example", "o'brien@xn--bcher-kva.example"],
];

/** What only accounts may have that are here already, written as they are stored. */
export const earlierAddresses: { address: string; unsupported: boolean }[] = [
  ...["a!b", "a|b", "a`b", "a$b", "a{b", "a}b", "a%b.example", "-ada"].map((local) => ({
    address: `${local}@example.org`,
    unsupported: true,
  })),
  ...["1.2.3.4", "host.1", "host.0x1"].map((domain) => ({
    address: `ada@${domain}`,
    unsupported: false,
  })),
];

/** What no door takes. */
export const refusedAddresses: { address: string; unsupported: boolean }[] = [
  ...[
    "jürgen@example.org",
    "jürgen@bücher.example",
    "用户@例え.テスト",
    "\uFF41da@example.org",
    "\u0430da@example.org",
  ].map((address) => ({ address, unsupported: true })),
  ...['"ada"@example.org', "a,b@example.org", "\u212Ate@example.org", "ada<x>@example.org"].map((address) => ({
    address,
    unsupported: true,
  })),
  ...[
    "",
    "ada",
    "ada.example",
    "ada@",
    "@example.org",
    "ada@bücher",
    "ada@localhost",
    "ada@example.org@",
    "ada@evil.example@example.org",
    "ada b@example.org",
    "ada@exa mple.org",
    "a\u0007da@example.org",
    "ada@exam\u0007ple.org",
    `${"a".repeat(65)}@example.org`,
    `ada@${"b".repeat(240)}.example`,
    `ada@${"ü".repeat(60)}.example`,
    // What turns into ASCII, into nothing, or is read otherwise by a parser of URLs.
    "ada@\uFF45xample.org",
    "ada@b\uFF55\u0308cher.example",
    "ada@例え\uFF0Eテスト",
    "ada@例え\u3002テスト",
    "ada@exam\u00ADple.org",
    "ada@bü\u00ADcher.example",
    "ada@bü\u200Bcher.example",
    "ada@bü\uFE0Fcher.example",
    "ada@\u212Aölner.example",
    "ada@\uFB01sh.example",
    "ada@büro\u00B2.example",
    "ada@\u0130stanbul.example",
    "ada@bü%63her.example",
    "ada@exa%6Dple.org",
    "ada@bücher.example:25",
    "ada@bücher.example/x",
    "ada@bücher.example?x",
    "ada@bücher.example#x",
    "ada@x:y@bücher.example",
    "ada@bücher..example",
    "ada@.bücher.example",
    "ada@bücher.example.",
    // What IDNA 2003 reads as ss and as another sigma, and Node 20 the capital one.
    "ada@faß.example",
    "ada@FA\u1E9E.example",
    "ada@σας.example",
    "ada@bücher.1",
    "ada@xn--ü.example",
    "ada@\u0308u.example",
    "ada@\u2603.example",
    "ada@[127.0.0.1]",
    "ada@例え.\u0661\uFF11",
  ].map((address) => ({ address, unsupported: false })),
];
