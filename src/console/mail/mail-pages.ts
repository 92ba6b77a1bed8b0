import type { ApplicationAnswer } from "../../applications/service.ts";
import type { Answer } from "../../http/answer.ts";
import { day, hour, minute } from "../../lib/clock.ts";
import { html, type Html } from "../../lib/html.ts";
import { capitalized } from "../../lib/text.ts";
import * as activity from "../../records/activity/activity.ts";
import * as audit from "../../records/audit/audit.ts";
import * as testMail from "../../upkeep/test-mail.ts";
import { framedMail, withMailFrames } from "../../pages/framed-mail.ts";
import { renderMail, type MailApp } from "../../records/mail/render.ts";
import { checkedKind, checkedLanguage, mailKinds, sampleMail } from "../../records/mail/sample.ts";
import { mailServerProblem } from "../../records/mail/server-words.ts";
import * as mail from "../../records/mail/service.ts";
import type { SentMail } from "../../records/mail/sent-store.ts";
import type { QueuedMail } from "../../records/mail/store.ts";
import { mailLanguages } from "../../records/mail/texts/texts.ts";
import type { Context } from "../../runtime/context.ts";
import type { MailKind } from "../../storage/column-types.ts";
import { sumOf } from "../charts/chart-data.ts";
import { sparkline } from "../charts/lines.ts";
import { valuesIn } from "../overview/time-range.ts";
import { actForm, type ActButton } from "../parts/act-form.ts";
import { mailWords } from "../parts/action-words.ts";
import { applicationChoice } from "../parts/application-choice.ts";
import { amount, facts, instant, part, problem, shortId, shown, state, tile } from "../parts/data.ts";
import { filterForm } from "../parts/filter-form.ts";
import { consolePage } from "../parts/frame.ts";
import { done } from "../parts/notice.ts";
import { cursorOf, pageLinks, pageOf, pageSize, placeIn } from "../parts/paging.ts";
import { pageWith } from "../parts/page-address.ts";
import { attempt, type Refusal } from "../parts/refusal.ts";
import { table } from "../parts/table.ts";
import { act, view, type Visit } from "../route.ts";
import { configLines } from "../service/config-lines.ts";
import { applicationIn, applicationsOf, chosenApplication, sees } from "../scope.ts";

const section = "Mail";
const home = { path: "/console/mail", label: section };
/** Mails are sent within a second; after this time, something prevents it. */
const isOverdueAfter = minute;

export const queue = view("/mail", "viewer", async (ctx, visit) => await queuePage(ctx, visit));

type Draft = { app: string; to: string; kind: string; language: string };

/** `list`: what the page lists, of `lists`. */
const lists = { waiting: "Waiting", "given-up": "Given up", sent: "Sent" };
type List = keyof typeof lists;

async function queuePage(
  ctx: Context,
  visit: Visit,
  { refusal, draft }: { refusal?: Refusal; draft?: Draft } = {},
): Promise<Answer> {
  const asked = visit.request.method === "GET" ? (visit.request.query().get("list") ?? "waiting") : "waiting";
  const list: List = asked === "given-up" || asked === "sent" ? asked : "waiting";
  const listed = await attempt(async () => await listParts[list](ctx, visit));
  const all = await applicationsOf(ctx, visit);
  const tab = (name: List): Html =>
    html`<a
      href="${pageWith(visit, { list: name === "waiting" ? undefined : name, after: undefined, open: undefined })}"
      ${name === list && html`aria-current="page"`}
      >${lists[name]}</a
    >`;
  return consolePage(ctx, visit, {
    title: section,
    section,
    status: refusal?.status ?? listed.refusal?.status ?? 200,
    acts: { primary: sampleForm(visit, all, draft, refusal) },
    beside: html`<a class="button second" href="/console/mail/texts">See each mail</a>`,
    isLive: visit.request.method === "GET",
    body: html`${listed.refusal && problem(listed.refusal.text)} ${await failing(ctx, visit)} ${await rate(ctx, visit)}
      <section class="part" data-live="queue">
        <div class="heading">
          <h2>${lists[list]}</h2>
          <nav class="tabs" aria-label="Mails">${tab("waiting")} ${tab("given-up")} ${tab("sent")}</nav>
        </div>
        ${listed.value}
      </section>
      ${part("Sending", serverFacts(ctx))}`,
  });
}

