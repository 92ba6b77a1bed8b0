import { createPrivateKey } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SoftPasskey } from "./authenticator.ts";

type Digests = Record<string, string>;

/** What is expected of the fixture of a released version (scripts/release/fixture.ts). */
export type Expected = {
  version: string;
  /** The SHA-256 of each migration, which never changes again. */
  migrations: { sqlite: Digests; postgres: Digests };
  sqlite: Lived;
  postgres: Lived;
};

/** What was true of one database when its service stopped. */
export type Lived = {
  /** In epoch milliseconds. */
  madeAt: number;
  baseUrl: string;
  /** Rows of each table. */
  rows: Record<string, number>;
  /** What `authsvc export` printed. */
  state: string;
  apiKey: string;
  webhook: { id: string; secret: string };
  password: { email: string; userId: string; accessToken: string; refreshToken: string };
  imported: { id: string; email: string; groups: string[] };
  totp: { email: string; key: string; recoveryCodes: string[]; apiKey: string; refreshToken: string };
  /** `privateKey`: PKCS #8 in base64. */
  passkey: { email: string; id: string; userHandle: string; privateKey: string };
  client: { id: string; secret: string; refreshToken: string };
  device: { id: string; refreshToken: string };
  document: { id: string; blocked: string };
  machine: { id: string; secret: string; resource: string };
  operator: string;
};

export const shop = "app_shop";
export const bank = "app_bank";
export const importedPassword = "the password of an earlier system";

const folder = join(import.meta.dirname, "../fixtures/released");

/** The versions that have a fixture. */
export function releasedVersions(): string[] {
  return globSync("*", { cwd: folder }).toSorted();
}

/** The folder of a fixture, and what is in its `expected.json`. */
export function readReleased(version: string): { folder: string; expected: Expected } {
  const own = join(folder, version);
  return { folder: own, expected: JSON.parse(readFileSync(join(own, "expected.json"), "utf8")) as Expected };
}

/** Its packages: a module with `packages/sdk`, and the folder of `packages/python`. */
export function packagesOf(version: string): { sdk: string; python: string } {
  const python = join(folder, version, "packages");
  return { sdk: join(python, "sdk.mjs"), python };
}

export function passkeyIn({ passkey }: Lived): SoftPasskey {
  const privateKey = createPrivateKey({
    key: Buffer.from(passkey.privateKey, "base64"),
    format: "der",
    type: "pkcs8",
  });
  return { id: Buffer.from(passkey.id, "base64url"), privateKey, cose: new Map(), userHandle: passkey.userHandle };
}
