import type { ConsentedResource } from "../../applications/resources/consented.ts";
import { forwardAuthScope, hostAndPathOf } from "../../applications/resources/resource.ts";
import { html, type Html } from "../../lib/html.ts";
import type { ResourceScope } from "../../storage/column-types.ts";
import { submitButton, tokenField } from "./form-parts.ts";
import type { Frame } from "./frame.ts";

/**
 * A client's request. `resource`: the API that it gets a token for. `organization`: the name of the
 * one that it will act in.
 */
export type Granted = { scopes: string[]; resource: ConsentedResource | null; organization?: string | undefined };

/** The access of a client, in words. */
export function grantedParts(frame: Frame, { scopes, resource, organization }: Granted): Html {
  const { consentGets } = frame.texts;
  return html`${scopeGrant(frame, scopes, { title: consentGets, organization })}
  ${resource && resourceGrant(frame, resource, resource.identifier)}`;
}

/** The person's yes or no. */
export function answerForms({ texts }: Frame, { sessionPath, token }: { sessionPath: string; token: string }): Html {
  const { consentAgree, consentDeny, continuing } = texts;
  return html`<form method="post" action="${sessionPath}/step/consent">
      ${tokenField(token)} ${submitButton({ label: consentAgree, busy: continuing, look: "main" })}
    </form>
    <form method="post" action="${sessionPath}/step/deny">
      ${tokenField(token)} ${submitButton({ label: consentDeny, busy: continuing, look: "plain" })}
    </form>`;
}

/** The scopes of OpenID Connect that a program has; nothing if there are none. */
export function scopeGrant(
  frame: Frame,
  scopes: string[],
  { title, organization }: { title?: string; organization?: string | undefined } = {},
): Html | undefined {
  if (scopes.length === 0) return undefined;
  return grant(
    title === undefined ? undefined : html`<p>${title}</p>`,
    scopes.map((scope) => scopeWords(frame, scope, organization)),
  );
}

/** `beside`: follows the name, for people who look closely. */
export function resourceGrant(
  { texts }: Frame,
  { name, identifier, scopes }: ConsentedResource,
  beside?: string,
): Html {
  const about = beside !== undefined && html`<br /><bdi class="hint">${beside}</bdi>`;
  const opened = hostAndPathOf(identifier)?.host;
  // The operator's sentence may not say that this scope opens a whole program.
  const wordsOf = (scope: ResourceScope): string =>
    scope.name === forwardAuthScope && opened !== undefined ? texts.scopeForwardAuth(opened) : scope.sentence;
  return grant(html`<p>${texts.consentAt(name)}${about}</p>`, scopes.map(wordsOf));
}

function grant(title: Html | undefined, allows: string[]): Html {
  return html`<div class="grant">
    ${title}
    ${
      allows.length > 0 &&
      html`<ul>
        ${allows.map((sentence) => html`<li><bdi>${sentence}</bdi></li>`)}
      </ul>`
    }
  </div>`;
}

/** The access that a scope gives. The application's own scopes have only their name. */
export function scopeWords({ texts }: Frame, scope: string, organization: string | undefined): string {
  const words: Record<string, string> = {
    openid: texts.scopeOpenid,
    profile: texts.scopeProfile,
    email: texts.scopeEmail,
    groups: texts.scopeGroups,
    offline_access: texts.scopeOfflineAccess,
    organization: organization === undefined ? texts.scopeOrganization : texts.scopeOfOrganization(organization),
  };
  return words[scope] ?? scope;
}
