/** Whether a person can sign in, and into what; why not, and the act that fixes it. */
import { isPending } from "../../users/user.ts";
import { html, type Html, type HtmlValue } from "../../lib/html.ts";
import { hour, minute, second } from "../../lib/clock.ts";
import { escapeUnseen } from "../../lib/text.ts";
import type { Step } from "../../sign-in/steps.ts";
import type { MailKind, SignInMethod } from "../../storage/column-types.ts";
import type { ActButton } from "../parts/act-form.ts";
import { actColumn, openButton } from "../parts/act-list.ts";
import { mailWords } from "../parts/action-words.ts";
import { facts, instant, part, shown, state } from "../parts/data.ts";
import { table } from "../parts/table.ts";
import type { FormOf } from "./person-forms.ts";
import type { Obstacle, Person, Program, Way } from "./person.ts";
import { groupChoice } from "./person-access.ts";
import type { LastMail } from "./time-line-store.ts";
import { whyRefused } from "./time-line-words.ts";

const wayWords: Record<SignInMethod, string> = {
  passkey: "With a passkey",
  password: "With the password",
  oauth: "With a provider",
  emailCode: "With a code by mail",
  organization: "With the provider of an organization",
};

/** The next requirement. */
const stepWords: Partial<Record<Step, string>> = {
  "use-passkey": "their passkey",
  "second-factor": "a code of their authenticator app",
  "set-up-factor": "setting up a second factor",
  "create-passkey": "creating a passkey",
  "new-password": "choosing a new password",
  "prove-anew": "a code from their mailbox",
};

type Verdict = "yes" | "partly" | "no";

const looks = { yes: "good", partly: "quiet", no: "bad" } as const;

function isClosed({ obstacles }: Way): boolean {
  return obstacles.some(({ isPartial }) => !isPartial);
}

/** What a disabled account or program, a group or every way being closed leaves of it. */
function verdictOf({ user }: Person, { client, isAdmitted, ways }: Program): Verdict {
  if (user.disabledAt !== null || client.disabledAt !== null || !isAdmitted) return "no";
  if (ways.every(isClosed)) return "no";
  return ways.some(({ obstacles }) => obstacles.length > 0) ? "partly" : "yes";
}

/** The application itself, which admits every user. */
function ownProgram({ application: { id, name }, ways }: Person): Program {
  return { client: { id, name, disabledAt: null, allowedGroups: null }, isAdmitted: true, ways };
}

/** `fix`: the act beside the page's heading that opens a way again. */
export function canSignInPart(
  person: Person,
  { form, fix, now }: { form: FormOf; fix: ActButton | undefined; now: number },
): Html {
  const { programs, application, hasMorePrograms } = person;
  const own = ownProgram(person);
  const verdict = verdictOf(person, own);
  return part(
    "Can they sign in?",
    html`<p>${headline(person, verdict)}</p>
      ${wayList(person, now)} ${fix && openButton(fix)}
      ${
        programs.length > 0 &&
        table(
          "Programs",
          [own, ...programs],
          [
            { heading: "Into", cell: ({ client }) => programLink(application.id, client) },
            { heading: "Can they", fit: "state", cell: (program) => verdictState(verdictOf(person, program)) },
            { heading: "Why", cell: (program) => whyNot(person, program) },
            ...actColumn([own, ...programs], (program) => [admission(person, program, form)]),
          ],
          "",
        )
      }
      ${hasMorePrograms && html`<p class="hint">${shown(application.name)} has more programs.</p>`}`,
    verdictState(verdict),
  );
}

function verdictState(verdict: Verdict): Html {
  return state(verdict, looks[verdict]);
}

function headline({ user, ways, methods, invitedUntil }: Person, verdict: Verdict): HtmlValue {
  if (isPending(user)) return "No. The account waits for approval.";
  if (user.disabledAt !== null) return html`No. The account was disabled ${instant(user.disabledAt)}.`;
  if (invitedUntil !== undefined && ways.length === 0)
    return html`Not yet. They have not chosen how to sign in. Their invitation expires ${instant(invitedUntil)}.`;
  if (ways.length === 0 && methods.length > 0) return "No. None of their methods works here: see Methods.";
  if (ways.length === 0) return "No. They have no way to sign in, and no invitation is open.";
  if (verdict === "no") return "Not now. Every way is closed:";
  return verdict === "partly" ? "Yes, but some ways are closed:" : "Yes, in each of these ways:";
}

function wayList({ user, ways }: Person, now: number): Html | undefined {
  if (user.disabledAt !== null || ways.length === 0) return undefined;
  return html`<ul class="ways">
    ${ways.map(
      ({ method, next, obstacles }) =>
        html`<li>
          ${wayWords[method]}${next === "done" ? "" : `, then ${stepWords[next] ?? next}`}.
          ${obstacles.map((obstacle) => html`<strong class="bad">${obstacleWords(obstacle, now)}</strong> `)}
        </li>`,
    )}
  </ul>`;
}

