import { argon2Sync, createHmac, hash as digest } from "node:crypto";
import { hashSync } from "bcryptjs";
import { describe, expect, test } from "vitest";
import { phpass } from "../../src/credentials/passwords/crypt.ts";
import { affordable, firebaseHash, foreignHash } from "../../src/credentials/passwords/foreign-hashes.ts";
import { createHasher } from "../../src/credentials/passwords/hasher.ts";
import { systemRandom } from "../../src/lib/random.ts";

const hasher = createHasher(
  { memoryKiB: 8, iterations: 1, parallelism: 1, concurrency: 4, queueSize: 1000 },
  systemRandom,
);

/** The vector that Firebase publishes: https://github.com/firebase/scrypt#password-hashing */
const firebase = {
  hash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
  salt: "42xEC+ixf3L2lw==",
};
const parameters = {
  signerKey: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
  saltSeparator: "Bw==",
  rounds: 8,
  memCost: 14,
};

function storedForm(given: ReturnType<typeof foreignHash>): string {
  if ("problem" in given) throw new Error(given.problem);
  return given.hash;
}

async function isRight(stored: string, password: string): Promise<boolean> {
  // An application for each: within one, all take as long as the most expensive.
  return (await hasher.verify(stored, password, { appId: stored, account: "", isKnown: false })).isRight;
}

/** Of more than the 72 bytes that bcrypt reads. */
const long = "correct horse battery staple ".repeat(3).trim();

test("a password of more than 4 KiB is wrong, also if it begins with the right one", async () => {
  const right = "a".repeat(1024);
  const stored = `$P$Bsaltsalt${phpass(right, "saltsalt", "B")}`;
  expect([await isRight(stored, right), await isRight(stored, right + "b".repeat(4000))]).toEqual([true, false]);
});

