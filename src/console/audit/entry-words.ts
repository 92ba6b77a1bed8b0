/** An entry of the audit log in words: who did what to whom. */
import { clientSettings } from "../../applications/clients/settings.ts";
import { applicationSettings } from "../../applications/settings.ts";
import type { Setting } from "../../applications/setting.ts";
import { consoleAppId } from "../../applications/console-app.ts";
import { html, type Html } from "../../lib/html.ts";
import * as operators from "../../operators/service.ts";
import type { AuditEventAnswer } from "../../records/audit/audit.ts";
import type { AuditFilter } from "../../records/audit/store.ts";
import type { Context } from "../../runtime/context.ts";
import { mayDo } from "../operator.ts";
import { reasonName } from "../overview/kind-names.ts";
import { actorWords } from "../parts/action-words.ts";
import { shortId, shown } from "../parts/data.ts";
import { endWords, whyRefused } from "../people/time-line-words.ts";
import type { Visit } from "../route.ts";
import { sees } from "../scope.ts";
import { findNames } from "./names-store.ts";

/** Only owners see what happened in the console's application: sign-ins and roles of operators. */
export function hiddenFrom({ operator }: Visit): AuditFilter {
  return mayDo(operator, "owner") ? {} : { exceptAppId: consoleAppId };
}

/** How people and things of some entries are called, by id. */
export type Names = ReadonlyMap<string, string>;

/** Who did what to whom. */
export type Acting = Pick<AuditEventAnswer, "actor" | "userId" | "appId" | "target">;

const operatorActor = /^operator:(.+)$/su;

/** Everybody in the console sees the names of operators, and only owners their addresses. */
export async function namesIn(ctx: Context, visit: Visit, events: readonly Acting[]): Promise<Names> {
  const idsOf = ({ userId, target, appId, actor }: Acting): (string | null)[] =>
    appId === consoleAppId ? [] : [userId, target, appId, actor.replace(/^(?:app|client):/u, "")];
  const ids = events.flatMap(idsOf).filter((id) => id !== null);
  const names = new Map(await findNames(ctx.storage.reader, ids));
  if (events.some(({ actor, appId }) => operatorActor.test(actor) || appId === consoleAppId))
    for (const { id, name, email } of await operators.list(ctx))
      names.set(id, name ?? (mayDo(visit.operator, "owner") ? email : null) ?? "");
  return names;
}

export function whoWords({ actor, userId }: Pick<Acting, "actor" | "userId">, names: Names): string {
  const [, kind, id = ""] = /^([a-z]+):(.+)$/su.exec(actor) ?? [];
  const name = names.get(id) ?? "";
  if (kind === "operator") return name === "" ? `an operator (…${id.slice(-6)})` : name;
  if (kind === "app") return name === "" ? "a server" : `the server of ${name}`;
  if (kind === "client") return `the machine ${name === "" ? id : name}`;
  return kind === "user" && name !== "" ? name : actorWords(actor, userId);
}

/** What an entry is about: the thing that was changed, or the person, or the application. */
export function about(visit: Visit, event: AuditEventAnswer, names: Names): Html | undefined {
  const { actor, userId, appId, target } = event;
  const isOwnAct = actor === `user:${userId}`;
  if (userId !== null && !(isOwnAct && target !== null)) return personLink(visit, appId, userId, names);
  if (target !== null) return thingLink(visit, event, target, names);
  return appId === null ? undefined : applicationLink(visit, appId, names);
}

export function personLink(visit: Visit, appId: string | null, userId: string, names: Names): Html {
  const name = names.get(userId) ?? "";
  const text = name === "" ? shortId(userId, { copies: false }) : shown(name);
  if (appId === consoleAppId && visit.entry.isTeam && mayDo(visit.operator, "owner"))
    return html`<a href="/console/operators/${userId}">${text}</a>`;
  return appId !== null && sees(visit, appId) ? html`<a href="/console/people/${userId}">${text}</a>` : text;
}

export function applicationLink(visit: Visit, appId: string, names: Names = new Map()): Html {
  const text = shown(names.get(appId) ?? appId);
  return sees(visit, appId) ? html`<a href="/console/applications/${appId}">${text}</a>` : text;
}

