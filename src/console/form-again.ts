/**
 * A form whose session ended, or whose passkey is too old, comes back filled instead of being lost.
 * Nothing of it was done (docs/decisions/0087).
 */
import { timingSafeEqual } from "node:crypto";
import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { hour, isOver } from "../lib/clock.ts";
import { html, type Html, type HtmlValue } from "../lib/html.ts";
import { capitalized } from "../lib/text.ts";
import { pageAnswer } from "../pages/page-answer.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import { cookieOf, earlierKey, type Entry } from "./entry/entry.ts";
import { facts, shown } from "./parts/data.ts";
import { fieldsMarkup, listOf } from "./parts/fields.ts";
import { documentOf } from "./parts/frame.ts";
import { pageAddress } from "./parts/page-address.ts";
import type { Act, Visit } from "./route.ts";

type Form = Map<string, string>;
type Posted = { request: HttpRequest; form: Form };

const ticketLasts = hour;

function actorText({ kind, name }: Actor): string {
  return `${kind}:${name}`;
}

/** The token of a session's forms. It says whose it is, also when nothing else knows that. */
export function formTokenOf(ctx: Context, key: string, actor: Actor): string {
  return tokenOf(ctx, key, actorText(actor));
}

function tokenOf({ keyring }: Context, key: string, actor: string): string {
  const mac = keyring.mac("console", "form", key, actor).toString("base64url");
  return `${Buffer.from(actor).toString("base64url")}.${mac}`;
}

/**
 * The operator whose page had this form, if its token fits a cookie that came with it: that of the
 * session, or of the one before it in this browser.
 */
function senderOf(ctx: Context, entry: Entry, request: HttpRequest, form: Form): string | undefined {
  const keys = ["console", earlierKey].map((name) => cookieOf(request, entry.origin(), name));
  const token = form.get("token") ?? "";
  const actor = Buffer.from(token.split(".")[0] ?? "", "base64url").toString();
  return keys.some((key) => key !== undefined && isSame(token, tokenOf(ctx, key, actor))) ? actor : undefined;
}

