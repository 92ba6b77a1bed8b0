import * as clients from "../../src/applications/clients/service.ts";
import { saveConsent } from "../../src/applications/clients/consents-store.ts";
import * as logins from "../../src/sessions/login-administration.ts";
import * as operatorTokens from "../../src/sessions/operator-tokens.ts";
import * as groups from "../../src/users/groups/service.ts";
import * as userMetadata from "../../src/people/metadata-changes.ts";
import { createClient } from "../support/clients-logout.ts";
import { newUser } from "../support/mail-flows.ts";
import { giveFactor, giveIdentity, givePasskey } from "../support/methods.ts";
import { goodPassword, redeem, signIn } from "../support/person.ts";
import type { TestApp, TestService } from "../support/service.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

/** Nothing listens there: mails wait. */
export const mailAway = {
  mail: {
    server: { host: "127.0.0.1", port: 9, user: undefined, password: undefined, tls: "none" as const },
    from: { name: undefined, address: "auth@acme.example" },
  },
};

export type Somebody = { id: string; email: string; clientId: string; loginId: string };

/** Somebody with a password, a passkey, Google, two groups, metadata, a consent and two logins. */
export async function newSomebody(
  service: TestService,
  app: TestApp,
  { clientId, hasFactor = true }: { clientId?: string; hasFactor?: boolean } = {},
): Promise<Somebody> {
  const { ctx } = service.server.app;
  const { id, email } = await newUser(service, app, { password: goodPassword });
  await redeem(service, app, await signIn(service, app, { email }));
  const [login] = await logins.list(ctx, id, { all: false });
  const acting = { userId: id, scopes: ["profile"], seconds: 600, actor: { name: "Grace", reason: "ticket 4711" } };
  await operatorTokens.mint(ctx, acting, { dryRun: false }, by.actor);
  await givePasskey(service, id, "Pixel 9");
  await giveIdentity(service, app, id);
  if (hasFactor) await giveFactor(service, id);
  for (const name of ["staff", "editors"]) {
    await groups.put(ctx, app.id, name, {}, by);
    await groups.add(ctx, app.id, name, [id], by);
  }
  await userMetadata.patch(ctx, { userId: id }, { public: { plan: "pro" }, private: { customer: 4711 } }, by);
  const client = clientId ?? (await createClient(service, app, { name: "Wiki", consent: "ask" }));
  const consent = { userId: id, clientId: client, scopes: ["openid", "email"] };
  const now = service.clock.now;
  await ctx.storage.write((tx) => saveConsent(tx, { ...consent, createdAt: now, updatedAt: now }));
  return { id, email, clientId: client, loginId: login?.id ?? "" };
}

/** A client that only members of the group `admins` may use. */
export async function closedClient(service: TestService, app: TestApp): Promise<string> {
  const { ctx } = service.server.app;
  await groups.put(ctx, app.id, "admins", {}, by);
  const id = await createClient(service, app, { name: "Payroll" });
  await clients.update(ctx, id, { allowedGroups: ["admins"], secondFactor: "required" }, by);
  return id;
}
