/** The page that asks for consent. Its answer comes to `continue-pages.ts`. */
import { documentHost } from "../../applications/documents/document.ts";
import { tokenScopes } from "../../applications/resources/resource.ts";
import { findResource } from "../../applications/resources/store.ts";
import type { Answer } from "../../http/answer.ts";
import type { Context } from "../../runtime/context.ts";
import * as clientAccess from "../../sign-in/client-access.ts";
import type { User } from "../../users/user.ts";
import * as accountNames from "./account-names.ts";
import { pathOf } from "./choose-pages.ts";
import { consentPage } from "./consent-page.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

/** `user`: who was proven, and is asked. */
export async function show(ctx: Context, visit: Visit, user: User): Promise<Answer> {
  const { session, frame, browser } = visit;
  const client = await clientAccess.clientOf(ctx, ctx.storage.reader, session);
  const identifier = session.authorization?.resource;
  const resource = identifier === undefined ? null : await findResource(ctx.storage.reader, identifier);
  if (!client || resource === undefined) return await visits.over(ctx, visit);
  const { host, protocol } = new URL(session.redirectUri);
  const account = await accountNames.nameOf(ctx, visit, user);
  const { scopes } = session;
  const own = tokenScopes({ scopes, resource: identifier ?? null });
  const shown = {
    account,
    ...(client.document === undefined
      ? { client: client.name, claimedName: undefined, staysHere: false }
      : { client: documentHost(client.id), claimedName: client.name, staysHere: protocol !== "https:" }),
    returnsTo: host === "" ? protocol : host,
    scopes: resource ? scopes.filter((scope) => !own.includes(scope)) : scopes,
    resource: resource && {
      name: resource.name,
      identifier: resource.identifier,
      allows: resource.scopes.filter(({ name }) => own.includes(name)).map(({ sentence }) => sentence),
    },
  };
  return visits.page(
    ctx,
    visit,
    consentPage(frame, { sessionPath: pathOf(visit), token: browser.formToken, ...shown }),
  );
}
