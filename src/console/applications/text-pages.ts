/** An application's own words: one page or mail in one language, with its preview. */
import type { Application } from "../../applications/application.ts";
import { changedApplication } from "../../applications/change.ts";
import { ruleOfPlace } from "../../applications/own-words.ts";
import * as applications from "../../applications/service.ts";
import type { ApplicationChange } from "../../applications/settings.ts";
import type { Answer } from "../../http/answer.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { capitalized } from "../../lib/text.ts";
import { mailPlaceholders } from "../../look/own-words.ts";
import { pageLanguages } from "../../look/texts/texts.ts";
import { accountPage } from "../../pages/account/account-page.ts";
import { framedMail } from "../../pages/framed-mail.ts";
import { isCrossSite } from "../../pages/hosted/browser.ts";
import { frameFor } from "../../pages/hosted/hosted.ts";
import { pageAnswer } from "../../pages/page-answer.ts";
import { logoUrl } from "../../pages/parts/frame.ts";
import { createAccountPage } from "../../pages/sign-in/create-account-page.ts";
import { signInPage } from "../../pages/sign-in/sign-in-page.ts";
import { renderMail } from "../../records/mail/render.ts";
import { sampleMail } from "../../records/mail/sample.ts";
import type { Context } from "../../runtime/context.ts";
import type { MailKind, OwnText } from "../../storage/column-types.ts";
import { ownOrigin } from "../entry/entry.ts";
import { mailWords } from "../parts/action-words.ts";
import { facts, part, shown } from "../parts/data.ts";
import { changedSettings, changeOnto, edited, type Edit } from "../parts/edit.ts";
import { fieldRefusalOf, linesOf, openFieldForm, selectField, type Answered, type Values } from "../parts/fields.ts";
import { filterForm } from "../parts/filter-form.ts";
import { done } from "../parts/notice.ts";
import { act, view, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath } from "./application-frame.ts";

const languageNames = new Intl.DisplayNames(["en"], { type: "language" });
const kinds = Object.keys(mailPlaceholders) as MailKind[];
const pages = [
  ["sign-in", "Sign-in page"],
  ["sign-up", "Sign-up page"],
  ["account", "Account page"],
  ["footer", "Footer of pages and mails"],
] as const;

/** What a page of the console is about: a page, the footer or a mail, in one language. */
type Shown = { shows: string; lang: string };
type TextField = Edit<Application, ApplicationChange>;

function shownIn(given: ReadonlyMap<string, string>): Shown {
  const [shows = "", lang = ""] = [given.get("shows"), given.get("lang")];
  const isKnown = pages.some(([name]) => name === shows) || kinds.some((kind) => `mail.${kind}` === shows);
  return { shows: isKnown ? shows : "sign-in", lang: pageLanguages.has(lang) ? lang : "en" };
}

/** The fields of what is shown. Their names are those of places. */
function fieldsOf({ shows, lang }: Shown): TextField[] {
  const field = (name: string, label: string, more: Partial<TextField> = {}): TextField => ({
    name,
    label,
    hint: ruleOfPlace(`${shows}.${name}`),
    empty: "the built-in one",
    refusedAs: "settings.texts",
    of: ({ settings }) => settings.texts?.find(({ place }) => place === `${shows}.${name}`)?.text[lang] ?? "",
    // Only compared: the act makes the change of the texts that are there then.
    change: (value) => ({ name: value }),
    ...more,
  });
  if (shows !== "footer")
    return [shows.startsWith("mail.") ? field("subject", "Subject") : field("title", "Title"), field("intro", "Intro")];
  const linksOf = ({ settings }: Application): string =>
    (settings.texts ?? [])
      .flatMap(({ url, text }) => (url !== undefined && text[lang] !== undefined ? [`${url} ${text[lang]}`] : []))
      .join("\n");
  const hint = "One a line: an https or mailto address, a space, and its words. At most 5.";
  const empty = "none";
  return [field("text", "Text", { empty }), field("link", "Links", { kind: "lines", hint, empty, of: linksOf })];
}

