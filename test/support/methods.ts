import * as providers from "../../src/applications/providers/provider-clients.ts";
import { importFactor } from "../../src/factors/service.ts";
import { insertTrustedBrowser } from "../../src/factors/store.ts";
import { insertIdentity } from "../../src/credentials/identities/identity-store.ts";
import { insertPasskey } from "../../src/credentials/passkeys/store.ts";
import { call, type Tokens } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

let made = 0;

/** Gives a user a passkey without a browser; its id. */
export async function givePasskey(service: TestService, userId: string, name = "A phone"): Promise<string> {
  made += 1;
  const id = `mth_passkey${made}`;
  const now = service.clock.now + made;
  await service.server.app.ctx.storage.write((tx) =>
    insertPasskey(tx, {
      id,
      userId,
      credentialId: `credential-of-${id}-${process.pid}`,
      publicKey: "pQ",
      signCount: 0,
      transports: [],
      aaguid: "00000000-0000-0000-0000-000000000000",
      backedUp: true,
      backupEligible: true,
      discoverable: true,
      name,
      createdAt: now,
      lastUsedAt: null,
    }),
  );
  return id;
}

/** Gives a user an authenticator app, a recovery code and a trusted browser. Returns the key. */
export async function giveFactor({ server, clock }: TestService, userId: string): Promise<string> {
  made += 1;
  const { ctx } = server.app;
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const browser = { id: `brw_${made}`, userId, digest: `digest-${made}`, epoch: 1, userAgent: "Firefox/140.0" };
  await ctx.storage.write(async (tx) => {
    await importFactor(ctx, tx, userId, { secret, recoveryDigests: ["A".repeat(43)] }, clock.now);
    await insertTrustedBrowser(tx, { ...browser, createdAt: clock.now, expiresAt: clock.now + 1_000_000_000 });
  });
  return secret;
}

/** Gives a user an identity with a provider; its id. */
export async function giveIdentity(
  service: TestService,
  app: TestApp,
  userId: string,
  provider = "google",
): Promise<string> {
  made += 1;
  const id = `mth_identity${made}`;
  const now = service.clock.now + made;
  const email = `${id}@provider.example`;
  const issuer = provider === "github" ? "api.github.com" : "https://accounts.google.com";
  const row = { id, appId: app.id, userId, provider, issuer, subject: id, email, createdAt: now, lastUsedAt: now };
  await service.server.app.ctx.storage.write((tx) => insertIdentity(tx, row));
  return id;
}

/** Lets an app's people use a provider. */
export async function setProvider(service: TestService, app: TestApp, name = "google"): Promise<void> {
  const account = { name, clientId: "client", secret: "secret" };
  await providers.set(service.server.app.ctx, app.id, account, { kind: "cli", name: "test" });
}

export type ListedMethod = { type: string; id: string; name?: string; provider?: string; email?: string | null };

export async function methodsOf(
  service: TestService,
  { accessToken }: Pick<Tokens, "accessToken">,
): Promise<ListedMethod[]> {
  const { status, body } = await call(service, "GET", "/users/auth-methods", bearer(accessToken));
  if (status !== 200) throw new Error(`auth-methods answered ${status}: ${JSON.stringify(body)}`);
  return body["methods"] as ListedMethod[];
}

export async function removeMethod(service: TestService, { accessToken }: Tokens, id: string) {
  return await call(service, "DELETE", `/users/auth-methods/${id}`, bearer(accessToken));
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}
