import type { Application } from "../../applications/application.ts";
import { changedApplication } from "../../applications/change.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import * as applications from "../../applications/service.ts";
import type { Answer } from "../../http/answer.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { storedPicture } from "../../lib/stored-picture.ts";
import * as pictures from "../../pictures/service.ts";
import { isCrossSite } from "../../pages/hosted/browser.ts";
import { frameFor } from "../../pages/hosted/hosted.ts";
import { pageAnswer } from "../../pages/page-answer.ts";
import { logoUrl } from "../../pages/parts/frame.ts";
import { createAccountPage } from "../../pages/sign-in/create-account-page.ts";
import { forgotPasswordPage } from "../../pages/sign-in/forgot-password-page.ts";
import { signInPage } from "../../pages/sign-in/sign-in-page.ts";
import { accentFor, contrastOf, parseColour } from "../../look/colours.ts";
import { pageLanguages } from "../../look/texts/texts.ts";
import type { Context } from "../../runtime/context.ts";
import { ownOrigin } from "../entry/entry.ts";
import { facts, part } from "../parts/data.ts";
import { changedSettings, changeOnto, edited, valuesOf, wordsOf } from "../parts/edit.ts";
import {
  openFieldForm,
  fieldRefusalOf,
  selectField,
  valueText,
  type Answered,
  type Field,
  type Values,
} from "../parts/fields.ts";
import { filterForm } from "../parts/filter-form.ts";
import { done } from "../parts/notice.ts";
import { logoActsOf, logoPart } from "../parts/picture-form.ts";
import type { FormRefusal } from "../parts/refusal.ts";
import { act, view, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath } from "./application-frame.ts";
import { applicationAccess, ifItOpensAccess } from "./opens-access.ts";
import { brandingSettings } from "./settings.ts";

const languageNames = new Intl.DisplayNames(["en"], { type: "language" });

/** The tool bar of the preview. Nothing of it is saved. */
const lookFields: Field[] = [
  {
    name: "shows",
    label: "Page",
    kind: "one-of",
    options: [
      ["sign-in", "Sign in"],
      ["create-account", "Create account"],
      ["forgot-password", "Forgot password"],
    ],
  },
  {
    name: "lang",
    label: "Language",
    kind: "one-of",
    options: [...pageLanguages.keys()].map((tag) => [tag, languageNames.of(tag) ?? tag] as const),
  },
  {
    name: "scheme",
    label: "Colours",
    kind: "one-of",
    options: [
      ["light", "Light"],
      ["dark", "Dark"],
    ],
  },
  {
    name: "size",
    label: "Size",
    kind: "one-of",
    options: [
      ["phone", "Phone"],
      ["wide", "Wide"],
    ],
  },
];
const lookDefaults: Values = { shows: "sign-in", lang: "en", scheme: "light", size: "phone" };
const fields: Field[] = brandingSettings.map((setting) => ({
  ...setting,
  ...(setting.name === "primaryColor" && { kind: "colour" }),
}));
const allFields: Field[] = [...fields, ...lookFields];
const formId = "branding";

async function show(
  ctx: Context,
  visit: Visit,
  application: Application,
  answered?: Answered,
  refusal?: FormRefusal,
): Promise<Answer> {
  const {
    id: appId,
    branding: { logo },
  } = application;
  const saved = valuesOf(brandingSettings, application);
  const query = visit.request.method === "GET" ? visit.request.query() : new Map<string, string>();
  const look = lookFields.map(
    ({ name }) => [name, answered?.values[name] ?? query.get(name) ?? lookDefaults[name] ?? ""] as const,
  );
  const values = { ...saved, ...Object.fromEntries(look) };
  const form = openFieldForm(visit, save, {
    id: formId,
    parameters: { appId },
    label: "Save",
    about: "How pages and mails look to users.",
    fields,
    values,
    answered,
  });
  const shownValues = answered?.values ?? values;
  return applicationPage(ctx, visit, application, {
    tab: "Branding",
    status: refusal?.status ?? (answered?.refusal ? 422 : 200),
    hasFrame: true,
    uploads: true,
    body: html`<div class="columns">
      ${part("Branding", form ?? savedBranding(values))}
      <div>
        ${logoPart(visit, logoActs, refusal, {
          parameters: { appId },
          present: logo,
          shown: await pictures.shownOf(ctx, { appId }),
          command: ["app", "update", appId, "--logo-file"],
          removeCommand: ["app", "update", appId, "--logo", ""],
          none: logo === null ? "None: pages show the first letter of the name." : "It is loaded from its address.",
        })}
        ${part(
          "Preview",
          html`${form ? toolBar(shownValues, formId) : filterForm(visit, applicationPath(application, "/branding"), toolBar(shownValues))}
            ${previewFrame(application, shownValues)}
            <p class="hint" data-contrast>${contrastWords(shownValues["primaryColor"] ?? "")}</p>`,
        )}
      </div>
    </div>`,
  });
}

export const logoActs = logoActsOf("/applications/:appId/logo", {
  find: async (ctx, post) => await applicationIn(ctx, post, post.request.parameter("appId")),
  change: async (ctx, { id }, change, by) => await applications.changeLogo(ctx, id, change, by),
  show: async (ctx, post, application, refusal) => await show(ctx, post, application, undefined, refusal),
  pathOf: (application) => applicationPath(application, "/branding"),
});

