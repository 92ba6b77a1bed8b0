import { expect, test } from "vitest";
import { applicationFrom } from "../../src/applications/new-application.ts";
import {
  clockFindings,
  fileSystemFindings,
  newPasswordFindings,
  passkeyFindings,
  redirectUriFindings,
} from "../../src/upkeep/doctor/rules.ts";

function application(redirectUris: string[], domain: string | null = null) {
  return applicationFrom({ name: "Shop", redirectUris, domain }, "app_shop", () => false, 0);
}

const uris: [uris: string[], domain: string | null, odd: string[]][] = [
  [["https://shop.example/cb"], null, []],
  [["https://shop.example/cb", "https://www.shop.example/cb", "http://localhost:3000/cb"], null, ["localhost"]],
  [["https://shop.example/cb", "https://shop-example.test/cb"], null, []],
  [
    ["https://a.shop.example/cb", "https://b.shop.example/cb", "https://shop.evil/cb", "https://shop.evil2/cb"],
    null,
    ["shop.evil", "shop.evil2"],
  ],
  [["https://evil.test/cb"], "shop.example", ["evil.test"]],
  [["https://shop.example/cb", "com.example.app:/cb"], "shop.example", []],
];
test.each(uris)("of the redirect URIs %j with the domain %j, %j stand alone", (redirectUris, domain, odd) => {
  const findings = redirectUriFindings(application(redirectUris, domain), { isDevelopment: false });
  expect(findings.map(({ message }) => /to (\S+),/u.exec(message)?.[1])).toEqual(odd);
});

test("an application without a redirect URI lets nobody in", () => {
  expect(redirectUriFindings(application([]), { isDevelopment: true })).toMatchObject([{ status: "warning" }]);
});

test("a redirect URI of this machine is odd, except in development", () => {
  const shop = application(["https://shop.example/cb", "http://localhost:3000/cb"], "shop.example");
  expect(redirectUriFindings(shop, { isDevelopment: false })).toHaveLength(1);
  expect(redirectUriFindings(shop, { isDevelopment: true })).toEqual([]);
});

test("passkeys are only missed where they are enabled", () => {
  const shop = application(["https://shop.example/cb"]);
  expect(passkeyFindings([shop], true)).toEqual([]);
  expect(passkeyFindings([shop], false)).toMatchObject([{ status: "problem" }]);
  const without = { ...shop, authMethods: { ...shop.authMethods, passkey: { enabled: false, required: false } } };
  expect(passkeyFindings([without], false)).toEqual([]);
});

test("what was not counted to the end says at least", () => {
  const marked = [{ appId: "app_shop", read: 10, marked: 9, withoutWay: 2 }];
  expect(newPasswordFindings(marked, 11)).toMatchObject([
    { message: expect.stringMatching(/^Of 9 .*change, 2 have/u) },
  ]);
  const least = /^Of at least 9 .*change, at least 2 have/u;
  expect(newPasswordFindings(marked, 10)).toMatchObject([{ message: expect.stringMatching(least) }]);
});

test("half a minute of difference between clocks is fine, more is not; SQLite's last write may lie back", () => {
  expect(clockFindings({ here: 0, there: { at: 30_000, isCurrent: true } })).toEqual([]);
  expect(clockFindings({ here: 0, there: { at: 30_001, isCurrent: true } })).toHaveLength(1);
  expect(clockFindings({ here: 30_001, there: { at: 0, isCurrent: true } })).toHaveLength(1);
  expect(clockFindings({ here: 1e9, there: { at: 0, isCurrent: false } })).toEqual([]);
  expect(clockFindings({ here: 0, there: { at: 30_001, isCurrent: false } })).toHaveLength(1);
  expect(clockFindings({ here: 0, there: undefined })).toEqual([]);
});

test.each([
  [0x6969, "NFS"],
  [0xfe534d42, "SMB"],
  // As a signed number, on some machines.
  [0xff534d42 | 0, "CIFS"],
])("the disk of SQLite is no network file system: %s (%s)", (type, name) => {
  expect(fileSystemFindings(type, "/srv/a b")).toEqual([
    {
      check: "database",
      status: "problem",
      message: `The data folder is on a network file system (${name}), where SQLite's locks do not hold: the database can be damaged.`,
      fix: "move '/srv/a b' to a local disk, or use PostgreSQL",
    },
  ]);
});

test.each([0xef53, 0x9123683e, 0x01021994, 0x794c7630, 0x65735546])("the disk of SQLite may be local: %d", (type) => {
  expect(fileSystemFindings(type, "/data")).toEqual([]);
});
