/** A person's sign-in methods, and the programs that they can sign in to. */
import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { Method } from "../../credentials/methods/method.ts";
import { html, type Html } from "../../lib/html.ts";
import type { Step } from "../../sign-in/steps.ts";
import type { SignInMethod } from "../../storage/column-types.ts";
import { browserWords } from "../parts/browser-words.ts";
import { facts, instant, part, problem, shown, state } from "../parts/data.ts";
import { actColumn, actList, actMenu } from "../parts/act-list.ts";
import type { FormOf } from "./person-forms.ts";
import type { Person, Program } from "./person.ts";
import { table } from "../parts/table.ts";

const wayWords: Record<SignInMethod, string> = {
  passkey: "With a passkey",
  password: "With the password",
  oauth: "With a provider",
  emailCode: "With a code by mail",
};

/** The next requirement. */
const stepWords: Partial<Record<Step, string>> = {
  "use-passkey": "their passkey",
  "second-factor": "a code of their authenticator app",
  "set-up-factor": "setting up a second factor",
  "create-passkey": "creating a passkey",
};

export function signInPart(person: Person): Html {
  const { user, ways, programs, application, hasMorePrograms } = person;
  return part(
    "What they can sign in with, and into what",
    html`${user.disabledAt !== null && problem("Disabled: they cannot sign in.")}
    ${ways.length === 0 && problem("The user has no way to sign in.")}
    ${facts(ways.map(({ method, next }) => [wayWords[method], next === "done" ? "nothing else is asked" : `then ${stepWords[next] ?? next}`]))}
    ${table(
      "Programs",
      [ownProgram(person), ...programs],
      [
        { heading: "Into", cell: ({ client }) => shown(client.name) },
        { heading: "May they", fit: "state", cell: (program) => verdict(person, program) },
        { heading: "Needs", leaves: 3, cell: (program) => missing(program) },
      ],
      "",
    )}
    ${hasMorePrograms && html`<p class="hint">${shown(application.name)} has more programs.</p>`}`,
  );
}

/** The application itself, which admits every user. */
function ownProgram({ application, ways }: Person): Pick<Program, "isAdmitted" | "next"> & { client: Row } {
  const client = { name: application.name, disabledAt: null, allowedGroups: null };
  return {
    client,
    isAdmitted: true,
    next: [...new Set(ways.map(({ next }) => next))].filter((step) => step !== "done"),
  };
}

type Row = Pick<Program["client"], "name" | "disabledAt" | "allowedGroups">;
type Judged = Pick<Program, "isAdmitted" | "next"> & { client: Row };

function verdict({ user, ways }: Person, { client, isAdmitted }: Judged): Html {
  const may = user.disabledAt === null && ways.length > 0 && client.disabledAt === null && isAdmitted;
  return may ? state("yes", "good") : state("no", "bad");
}

function missing({ client, isAdmitted, next }: Judged): Html | string {
  if (client.disabledAt !== null) return "the program to be enabled";
  if (!isAdmitted) return html`a group: ${shown((client.allowedGroups ?? []).join(", "))}`;
  return next.map((step) => stepWords[step] ?? step).join(", or ");
}

export function methodsPart(person: Person, form: FormOf): Html {
  const { methods, user } = person;
  return part(
    "Methods",
    table(
      "Sign-in methods",
      methods,
      [
        {
          heading: "Method",
          cell: ({ method }) => methodWords(method),
        },
        { heading: "Added", fit: "time", leaves: 1, cell: ({ method }) => instant(method.createdAt) },
        {
          heading: "Last used",
          fit: "time",
          leaves: 3,
          cell: ({ method }) => (method.lastUsedAt === null ? "never" : instant(method.lastUsedAt)),
        },
        {
          heading: "Works",
          cell: ({ method, works }) =>
            works ? state("yes", "good") : html`${state("no", "bad")} ${whyNot(person, method)}`,
        },
        ...actColumn(methods, ({ method: { id }, isRemovable }) => [
          form("removeMethod", {
            parameters: { methodId: id },
            label: "Remove",
            about: isRemovable
              ? "Ends every login and account page of the person, who gets a mail."
              : "They cannot sign in without it, until they get an invitation or a reset link. Ends every login and account page of the person, who gets a mail.",
            fields: () => html`${!isRemovable && html`<input type="hidden" name="evenLast" value="on" />`}`,
            command: ["user", "remove-method", user.id, id, ...(isRemovable ? [] : ["--even-last"])],
            isGrave: true,
          }),
        ]),
      ],
      "No method: they sign in by invitation, reset link, provider or mailed code, as the application allows.",
    ),
  );
}