/** The texts with these values. What is shown elsewhere, or in other languages, stays. */
function withWords(texts: readonly OwnText[] | null | undefined, { shows, lang }: Shown, values: Values): OwnText[] {
  const next = (texts ?? []).map((each) => ({ ...each, text: { ...each.text } }));
  for (const { name, kind } of fieldsOf({ shows, lang })) {
    const place = `${shows}.${name}`;
    const own = next.filter((each) => each.place === place);
    for (const each of own) delete each.text[lang];
    const value = values[name] ?? "";
    for (const line of kind === "lines" ? linesOf(value) : [value].filter((text) => text !== "")) {
      const [, url, text = line] = kind === "lines" ? (/^(\S+)\s+(.+)$/u.exec(line) ?? [line, line, ""]) : [];
      const present = own.find((each) => each.url === url && each.text[lang] === undefined);
      if (present) present.text[lang] = text;
      else next.push({ place, text: { [lang]: text }, ...(url !== undefined && { url }) });
    }
  }
  return next.filter(({ text }) => Object.keys(text).length > 0);
}

async function show(ctx: Context, visit: Visit, application: Application, at: Shown, answered?: Answered) {
  const fields = fieldsOf(at);
  const values = Object.fromEntries(fields.map(({ name, of }) => [name, of(application)]));
  const parameters = { appId: application.id };
  const form = openFieldForm(visit, save, {
    parameters,
    label: "Save",
    about: "Plain text. Without it, people read the built-in words.",
    fields,
    values,
    answered,
    check: "Show",
    more: html`<input type="hidden" name="shows" value="${at.shows}" /><input
        type="hidden"
        name="lang"
        value="${at.lang}"
      />`,
  });
  const options = [...pages, ...kinds.map((kind) => [`mail.${kind}`, `Mail: ${mailWords(kind)}`] as const)];
  const languages = [...pageLanguages.keys()].map((tag) => [tag, languageNames.of(tag) ?? tag] as const);
  const written = new Set((application.settings.texts ?? []).map(({ place }) => place.replace(/\.[a-z]+$/u, "")));
  return await applicationPage(ctx, visit, application, {
    tab: "Own words",
    status: answered?.refusal ? 422 : 200,
    hasFrame: true,
    body: html`${filterForm(
        visit,
        applicationPath(application, "/texts"),
        html`${selectField("Page or mail", "shows", options, at.shows)}
          ${selectField("Language", "lang", languages, at.lang)} <button class="button second">Show</button>`,
      )}
      <div class="columns">
        <div>
          ${part(
            capitalized(options.find(([name]) => name === at.shows)?.[1] ?? ""),
            form ?? facts(fields.map(({ name, label }) => [label, shown(values[name] ?? "")])),
          )}
          ${
            written.size > 0 &&
            part(
              "Written so far",
              html`<ul>
                ${options
                  .filter(([name]) => written.has(name))
                  .map(
                    ([name, label]) =>
                      html`<li>
                        <a href="${applicationPath(application, "/texts")}?shows=${name}&lang=${at.lang}">${label}</a>
                      </li>`,
                  )}
              </ul>`,
            )
          }
        </div>
        ${part("Preview", previewFrame(application, at, answered?.values ?? values))}
      </div>`,
  });
}

/** Longer ones do not fit into an address: what is saved is shown. */
const maxQuery = 8000;

function previewFrame(application: Application, { shows, lang }: Shown, values: Values): Html {
  const given = new URLSearchParams({ shows, lang, ...values }).toString();
  const query = given.length > maxQuery ? new URLSearchParams({ shows, lang }).toString() : given;
  return html`<iframe
    class="${shows.startsWith("mail.") ? "mail" : "preview"}"
    title="Preview"
    src="${applicationPath(application, "/texts/preview")}?${query}"
    data-scheme="light"
    data-size="phone"
    sandbox="allow-same-origin"
    referrerpolicy="no-referrer"
  ></iframe>`;
}

export const page = view("/applications/:appId/texts", "viewer", async (ctx, visit) => {
  const application = await applicationIn(ctx, visit, visit.request.parameter("appId"));
  return await show(ctx, visit, application, shownIn(visit.request.query()));
});

