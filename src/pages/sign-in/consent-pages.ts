/** The page that asks for consent. Its answer comes to `continue-pages.ts`. */
import { documentHost } from "../../applications/documents/document.ts";
import { tokenScopes } from "../../applications/resources/resource.ts";
import type { Answer } from "../../http/answer.ts";
import type { Context } from "../../runtime/context.ts";
import * as clientAccess from "../../sign-in/client-access.ts";
import { findDeviceRequest } from "../../sign-in/devices/store.ts";
import type { User } from "../../users/user.ts";
import { deviceDecisionPage } from "../device/decision-page.ts";
import * as accountNames from "./account-names.ts";
import { pathOf } from "./choose-pages.ts";
import { consentPage } from "./consent-page.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

/** `user`: the authenticated user, who is asked. */
export async function show(ctx: Context, visit: Visit, user: User): Promise<Answer> {
  const { session, frame, browser } = visit;
  const registration = await clientAccess.registrationOf(ctx, ctx.storage.reader, session);
  const granted = registration && (await clientAccess.granted(ctx.storage.reader, session, registration));
  const device = session.authorization?.device;
  const request = device === undefined ? null : await findDeviceRequest(ctx.storage.reader, device);
  if (!granted || request === undefined) return await visits.over(ctx, visit);
  const account = await accountNames.nameOf(ctx, visit, user);
  const { resource, scopes } = granted;
  const own = tokenScopes({ scopes, resource: resource?.identifier ?? null });
  const { host, protocol } = new URL(session.redirectUri);
  const { client } = registration;
  const names =
    client.document === undefined
      ? { client: client.name, claimedName: undefined, staysHere: false }
      : { client: documentHost(client.id), claimedName: client.name, staysHere: protocol !== "https:" };
  const shown = {
    sessionPath: pathOf(visit),
    token: browser.formToken,
    account,
    ...names,
    scopes: resource ? scopes.filter((scope) => !own.includes(scope)) : scopes,
    resource: resource && {
      name: resource.name,
      identifier: resource.identifier,
      allows: resource.scopes.filter(({ name }) => own.includes(name)).map(({ sentence }) => sentence),
    },
  };
  if (request) return visits.page(ctx, visit, deviceDecisionPage(frame, { ...shown, request }));
  return visits.page(ctx, visit, consentPage(frame, { ...shown, returnsTo: host === "" ? protocol : host }));
}
