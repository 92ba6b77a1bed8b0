import type { ApplicationAnswer } from "../../applications/service.ts";
import type { Answer } from "../../http/answer.ts";
import { minute } from "../../lib/clock.ts";
import { html, type Html } from "../../lib/html.ts";
import * as testMail from "../../upkeep/test-mail.ts";
import { framedMail, withMailFrames } from "../../pages/framed-mail.ts";
import { renderMail, type MailApp } from "../../records/mail/render.ts";
import { checkedKind, checkedLanguage, mailKinds, sampleMail } from "../../records/mail/sample.ts";
import * as mail from "../../records/mail/service.ts";
import type { QueuedMail } from "../../records/mail/store.ts";
import { mailLanguages } from "../../records/mail/texts/texts.ts";
import type { Context } from "../../runtime/context.ts";
import { openForm } from "../parts/act-form.ts";
import { mailWords } from "../parts/action-words.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { amount, facts, instant, part, problem, shortId, shown, state } from "../parts/data.ts";
import { filterForm } from "../parts/filter-form.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { cursorOf, pageLinks, pageOf, pageSize, placeIn } from "../parts/paging.ts";
import { attempt, type Refusal } from "../parts/refusal.ts";
import { table } from "../parts/table.ts";
import { act, view, type Visit } from "../route.ts";
import { applicationIn, applicationsOf, chosenApplication, sees } from "../scope.ts";

const section = "Mail";
const home = { path: "/console/mail", label: section };
/** Mails are sent within a second; after this time, something prevents it. */
const isOverdueAfter = minute;

export const queue = view("/mail", "viewer", async (ctx, visit) => await queuePage(ctx, visit));

type Draft = { app: string; to: string; kind: string; language: string };

async function queuePage(
  ctx: Context,
  visit: Visit,
  { refusal, draft }: { refusal?: Refusal; draft?: Draft } = {},
): Promise<Answer> {
  const { appId } = visit.operator;
  const place = await attempt(async () => placeIn(visit));
  const after = place.value;
  const found = place.refusal ? [] : await mail.queue(ctx, { appId, after, limit: pageSize + 1 });
  const { rows, next } = pageOf(found, ({ nextAttemptAt: at, id }) => cursorOf({ at, id }));
  const refused = refusal ?? place.refusal;
  const all = await applicationsOf(ctx, visit);
  return consolePage(ctx, visit, {
    title: section,
    section,
    status: refused?.status ?? 200,
    beside: html`<a class="button second" href="/console/mail/texts">See each mail</a>`,
    isLive: visit.request.method === "GET",
    body: html`${refused && problem(refused.text)}
      <section class="part" data-live="queue">
        <h2>Waiting</h2>
        <p class="hint">
          A mail is here until it is sent or given up. To whom it goes, and what it says, is encrypted.
        </p>
        ${table(
          "Waiting mails, those that are sent next first",
          rows.filter((row) => appId === undefined || sees(visit, row.appId)),
          [
            { heading: "Mail", cell: ({ kind }) => mailWords(kind) },
            { heading: "State", cell: (row) => mailState(row, ctx.clock()) },
            { heading: "Last error", leaves: 3, cell: ({ lastError }) => lastError !== null && shown(lastError) },
            { heading: "About", fit: "id", leaves: 3, cell: (row) => about(visit, row) },
            { heading: "Asked", fit: "time", leaves: 2, cell: ({ createdAt }) => instant(createdAt) },
            { heading: "Next attempt", fit: "time", leaves: 2, cell: ({ nextAttemptAt }) => instant(nextAttemptAt) },
            { heading: "Given up", fit: "time", leaves: 1, cell: ({ expiresAt }) => instant(expiresAt) },
          ],
          "No mail waits.",
          { visit, idOf: ({ id }) => id, of: mailDetails },
        )}
      </section>
      ${pageLinks(visit, next, "More")}
      <p><a href="/console/audit?action=mail.dropped">Mails no longer retried</a></p>
      <div class="halves">
        ${part("Sending", await serverFacts(ctx, visit))}
        ${sampleForm(visit, all, draft ?? { app: appId ?? "", to: "", kind: "verify", language: "en" })}
      </div>`,
  });
}

async function serverFacts(ctx: Context, { operator }: Visit): Promise<Html> {
  const { mail: settings, dev } = ctx.config;
  if (!settings)
    return html`<p>${state(dev ? "development" : "no mail server", dev ? "quiet" : "bad")}</p>
      <p>
        ${
          dev
            ? "Mails stay in memory, at /dev/mail of the service."
            : "Nothing is sent: addresses stay unverified, and nobody can reset a password or get a code by mail."
        }
      </p>
      <p>To send mails, set these, and start the service again:</p>
      <pre>
mail:
  smtpUrl: smtps://user:password@mail.example.com
  from: Acme &lt;auth@example.com&gt;</pre>`;
  const { server, from } = settings;
  // Counted for all: an operator of one application must not see how much others send.
  const counted = operator.appId === undefined ? await mail.backlog(ctx) : undefined;
  const encryption = { "from-start": "TLS", upgrade: "STARTTLS", none: "none" };
  return facts([
    ["Waiting", counted && `${amount(counted.waiting)}${counted.waiting >= 10_000 ? " or more" : ""}`],
    ["The first one", counted && counted.overdue > isOverdueAfter ? state("overdue", "bad") : undefined],
    ["Mail server", html`<code>${server.host}:${server.port}</code>`],
    ["Encryption", encryption[server.tls]],
    ["Signs in as", server.user],
    ["From", shown(from.name === undefined ? from.address : `${from.name} <${from.address}>`)],
  ]);
}

