/** Links by which an application's server leads people to the provider of an organization. */
import type { Context } from "../../runtime/context.ts";

export function linkTo(ctx: Context, sessionId: string, organizationId: string): string {
  return `${ctx.baseUrl}/sign-in/${sessionId}/company?to=${ctx.keyring.sealCursor(organizationId, "company", sessionId)}`;
}

/** Undefined if it is no link of this session. */
export function organizationOf(ctx: Context, sessionId: string, link: string | undefined): string | undefined {
  return link === undefined ? undefined : ctx.keyring.openCursor(link, "company", sessionId);
}
