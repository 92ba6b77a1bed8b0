import * as invites from "../../src/credentials/mailed/invites.ts";
import type { Invitation } from "../../src/credentials/mailed/invites.ts";
import { Visitor, type Page } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

const operator = { kind: "cli", name: "test" } as const;

/** Invites somebody to an app; by mail, or with `link` by a link in the answer. */
export async function invite(
  service: TestService,
  app: TestApp,
  email: string,
  { link = false, ...input }: Partial<Invitation> & { link?: boolean } = {},
) {
  const { ctx } = service.server.app;
  const invitation = { appId: app.id, email, name: null, locale: null, ...input };
  return await invites.invite(ctx, invitation, { link, dryRun: false }, { actor: operator });
}

/** Opens an invitation, chooses a method, and answers the page that adds it. */
export async function choose(link: string, adds: string, visitor = new Visitor()): Promise<Page> {
  const page = await visitor.get(link);
  if (page.status !== 200) return page;
  const chosen = await visitor.submit(page, new URL(link).pathname, { adds });
  return chosen.status === 303 ? await visitor.get(chosen.location.href) : chosen;
}

/** Sets up the account with a password. */
export async function acceptWithPassword(link: string, password: string, visitor = new Visitor()): Promise<Page> {
  const page = await choose(link, "password", visitor);
  return page.status === 200 ? await visitor.submit(page, "/add/password", { password }) : page;
}
