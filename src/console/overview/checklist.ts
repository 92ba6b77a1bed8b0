/** What a new installation needs, in the order in which it is done. */
import * as apiKeys from "../../applications/keys.ts";
import type { ApplicationAnswer } from "../../applications/service.ts";
import { html, type Html } from "../../lib/html.ts";
import { hostOf, isLoopbackHost } from "../../lib/loopback.ts";
import * as operators from "../../operators/service.ts";
import type { Context } from "../../runtime/context.ts";
import { lastBackup } from "../../upkeep/doctor/findings.ts";
import { mayDo } from "../operator.ts";
import { actList } from "../parts/act-list.ts";
import { commandLine, pasted } from "../parts/command-line.ts";
import { part, shown, state } from "../parts/data.ts";
import type { Visit } from "../route.ts";
import { configLines } from "../service/config-lines.ts";
import { backUpForm } from "../service/service-page.ts";

type Step = {
  name: string;
  isDone: boolean;
  /** Why, in a sentence. */
  about: string;
  /** A button, a command or the lines of configuration that do it. */
  how: Html;
};

export async function checklistPart(
  ctx: Context,
  visit: Visit,
  applications: readonly ApplicationAnswer[],
): Promise<Html> {
  const seesAll = visit.operator.appId === undefined;
  const steps = [
    ...(await applicationSteps(ctx, visit, applications[0])),
    ...(seesAll ? await serviceSteps(ctx, visit) : []),
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  return part(
    "Set up this service",
    html`<ol class="steps" data-live="steps">
      ${steps.map(
        ({ name, isDone, about, how }) =>
          html`<li>
            <h3>${name} ${isDone && state("done", "good")}</h3>
            ${
              !isDone &&
              html`<p>${about}</p>
                ${how}`
            }
          </li>`,
      )}
    </ol>`,
    html`<span class="hint">${done} of ${steps.length} done</span>`,
  );
}

function button(visit: Visit, path: string, label: string): Html | false {
  return mayDo(visit.operator, "owner") && html`<p><a class="button second" href="${path}">${label}</a></p>`;
}

async function applicationSteps(
  ctx: Context,
  visit: Visit,
  application: ApplicationAnswer | undefined,
): Promise<Step[]> {
  const id = application?.id ?? "ID";
  const path = application === undefined ? "/console/applications" : `/console/applications/${encodeURIComponent(id)}`;
  const keys = application === undefined ? [] : await apiKeys.listKeys(ctx, id);
  const env = `AUTHSVC_ISSUER=${ctx.baseUrl}\nAUTHSVC_APP_ID=${id}\nAUTHSVC_API_KEY=…\nAUTHSVC_COOKIE_SECRET=…\n`;
  return [
    {
      name: "Create an application",
      isDone: application !== undefined,
      about: "People sign in to an application: its name and its logo are on the pages.",
      how: html`${button(visit, path, "Create an application")}
      ${commandLine(["app", "create", "--name", "NAME", "--redirect-uri", "URI"])}`,
    },
    {
      name: "Connect its server",
      isDone: keys.some(({ lastUsedAt }) => lastUsedAt !== null),
      about:
        "These lines go into the .env file of its server. A new key is shown once, together with all four lines. This step is done once the server has used a key.",
      how:
        application === undefined
          ? html`<p class="hint">The lines are here once there is an application.</p>`
          : html`${pasted("The .env file", env)} ${button(visit, `${path}/keys`, "Create a key")}
            ${commandLine(["key", "create", "--app", id])}`,
    },
    {
      name: "Sign in for the first time",
      isDone: (application?.stats.totalLogins ?? 0) > 0,
      about: "Try a sign-in here, as your server would make it, or open your application.",
      how:
        application === undefined
          ? html`<p class="hint">Possible once there is an application.</p>`
          : html`${button(visit, `${path}/try`, "Try it")}
              <p class="hint">The API reference is at ${shown(`${ctx.baseUrl}/docs`)}.</p>`,
    },
  ];
}

async function serviceSteps(ctx: Context, visit: Visit): Promise<Step[]> {
  const { config, baseUrl } = ctx;
  const isPublic = !isLoopbackHost(hostOf(baseUrl), "localhost and below");
  const isOwner = mayDo(visit.operator, "owner");
  return [
    {
      name: "Send mail",
      isDone: config.mail !== undefined,
      about: "Without it nobody can reset a password or verify an address.",
      how: configLines("mail"),
    },
    {
      name: "Domain and TLS",
      isDone: isPublic && baseUrl.startsWith("https:"),
      about:
        "Browsers allow passkeys on https and a host name only. Leave out listen.tls behind a proxy that terminates TLS.",
      how: configLines("domain", "tls"),
    },
    {
      name: "Make a backup",
      isDone: (await lastBackup(ctx)) !== undefined,
      about: "Make one every day, and keep it on another machine. The master key is not in it: keep that apart.",
      how: html`${actList([backUpForm(visit)])} ${commandLine(["db", "backup", "FILE"])}`,
    },
    // Only owners see operators.
    ...(isOwner
      ? [
          {
            name: "Invite a second operator",
            isDone: (await operators.list(ctx)).length > 1,
            about: "If one loses the passkey, the other can let them in again.",
            how: html`${config.console ? button(visit, "/console/operators", "Invite an operator") : configLines("console")}
            ${commandLine(["operator", "invite", "--email", "EMAIL", "--role", "owner"])}`,
          },
        ]
      : []),
  ];
}