/** With `form`, it shows what is entered there. */
function toolBar(values: Values, form?: string): Html {
  const of = form !== undefined && html`form="${form}"`;
  const bar = html`${lookFields.map(({ name, label, options = [] }) =>
      selectField(label, name, options, values[name], of),
    )} <button class="button second" ${of} name="check" value="yes">Show</button>`;
  return form === undefined ? bar : html`<div class="filter">${bar}</div>`;
}

/** The contrast of a colour, and the colours that replace it where it is too low. */
function contrastWords(colour: string): string {
  const parsed = parseColour(colour);
  if (parsed === undefined) return "";
  const { accent, onAccent } = accentFor(parsed, "light");
  const text = onAccent === "#ffffff" ? "White" : "Dark";
  const buttons = `${text} text on its buttons has a contrast of ${contrastOf(accent, onAccent).toFixed(1)} to 1.`;
  const changes = (["light", "dark"] as const)
    .map((scheme) => [scheme, accentFor(parsed, scheme).accentText] as const)
    .filter(([, shown]) => shown !== parsed)
    .map(([scheme, shown]) => `links on ${scheme} pages are ${shown}`);
  if (changes.length === 0) return `${buttons} Links have it as it is.`;
  return `${buttons} To be readable, ${changes.join(", and ")}.`;
}

function previewFrame(application: Application, values: Values): Html {
  const query = new URLSearchParams(allFields.map(({ name }) => [name, values[name] ?? ""]));
  return html`<iframe
    class="preview"
    title="The sign-in page"
    src="${applicationPath(application, "/preview")}?${query.toString()}"
    data-scheme="${values["scheme"]}"
    data-size="${values["size"]}"
    sandbox="allow-same-origin"
    referrerpolicy="no-referrer"
  ></iframe>`;
}

/** For operators who may not change it. */
function savedBranding(values: Values): Html {
  return facts(brandingSettings.map((setting) => [setting.label, valueText(setting, values[setting.name] ?? "")]));
}

/** The application with the valid ones of these values. */
function withValues(application: Application, query: ReadonlyMap<string, string>): Application {
  return brandingSettings.reduce((before, { name, change }) => {
    const value = query.get(name);
    // Without an address, the uploaded logo is the one.
    if (value === undefined || (value === "" && name === "logo" && storedPicture(before.branding.logo))) return before;
    try {
      return changedApplication(before, change(value), () => true);
    } catch (error) {
      if (error instanceof AppError) return before;
      throw error;
    }
  }, application);
}

export const page = view("/applications/:appId/branding", "viewer", async (ctx, visit) => {
  return await show(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

/** The sign-in page with values that are not saved. It does nothing, and leads nowhere. */
export const preview = view("/applications/:appId/preview", "viewer", async (ctx, visit) => {
  const { request } = visit;
  const saved = await applicationIn(ctx, visit, request.parameter("appId"));
  const query = request.query();
  // Another site must not choose the text under this address, nor where a logo is loaded from.
  const application = isCrossSite({ baseUrl: ownOrigin(visit) }, request) ? saved : withValues(saved, query);
  const { passkey, password, oauth } = application.authMethods;
  const framed = frameFor(ctx, request, { application, locale: query.get("lang") ?? "en" });
  const frame = { ...framed, look: { ...framed.look, pictures: "/console" } };
  const blank = { sessionPath: "#", token: "", email: "", isPreview: true } as const;
  const methods = {
    passkey: passkey.enabled,
    password: password.enabled,
    emailCode: applications.allows(application, "emailCode", null),
    oauth: oauth.enabled ? await providers.offered(ctx, application.id) : [],
  };
  const { signUp, passwordMinLength } = application.settings;
  const shows = query.get("shows");
  const body =
    shows === "create-account"
      ? createAccountPage(frame, { ...blank, name: "", methods, passwordMinLength })
      : shows === "forgot-password"
        ? forgotPasswordPage(frame, blank)
        : signInPage(frame, { ...blank, signUpOpen: signUp === "open", methods });
  const words = html`<template data-contrast>${contrastWords(query.get("primaryColor") ?? "")}</template>`;
  return pageAnswer(html`${body}${words}`, { isPreview: true, logoOrigin: logoUrl(frame.look)?.origin });
});

export const save = act(
  "/applications/:appId/branding",
  "owner",
  ifItOpensAccess(applicationAccess, async () => brandingSettings),
  async (ctx, post) => {
    const application = await applicationIn(ctx, post, post.request.parameter("appId"));
    const form = edited(allFields, post);
    const changed = changedSettings(brandingSettings, form);
    const isShown = post.form.has("check");
    try {
      const change = changeOnto(brandingSettings, form);
      if (!isShown && changed.length > 0) {
        await applications.update(ctx, application.id, change, post.by.actor, { source: post.by.source });
        return done(ctx, post, applicationPath(application, "/branding"), "The branding was saved.");
      }
      await applications.checkUpdate(ctx, application.id, change);
    } catch (error) {
      const refusal = fieldRefusalOf(brandingSettings, error);
      // Read again: somebody else may have changed it.
      return await show(ctx, post, await applicationIn(ctx, post, application.id), { ...form, refusal });
    }
    if (changed.length === 0) return await show(ctx, post, application, form);
    const command = ["app", "update", application.id, ...wordsOf(changed, form.values)];
    return await show(ctx, post, application, {
      ...form,
      command,
      note: "The preview shows it. Nothing is saved yet.",
    });
  },
);
