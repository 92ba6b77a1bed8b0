import * as invitations from "../../src/organizations/invitations.ts";
import { openAccount, proveAt } from "./account.ts";
import { call, goodPassword, newEmail, Visitor } from "./person.ts";
import { updateApp, type TestApp, type TestService } from "./service.ts";
import type { ApplicationChange } from "../../src/applications/settings.ts";

export const source = { ipAddress: "192.0.2.9", userAgent: null, requestId: "req_test" };

/** An application with organizations, its server's calls, and people whom it created. */
export async function withOrganizations(service: TestService, settings: ApplicationChange["settings"] = {}) {
  const app = await service.createApp();
  await updateApp(service, app, { settings: { organizations: "on", ...settings } });
  const base = `/applications/${app.id}`;
  const send = async (method: string, path: string, body?: unknown) =>
    await call(service, method, `${base}${path}`, app.headers, body);

  /** With a verified address. */
  async function newPerson(email = newEmail()): Promise<string> {
    const { body } = await send("POST", "/users", { email, emailVerified: true });
    return String(body["id"]);
  }

  async function newOrganization(input: Record<string, unknown> & { owner?: string } = {}) {
    const owner = input.owner ?? (await newPerson());
    const { status, body } = await send("POST", "/organizations", { name: "Acme", owner, ...input });
    if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
    const id = String(body["id"]);
    const path = `/organizations/${id}`;
    return {
      id,
      path,
      owner,
      slug: String(body["slug"]),
      /** Somebody new, with these roles. */
      async newMember(...roles: string[]): Promise<string> {
        const userId = await newPerson();
        const added = await send("PUT", `${path}/members/${userId}`, { roles });
        if (added.status !== 200) throw new Error(`not added: ${JSON.stringify(added.body)}`);
        return userId;
      },
      async rolesOf(userId: string): Promise<unknown> {
        const { body } = await send("GET", `/users/${userId}/organizations`);
        const own = body["organizations"] as { id: string; roles: string[] }[];
        return own.find((each) => each.id === id)?.roles;
      },
    };
  }

  return { app, send, newPerson, newOrganization };
}

export type WithOrganizations = Awaited<ReturnType<typeof withOrganizations>>;
export type TestOrganization = Awaited<ReturnType<WithOrganizations["newOrganization"]>>;

/** The same, with people who are signed in to the account page and act on the pages. */
export async function withOrganizationPages(service: TestService, settings: ApplicationChange["settings"] = {}) {
  const own = await withOrganizations(service, settings);
  async function newVisitor() {
    const email = newEmail();
    const { body } = await own.send("POST", "/users", { email, emailVerified: true, password: goodPassword });
    const visitor = new Visitor();
    const landed = await proveAt(visitor, await openAccount(service, own.app, visitor), email);
    await visitor.get(landed.location.href);
    return { userId: String(body["id"]), email, visitor };
  }
  const url = (id?: string) =>
    `${service.url}/organization?app_id=${own.app.id}${id === undefined ? "" : `&organization=${id}`}`;
  /** Posts an act with the token of a page, whether or not the page has its form. */
  async function act(visitor: Visitor, id: string, fields: Record<string, string>) {
    const { text } = await openAccount(service, own.app, visitor);
    const token = /name="token" value="([^"]+)"/u.exec(text)?.[1] ?? "";
    return await visitor.post(url(id), { token, ...fields });
  }
  return { ...own, newVisitor, url, act };
}

/** Somebody accepts the newest open invitation for their address. */
export async function acceptNewest({ server }: TestService, app: TestApp, userId: string): Promise<void> {
  const { ctx } = server.app;
  const { findUser } = await import("../../src/users/store.ts");
  const user = await findUser(ctx.storage.reader, userId);
  const waiting = user ? await invitations.waitingFor(ctx, user) : [];
  const id = waiting.at(-1)?.invitation.id ?? `no invitation in ${app.id}`;
  await invitations.accept(ctx, { id, userId }, source);
}