export const save = act("/applications/:appId/texts/change", "owner", "nothing", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const at = shownIn(post.form);
  const fields = fieldsOf(at);
  const form = edited(fields, post);
  const changed = changedSettings(fields, form);
  try {
    const wanted = (current: Application): ApplicationChange => {
      changeOnto(fields, form)(current);
      // What nobody changed here follows what is there now.
      const now = fields.map((field) => [
        field.name,
        changed.includes(field) ? (form.values[field.name] ?? "") : field.of(current),
      ]);
      return { settings: { texts: withWords(current.settings.texts, at, Object.fromEntries(now) as Values) } };
    };
    if (!post.form.has("check") && changed.length > 0) {
      await applications.update(ctx, application.id, wanted, post.by.actor, { source: post.by.source });
      const query = new URLSearchParams(at).toString();
      return done(ctx, post, `${applicationPath(application, "/texts")}?${query}`, "The words were saved.");
    }
    const { settings } = await applications.checkUpdate(ctx, application.id, wanted);
    if (changed.length === 0) return await show(ctx, post, application, at, form);
    const command = ["app", "update", application.id, "--texts", JSON.stringify(settings.texts ?? [])];
    const note = "The preview shows it. Nothing is saved yet.";
    return await show(ctx, post, application, at, { ...form, command, note });
  } catch (error) {
    const refusal = refusalOf(error, at);
    // Read again: somebody else may have changed it.
    return await show(ctx, post, await applicationIn(ctx, post, application.id), at, { ...form, refusal });
  }
});

/** The rule begins with the place, which is one of the fields. */
function refusalOf(error: unknown, { shows, lang }: Shown): Answered["refusal"] {
  const found = fieldRefusalOf(fieldsOf({ shows, lang }), error);
  const rule = error instanceof AppError ? (error.rejected?.rule ?? "") : "";
  const field = fieldsOf({ shows, lang }).find(({ name }) => rule.startsWith(`${shows}.${name}`));
  return field ? { field: field.name, text: `${field.label}: ${rule}` } : { ...found, field: undefined };
}

function withValues(application: Application, at: Shown, query: ReadonlyMap<string, string>): Application {
  const names = fieldsOf(at).map(({ name }) => name);
  if (!names.every((name) => query.has(name))) return application;
  const values = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
  try {
    const texts = withWords(application.settings.texts, at, values);
    return changedApplication(application, { settings: { texts } }, () => true);
  } catch (error) {
    if (error instanceof AppError) return application;
    throw error;
  }
}

/** The page or mail itself, with words that are not saved. It does nothing, and leads nowhere. */
export const preview = view("/applications/:appId/texts/preview", "viewer", async (ctx, visit) => {
  const { request } = visit;
  const saved = await applicationIn(ctx, visit, request.parameter("appId"));
  const query = request.query();
  const at = shownIn(query);
  // Another site must not choose the text under this address.
  const application = isCrossSite({ baseUrl: ownOrigin(visit) }, request) ? saved : withValues(saved, at, query);
  return at.shows.startsWith("mail.") ? mailPreview(ctx, application, at) : pagePreview(ctx, visit, application, at);
});

function mailPreview({ baseUrl, clock }: Context, application: Application, { shows, lang }: Shown): Answer {
  const kind = kinds.find((each) => `mail.${each}` === shows);
  if (!kind) throw invalidRequest("shows", "a mail");
  const now = clock();
  const mail = sampleMail(kind, { appId: application.id, to: "ada@example.com", locale: lang, baseUrl, now });
  return framedMail(renderMail(mail, { id: "sample", application, baseUrl, askedAt: now }).html);
}

function pagePreview(ctx: Context, visit: Visit, application: Application, { shows, lang }: Shown): Answer {
  const framed = frameFor(ctx, visit.request, { application, locale: lang });
  const frame = { ...framed, look: { ...framed.look, pictures: "/console" } };
  const blank = { sessionPath: "#", token: "", email: "", isPreview: true } as const;
  const { passkey, password } = application.authMethods;
  const methods = { passkey: passkey.enabled, password: password.enabled, emailCode: false, oauth: [] };
  const { signUp, passwordMinLength } = application.settings;
  const bodies: Record<string, () => Html> = {
    "sign-up": () => createAccountPage(frame, { ...blank, name: "", methods, passwordMinLength }),
    account: () => accountPage(frame, { ...someAccount, appId: application.id, now: ctx.clock() }),
  };
  const body = bodies[shows]?.() ?? signInPage(frame, { ...blank, signUpOpen: signUp === "open", methods });
  return pageAnswer(body, { isPreview: true, logoOrigin: logoUrl(frame.look)?.origin });
}

/** The account page of an invented person. */
const someAccount: Omit<Parameters<typeof accountPage>[1], "appId" | "now"> = {
  token: "",
  user: { id: "usr_example", name: "Ada Example", email: "ada@example.com", emailVerified: true, picture: null },
  canVerify: false,
  methods: [],
  adds: { passkey: false, password: false, providers: [] },
  factor: undefined,
  logins: [],
  programs: [],
  apps: [],
  tokens: undefined,
  signal: {},
  organizations: undefined,
};
