/** The pages of an organization's own provider, and of what a trial showed. */
import { html, type Html } from "../../lib/html.ts";
import type { RelinkAnswer } from "../../companies/relinks.ts";
import type { ProviderAnswer, Providers } from "../../companies/service.ts";
import type { Trial } from "../../companies/trial.ts";
import { momentOf } from "../../look/dates.ts";
import { caution, field, postForm, problemSummary, submitButton } from "../parts/form-parts.ts";
import type { Frame } from "../parts/frame.ts";
import { organizationPath, tick } from "./organization-page.ts";
import { accountFrame, actionButton, doneNotice, part, row, type AccountPlace } from "./parts.ts";

export function ownProviderPath(appId: string, id: string): string {
  return organizationPath(appId, id).replace("/organization?", "/organization/provider?");
}

/** `refused`: why the issuer cannot be used. */
export type OwnProviderNotice =
  | { kind: "done" | "use-first" | "failed" | "conflict" | undefined }
  | { kind: "refused"; reason: string };

type Data = AccountPlace & {
  organization: { id: string; name: string };
  userId: string;
  providers: Providers;
  relinks: RelinkAnswer[];
  /** How to call members, by id. */
  names: ReadonlyMap<string, string>;
  hasDomain: boolean;
  withoutMethod: number;
  notice: OwnProviderNotice;
  /** The form that was refused, to send it again. */
  sent: ReadonlyMap<string, string> | undefined;
};

export function ownProviderPage(frame: Frame, data: Data): Html {
  const { texts } = frame;
  const { appId, organization, providers, hasDomain, notice } = data;
  const { provider, waiting } = providers;
  const body = html`<h1>${texts.ownProvider}</h1>
    ${noticeOf(frame, notice)}
    <p><bdi>${organization.name}</bdi></p>
    <p class="hint">${texts.ownProviderLead}</p>
    ${!hasDomain && caution(texts.ownProviderDomainFirst)} ${provider && activePart(frame, data, provider)}
    ${waiting && waitingPart(frame, data, waiting)} ${settingPart(frame, data)} ${provider && relinksPart(frame, data)}
    <div class="end">
      <a class="quiet" href="${organizationPath(appId, organization.id)}"><bdi>${organization.name}</bdi></a>
    </div>`;
  const problem = ![undefined, "done"].includes(notice.kind);
  return accountFrame(frame, { base: frame.assets.organizationStylesheet, title: texts.ownProvider, body, problem });
}

function noticeOf({ texts }: Frame, notice: OwnProviderNotice): Html | undefined {
  if (notice.kind === undefined) return undefined;
  if (notice.kind === "done") return doneNotice(texts.organizationSaved);
  if (notice.kind === "refused") return problemSummary({ summary: texts.ownProviderRefused(notice.reason) });
  const summaries = {
    "use-first": texts.ownProviderUseFirst,
    failed: texts.organizationRefused,
    conflict: texts.organizationConflict,
  };
  return problemSummary({ summary: summaries[notice.kind] });
}

function form({ appId, token, organization }: Data, fields: Record<string, string>, content: Html): Html {
  return postForm(ownProviderPath(appId, organization.id), token, fields, content);
}

type Look = "small" | "main" | "danger";

function button(frame: Frame, data: Data, fields: Record<string, string>, label: string, look: Look = "small"): Html {
  return form(data, fields, actionButton({ label, busy: frame.texts.saving, look }));
}

function facts(frame: Frame, { names }: Data, one: ProviderAnswer): string[][] {
  const { texts, look } = frame;
  const { issuer, clientId, setterId, setupLinkId, createdAt, failingSince, failure } = one;
  const by = setterId === null ? look.name : (names.get(setterId) ?? setterId);
  const set = setupLinkId === null || setterId !== null ? texts.organizationBy(by) : texts.ownProviderByLink;
  const moment = (at: string): string => momentOf(Date.parse(at), frame);
  return [
    [issuer],
    [clientId],
    [set, moment(createdAt)],
    ...(failingSince === null ? [] : [[texts.ownProviderFails(moment(failingSince), failure ?? "")]]),
  ];
}

