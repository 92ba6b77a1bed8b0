/** The page that asks for consent. Its answer comes to `continue-pages.ts`. */
import { documentHost } from "../../applications/documents/document.ts";
import { tokenScopes } from "../../applications/resources/resource.ts";
import type { Answer } from "../../http/answer.ts";
import { html, type Html } from "../../lib/html.ts";
import { findMembership } from "../../organizations/membership-store.ts";
import * as pictures from "../../pictures/service.ts";
import type { StoredPicture } from "../../lib/stored-picture.ts";
import type { Context } from "../../runtime/context.ts";
import * as clientAccess from "../../sign-in/client-access.ts";
import { organizationOf } from "../../sign-in/session.ts";
import { findDeviceRequest } from "../../sign-in/devices/store.ts";
import type { User } from "../../users/user.ts";
import { deviceDecisionPage } from "../openid/device-pages.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import { answerForms, grantedParts, type Granted } from "../parts/grants.ts";
import * as accountNames from "./account-names.ts";
import { pathOf } from "./choose-pages.ts";
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
  const organizationId = organizationOf(session);
  const own = tokenScopes({ scopes, resource: resource?.identifier ?? null, organizationId });
  const membership =
    organizationId === null ? undefined : await findMembership(ctx.storage.reader, { organizationId, userId: user.id });
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
    logo: (await pictures.shownOf(ctx, { clientId: client.id }))?.stored,
    ...names,
    organization: membership?.name,
    scopes: resource ? scopes.filter((scope) => !own.includes(scope)) : scopes,
    resource: resource && {
      name: resource.name,
      identifier: resource.identifier,
      scopes: resource.scopes.filter(({ name }) => own.includes(name)),
    },
  };
  if (request) return visits.page(ctx, visit, deviceDecisionPage(frame, { ...shown, request }));
  return visits.page(ctx, visit, consentPage(frame, { ...shown, returnsTo: host === "" ? protocol : host }));
}

export type ConsentData = Granted & {
  /** "/sign-in/sis_…", without a trailing slash. */
  sessionPath: string;
  token: string;
  /** The address of the account, or else its name. */
  account: string;
  /** The client's name; for an unregistered one, the host of its document. */
  client: string;
  /** The client's uploaded logo. */
  logo?: Pick<StoredPicture, "path" | "ground"> | undefined;
  /** The name in such a client's document. */
  claimedName: string | undefined;
  /** The next place: the host of the client's redirect URI. */
  returnsTo: string;
  /** Whether any program on the person's device could be the one that asks. */
  staysHere: boolean;
};

/** Asks a user for consent to what an OpenID Connect client requests. */
export function consentPage(frame: Frame, data: ConsentData): Html {
  const { sessionPath, account, client, logo, claimedName, returnsTo, staysHere } = data;
  const { texts, look } = frame;
  const title = texts.consentTitle(client);
  const body = html`${logo && html`<p class="brand"><img src="${logo.path}" alt="" data-ground="${logo.ground ?? "none"}" /></p>`}
    <h1>${title}</h1>
    ${claimedName !== undefined && html`<p class="hint">${texts.callsItself(claimedName)} ${texts.nobodyChecked}</p>`}
    <p>
      ${texts.consentQuestion(client, look.name)} <strong><bdi>${account}</bdi></strong>
    </p>
    ${grantedParts(frame, data)}
    <p ${claimedName === undefined && html`class="hint"`}>
      ${texts.consentReturnsTo} <strong><bdi>${returnsTo}</bdi></strong>
    </p>
    ${staysHere && html`<p class="notice">${texts.consentStaysHere}</p>`} ${answerForms(frame, data)}`;
  return framePage(frame, { title, body, script: true, sessionPath, stylesheet: logo && frame.assets.logoStylesheet });
}