function mailDetails({ appId, lastError, createdAt, nextAttemptAt, expiresAt }: QueuedMail): Html {
  return facts([
    ["Last error", lastError === null ? undefined : shown(lastError)],
    ["Application", shown(appId)],
    ["Asked", instant(createdAt)],
    ["Next attempt", instant(nextAttemptAt)],
    ["Given up", instant(expiresAt)],
  ]);
}

function mailState({ attempts, nextAttemptAt, lastError }: QueuedMail, now: number): Html {
  if (lastError !== null) return state(`failed ${attempts === 1 ? "once" : `${attempts} times`}`, "bad");
  return now - nextAttemptAt > isOverdueAfter ? state("overdue", "bad") : state("waiting");
}

function about(visit: Visit, { appId, userId }: QueuedMail): Html {
  if (!sees(visit, appId)) return html`an operator`;
  return userId === null
    ? html`<a href="/console/applications/${appId}">${shown(appId)}</a>`
    : html`<a href="/console/people/${userId}">${shortId(userId, { copies: false })}</a>`;
}

function sampleForm(visit: Visit, all: ApplicationAnswer[], { app, to, kind, language }: Draft): Html | undefined {
  const form = openForm(visit, sendSample, {
    label: "Send",
    about: "Sends a mail with sample data like any other mail. If it fails, the list shows the reason.",
    fields: html`${applicationChoice(visit, all, app, { all: false })}
      <label>Email <input name="to" type="email" value="${to}" required autocomplete="email" /></label>
      ${choices({ kind, language })}`,
    command: [
      "mail",
      "test",
      "--app",
      app === "" ? "APP_ID" : app,
      "--to",
      "EMAIL",
      "--kind",
      kind,
      "--language",
      language,
    ],
  });
  return form && part("Send one to yourself", form);
}

function choices({ kind, language }: { kind: string; language: string }): Html {
  const option = (value: string, chosen: string): Html =>
    html`<option ${value === chosen && html`selected`}>${value}</option>`;
  return html`<label
      >Mail
      <select name="kind">
        ${mailKinds.map((each) => option(each, kind))}
      </select></label
    >
    <label
      >Language
      <select name="language">
        ${[...mailLanguages.keys()].map((each) => option(each, language))}
      </select></label
    >`;
}

export const sendSample = act("/mail/test", "owner", "nothing", async (ctx, post) => {
  const { form, by, operator } = post;
  const field = (name: string): string => form.get(name)?.trim() ?? "";
  const draft = {
    app: operator.appId ?? field("app"),
    to: field("to"),
    kind: field("kind"),
    language: field("language"),
  };
  const sent = await attempt(async () => {
    const { id: appId } = await applicationIn(ctx, post, draft.app);
    return await testMail.sendSample(ctx, { ...draft, appId }, by);
  });
  if (sent.refusal) return await queuePage(ctx, post, { refusal: sent.refusal, draft });
  return done(ctx, post, home.path, "The mail is queued. If it stays in the list, its last error says why.");
});

// Each mail, as people get it

const example: MailApp = {
  name: "Example",
  branding: { logo: null, primaryColor: null, companyName: null },
  settings: {},
};

/** The filter of the query. Throws INVALID_REQUEST, APP_NOT_FOUND. */
async function chosenSample(ctx: Context, visit: Visit) {
  const query = visit.request.query();
  const kind = checkedKind(query.get("kind") ?? "verify");
  const language = checkedLanguage(query.get("language") ?? "en");
  return { kind, language, application: await chosenApplication(ctx, visit) };
}

function rendered(ctx: Context, { kind, language, application }: Awaited<ReturnType<typeof chosenSample>>) {
  const now = ctx.clock();
  const { baseUrl } = ctx;
  const sample = sampleMail(kind, {
    appId: application?.id ?? "app_example",
    to: "ada@example.com",
    locale: language,
    baseUrl,
    now,
  });
  return renderMail(sample, { id: "sample", application: application ?? example, baseUrl, askedAt: now });
}

export const texts = view("/mail/texts", "viewer", async (ctx, visit) => {
  const { value: chosen, refusal } = await attempt(async () => await chosenSample(ctx, visit));
  const { kind, language, application } = chosen ?? { kind: "verify" as const, language: "en", application: undefined };
  const { subject, text } = rendered(ctx, { kind, language, application });
  const query = new URLSearchParams({ kind, language, ...(application && { app: application.id }) });
  return withMailFrames(
    await consolePage(ctx, visit, {
      title: "Each mail",
      section,
      trail: [home],
      status: refusal?.status ?? 200,
      body: html`${refusal && problem(refusal.text)}
        ${filterForm(
          visit,
          "/console/mail/texts",
          html`${applicationChoice(visit, await applicationsOf(ctx, visit), application?.id)}
            ${choices({ kind, language })} <button class="button second">Show</button>`,
        )}
        <section class="part">
          <h2><bdi lang="${language}">${subject}</bdi></h2>
          <p class="hint">With sample data.</p>
          <iframe
            class="mail"
            title="The mail as HTML"
            src="/console/mail/texts/preview?${query.toString()}"
            sandbox="allow-popups allow-popups-to-escape-sandbox"
          ></iframe>
        </section>
        ${part("As plain text", html`<pre dir="auto" lang="${language}">${text}</pre>`)}`,
    }),
  );
});

export const framed = view("/mail/texts/preview", "viewer", async (ctx, visit) =>
  framedMail(rendered(ctx, await chosenSample(ctx, visit)).html),
);