/** "4 more minutes" until an instant. */
function moreTime(until: number, now: number): string {
  const left = Math.max(until - now, second);
  const [size, unit] = left > 2 * hour ? [hour, "hour"] : left > minute ? [minute, "minute"] : [second, "second"];
  const amount = Math.ceil(left / size);
  return `${amount} more ${unit}${amount === 1 ? "" : "s"}`;
}

function obstacleWords(obstacle: Obstacle, now: number): HtmlValue {
  const { kind, isPartial } = obstacle;
  if (kind === "mail") return html`Mail started to fail ${instant(obstacle.since)}.`;
  if (kind === "no-passkeys") return "The service's address allows no passkeys.";
  if (kind === "codes") {
    const instead = isPartial ? " Their passkey works instead." : "";
    if (obstacle.until === null) return `Codes are blocked after 100 wrong ones.${instead}`;
    return `Codes are blocked for ${moreTime(obstacle.until, now)} after wrong ones.${instead}`;
  }
  if (kind === "network")
    return html`No password is checked from ${shown(obstacle.network)} for ${moreTime(obstacle.until, now)}: too many
    wrong ones came from there.`;
  const { failures, until, inKnownBrowser } = obstacle;
  const blocked = `Password blocked for ${moreTime(until, now)} after ${failures} wrong ones`;
  if (inKnownBrowser) return `${blocked}, in a browser that they have used before.`;
  return isPartial ? `${blocked}, but not in browsers that they have used before.` : `${blocked}.`;
}

function programLink(appId: string, { id, name }: Program["client"]): Html {
  const path = id === appId ? `/console/applications/${appId}` : `/console/applications/${appId}/clients/${id}`;
  return html`<a href="${path}">${shown(name)}</a>`;
}

function whyNot({ user }: Person, { client, isAdmitted, ways }: Program): Html | string {
  if (isPending(user)) return "The account waits for approval.";
  if (user.disabledAt !== null) return "The account is disabled.";
  if (client.disabledAt !== null) return "The program is disabled.";
  if (!isAdmitted) return shown(`Not in its groups: ${(client.allowedGroups ?? []).join(", ")}`);
  if (ways.length === 0) return "They have no way to sign in.";
  if (ways.every(isClosed)) return "Every way is closed.";
  const next = [...new Set(ways.map((way) => way.next))];
  return next.includes("done") ? "" : `Then ${next.map((step) => stepWords[step] ?? step).join(", or ")}.`;
}

/** Into a group that the program admits. */
function admission({ user }: Person, { client, isAdmitted }: Program, form: FormOf): ActButton | undefined {
  if (isAdmitted) return undefined;
  return form("addToGroup", {
    label: "Add to a group",
    title: `Let them use ${escapeUnseen(client.name)}`,
    about: "Grants what the group allows, here and in other programs.",
    fields: (entered) => groupChoice(client.allowedGroups ?? [], entered("group")),
    command: ["group", "add", "GROUP", user.id, "--app", user.appId],
  });
}

/** What happened last: refusals, the last mail, and where else the address is known. */
export function lastSignsPart({ user, refusals, lastMail, elsewhere }: Person): Html {
  return part(
    "Last refusals and mail",
    html`${table(
      "The last refused sign-ins of 30 days",
      refusals,
      [
        { heading: "When", fit: "time", cell: ({ at }) => instant(at) },
        { heading: "Why", cell: ({ details, action }) => whyRefused(action, details) },
        { heading: "From", leaves: 3, cell: ({ ipAddress }) => (ipAddress === null ? "" : shown(ipAddress)) },
      ],
      "No sign-in was refused in 30 days.",
    )}
    ${facts([
      ["Last mail", lastMail === undefined ? "none in 30 days" : lastMailWords(lastMail)],
      [
        "The same address in",
        elsewhere.length === 0
          ? undefined
          : html`${elsewhere.map(({ id, application }) => html`<a href="/console/people/${id}">${shown(application)}</a> `)}`,
      ],
    ])}`,
    html`<a href="/console/audit?${new URLSearchParams({ user: user.id, result: "failure" }).toString()}"
      >All refusals</a
    >`,
  );
}

function lastMailWords({ at, kind, state: mailState, reason }: LastMail): Html {
  const what = mailWords(kind as MailKind);
  if (mailState === "sent") return html`${what}, sent ${instant(at)}`;
  const why = reason === null ? "" : html`: ${shown(reason)}`;
  const look = mailState === "dropped" ? "given up" : reason === null ? "waiting" : "failed so far";
  return html`${what}, ${state(look, reason === null ? "quiet" : "bad")} ${instant(at)}${why}`;
}
