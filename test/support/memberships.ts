import type { ApplicationChange } from "../../src/applications/settings.ts";
import * as deletion from "../../src/organizations/deletion.ts";
import * as members from "../../src/organizations/members.ts";
import * as organizations from "../../src/organizations/service.ts";
import type { OrganizationChange } from "../../src/organizations/service.ts";
import { findOrganization } from "../../src/organizations/store.ts";
import { call, goodPassword, redeem, signedUp, signIn, Visitor, type Page, type Tokens } from "./person.ts";
import { updateApp, type TestApp, type TestService } from "./service.ts";

const by = { actor: { kind: "cli", name: "test" } } as const;

export type ActiveTokens = Tokens & { organization?: { id: string; slug: string; name: string; roles: string[] } };

/** An application with organizations, somebody who can sign in, and what happens to them. */
export async function withMemberships(
  service: TestService,
  settings: ApplicationChange["settings"] = {},
  owner?: TestApp,
) {
  const app = owner ?? (await service.createApp());
  const { user, email } = await signedUp(service, app);
  const { user: other } = await signedUp(service, app);
  const userId = String(user["id"]);
  await updateApp(service, app, { settings: { organizations: "on", organizationRoles: ["billing"], ...settings } });
  // A running service notices within a second.
  service.clock.advance(1000);
  const { ctx } = service.server.app;

  async function rowOf(id: string) {
    const row = await findOrganization(ctx.storage.reader, id);
    if (!row) throw new Error(`no organization ${id}`);
    return row;
  }

  async function join(id: string, roles: string[] = ["member"], who = userId): Promise<void> {
    await members.put(ctx, await rowOf(id), { userId: who, roles, adds: true }, by);
  }

  return {
    app,
    email,
    userId,
    join,
    /** Owned by somebody else; the person is a member with these roles, if any are given. */
    async found(name: string, roles: string[] | null = ["member"], change: OrganizationChange = {}): Promise<string> {
      const { id } = await organizations.create(ctx, app, { name, owner: String(other["id"]), ...change }, by);
      if (roles) await join(id, roles);
      return id;
    },
    async leave(id: string, who = userId): Promise<void> {
      await members.remove(ctx, await rowOf(id), who, by);
    },
    async change(id: string, change: OrganizationChange): Promise<void> {
      await organizations.update(ctx, await rowOf(id), change, by);
    },
    async remove(id: string): Promise<void> {
      await deletion.remove(ctx, await rowOf(id), by);
    },
    /** Signs in by password where no page follows. */
    async tokens(extra: Record<string, unknown> = {}, visitor = new Visitor()): Promise<ActiveTokens> {
      return await redeem(service, app, await signIn(service, app, { email }, extra, visitor));
    },
    async refresh(refreshToken: string, organization?: string | null) {
      return await call(service, "POST", "/auth/refresh", app.headers, {
        refreshToken,
        ...(organization === undefined ? {} : { organization }),
      });
    },
  };
}

export type WithMemberships = Awaited<ReturnType<typeof withMemberships>>;

/** Signs in by password, and stops at the page that follows. */
export async function toChoice(
  service: TestService,
  { app, email }: { app: TestApp; email: string },
  extra: Record<string, unknown> = {},
  visitor = new Visitor(),
) {
  const session = await call(service, "POST", "/auth/initiate", app.headers, {
    redirectUri: app.redirectUri,
    ...extra,
  });
  const authUrl = String(session.body["authUrl"]);
  const proven = await visitor.submit(await visitor.get(authUrl), "/password", { email, password: goodPassword });
  const page = proven.location.origin === service.url ? await visitor.get(proven.location.href) : proven;
  return { page, visitor, session: session.body as { authUrl: string; sessionId: string; expiresAt: string } };
}

/** The organizations that a page offers, in its order. */
export function offered({ text }: Page): string[] {
  return [...text.matchAll(/name="organization" value="(org_\w+)"/gu)].map(([, id]) => id ?? "");
}