/** Since when no mail is sent, and why, as `doctor` says it. */
async function failing(ctx: Context, { operator: { appId } }: Visit): Promise<Html | undefined> {
  const since = await mail.failingSince(ctx, appId);
  if (since === undefined) return undefined;
  const reason = await mail.lastError(ctx, appId);
  const server = ctx.config.mail?.server;
  const found = server && reason !== undefined ? mailServerProblem(server, reason) : undefined;
  return html`<div class="problem" role="alert" data-live="failing">
    <p>Mail started to fail ${instant(since)}. ${found && shown(found.message)}</p>
    ${found && html`<p class="hint">${shown(capitalized(found.fix))}. Waiting mails are then sent by themselves.</p>`}
  </div>`;
}

/** What happened in the last 24 hours, and what waits. */
async function rate(ctx: Context, { operator: { appId } }: Visit): Promise<Html> {
  const to = ctx.clock() + hour - (ctx.clock() % hour);
  const events = ["mail.sent", "mail.failed", "mail.dropped"] as const;
  const counted = await activity.series(ctx.storage.reader, { appId, span: "hour", from: to - day, to, events });
  const hours = (wanted: (typeof events)[number]): number[] =>
    valuesIn(
      { from: to - day, length: hour, count: 24 },
      counted.filter(({ event }) => event === wanted),
    );
  const [sent = [], failed = [], dropped = []] = events.map(hours);
  // Counted for all: an operator of one application must not see how much others send.
  const backlog = appId === undefined ? await mail.backlog(ctx) : undefined;
  const summary = `Mails sent in each of the last 24 hours: at most ${amount(Math.max(...sent))}.`;
  return html`<dl class="numbers" data-live="rate">
    ${tile("Sent in 24 hours", sumOf(sent), undefined, sparkline(sent, summary))}
    ${tile("Failed attempts in 24 hours", sumOf(failed), "each mail is tried again until it ends")}
    ${tile("Given up in 24 hours", sumOf(dropped))}
    ${
      backlog &&
      tile(
        "Waiting",
        backlog.waiting,
        backlog.overdue > isOverdueAfter ? state("overdue", "bad") : backlog.waiting >= 10_000 ? "or more" : undefined,
      )
    }
  </dl>`;
}

const listParts: Record<List, (ctx: Context, visit: Visit) => Promise<Html>> = {
  async waiting(ctx, visit) {
    const { appId } = visit.operator;
    const found = await mail.queue(ctx, { appId, after: placeIn(visit), limit: pageSize + 1 });
    const { rows, next } = pageOf(found, ({ nextAttemptAt: at, id }) => cursorOf({ at, id }));
    return html`<p class="hint">
        A mail is here until it is sent or given up. To whom it goes, and what it says, is encrypted.
      </p>
      ${table(
        "Waiting mails, those that are sent next first",
        rows.filter((row) => appId === undefined || sees(visit, row.appId)),
        [
          { heading: "Mail", cell: ({ kind }) => capitalized(mailWords(kind)) },
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
      ${pageLinks(visit, next, "More")}`;
  },

  async "given-up"(ctx, visit) {
    const { appId } = visit.operator;
    const found = await audit.list(ctx, { action: "mail.dropped", appId, limit: pageSize });
    return html`<p class="hint">Refused for good, or not sent before its code or link ended.</p>
      ${table(
        "Mails that were given up, newest first",
        found.toReversed(),
        [
          { heading: "Mail", cell: ({ details }) => capitalized(mailWords(String(details["kind"]) as MailKind)) },
          { heading: "Why", leaves: 3, cell: ({ details }) => shown(droppedWords(String(details["reason"]))) },
          { heading: "Attempts", isNumber: true, leaves: 1, cell: ({ details }) => Number(details["attempts"]) },
          { heading: "About", fit: "id", leaves: 3, cell: (row) => about(visit, { ...row, appId: row.appId ?? "" }) },
          { heading: "Given up", fit: "time", cell: ({ at }) => instant(at) },
        ],
        "No mail was given up.",
      )}
      <p><a href="/console/audit?action=mail.dropped">All of them in the audit log</a></p>`;
  },

  async sent(ctx, visit) {
    const { appId } = visit.operator;
    const found = await mail.sent(ctx, { appId, after: placeIn(visit), limit: pageSize + 1 });
    const { rows, next } = pageOf(found, ({ sentAt: at, id }) => cursorOf({ at, id }));
    return html`<p class="hint">
        Mails to people in the last 30 days, and what the mail server answered. It may still lose or refuse one later:
        its own log knows, by the Message-ID.
      </p>
      ${table(
        "Sent mails, newest first",
        rows,
        [
          { heading: "Mail", cell: ({ kind }) => capitalized(mailWords(kind)) },
          { heading: "To", fit: "id", cell: (row) => about(visit, row) },
          { heading: "Answer of the mail server", leaves: 3, cell: (row) => answerText(visit, row) },
          { heading: "Sent", fit: "time", cell: ({ sentAt }) => instant(sentAt) },
        ],
        "No mail was sent to a person in the last 30 days.",
        {
          visit,
          idOf: ({ id }) => id,
          of: (row) =>
            facts([
              ["Answer of the mail server", answerText(visit, row)],
              ["Application", shown(row.appId)],
              ["Begin of the Message-ID", html`<code>${row.id}</code>`],
            ]),
        },
      )}
      ${pageLinks(visit, next)}`;
  },
};