function activePart(frame: Frame, data: Data, provider: ProviderAnswer): Html {
  const { texts } = frame;
  const { waiting } = data.providers;
  return part(
    "provider",
    texts.ownProviderWorks,
    html`<ul class="rows" role="list">
        ${row({
          title: new URL(provider.issuer).host,
          facts: facts(frame, data, provider),
          acts: waiting === null && button(frame, data, { act: "try" }, texts.ownProviderTry),
        })}
      </ul>
      ${form(
        data,
        { act: "require" },
        html`${requireField(frame, provider.requiredSince !== null)}
        ${actionButton({ label: texts.save, busy: texts.saving, look: "small" })}`,
      )}
      ${caution(texts.ownProviderRemoveNext(String(data.withoutMethod)))}
      ${button(frame, data, { act: "remove" }, texts.ownProviderRemove, "danger")}`,
  );
}

function requireField({ texts }: Frame, isChecked: boolean): Html {
  return html`${tick("required", texts.ownProviderRequire, isChecked)}
    <p class="hint">${texts.ownProviderRequireNext}</p>`;
}

function waitingPart(frame: Frame, data: Data, waiting: ProviderAnswer): Html {
  const { texts } = frame;
  const { issuer, worksAt, triedAt, setterId } = waiting;
  const isSettled = worksAt !== null;
  const title = isSettled ? texts.ownProviderWorksFrom(momentOf(Date.parse(worksAt), frame)) : texts.ownProviderWaits;
  const confirm = html`${!data.providers.provider?.requiredSince && requireField(frame, true)}
  ${actionButton({ label: texts.ownProviderConfirm, busy: texts.saving, look: "main" })}`;
  return part(
    "waiting",
    title,
    html`<ul class="rows" role="list">
        ${row({
          title: new URL(issuer).host,
          facts: facts(frame, data, waiting),
          acts: html`${button(frame, data, { act: "try" }, texts.ownProviderTry)}
          ${button(frame, data, { act: "withdraw" }, texts.remove)}`,
        })}
      </ul>
      ${!isSettled && triedAt !== null && form(data, { act: "confirm", issuer }, confirm)}
      ${
        isSettled &&
        setterId !== data.userId &&
        button(frame, data, { act: "agree", issuer }, texts.ownProviderAgree, "main")
      }`,
  );
}

function settingPart(frame: Frame, data: Data): Html {
  const { texts } = frame;
  const { sent, providers } = data;
  const present = providers.waiting ?? providers.provider;
  const value = (name: string, stored = ""): string => sent?.get(name) ?? stored;
  const isFixed = sent ? sent.has("fixed") : (present?.fixedAddresses ?? false);
  const hint = present === null ? {} : { hint: texts.ownProviderSecretKept };
  const text = { type: "url-part", autocomplete: "off" } as const;
  const secret = {
    name: "clientSecret",
    label: texts.ownProviderSecret,
    type: "secret",
    autocomplete: "off",
  } as const;
  return part(
    "set",
    texts.ownProviderSetting,
    html`<p class="hint">${texts.ownProviderCallback}</p>
      <p dir="ltr"><code>${providers.callbackUrl}</code></p>
      ${form(
        data,
        { act: "set" },
        html`${field(
          frame,
          { name: "issuer", label: texts.ownProviderIssuer, value: value("issuer", present?.issuer), ...text },
          undefined,
        )}
        ${field(
          frame,
          {
            name: "clientId",
            label: texts.ownProviderClientId,
            value: value("clientId", present?.clientId),
            ...text,
          },
          undefined,
        )}
        ${field(frame, { ...secret, ...hint }, undefined)} ${tick("fixed", texts.ownProviderFixed, isFixed)}
        ${submitButton({ label: texts.ownProviderSave, busy: texts.saving, look: "main" })}`,
      )}`,
  );
}