function isSame(sent: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** For one operator and one address: it shows the form once more, and does nothing. */
function ticketFor({ keyring }: Context, actor: string, path: string, expiresAt: number): string {
  return `${expiresAt}.${keyring.mac("console", "ticket", actor, path, String(expiresAt)).toString("base64url")}`;
}

function pathOf({ path }: HttpRequest): string {
  return path.split("?")[0] ?? "";
}

/** Whether a form without a token of this session is one that came back to this operator. */
export function hasTicket(ctx: Context, { request, operator }: Visit, form: Form): boolean {
  const ticket = form.get("ticket") ?? "";
  const expiresAt = Number(/^(\d{1,16})\./u.exec(ticket)?.[1] ?? 0);
  if (isOver(expiresAt, ticketLasts, ctx.clock())) return false;
  return isSame(ticket, ticketFor(ctx, actorText(operator.actor), pathOf(request), expiresAt));
}

/** Whether a form without a token of this session is from this operator's one before it. */
export function isOfEarlierSession(ctx: Context, { request, operator, entry }: Visit, form: Form): boolean {
  return senderOf(ctx, entry, request, form) === actorText(operator.actor);
}

/** For a form of a session that has ended; undefined if nothing shows whose it is. */
export async function afterSession(
  ctx: Context,
  entry: Entry,
  act: Act,
  request: HttpRequest,
): Promise<Answer | undefined> {
  const form = await request.form();
  const actor = senderOf(ctx, entry, request, form);
  if (actor === undefined) return undefined;
  const words = { title: "Your session has ended", press: "Sign in in a new tab" };
  return comesBack(ctx, entry, act, { request, form, actor, ...words });
}

/** For a form that needs the passkey, in a session that used it too long ago. */
export function beforePasskey(ctx: Context, act: Act, { request, operator, entry }: Visit, form: Form): Answer {
  const actor = actorText(operator.actor);
  const words = { title: "Confirm with your passkey", press: "Use your passkey in a new tab" };
  return comesBack(ctx, entry, act, { request, form, actor, ...words });
}

function comesBack(
  ctx: Context,
  { signInPath }: Entry,
  act: Act,
  { request, form, actor, title, press }: Record<"actor" | "title" | "press", string> & Posted,
): Answer {
  const ticket = ticketFor(ctx, actor, pathOf(request), ctx.clock() + ticketLasts);
  const signIn =
    signInPath === undefined
      ? html`<p>Run this command, after ending the first one (Ctrl-C), and open its link in this browser:</p>
          <div class="command"><code>authsvc console</code></div>`
      : html`<p><a class="button" href="${signInPath}" target="_blank" rel="noopener">${press}</a></p>`;
  return page(
    ctx,
    act,
    { request, form },
    {
      title,
      status: 403,
      about: html`<p role="status">Nothing has changed. This page keeps what you entered for an hour.</p>
        ${signIn}
        <p>Then come back here. You see the form once more before anything happens.</p>`,
      fields: html`<input type="hidden" name="token" value="${form.get("token") ?? ""}" /><input
          type="hidden"
          name="ticket"
          value="${ticket}"
        />${kept(form, ["token", "ticket"], act)}`,
      press: "Send again",
      look: "button second",
    },
  );
}

/** The form with a ticket: a press of its button is a new post of this session. */
export function onceMore(ctx: Context, act: Act, visit: Visit, form: Form): Answer {
  const secrets = act.secrets.filter(({ name }) => form.has(name));
  return page(
    ctx,
    act,
    { request: visit.request, form },
    {
      title: "Send it now?",
      status: 200,
      about: html`<p role="status">You are signed in as ${shown(visit.operator.name)}. Nothing has changed yet.</p>`,
      fields: html`<input
          type="hidden"
          name="token"
          value="${visit.formToken}"
        />${kept(form, ["token", "ticket", ...secrets.map(({ name }) => name)], act)}
        ${secrets.length > 0 && html`<p>Secrets are not kept. If you had entered one, enter it again.</p>`}
        ${fieldsMarkup(secrets, {})}`,
      press: "Send",
      look: "button",
    },
  );
}

type Again = { title: string; status: number; about: Html; fields: Html; press: string; look: string };

function page(
  ctx: Context,
  act: Act,
  { request, form }: Posted,
  { title, status, about, fields, press, look }: Again,
): Answer {
  const back = pageAddress({ form });
  const content = html`<div class="message">
    <h1>${title}</h1>
    ${about}
    <section class="part">
      <h2>${shown(form.get("act") ?? "What you entered")}</h2>
      ${facts([...enteredIn(form, act), ["On the page", html`<a href="${back}">${back.replace("/console/", "")}</a>`]])}
    </section>
    <form method="post" action="${pathOf(request)}">
      ${fields}
      <p class="buttons">
        <button class="${look}">${press}</button> <a class="button second" href="${back}">Cancel</a>
      </p>
    </form>
  </div>`;
  return pageAnswer(documentOf(ctx, { title, content }), { status });
}

/** Of secrets only that the form has them. */
function kept(form: Form, without: readonly string[], act: Act): Html[] {
  return [...form]
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${isSecret(act, name) ? "" : value}" />`);
}

function isSecret({ secrets }: Act, name: string): boolean {
  return secrets.some((field) => field.name === name);
}

const notShown = ["token", "ticket", "page", "act", "check", "digest"];

/** The fields that differ from what the form showed, for people to recognize it. */
function enteredIn(form: Form, act: Act): [string, HtmlValue][] {
  const values = new Map<string, string[]>();
  for (const [name, value] of form) {
    if (notShown.includes(name) || isSecret(act, name) || name.startsWith("was.")) continue;
    // The boxes of one field: `methods.passkey`, `event:user.created`.
    const [, box, option] = /^(\w+)[.:](.+)$/u.exec(value === "on" ? name : "") ?? [];
    const field = box === "event" ? "events" : (box ?? name);
    values.set(field, [...(values.get(field) ?? []), option ?? value]);
  }
  return [...values]
    .filter(([name, entered]) => !isUnchanged(form.get(`was.${name}`), entered))
    .map(([name, entered]) => [
      labelOf(name),
      entered.join(", ") === ""
        ? html`<span class="quiet">empty</span>`
        : entered
            .join(", ")
            .split("\n")
            .map((line) => html`<div>${shown(line.trim())}</div>`),
    ]);
}

function isUnchanged(was: string | undefined, entered: string[]): boolean {
  if (was === undefined) return false;
  return was === entered.join().replaceAll("\r\n", "\n") || listOf(was).toSorted().join() === entered.toSorted().join();
}

/** `redirectUris` is "Redirect URIs": a form does not send the labels of its fields. */
function labelOf(name: string): string {
  const words = name.replaceAll(/[._]/gu, " ").replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
  const known = words.replaceAll(/\b(?:uri|url|id|jwks|api)(?=s?\b)/gu, (word) => word.toUpperCase());
  return capitalized(known);
}
