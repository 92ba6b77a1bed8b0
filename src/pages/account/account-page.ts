import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { factsOn, profileFacts, type FactsOn } from "../../lib/profile-facts.ts";
import { accountApps, type AccountApp } from "./apps.ts";
import { accountFactor, type AccountFactor } from "./factors.ts";
import { accountLogins, type AccountLogin } from "./logins.ts";
import { accountMethods, type AccountMethod, type AddableMethods } from "./methods.ts";
import {
  accountFrame,
  accountPath,
  actionForm,
  actionLink,
  doneNotice,
  organizationRows,
  part,
  type AccountPlace,
  type ListedOrganization,
} from "./parts.ts";
import { accountPrograms, type AccountProgram } from "./programs.ts";
import { accountTokens, hasTokens, type AccountTokens } from "./tokens.ts";
import type { PlainNotice } from "./visits.ts";
import { face, pictureLink, type Person } from "../parts/face.ts";
import { ownWords, safeHref, type Frame } from "../parts/frame.ts";
import { passkeySignal, type PasskeySignal } from "../../credentials/passkeys/passkey-signal.ts";

/** The last action, shown once. */
export type AccountNotice =
  | { kind: PlainNotice }
  /** `name`: the method's name as in the list. */
  | { kind: "added"; name: string };

export type AccountData = AccountPlace & {
  /** Epoch milliseconds. Relative times are measured from here. */
  now: number;
  notice?: AccountNotice | undefined;
  user: Person & Partial<FactsOn<"account">> & { emailVerified: boolean };
  /** The application's own fields, with the person's values. */
  fields?: { label: string; value: string | undefined }[];
  /** Whether a mail can prove the address. */
  canVerify: boolean;
  methods: AccountMethod[];
  adds: AddableMethods;
  factor: AccountFactor | undefined;
  logins: AccountLogin[];
  programs: AccountProgram[];
  apps: AccountApp[];
  /** Undefined if the application has none, and neither has the person. */
  tokens: AccountTokens | undefined;
  signal: PasskeySignal;
  /** Where the person's organizations are, and their invitations, if the application has any. */
  organizations: { path: string; invitations: ListedOrganization[] } | undefined;
};

/** A user's profile, sign-in methods and logins, with the actions on them. */
export function accountPage(frame: Frame, data: AccountData): Html {
  const { texts, look } = frame;
  const { appId } = data;
  const own = ownWords(frame, "account", { name: data.user.name, email: data.user.email });
  const title = own.title ?? texts.accountTitle(look.name);
  const home = safeHref(frame.backUrl);
  const notice = noticeOf(frame, data.notice);
  const body = html`<h1>${title}</h1>
    ${own.intro ? html`${notice} ${own.intro}` : notice}
    <div class="parts">
      ${contents(frame, data)}
      <div>
        ${accountApps(frame, data)} ${profile(frame, data)} ${accountMethods(frame, data)} ${accountFactor(frame, data)}
        ${accountLogins(frame, data)} ${accountPrograms(frame, data)} ${accountTokens(frame, data)}
        ${organizationsPart(frame, data)}
        ${part(
          "data",
          texts.data,
          html`<p class="acts">
            ${actionLink(accountPath(appId, "/data"), texts.downloadLink)}
            <a class="button small bad" href="${accountPath(appId, "/delete")}">${texts.deleteLink}</a>
          </p>`,
        )}
      </div>
    </div>
    <div class="end">
      ${home !== undefined && html`<a href="${home}">${texts.backTo(look.name)}</a>`}
      ${actionForm(data, { page: "/sign-out", label: texts.signOut, busy: texts.signingOut, look: "small" })}
    </div>
    ${passkeySignal(data.signal)}`;
  // Signing out everywhere then has a box to tick.
  const stylesheet = hasTokens(data.tokens) && { stylesheet: frame.assets.fieldsStylesheet };
  return accountFrame(frame, { title, body, ...stylesheet });
}