/** A thing that is gone has no name, and no page. */
function thingLink(visit: Visit, event: AuditEventAnswer, target: string, names: Names): Html {
  const { action, appId, details } = event;
  const kind = action.split(".", 1)[0] ?? "";
  const ofApp = `/console/applications/${encodeURIComponent(appId ?? "")}`;
  const id = encodeURIComponent(target);
  const name = names.get(target);
  const at = (path: string, text = name): Html =>
    text === undefined ? shown(target) : html`<a href="${path}">${shown(text === "" ? target : text)}</a>`;
  if (appId !== null && !sees(visit, appId)) return shown(target);
  if (kind === "application") return at(`/console/applications/${id}`);
  if (kind === "webhook") return at(`/console/webhooks/${id}`);
  if (kind === "signing-key") return at(`/console/keys/${id}`, target);
  if (kind === "api-key") return at(`${ofApp}/keys?open=${id}#open`);
  if (kind === "group") return at(`${ofApp}/groups?open=${encodeURIComponent(name ?? "")}#open`);
  if (kind === "organization") return at(`${ofApp}/organizations/${id}`);
  if (kind === "client" || kind.startsWith("client-")) return at(`${ofApp}/clients/${id}`);
  if (kind !== "provider") return shown(target);
  const provider = String(details["provider"]);
  return at(`${ofApp}/providers/${encodeURIComponent(provider)}`, provider);
}

/** Of things that have no row of settings. */
const otherLabels: Record<string, string> = {
  url: "URL",
  events: "Events",
  enabled: "Enabled",
  secondFactor: "Second factor",
  join: "Who joins",
  clientId: "Client ID",
  teamId: "Team ID",
  keyId: "Key ID",
  issuer: "Issuer",
  trustsEmail: "Trusts addresses",
  trustsSecondFactor: "Claim of the second factor",
  emailClaim: "Claim of the address",
  authorizationUrl: "Authorization URL",
  tokenUrl: "Token URL",
  userinfoUrl: "Userinfo URL",
  jwksUrl: "URL of public keys",
  secret: "Secret",
  secretOverlap: "Overlap of secrets",
  branding: "Branding",
  settings: "Settings",
  authMethods: "Ways to sign in",
};

const lists: readonly Setting["kind"][] = ["lines", "list", "choices", "other"];

function labelled(field: string, action: string): { label: string; isList: boolean } {
  const rows: Record<string, Setting> = action.startsWith("client") ? clientSettings : applicationSettings;
  const { label = otherLabels[field] ?? field, kind } = rows[field] ?? {};
  return { label, isList: field === "events" || (kind !== undefined && lists.includes(kind)) };
}

/** Each changed setting with what was and what is; without both if the log does not know them. */
export type ChangedSetting = { label: string; isList: boolean; from?: string; to?: string };

export function changedSettings({ action, changes, details }: AuditEventAnswer): ChangedSetting[] {
  const known = Object.entries(changes ?? {});
  const fields = typeof details["fields"] === "string" ? details["fields"].split(/,\s*/u) : [];
  const isKnown = (field: string): boolean =>
    known.some(([each]) => each === field || each.startsWith(`${field}.`) || field === "settings");
  return [
    ...known.map(([field, values]) => ({ ...labelled(field, action), ...values })),
    ...fields.filter((field) => !isKnown(field)).map((field) => labelled(field, action)),
  ];
}

export function changeWords({ isList, from, to }: ChangedSetting): string {
  if (from === undefined || to === undefined) return "changed";
  if (!isList) return `${from || "none"} → ${to || "none"}`;
  return [from && `removed ${from}`, to && `added ${to}`].filter((text) => text !== "").join("; ");
}

/** Their failures say why. */
const signInActions: ReadonlySet<string> = new Set(["sign-in", "second-factor", "email-code"]);

/** What the words of the action leave open, in a few more. */
export function moreWords(event: AuditEventAnswer): string {
  const { action, details } = event;
  const isSetting = /^(?:application|client|webhook|provider|group|organization)\./u.test(action);
  if (isSetting && event.changes) {
    const [first, ...others] = changedSettings(event);
    const more = others.length === 0 ? "" : `, and ${others.length} more`;
    return first ? `${first.label}: ${changeWords(first)}${more}` : "";
  }
  if (event.result === "failure" && signInActions.has(action)) return whyRefused(action, details);
  const { code, reason } = details;
  const told = [
    ...["group", "method", "provider", "kind", "domain", "roles"].map((name) => details[name]),
    typeof reason === "string" ? endWords(reason) : undefined,
    ...["fields", "role"].map((name) => details[name]),
  ];
  return [...told, typeof code === "string" && reasonName({ event: "refusal", kind: code })]
    .filter((text) => typeof text === "string")
    .join(", ");
}
