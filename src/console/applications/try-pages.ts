import type { Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { escapeUnseen } from "../../lib/text.ts";
import type { Context } from "../../runtime/context.ts";
import { ownOrigin } from "../entry/entry.ts";
import { actForm, openForm } from "../parts/act-form.ts";
import { actList } from "../parts/act-list.ts";
import { copyable } from "../parts/command-line.ts";
import { part, problem, state } from "../parts/data.ts";
import { fieldRefusalOf } from "../parts/fields.ts";
import { done } from "../parts/notice.ts";
import { act, view, type Post, type Visit } from "../route.ts";
import { applicationIn } from "../scope.ts";
import { applicationPage, applicationPath } from "./application-frame.ts";
import * as trials from "./trial.ts";
import type { Call, Trial } from "./trial.ts";

function callbackOf(visit: Visit, application: Application): string {
  return `${ownOrigin(visit)}${applicationPath(application, "/try/back")}`;
}

async function show(ctx: Context, visit: Visit, application: Application, refused?: string): Promise<Answer> {
  const trial = trials.find(ctx, visit.sessionKey, application);
  const callback = callbackOf(visit, application);
  const isReady = application.redirectUris.includes(callback);
  return await applicationPage(ctx, visit, application, {
    tab: "Try it",
    status: refused === undefined ? 200 : 422,
    body: html`<p>
        Signs you in to this application for real, as its server would, and shows each call and its answer.
      </p>
      ${refused !== undefined && problem(refused)} ${needs(visit, application, callback, isReady)}
      ${isReady && starting(visit, application, trial)} ${trial && walked(visit, application, trial)}`,
  });
}

function needs(visit: Visit, application: Application, callback: string, isReady: boolean): Html {
  const parameters = { appId: application.id };
  const update = ["app", "update", application.id];
  return part(
    "What it needs",
    html`<p>This address of the console as a redirect URI of the application, for as long as you try:</p>
      ${copyable(callback)}
      ${
        isReady
          ? actList([
              actForm(visit, removeAddress, {
                parameters,
                label: "Remove it from the application",
                about: "Sign-ins of this application can then no longer return to the console.",
                command: [...update, "--remove-redirect-uri", callback],
              }),
            ])
          : openForm(visit, addAddress, {
              parameters,
              label: "Add it to the application",
              about: "Sign-ins of this application can then return to the console.",
              command: [...update, "--add-redirect-uri", callback],
            })
      }`,
    isReady ? state("ready", "good") : state("missing", "bad"),
  );
}

function starting(visit: Visit, application: Application, trial: Trial | undefined): Html {
  return html`<section class="part">
    ${openForm(visit, start, {
      parameters: { appId: application.id },
      label: trial ? "Start again" : "Start a sign-in",
      about: "Opens the sign-in page of the application in this browser, and comes back here.",
    })}
  </section>`;
}

function walked(visit: Visit, application: Application, { calls, tokens }: Trial): Html {
  const parameters = { appId: application.id };
  return html`${calls.map((call, index) => callPart(call, index + 1))}
  ${
    tokens &&
    html`<div class="buttons">
      ${openForm(visit, validate, { parameters, label: "Validate", about: "Is the access token still accepted?" })}
      ${openForm(visit, refresh, { parameters, label: "Refresh", about: "Exchanges the refresh token for new tokens." })}
      ${openForm(visit, logOut, { parameters, label: "Log out", about: "Ends the login and this trial." })}
    </div>`
  }`;
}

function callPart({ title, request, status, answer }: Call, number: number): Html {
  const text = escapeUnseen(JSON.stringify(answer, null, 2), "\n");
  return part(
    `${number}. ${title}`,
    html`<pre tabindex="0" aria-label="Call ${number}">${request}</pre>
      <pre tabindex="0" aria-label="Answer ${number}">${text}</pre>`,
    state(String(status), status < 400 ? "good" : "bad"),
  );
}

export const page = view("/applications/:appId/try", "owner", async (ctx, visit) => {
  return await show(ctx, visit, await applicationIn(ctx, visit, visit.request.parameter("appId")));
});

/** Where the sign-in page sends the browser. The code is removed from the address. */
export const back = view("/applications/:appId/try/back", "owner", async (ctx, visit) => {
  const { request } = visit;
  const application = await applicationIn(ctx, visit, request.parameter("appId"));
  const trial = trials.find(ctx, visit.sessionKey, application);
  const isOwn = !request.onlyLooks && trial !== undefined && (await trials.comeBack(ctx, trial, application, request));
  if (isOwn) return seeOther(applicationPath(application, "/try"));
  return await show(ctx, visit, application, "This sign-in did not begin here, or it was too long ago. Start again.");
});

async function changeAddress(
  ctx: Context,
  post: Post,
  field: "addedRedirectUris" | "removedRedirectUris",
): Promise<Answer> {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const change = { [field]: [callbackOf(post, application)] };
  try {
    await applications.update(ctx, application.id, change, post.by.actor, { source: post.by.source });
  } catch (error) {
    return await show(ctx, post, application, fieldRefusalOf([], error).text);
  }
  const notice = field === "addedRedirectUris" ? "The address was added." : "The address was removed.";
  return done(ctx, post, applicationPath(application, "/try"), notice);
}

export const addAddress = act("/applications/:appId/try/add-address", "owner", "passkey", async (ctx, post) => {
  return await changeAddress(ctx, post, "addedRedirectUris");
});

export const removeAddress = act("/applications/:appId/try/remove-address", "owner", "nothing", async (ctx, post) => {
  return await changeAddress(ctx, post, "removedRedirectUris");
});

export const start = act("/applications/:appId/try/start", "owner", "passkey", async (ctx, post) => {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const callback = callbackOf(post, application);
  if (!application.redirectUris.includes(callback))
    return await show(ctx, post, application, "The application does not have this address yet.");
  return seeOther(await trials.start(ctx, post.sessionKey, application, callback, post.by));
});

async function next(
  ctx: Context,
  post: Post,
  call: (ctx: Context, trial: Trial, application: Application, request: HttpRequest) => Promise<void>,
): Promise<Answer> {
  const application = await applicationIn(ctx, post, post.request.parameter("appId"));
  const trial = trials.find(ctx, post.sessionKey, application);
  if (!trial?.tokens) throw new AppError("CONFLICT", "This sign-in is over. Start again.");
  await call(ctx, trial, application, post.request);
  return seeOther(applicationPath(application, "/try"));
}

export const validate = act("/applications/:appId/try/validate", "owner", "nothing", async (ctx, post) => {
  return await next(ctx, post, trials.validate);
});

export const refresh = act("/applications/:appId/try/refresh", "owner", "nothing", async (ctx, post) => {
  return await next(ctx, post, trials.refresh);
});

export const logOut = act("/applications/:appId/try/log-out", "owner", "nothing", async (ctx, post) => {
  return await next(ctx, post, trials.logOut);
});
