import { eq } from "drizzle-orm";
import type { NewClient } from "../../src/clients/rules.ts";
import { findEndpointOfClient } from "../../src/webhooks/endpoint-store.ts";
import { redeem, signIn, Visitor, type Tokens } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

const actor = { kind: "cli", name: "test" } as const;

/** A client of the application; its id. */
export async function createClient(
  service: TestService,
  app: TestApp,
  changes: Partial<NewClient> = {},
): Promise<string> {
  const usual = { appId: app.id, name: "Wiki", redirectUris: ["https://wiki.example/callback"] };
  const created = await service.server.app.services.clients.create({ ...usual, ...changes }, {}, { actor });
  return created.client.id;
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
  const { storage, services } = service.server.app;
  const loginId = await services.logins.loginIdOf(tokens.accessToken);
  await storage.write(async ({ db, tables: { logins } }) => {
    await db.update(logins).set({ clientId }).where(eq(logins.id, loginId));
  });
  return { ...tokens, loginId };
}

/** The id of the endpoint that receives a client's logout tokens. */
export async function receiverOf({ server }: TestService, clientId: string): Promise<string> {
  return (await findEndpointOfClient(server.app.storage.reader, clientId))?.id ?? "none";
}
