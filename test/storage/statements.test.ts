import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { findPasskey, insertPasskey, recordPasskeyUse, type Passkey } from "../../src/credentials/passkeys/store.ts";
import { auditColumns, insertAuditEvent } from "../../src/records/audit/store.ts";
import { findLiveUser, findLogin, insertLogin } from "../../src/sessions/login-store.ts";
import type { Login } from "../../src/sessions/login.ts";
import { completeSession, findSession, insertSession, type Completion } from "../../src/sign-in/store.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { findUser, insertUser, recordLogin, updateUser } from "../../src/users/store.ts";
import { describeEachDatabase } from "../support/service.ts";
import { eventOf, loginOf, sessionOf, userOf } from "./rows.ts";

/** The largest number that both databases and JavaScript hold exactly. */
const farthest = Number.MAX_SAFE_INTEGER;
const awkward = ["profile", "", `it's "quoted"`, "{a,b}", "ü\u{1F511}", "null", "1"];

describeEachDatabase("prepared statements", (current) => {
  let appId: string;
  let storage: Storage;
  beforeAll(async () => {
    ({ storage } = current().server.app.ctx);
    appId = (await current().createApp()).id;
    await storage.write((tx) => insertUser(tx, userOf(appId, "usr_1")));
  });

  it("keep JSON, booleans, nulls and large numbers of a login", async () => {
    const bare = loginOf(appId, "log_bare", farthest);
    const full: Login = {
      ...bare,
      id: "log_full",
      provider: "google",
      proofs: ["password", "new-passkey"],
      secondFactor: null,
      scopes: awkward,
      publicClient: true,
      ipAddress: "::1",
      userAgent: "",
      previousDigest: "p",
      endedAt: farthest,
      endReason: "code-reuse",
    };
    for (const login of [bare, full]) {
      await storage.write((tx) => insertLogin(tx, login));
      expect(await findLogin(storage.reader, login.id)).toStrictEqual(login);
    }
  });

  it("keep them in the row of a user, whatever is noted on it", async () => {
    const user = { ...userOf(appId, "usr_noted"), email: null, createdAt: farthest };
    await storage.write((tx) => insertUser(tx, user));
    expect(await findUser(storage.reader, user.id)).toStrictEqual(user);
    const seen = { at: farthest, ipAddress: null, userAgent: "agent" };
    const noted = { ...user, lastLoginAt: farthest, lastUserAgent: "agent", loginCount: user.loginCount + 1 };
    expect(await storage.write((tx) => recordLogin(tx, user.id, seen))).toStrictEqual({
      user: noted,
      methods: { passkey: false, oauth: [], password: false },
    });
    await storage.write((tx) => updateUser(tx, user.id, { name: "n", picture: "p", updatedAt: farthest }));
    const proven = { ...noted, name: "n", picture: "p", updatedAt: farthest };
    expect(await findUser(storage.reader, user.id)).toStrictEqual(proven);
  });

  it("keep them in the row of a passkey, also when its flag changes", async () => {
    const passkey: Passkey = {
      id: "mth_1",
      userId: "usr_1",
      credentialId: "cred",
      publicKey: "key",
      signCount: 4_294_967_295,
      transports: awkward,
      aaguid: "a",
      backedUp: false,
      backupEligible: null,
      discoverable: true,
      name: "n",
      createdAt: farthest,
      lastUsedAt: null,
    };
    await storage.write((tx) => insertPasskey(tx, passkey));
    expect(await findPasskey(storage.reader, appId, "cred")).toStrictEqual({ passkey, handle: "usr_1" });
    for (const backedUp of [true, false]) {
      const use = { signCount: 0, backedUp, backupEligible: true, lastUsedAt: farthest };
      expect(await storage.write((tx) => recordPasskeyUse(tx, passkey.id, use))).toBe(true);
      expect((await findPasskey(storage.reader, appId, "cred"))?.passkey).toStrictEqual({ ...passkey, ...use });
    }
  });

  it("keep them in a session, open and completed", async () => {
    const session = { ...sessionOf(appId, "kept", farthest), scopes: awkward, browserDigest: "b" };
    await storage.write((tx) => insertSession(tx, session));
    expect(await findSession(storage.reader, "kept")).toStrictEqual(session);
    const completion: Completion = {
      userId: "usr_1",
      signedInWith: "passkey",
      signedInProvider: null,
      signedInAt: farthest - 1,
      provenElsewhereAt: null,
      organizationId: null,
      proofs: ["password", "new-passkey"],
      secondFactor: null,
      organizationProofs: null,
      ipAddress: "",
      userAgent: null,
      browserSession: null,
      knownBrowserDigest: null,
      codeDigest: "c",
      codeExpiresAt: farthest,
    };
    const { browserSession: _none, ...written } = completion;
    const mine = { digest: "kept", browserDigest: "b", proofOf: undefined };
    const complete = async () => await storage.write((tx) => completeSession(tx, mine, completion, farthest - 1));
    expect([await complete(), await complete()]).toEqual([{ pendingLink: null, tie: null }, undefined]);
    expect(await findSession(storage.reader, "kept")).toStrictEqual({ ...session, ...written });
  });

  it("keep the details of an audit event", async () => {
    const details = { text: `"'`, no: false, yes: true, nothing: null, large: farthest, small: -1.5 };
    const event = { ...eventOf("aud_kept", farthest), details };
    await storage.write((tx) => insertAuditEvent(tx, event));
    const { auditEvents } = storage.reader.tables;
    const events = await storage.reader.db.select(auditColumns(auditEvents)).from(auditEvents);
    expect(events.filter(({ id }) => id === event.id)).toStrictEqual([event]);
  });

  it("refuse a row that lacks a column", async () => {
    const { id: _, ...rest } = loginOf(appId, "log_lacking", 1);
    await expect(storage.write((tx) => insertLogin(tx, rest as Login))).rejects.toThrow(/placeholder "id"/u);
  });
});

describe("a liveness look-up on SQLite", () => {
  it("reads two indexes and no row", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "authsvc-statements-")), "authsvc.db");
    const storage = await openStorage({ url: undefined, poolSize: 1, file }, 0, () => {});
    const prepare = vi.spyOn(Database.prototype, "prepare");
    try {
      expect(await findLiveUser(storage.reader, { loginId: "lgn_1", kid: "key", now: 0 })).toBeUndefined();
      const [statement = ""] = prepare.mock.calls.at(-1) ?? [];
      const connection = new Database(file, { readonly: true });
      const plan = connection.prepare(`EXPLAIN QUERY PLAN ${statement}`).all("lgn_1", 0, "key") as { detail: string }[];
      connection.close();
      expect(plan.map(({ detail }) => detail)).toEqual([
        "SEARCH logins USING COVERING INDEX logins_live (id=? AND expires_at>?)",
        "USING INDEX sqlite_autoindex_signing_keys_1 FOR IN-OPERATOR",
      ]);
    } finally {
      prepare.mockRestore();
      await storage.close();
    }
  });
});

describe("the names of statements", () => {
  it("are each given once, and short enough for PostgreSQL", () => {
    const root = join(import.meta.dirname, "../../src");
    const names = globSync("**/*store.ts", { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/"(?<name>[a-z]+(?:_[a-z]+)+)",?\s*\)/gu)].map(
        ({ groups }) => groups?.["name"] ?? "",
      ),
    );
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name, position) => names.indexOf(name) !== position)).toEqual([]);
    expect(names.filter((name) => name.length > 63)).toEqual([]);
  });
});
