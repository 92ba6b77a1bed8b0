import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findLogin, insertLogin, rotateLogin } from "../../src/sessions/login-store.ts";
import type { Login, LoginRotation } from "../../src/sessions/login.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { insertUser } from "../../src/users/store.ts";
import { startTestService } from "../support/service.ts";
import { loginOf, userOf } from "./rows.ts";

const now = 1_000_000;

describe.each(["sqlite", "postgres"] as const)("the rotation of one login (%s)", (dialect) => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let storage: Storage;
  let appId: string;

  beforeAll(async () => {
    running = await startTestService(dialect);
    ({ storage } = running.service.server.app.ctx);
    appId = (await running.service.createApp()).id;
    await storage.write(async (tx) => {
      await insertUser(tx, userOf(appId, "usr_1"));
      await insertUser(tx, { ...userOf(appId, "usr_bare"), email: null });
      await insertUser(tx, { ...userOf(appId, "usr_disabled"), disabledAt: 1 });
    });
  });
  afterAll(async () => {
    await running.stop();
  });

  async function inserted(id: string, differing: Partial<Login> = {}): Promise<Login> {
    const login = { ...loginOf(appId, id, now + 1), scopes: ["email"], refreshDigest: "1", ...differing };
    await storage.write((tx) => insertLogin(tx, login));
    return login;
  }
  const rotationOf = (id: string): LoginRotation => ({
    id,
    appId,
    presentedDigest: "1",
    successorDigest: "2",
    now,
    idleSince: -1,
  });

  it.each(["usr_1@example.com", null])("tells what its tokens will say, its user's address too (%s)", async (email) => {
    const id = `of ${email}`;
    const userId = email === null ? "usr_bare" : "usr_1";
    const login = await inserted(id, { userId });
    const rotated = await storage.write((tx) => rotateLogin(tx, rotationOf(id)));
    const { signedInWith, provider, proofs, scopes, publicClient, clientId, claimsRequest, signedInAt } = login;
    expect(rotated).toStrictEqual({
      id,
      appId,
      userId,
      signedInWith,
      provider,
      proofs,
      scopes,
      publicClient,
      clientId,
      claimsRequest,
      signedInAt,
      email,
      emailVerified: false,
    });
    expect(await findLogin(storage.reader, id)).toStrictEqual({
      ...login,
      generation: login.generation + 1,
      previousDigest: "1",
      refreshDigest: "2",
      refreshedAt: now,
      lastSeenAt: now,
    });
  });

  it("leaves the login of a disabled user as it is", async () => {
    const login = await inserted("disabled", { userId: "usr_disabled" });
    expect(await storage.write((tx) => rotateLogin(tx, rotationOf("disabled")))).toBeUndefined();
    expect(await findLogin(storage.reader, "disabled")).toStrictEqual(login);
  });
});
