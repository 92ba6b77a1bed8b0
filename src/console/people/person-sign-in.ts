/** A person's sign-in methods, second factor and trusted browsers. */
import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { Method } from "../../credentials/methods/method.ts";
import { html, type Html } from "../../lib/html.ts";
import { browserWords } from "../parts/browser-words.ts";
import { facts, instant, instantOrNever, part, problem, shown, state } from "../parts/data.ts";
import { actColumn, actList, actMenu } from "../parts/act-list.ts";
import type { FormOf } from "./person-forms.ts";
import type { Person } from "./person.ts";
import { table } from "../parts/table.ts";

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
          cell: ({ method }) => instantOrNever(method.lastUsedAt),
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
    html`${blocked && problem("After 100 wrong codes, none is checked. Unblock them for ten more, or make a recovery link.")}
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
