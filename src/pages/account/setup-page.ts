import { html, type Html } from "../../lib/html.ts";
import type { OrganizationDomain } from "../../organizations/domains/service.ts";
import { codeField, sendAgain } from "../sign-in/check-mail-page.ts";
import { caution, field, postForm, problemSummary, submitButton } from "../parts/form-parts.ts";
import { framePage, type Frame } from "../parts/frame.ts";
import type { ProblemWords } from "../parts/problems.ts";
import { answerOf, domainStates } from "./organization-page.ts";

type SetupData = {
  path: string;
  token: string;
  organization: string;
  entered?: Map<string, string> | undefined;
  problem?: ProblemWords | undefined;
};

/** Before the code: neither the domains nor the provider of the organization are shown. */
export function setupCodePage(
  frame: Frame,
  { path, token, organization, email, isSent = false, problem }: SetupData & { email: string; isSent?: boolean },
): Html {
  const { texts } = frame;
  const title = texts.setupTitle(organization);
  const enter = html`${codeField(frame, problem)}
  ${submitButton({ label: texts.confirmCode, busy: texts.confirming, look: "main" })}`;
  const body = html`<h1>${title}</h1>
    ${problemSummary(problem)}
    <p>
      ${isSent ? texts.mailedTo : texts.setupCodeLead} <strong><bdi>${email}</bdi></strong>
    </p>
    ${
      isSent
        ? html`${postForm(path, token, {}, enter)} ${sendAgain(frame, { action: path, token, again: false })}`
        : postForm(path, token, {}, submitButton({ label: texts.sendMail, busy: texts.sending, look: "main" }))
    }`;
  return framePage(frame, { title, body, script: true, problem: problem !== undefined });
}

/** Where to click, by the names that the providers' own pages have in English. */
const guides = [
  {
    name: "Okta",
    places: ["Applications › Applications › Create App Integration › OIDC – OpenID Connect › Web Application"],
    issuer: "https://COMPANY.okta.com",
  },
  {
    name: "Microsoft Entra ID",
    places: [
      "Identity › Applications › App registrations › New registration › Redirect URI: Web",
      "Certificates & secrets › New client secret",
      "Token configuration › Add optional claim › ID › email",
    ],
    issuer: "https://login.microsoftonline.com/TENANT-ID/v2.0",
  },
  {
    name: "Google Workspace",
    places: ["Google Cloud › Google Auth Platform › Audience: Internal", "Clients › Create client › Web application"],
    issuer: "https://accounts.google.com",
  },
  {
    name: "Keycloak",
    places: [
      "Clients › Create client › OpenID Connect › Client authentication: On › Valid redirect URIs",
      "Credentials › Client Secret",
    ],
    issuer: "https://HOST/realms/REALM",
  },
];

export function setupPage(
  frame: Frame,
  data: SetupData & { domains: OrganizationDomain[]; issuer: string | undefined; callbackUrl: string },
): Html {
  const { texts } = frame;
  const { path, token, organization, problem, domains, issuer, callbackUrl, entered } = data;
  const title = texts.setupTitle(organization);
  const value = (name: string): string => entered?.get(name) ?? "";
  const input = (name: "domain" | "issuer" | "clientId", label: string, type: "text" | "url" | "url-part"): Html =>
    field(frame, { name, label, type, autocomplete: "off", value: value(name) }, problem);
  const secret = {
    name: "clientSecret",
    label: texts.ownProviderSecret,
    type: "secret",
    autocomplete: "off",
  } as const;
  const save = submitButton({ label: texts.save, busy: texts.saving, look: "main" });
  const body = html`<h1>${title}</h1>
    ${problemSummary(problem)} ${caution(texts.setupNext)}
    <h2>${texts.organizationDomain}</h2>
    ${domains.map((claim) => domainPart(frame, data, claim))}
    ${postForm(path, token, { act: "add-domain" }, html`${input("domain", texts.organizationDomain, "url-part")} ${save}`)}
    <h2>${texts.setupProvider}</h2>
    ${issuer !== undefined && html`<p role="status">${texts.setupAdded} <bdi dir="ltr">${issuer}</bdi></p>`}
    <p class="hint">${texts.ownProviderCallback}</p>
    <p dir="ltr"><code>${callbackUrl}</code></p>
    ${guides.map((guide) => guidePart(frame, guide))}
    ${postForm(
      path,
      token,
      { act: "provider" },
      html`${input("issuer", texts.ownProviderIssuer, "url")} ${input("clientId", texts.ownProviderClientId, "text")}
      ${field(frame, secret, problem)} ${save}`,
    )}`;
  return framePage(frame, { title, body, script: true, problem: problem !== undefined });
}

function domainPart(frame: Frame, { path, token }: SetupData, claim: OrganizationDomain): Html {
  const { texts } = frame;
  const { domain, state, record } = claim;
  const check = submitButton({ label: texts.organizationDomainCheck(domain), busy: texts.saving, look: "plain" });
  return html`<p>
      <strong><bdi>${domain}</bdi></strong>
    </p>
    <p class="hint">${domainStates(frame)[state]}</p>
    ${
      record !== null &&
      state !== "proved" &&
      html`<p class="hint">${texts.organizationDomainRecord}</p>
        <p dir="ltr"><code>${record.name}</code></p>
        <p dir="ltr"><code>${record.value}</code></p>
        ${answerOf(frame, claim).map((line) => html`<p class="hint">${line}</p>`)}
        ${postForm(path, token, { act: "check-domain", domain }, check)}`
    }`;
}

function guidePart({ texts }: Frame, { name, places, issuer }: (typeof guides)[number]): Html {
  return html`<details>
    <summary>${name}</summary>
    <p class="hint">${texts.setupOpen}</p>
    <ol dir="ltr">
      ${places.map((place) => html`<li>${place}</li>`)}
    </ol>
    <p class="hint">${texts.setupIssuerLike}</p>
    <p dir="ltr"><code>${issuer}</code></p>
  </details>`;
}