function organizationsPart({ texts }: Frame, { organizations }: AccountData): Html | undefined {
  if (organizations === undefined) return undefined;
  const { path, invitations } = organizations;
  const waiting = html`<p>${texts.organizationInvitedTitle}</p>
    ${organizationRows(invitations)}`;
  return part(
    "organizations",
    texts.organizations,
    invitations.length > 0 && waiting,
    actionLink(path, texts.edit, texts.organizations),
  );
}

/** A link to each part that the page has. */
function contents({ texts }: Frame, { factor, programs, tokens, apps }: AccountData): Html {
  const parts = [
    ...(apps.length > 0 ? [["apps", texts.yourApps]] : []),
    ["you", texts.profile],
    ["sign-in", texts.toSignIn],
    ...(factor ? [["second-factor", texts.secondStep]] : []),
    ["devices", texts.toDevices],
    ...(programs.length > 0 ? [["programs", texts.toPrograms]] : []),
    ...(tokens ? [["tokens", texts.toTokens]] : []),
    ["data", texts.toData],
  ];
  return html`<nav class="jump" aria-label="${texts.onThisPage}">
    <ul role="list">
      ${parts.map(([id, label]) => html`<li><a href="#${id}">${label}</a></li>`)}
    </ul>
  </nav>`;
}

function profile(frame: Frame, data: AccountData): Html {
  const { texts, look } = frame;
  const { email, emailVerified, picture } = data.user;
  const notSet = html`<span class="quiet">${texts.notSet}</span>`;
  const verify = !emailVerified && data.canVerify;
  const plain = factsOn("account")
    .filter((fact) => fact !== "picture")
    .map((fact) => [texts[profileFacts[fact].page.shown], data.user[fact] ?? null] as const);
  const facts = html`<div class="preview">
    ${face(look, data.user)}
    <dl class="facts">
      ${plain.map(([label, value]) => fact(label, value === null ? notSet : html`<bdi>${value}</bdi>`))}
      ${fact(
        texts.email,
        html`${
          email === null
            ? notSet
            : html`<bdi>${email}</bdi> <span class="badge">${emailVerified ? texts.verified : texts.notVerified}</span>`
        }
        ${
          email !== null &&
          verify &&
          actionForm(data, { page: "/verify-email", label: texts.verifyEmail, busy: texts.continuing, look: "small" })
        }
        ${data.canVerify && actionLink(accountPath(data.appId, "/email"), texts.change, texts.changeEmail)}`,
      )}
      ${data.fields?.map(({ label, value }) =>
        fact(html`<bdi>${label}</bdi>`, value === undefined ? notSet : html`<bdi>${value}</bdi>`),
      )}
      ${fact(
        texts.picture,
        html`${picture !== null && pictureLink(frame, picture)}
        ${actionLink(accountPath(data.appId, "/picture"), texts.change, texts.changePicture)}`,
      )}
    </dl>
  </div>`;
  return part(
    "you",
    texts.profile,
    facts,
    actionLink(accountPath(data.appId, "/profile"), texts.edit, texts.editProfile),
  );
}

function fact(label: HtmlValue, value: HtmlValue): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;
}

function noticeOf({ texts }: Frame, notice: AccountNotice | undefined): Html | undefined {
  if (notice === undefined) return undefined;
  const words = {
    profile: texts.noticeProfile,
    verified: texts.noticeVerified,
    email: texts.noticeEmail,
    renamed: texts.noticeRenamed,
    removed: texts.noticeRemoved,
    added: notice.kind === "added" ? texts.noticeAdded(notice.name) : "",
    password: texts.noticePassword,
    "login-ended": texts.noticeLoginEnded,
    "others-ended": texts.noticeOthersEnded,
    "token-ended": texts.noticeTokenEnded,
    "access-removed": texts.noticeAccessRemoved,
    "factor-added": texts.noticeFactorAdded,
    "factor-removed": texts.noticeFactorRemoved,
    "trust-ended": texts.noticeTrustEnded,
    picture: texts.noticePicture,
    "picture-removed": texts.noticePictureRemoved,
    "picture-undone": texts.noticePictureUndone,
  }[notice.kind];
  return doneNotice(words);
}