function methodWords(method: Method): Html | string {
  if (method.type === "password") return "Password";
  if (method.type === "passkey") return html`Passkey: ${shown(method.name)}`;
  const { provider, email } = method;
  return html`${shown(providerDisplayName(provider))}${email !== null && html`: ${shown(email)}`}`;
}

/** Why a method does not work. */
function whyNot({ application: { authMethods }, user }: Person, { type }: Method): string {
  if (!authMethods[type].enabled) return "off in this application";
  if (type === "password" && user.email === null) return "needs an address";
  return type === "oauth" ? "this provider is off or not set up" : "not available here";
}

export function factorPart(person: Person, form: FormOf): Html {
  const { factor, trustedBrowsers, user, isFactorRequired } = person;
  const { totp, recoveryCodes, failures, blocked } = factor;
  const content = facts([
    ["Required", isFactorRequired ? "yes, by the application or a group" : "no"],
    ["Authenticator app", totp === null ? "none" : html`since ${instant(totp.setUpAt)}`],
    ["Last used", totp === null ? undefined : instant(totp.lastUsedAt)],
    ["Recovery codes left", totp === null ? undefined : recoveryCodes],
    ["Wrong codes in a row", failures === 0 ? undefined : failures],
  ]);
  const hasAny = totp !== null || failures > 0;
  const acts = actMenu([
    totp !== null || blocked
      ? form("recoveryLink", {
          label: "Make a recovery link",
          about:
            "For somebody who lost the second factor: you see a link to hand over, which removes it once they have signed in with their password or provider. It works once, for an hour, and they are told by mail.",
          command: ["user", "recovery-link", user.id],
        })
      : undefined,
    hasAny
      ? form("resetFactors", {
          label: "Remove the second factor",
          about:
            "Removes app, recovery codes and trusted browsers at once. Until they set up a new one, the password alone signs in, also for a thief. Prefer the recovery link.",
          command: ["user", "reset-factors", user.id],
          isGrave: true,
        })
      : undefined,
  ]);
  return part(
    "Second factor",
    html`${blocked && problem("Too many wrong codes: codes are not checked. A recovery link lets the user sign in.")}
    ${content} ${trustedBrowsers.length > 0 && trusted(person, form)}`,
    acts,
  );
}

function trusted({ trustedBrowsers, user }: Person, form: FormOf): Html {
  return html`<h3>Trusted browsers</h3>
    ${table(
      "Trusted browsers",
      trustedBrowsers,
      [
        { heading: "Browser", cell: ({ userAgent }) => browserWords(userAgent) },
        { heading: "Since", fit: "time", leaves: 3, cell: ({ createdAt }) => instant(createdAt) },
        { heading: "Until", fit: "time", leaves: 2, cell: ({ expiresAt }) => instant(expiresAt) },
        ...actColumn(trustedBrowsers, ({ id }) => [
          form("endTrust", {
            parameters: { browserId: id },
            label: "Forget",
            about: "The second factor will be required in this browser again.",
            command: ["user", "trusted-browsers", user.id, "--end", id],
          }),
        ]),
      ],
      "",
    )}
    ${actList([
      form("endAllTrust", {
        label: "Forget all trusted browsers",
        about: "The second factor will be required in every browser again.",
        command: ["user", "trusted-browsers", user.id, "--end-all"],
      }),
    ])}`;
}