// Made by other hands: glibc's crypt (bcrypt), Python's hashlib (PBKDF2, scrypt, SHA), the tests of
// the argon2 reference implementation, passlib's documentation, RFC 7914 section 12.
const known: [name: string, given: string, password: string][] = [
  ["bcrypt 2b", "$2b$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2", "correct horse"],
  ["bcrypt 2a", "$2a$04$abcdefghijklmnopqrstuuPT0cs.zGMMB9aUG3xKmxLeI//6s0m5C", "letmein"],
  ["bcrypt 2y", "$2y$04$......................MYX0F..wCd1Hcm336OMYrskXKZ.X7fG", "letmein"],
  ["bcrypt of Django", "bcrypt$$2b$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2", "correct horse"],
  ["argon2id", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "password"],
  ["argon2i", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA", "password"],
  [
    "argon2i of version 16, which is not written down",
    "$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ",
    "password",
  ],
  ["argon2d", `$argon2d$v=19$m=256,t=2,p=2$c29tZXNhbHQ$${argon2d("password")}`, "password"],
  ["argon2 of Django", `argon2$argon2d$v=19$m=256,t=2,p=2$c29tZXNhbHQ$${argon2d("password")}`, "password"],
  [
    "scrypt of passlib",
    "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
    "password",
  ],
  [
    "scrypt of Django",
    "scrypt$1024$seasalt$8$1$NihPB3utv+vK4T28kSIe0tJMJP5cHoiTfvMkCguRtVRUT9r4dR1TncUsGXIevtZlC2X4hkes4QMXiG5xr2P+tw==",
    "letmein",
  ],
  [
    "scrypt in hexadecimal",
    "scrypt:1024:8:16$NaCl$fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
    "password",
  ],
  ["PBKDF2 of Django", "pbkdf2_sha256$1000$seasalt$R1/GfWtwog1T8Ev9VndgDjzkiRzbFr8JpmJtL9cMmQU=", "letmein"],
  ["PBKDF2 of Django, SHA-1", "pbkdf2_sha1$1000$seasalt$FR1Hz/2XTwvhcvkmbwDDrzMsEnQ=", "letmein"],
  [
    "PBKDF2 as PHC",
    "$pbkdf2-sha512$i=1000,l=64$c2Vhc2FsdA==$xnY3pOMYkzQ6mQa06bqBAgMiZvCMFVqzMtqgHHz5YCcjVpyNM6wnN/+pSWGRJuhvoBje0h7wU07fXdKBCbYfsw==",
    "letmein",
  ],
  [
    "PBKDF2 of passlib",
    "$pbkdf2-sha256$1000$yMnKy8zNzs/Q0dLT1NXW1w$bO75sSS.xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyak",
    "letmein",
  ],
  ["PBKDF2 of passlib, SHA-1", "$pbkdf2$1000$yMnKy8zNzs/Q0dLT1NXW1w$KZPxdhDkmV0VK0UpZR0CvDB1gbs", "letmein"],
  [
    "PBKDF2 in hexadecimal",
    "pbkdf2:sha512:1000$seasalt$c67637a4e31893343a9906b4e9ba8102032266f08c155ab332daa01c7cf9602723569c8d33ac2737ffa949619126e86fa018ded21ef0534edf5dd28109b61fb3",
    "letmein",
  ],
  [
    "PBKDF2 of Keycloak, longer than its digest",
    "$pbkdf2-sha256$i=1000$yMnKy8zNzs/Q0dLT1NXW1w==$bO75sSS+xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyan0YBg7o0MDY99H4oHgLJvhnuNbdxOZLGFb21ax8Vd+3g==",
    "letmein",
  ],
  ["bcrypt of LDAP", "{CRYPT}$2y$04$......................MYX0F..wCd1Hcm336OMYrskXKZ.X7fG", "letmein"],
  ["bcrypt of Spring", "{bcrypt}$2a$04$abcdefghijklmnopqrstuuPT0cs.zGMMB9aUG3xKmxLeI//6s0m5C", "letmein"],
  [
    "argon2 of OpenLDAP",
    "{ARGON2}$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
    "password",
  ],
  [
    "PBKDF2 of LDAP",
    "{PBKDF2-SHA256}1000$yMnKy8zNzs/Q0dLT1NXW1w$bO75sSS.xBhl0k9yBzTVsX/eLm1WcAaub84rQv/Nyak",
    "letmein",
  ],
  [
    "sha512-crypt",
    "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
    "Hello world!",
  ],
  [
    "sha512-crypt of LDAP",
    "{CRYPT}$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
    "Hello world!",
  ],
  [
    "sha256-crypt with rounds",
    "$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA",
    "Hello world!",
  ],
  ["phpass, of WordPress before 6.8", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "test12345"],
  ["bcrypt of WordPress", `$wp${hashSync(createHmac("sha384", "wp-sha384").update(long).digest("base64"), 4)}`, long],
  ["bcrypt of Django with SHA-256", `bcrypt_sha256$${hashSync(digest("sha256", long), 4)}`, long],
  ["salted SHA-1", "{SSHA}bIM/N5mkuv5X26pDKL8lXVhTaQgBAgME", "pässwörd"],
  ["salted SHA-256", "{SSHA256}LSUuORz5JBSczPy4Mc1Hxx/cns1MaY3BEy2Vx2s7x4MBAgME", "pässwörd"],
  [
    "salted SHA-512",
    "{SSHA512}SpSFXSSaeSY9Ezb0Yj6kHO01h/qM4gYzX1jFBz2r4IZ11kC2D4vFqEf/3GpgvKAL6TwkL3UsdiKhB3gfxLxw9gECAwQ=",
    "pässwörd",
  ],
];

function argon2d(password: string): string {
  const nonce = Buffer.from("somesalt");
  const tag = argon2Sync("argon2d", {
    message: password,
    nonce,
    memory: 256,
    passes: 2,
    parallelism: 2,
    tagLength: 32,
  });
  return tag.toString("base64").replaceAll("=", "");
}

describe("password hashes of other systems", () => {
  test.each(known)("%s: the right password and no other", async (_, given, password) => {
    const stored = storedForm(foreignHash(given));
    expect(await isRight(stored, password)).toBe(true);
    expect(await isRight(stored, `${password}.`)).toBe(false);
    expect(await isRight(stored, "")).toBe(false);
    expect(await isRight(stored, password + "x".repeat(60_000))).toBe(false);
  });

  test.each(known)("%s: what is stored can be exported and read again", (_, given) => {
    const stored = storedForm(foreignHash(given));
    expect(foreignHash(stored)).toEqual({ hash: stored });
  });

  test("Firebase: the right password and no other, without the project's signer key", async () => {
    const stored = storedForm(firebaseHash(firebase, parameters));
    expect(await isRight(stored, "user1password")).toBe(true);
    expect(await isRight(stored, "user1passworD")).toBe(false);
    expect(stored).not.toContain(parameters.signerKey.slice(0, 20));
    expect(stored).not.toContain(firebase.hash.slice(0, 20));
    expect(foreignHash(stored)).toEqual({ hash: stored });
  });

  test("Firebase: a hash of another length than the signer key is refused", () => {
    expect(firebaseHash({ ...firebase, hash: firebase.hash.slice(0, 40) }, parameters)).toHaveProperty("problem");
    expect(firebaseHash({ ...firebase, salt: "not base64!" }, parameters)).toHaveProperty("problem");
    expect(firebaseHash(firebase, { ...parameters, memCost: 25 })).toHaveProperty("problem");
  });

  test("a password is right as it was typed, whether or not the other system brought it into one form", async () => {
    const composed = "pässwörd";
    const decomposed = composed.normalize("NFD");
    expect(decomposed).not.toBe(composed);
    const stored = storedForm(foreignHash("{SSHA}bIM/N5mkuv5X26pDKL8lXVhTaQgBAgME"));
    expect(await isRight(stored, decomposed)).toBe(true);
  });

  test("all of them count as weaker than today's, so that the next sign-in replaces them", async () => {
    for (const [name, given] of known)
      if (name !== "argon2id") expect(hasher.isWeaker(storedForm(foreignHash(given))), name).toBe(true);
    expect(hasher.isWeaker(storedForm(firebaseHash(firebase, parameters)))).toBe(true);
    expect(hasher.isWeaker(await hasher.hash("letmein"))).toBe(false);
  });

  const [salt, tag] = ["c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"];
  const refused: [why: string, given: string][] = [
    ["bcrypt of cost 17", "$2b$17$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2"],
    ["bcrypt of cost 3", "$2b$03$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2"],
    ["the broken bcrypt 2x", "$2x$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2"],
    ["sha512-crypt with more than a million rounds", `$6$rounds=1000001$salt$${"a".repeat(86)}`],
    ["phpass with more than a million rounds", `$P$J${"a".repeat(30)}`],
    ["argon2 with more than 1 GiB", `$argon2id$v=19$m=1048577,t=1,p=1$${salt}$${tag}`],
    ["argon2 with too many passes", `$argon2id$v=19$m=65536,t=129,p=1$${salt}$${tag}`],
    ["scrypt with more than 1 GiB", `$scrypt$ln=21,r=8,p=1$${salt}$${tag}`],
    ["scrypt with too many lanes", `$scrypt$ln=17,r=8,p=17$${salt}$${tag}`],
    ["scrypt with an N that is no power of two", `scrypt$1000$salt$8$1$${tag}`],
    ["PBKDF2 with more than ten million rounds", `$pbkdf2-sha256$i=10000001$${salt}$${tag}`],
    ["PBKDF2 that takes as long by its length", `$pbkdf2-sha256$i=9000000$${salt}$${"A".repeat(86)}`],
    ["PBKDF2 without rounds", `$pbkdf2-sha256$i=0$${salt}$${tag}`],
    ["a hash so short that many passwords match", `$pbkdf2-sha256$i=1000$${salt}$AAAA`],
    ["SHA without a salt", `{SSHA}${Buffer.alloc(20).toString("base64")}`],
    ["MD5", "5f4dcc3b5aa765d61d8327deb882cf99"],
    ["a plain password", "correct horse battery staple"],
    ["nothing", ""],
  ];
  test.each(refused)("refuses %s", (_, given) => {
    expect(foreignHash(given)).toHaveProperty("problem");
  });

  test.each([
    ["$1$salt$qJH7.N4xYta3aEG/dfqo/0", "md5-crypt"],
    ["{CRYPT}$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7", "yescrypt"],
    ["$2b$10$short", "bcrypt, incomplete or of an unknown version"],
    ["{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "SHA-1 without a salt"],
    ["5f4dcc3b5aa765d61d8327deb882cf99", "MD5"],
    ["$S$DkIkdKLIvRK0iVHm99X7B/M8QC17E1Tp/kMOd1Ie8V/PgWjtAZld", "Drupal 7"],
    ["$6$rounds=999$salt$x", "sha512-crypt, incomplete or of fewer than 1000 rounds"],
  ])("names the scheme of %s", (given, scheme) => {
    expect(foreignHash(given)).toEqual({ problem: `password.hash: unsupported format (${scheme})` });
  });

  const limits: [what: string, taken: string, expensive: string][] = [
    ["bcrypt", bcryptOf(12), bcryptOf(13)],
    ["sha512-crypt", `$6$rounds=80000$salt$${"a".repeat(86)}`, `$6$rounds=90000$salt$${"a".repeat(86)}`],
    ["phpass", `$P$F${"a".repeat(30)}`, `$P$G${"a".repeat(30)}`],
    ["argon2's memory", argon2Of(131_072, 2), argon2Of(131_073, 1)],
    ["argon2's passes", argon2Of(65_536, 4), argon2Of(65_536, 5)],
    ["scrypt's memory", `$scrypt$ln=17,r=8,p=1$${salt}$${tag}`, `$scrypt$ln=18,r=8,p=1$${salt}$${tag}`],
    ["scrypt's lanes", `$scrypt$ln=16,r=8,p=2$${salt}$${tag}`, `$scrypt$ln=17,r=8,p=2$${salt}$${tag}`],
    ["PBKDF2", `$pbkdf2-sha256$i=2000000$${salt}$${tag}`, `$pbkdf2-sha256$i=3000000$${salt}$${tag}`],
    [
      "PBKDF2 by its length",
      `$pbkdf2-sha512$i=900000$${salt}$${tag}`,
      `$pbkdf2-sha512$i=900000$${salt}$${"A".repeat(88)}`,
    ],
  ];
  test.each(limits)(
    "an import takes %s up to about 250 ms and 128 MiB, and more only when it is allowed",
    (_, ...hashes) => {
      const [taken, expensive] = hashes.map((hash) => foreignHash(hash));
      if (!taken || !expensive) throw new Error("a hash is missing");
      expect(affordable(taken, { allowExpensive: false })).toEqual(taken);
      expect(affordable(expensive, { allowExpensive: false })).toEqual({
        problem: expect.stringContaining("--allow-expensive-hashes"),
      });
      expect(affordable(expensive, { allowExpensive: true })).toHaveProperty("hash");
    },
  );

  function bcryptOf(cost: number): string {
    return `$2b$${cost}$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2`;
  }

  function argon2Of(memory: number, passes: number): string {
    return `$argon2id$v=19$m=${memory},t=${passes},p=1$${salt}$${tag}`;
  }
});