function relinksPart(frame: Frame, data: Data): Html {
  const { texts } = frame;
  const agree = (userId: string, name: string): Html =>
    button(frame, data, { act: "agree-relink", user: userId }, texts.ownProviderRelinkAgree(name));
  return part(
    "relinks",
    texts.ownProviderRelinks,
    html`<p class="hint">${texts.ownProviderRelinksNext}</p>
      <ul class="rows" role="list">
        ${data.relinks.map(({ userId, expiresAt, asksOwner, agreedAt }) => {
          const name = data.names.get(userId) ?? userId;
          const waits = asksOwner && agreedAt === null;
          const until = momentOf(Date.parse(expiresAt), frame);
          const facts = [[until, ...(waits ? [texts.ownProviderRelinkAsks] : [])]];
          return row({ title: name, facts, acts: waits && agree(userId, name) });
        })}
      </ul>
      ${form(
        data,
        { act: "relink" },
        html`<div class="field">
            <label for="addresses">${texts.organizationAddresses}</label>
            <div class="control">
              <textarea id="addresses" name="addresses" rows="3" required dir="ltr">
${data.sent?.get("addresses") ?? ""}</textarea>
            </div>
          </div>
          ${actionButton({ label: texts.ownProviderRelinkOpen, busy: texts.saving, look: "small" })}`,
      )}`,
  );
}

/** What a sign-in by the tried account would do; `person`: of the account here. */
export type TrialOutcome =
  | { kind: "you" | "new" | "stranger" | "other-subject" | "refused" }
  | { kind: "opens" | "links"; person: string };

/** The claims as they were read, and what they lead to. */
export function trialPage(
  frame: Frame,
  { appId, organizationId }: { appId: string; organizationId: string },
  trial: Trial,
  outcome: TrialOutcome | undefined,
): Html {
  const { texts } = frame;
  const title = texts.ownProviderSaid(new URL(trial.issuer).host);
  const works = outcome !== undefined && ["you", "opens", "links", "new"].includes(outcome.kind);
  const words = wordsOf(frame, trial, outcome);
  const body = html`<h1>${title}</h1>
    ${works ? doneNotice(words) : problemSummary({ summary: words })} ${"identity" in trial && claimsOf(frame, trial)}
    <div class="end">
      <a class="button main" href="${ownProviderPath(appId, organizationId)}">${texts.ownProvider}</a>
    </div>`;
  return accountFrame(frame, { base: frame.assets.organizationStylesheet, title, body, problem: !works });
}

function wordsOf({ texts }: Frame, trial: Trial, outcome: TrialOutcome | undefined): string {
  const { host } = new URL(trial.issuer);
  if ("failure" in trial) return texts.ownProviderTrialFailed(trial.failure);
  switch (trial.emailProblem) {
    case "none":
      return texts.providerNoEmail(host);
    case "unsupported":
      return texts.providerUnsupportedEmail(host);
    case "unverified":
      return texts.providerUnverifiedEmail(host);
    case "other-domain":
      return texts.ownProviderTrialDomain(host);
    case "hosted":
      return texts.ownProviderTrialHosted;
    case undefined:
  }
  if (outcome?.kind === "opens") return texts.ownProviderTrialOpens(outcome.person);
  if (outcome?.kind === "links") return texts.ownProviderTrialLinks(outcome.person);
  const words = {
    you: texts.ownProviderTrialYou,
    new: texts.ownProviderTrialNew,
    stranger: texts.ownProviderTrialStranger,
    "other-subject": texts.ownProviderTrialSubject,
    refused: texts.ownProviderTrialRefused,
  };
  return words[outcome?.kind ?? "refused"];
}

/** By their names in OpenID Connect, as the provider's own pages have them. */
function claimsOf(_frame: Frame, { identity }: Extract<Trial, { identity: unknown }>): Html {
  const { subject, email, emailVerified, name, twoFactors } = identity;
  const claims = { sub: subject, email, email_verified: emailVerified, name, "two factors": twoFactors };
  return html`<ul class="rows" role="list" dir="ltr">
    ${Object.entries(claims).map(([claim, value]) => row({ title: claim, facts: [[String(value ?? "–")]] }))}
  </ul>`;
}
