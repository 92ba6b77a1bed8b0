import { eq } from "drizzle-orm";
import { newSecret, systemRandom } from "../../src/lib/random.ts";
import type { Row } from "../../src/storage/storage.ts";
import { insertEndpoint } from "../../src/webhooks/endpoint-store.ts";
import { secretContext } from "../../src/webhooks/endpoint.ts";
import { redeem, signIn, Visitor, type Tokens } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

let clients = 0;

/** A client of the application, with a receiver of logout tokens if it names one; its id. */
export async function createClient(
  service: TestService,
  app: TestApp,
  changes: Partial<Row<"clients">> = {},
): Promise<string> {
  clients += 1;
  const { now } = service.clock;
  const client: Row<"clients"> = {
    id: `cli_${process.pid}_${clients}`,
    appId: app.id,
    name: `Wiki ${clients}`,
    kind: "web",
    redirectUris: ["https://wiki.example/callback"],
    postLogoutRedirectUris: ["https://wiki.example/bye"],
    backchannelLogoutUri: null,
    scopes: ["openid", "profile", "email"],
    consent: "none",
    requirePkce: false,
    idTokenAlg: "RS256",
    idTokenClaims: "granted",
    refreshTokens: "always",
    jwks: null,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: null,
    disabledAt: null,
    ...changes,
  };
  const { storage, keyring } = service.server.app;
  const { id, backchannelLogoutUri: url } = client;
  await storage.write(async (tx) => {
    await tx.db.insert(tx.tables.clients).values(client);
    if (url === null) return;
    const endpointId = `whe_${id}`;
    await insertEndpoint(tx, {
      id: endpointId,
      appId: app.id,
      clientId: id,
      url,
      events: [],
      encryptedSecret: await keyring.encrypt(tx, newSecret(systemRandom), secretContext(endpointId)),
      encryptedOldSecret: null,
      oldSecretUntil: null,
      enabled: true,
      disabledReason: null,
      failingSince: null,
      createdAt: now,
      updatedAt: now,
    });
  });
  return id;
}

export async function loginIdOf(service: TestService, { accessToken }: Tokens): Promise<string> {
  return await service.server.app.services.logins.loginIdOf(accessToken);
}

/** Signs in in this browser by a client. */
export async function signInByClient(
  service: TestService,
  app: TestApp,
  email: string,
  clientId: string,
  visitor = new Visitor(),
): Promise<Tokens & { loginId: string }> {
  const tokens = await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
  const loginId = await loginIdOf(service, tokens);
  const { storage } = service.server.app;
  await storage.write(async ({ db, tables: { logins } }) => {
    await db.update(logins).set({ clientId }).where(eq(logins.id, loginId));
  });
  return { ...tokens, loginId };
}