/** Not of a mail to an operator, whose address it may contain. */
function answerText(visit: Visit, { appId, answer }: SentMail): Html {
  return sees(visit, appId) && answer !== "" ? shown(answer) : html`<span class="quiet">not shown</span>`;
}

function droppedWords(reason: string): string {
  return reason === "expired" ? "its code or link ended" : reason;
}

function serverFacts(ctx: Context): Html {
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
      <p>To send mails, set these:</p>
      ${configLines("mail")}`;
  const { server, from } = settings;
  const encryption = { "from-start": "TLS", upgrade: "STARTTLS", none: "none" };
  return facts([
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

function about(visit: Visit, { appId, userId }: { appId: string; userId: string | null }): Html {
  if (!sees(visit, appId)) return html`an operator`;
  return userId === null
    ? html`<a href="/console/applications/${appId}">${shown(appId)}</a>`
    : html`<a href="/console/people/${userId}">${shortId(userId, { copies: false })}</a>`;
}

const usualDraft: Draft = { app: "", to: "", kind: "verify", language: "en" };

/** `draft` and `refusal`: what was entered, and why it was refused. */
function sampleForm(
  visit: Visit,
  all: readonly ApplicationAnswer[],
  draft: Draft | undefined,
  refusal?: Refusal,
): ActButton | undefined {
  const [only] = all.length === 1 ? all : [];
  const { app: asked, to, kind, language } = draft ?? usualDraft;
  const app = asked === "" ? (only?.id ?? "") : asked;
  return actForm(visit, sendSample, {
    label: "Send one to yourself",
    press: "Send",
    about: "Sends a mail with sample data like any other mail. If it fails, the list shows the reason.",
    isOpen: refusal !== undefined,
    fields: html`${refusal && problem(refusal.text)} ${applicationChoice(visit, all, app, { all: false })}
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
}

const languageNames = new Intl.DisplayNames(["en"], { type: "language" });

function choices({ kind, language }: { kind: string; language: string }): Html {
  const option = (value: string, chosen: string, words: string): Html =>
    html`<option value="${value}" ${value === chosen && html`selected`}>${words}</option>`;
  return html`<label
      >Mail
      <select name="kind">
        ${mailKinds.map((each) => option(each, kind, capitalized(mailWords(each))))}
      </select></label
    >
    <label
      >Language
      <select name="language">
        ${[...mailLanguages.keys()].map((each) => option(each, language, languageNames.of(each) ?? each))}
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
  const all = await applicationsOf(ctx, visit);
  const query = new URLSearchParams({ kind, language, ...(application && { app: application.id }) });
  return withMailFrames(
    await consolePage(ctx, visit, {
      title: "Each mail",
      section,
      trail: [home],
      acts: { primary: sampleForm(visit, all, { app: application?.id ?? "", to: "", kind, language }) },
      status: refusal?.status ?? 200,
      body: html`${refusal && problem(refusal.text)}
        ${filterForm(
          visit,
          "/console/mail/texts",
          html`${applicationChoice(visit, all, application?.id)} ${choices({ kind, language })}
            <button class="button second">Show</button>`,
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
