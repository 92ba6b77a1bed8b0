import { digestOf, newId, systemRandom } from "../../src/lib/random.ts";
import { insertLogin } from "../../src/tokens/login-store.ts";
import type { TestService } from "./service.ts";

/** A live login of a user through a client. Returns its id. */
export async function newLogin(
  { server, clock }: TestService,
  { appId, userId, clientId }: { appId: string; userId: string; clientId: string },
): Promise<string> {
  const id = newId("lgn", clock.now, systemRandom);
  await server.app.storage.write((tx) =>
    insertLogin(tx, {
      id,
      appId,
      userId,
      clientId,
      signedInWith: "password",
      provider: null,
      proofs: null,
      scopes: ["openid"],
      publicClient: false,
      claimsRequest: null,
      signedInAt: clock.now,
      createdAt: clock.now,
      lastSeenAt: clock.now,
      ipAddress: null,
      userAgent: null,
      browserSessionDigest: null,
      generation: 0,
      refreshDigest: digestOf(id),
      previousDigest: null,
      refreshedAt: clock.now,
      expiresAt: clock.now + 60_000,
      endedAt: null,
      endReason: null,
    }),
  );
  return id;
}
