import type { Client } from "../../src/applications/clients/client.ts";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as clientSecrets from "../../src/applications/clients/secrets.ts";
import * as resources from "../../src/applications/resources/service.ts";
import type { NewResource } from "../../src/applications/resources/service.ts";
import { createTestClient } from "./openid.ts";
import type { TestApp, TestService } from "./service.ts";

export const by = { actor: { kind: "cli", name: "test" } } as const;

let created = 0;

/** A resource of the application with the scopes `read` and `write`; its identifier. */
export async function createResource(
  service: TestService,
  app: Pick<TestApp, "id">,
  changes: Partial<NewResource> = {},
): Promise<string> {
  created += 1;
  const identifier = `https://api${created}.example/orders`;
  const scopes = [
    { name: "read", sentence: "Read your orders" },
    { name: "write", sentence: "Change your orders" },
  ];
  const input = { appId: app.id, identifier, name: `Orders ${created}`, scopes, ...changes };
  return (await resources.create(service.server.app.ctx, input, by)).identifier;
}

/** A machine of a new application, with a secret, and its resource. */
export async function newMachine(service: TestService, changes: Partial<NewClient> = {}, owner?: TestApp) {
  const app = owner ?? (await service.createApp());
  const resource = await createResource(service, app);
  const client: Client = await createTestClient(service, app, {
    kind: "machine",
    redirectUris: [],
    scopes: [],
    resources: [resource],
    ...changes,
  });
  const { ctx } = service.server.app;
  const { id: secretId, secret } = await clientSecrets.createSecret(ctx, { clientId: client.id }, by.actor);
  return { app, client, resource, secret, secretId };
}
