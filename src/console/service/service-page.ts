/** The service itself: backups, disk, certificate, version, and what `doctor` finds. */
import { statfs } from "node:fs/promises";
import { resolve } from "node:path";
import packageFile from "../../../package.json" with { type: "json" };
import { readCertificate } from "../../http/certificate.ts";
import type { Answer } from "../../http/answer.ts";
import { minute } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { html, type Html } from "../../lib/html.ts";
import { programFiles } from "../../lib/program-files.ts";
import { sizeText } from "../../lib/sizes.ts";
import * as audit from "../../records/audit/audit.ts";
import { part as partOf, type Context } from "../../runtime/context.ts";
import * as ownBackups from "../../upkeep/database/own-backups.ts";
import { allFindings, lastBackup } from "../../upkeep/doctor/findings.ts";
import type { Finding } from "../../upkeep/doctor/finding.ts";
import { quickFindings } from "../overview/alarms-part.ts";
import { actForm } from "../parts/act-form.ts";
import { actionWords, actorWords } from "../parts/action-words.ts";
import { commandLine, copyable, fixOf } from "../parts/command-line.ts";
import { amount, facts, instant, part, problem, shown, state, withInstants } from "../parts/data.ts";
import { consolePage } from "../parts/frame.ts";
import { keptIfExpensive } from "../parts/kept.ts";
import { done } from "../parts/notice.ts";
import { attempt, type Refusal } from "../parts/refusal.ts";
import { table } from "../parts/table.ts";
import { act, view, type Visit } from "../route.ts";
import { linesFor } from "./config-lines.ts";

const section = "Service";
const path = "/console/service";
/** The findings of a whole check are shown for so long. */
const shownFor = 10 * minute;

const checked = partOf((): { last: { at: number; findings: Finding[] } | undefined } => ({ last: undefined }));

export const page = view("/service", "viewer", async (ctx, visit) => await servicePage(ctx, visit), { isGlobal: true });

export const backUp = act(
  "/service/backup",
  "owner",
  "nothing",
  async (ctx, post) => {
    const { value, refusal } = await attempt(async () => await ownBackups.make(ctx, post.by));
    if (refusal) return await servicePage(ctx, post, refusal);
    return done(
      ctx,
      post,
      path,
      value ? "The backup was made." : "The backup is being made. This page shows it once it is complete.",
    );
  },
  { isGlobal: true },
);

export const check = act(
  "/service/check",
  "support",
  "nothing",
  async (ctx, post) => {
    const findings = await keptIfExpensive(ctx, "whole check", async () => await allFindings(ctx));
    checked(ctx).last = { at: ctx.clock(), findings };
    return done(ctx, post, path, "Everything was checked.");
  },
  { isGlobal: true },
);

async function servicePage(ctx: Context, visit: Visit, refusal?: Refusal): Promise<Answer> {
  const { last } = checked(ctx);
  const whole = last && ctx.clock() - last.at < shownFor ? last : undefined;
  const findings = whole?.findings ?? (await quickFindings(ctx, visit));
  return consolePage(ctx, visit, {
    title: section,
    section,
    status: refusal?.status ?? 200,
    isLive: visit.request.method === "GET",
    acts: {
      primary: backUpForm(visit),
      more: [
        actForm(visit, check, {
          label: "Check everything",
          about: "Also asks the mail server and the providers' issuers, and reads large files. It takes a few seconds.",
          command: ["doctor"],
        }),
      ],
    },
    body: html`${refusal && problem(refusal.text)} ${findingsPart(findings, whole?.at)}
      <div class="halves pairs">${await backupsPart(ctx)} ${await machinePart(ctx)}</div>
      ${await historyPart(ctx)}`,
  });
}

export function backUpForm(visit: Visit) {
  return actForm(visit, backUp, {
    label: "Back up now",
    about:
      "Writes a backup of the whole database into the folder backups of the data folder, and keeps the last three there. Sign-ins continue.",
    command: ["db", "backup", "FILE"],
  });
}

function findingsPart(findings: readonly Finding[], at: number | undefined): Html {
  const open = findings.filter(({ status }) => status !== "ok");
  const fine = findings.filter(({ status }) => status === "ok");
  const when = at !== undefined && html`<span class="hint">Everything checked ${instant(at)}</span>`;
  const first = new Set<string>();
  const list = html`<ul class="todo">
    ${open.map(({ check: name, status, message, fix }) => {
      const anchor = !first.has(name) && html`id="${name}"`;
      first.add(name);
      return html`<li ${anchor}>
        <p>${status === "problem" ? state("problem", "bad") : state("warning", "warn")} ${withInstants(message)}</p>
        ${fix !== null && html`${fixOf(fix)} ${linesFor(fix)}`}
      </li>`;
    })}
  </ul>`;
  return part(
    open.length === 0 ? "Nothing is wrong" : "What to fix",
    html`<div data-live="findings">
      ${open.length > 0 && list}
      <details>
        <summary class="hint">${amount(fine.length)} checks are fine</summary>
        <ul class="fine">
          ${fine.map(({ message }) => html`<li>${withInstants(message)}</li>`)}
        </ul>
      </details>
    </div>`,
    when,
  );
}

async function backupsPart(ctx: Context): Promise<Html> {
  const last = await lastBackup(ctx);
  const { since, failed } = ownBackups.state(ctx);
  const files = ownBackups.list(ctx);
  const own = resolve(ctx.config.dataDir, "master.key");
  return part(
    "Backups",
    html`<div data-live="backups">
        ${since !== undefined && html`<p class="notice">A backup is being made, since ${instant(since)}.</p>`}
        ${failed && since === undefined && html`<p class="problem">The backup of ${instant(failed.at)} was not made. ${shown(failed.reason)}</p>`}
        ${facts([["Last backup", last === undefined ? "not in the audit log" : instant(last)]])}
        ${table(
          "Backups in the data folder",
          files,
          [
            { heading: "Made", fit: "time", cell: ({ at }) => instant(Math.round(at)) },
            { heading: "File", cell: ({ file }) => copyable(file) },
            { heading: "Size", isNumber: true, cell: ({ bytes }) => sizeText(bytes) },
          ],
          "None was made here.",
        )}
      </div>
      <h3>To restore one</h3>
      <p class="hint">Stop the service first. Logins of the backup end. Each file also holds what was deleted since.</p>
      ${commandLine(["db", "restore", files[0]?.file ?? "FILE", "--dry-run"])}
      ${commandLine(["db", "restore", files[0]?.file ?? "FILE"])}
      <p class="hint">
        ${
          ctx.config.masterKey === undefined
            ? html`No backup contains the master key. Keep ${shown(own)} as well, in another place.`
            : "No backup contains the master key of the configuration. Keep that as well, in another place."
        }
        A copy on this disk is lost with it.
      </p>`,
  );
}

async function machinePart(ctx: Context): Promise<Html> {
  const { config, storage, baseUrl } = ctx;
  const { bavail, blocks, bsize } = await statfs(config.dataDir);
  const isExecutable = programFiles.command.length === 1;
  const bytes = await keptIfExpensive(ctx, "bytes", async () => await storage.bytes());
  const update = isExecutable
    ? html`<p class="hint">
          This shows the newest version; without --dry-run it installs it. A container gets a new image instead.
        </p>
        ${commandLine(["update", "--dry-run"])}`
    : html`<p class="hint">To update: get the new sources with <code>git pull</code>, then restart.</p>`;
  return part(
    "Disk, certificate and version",
    html`<div data-live="machine">
        ${facts([
          ["Free on the disk", `${sizeText(bavail * bsize)} of ${sizeText(blocks * bsize)}`],
          ["Database", `${storage.isShared ? "PostgreSQL" : "SQLite"}, ${sizeText(bytes)}`],
          ["Data folder", shown(resolve(config.dataDir))],
          ["Address", shown(baseUrl)],
          ["Certificate", certificate(ctx)],
          ["Version", `${packageFile.version}, ${isExecutable ? "as the executable" : "from source"}`],
          ["Node.js", process.version],
          ["Last start", await lastStart(ctx)],
        ])}
      </div>
      ${update}`,
  );
}

function certificate({ config, clock }: Context): Html | string {
  const { tls } = config.listen;
  if (!tls) return "None here: a proxy terminates TLS, or nothing does.";
  try {
    return html`${shown(tls.certFile)}, until ${instant(readCertificate(tls, clock()).validUntil)}`;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

async function lastStart(ctx: Context): Promise<Html | string> {
  const at = await audit.lastDone(ctx, "service.start");
  return at === undefined ? "not in the audit log" : instant(at);
}

const shownEntries = 8;

/** Starts and stops, of every node. */
async function historyPart(ctx: Context): Promise<Html> {
  const actions = [
    "service.start",
    "service.stop",
    "service.version",
    "database.migrate",
    "database.backup",
    "database.restore",
  ];
  const found = await Promise.all(actions.map((action) => audit.newest(ctx, { action, limit: shownEntries })));
  const rows = found
    .flat()
    .toSorted((a, b) => b.at - a.at)
    .slice(0, shownEntries);
  return part(
    "What happened to it",
    html`<div data-live="history">
      ${table(
        "What happened to the service",
        rows,
        [
          { heading: "When", fit: "time", cell: ({ at }) => instant(at) },
          {
            heading: "What",
            cell: (event) =>
              html`<a href="/console/audit?action=${event.action}&open=${event.id}#open">${actionWords(event)}</a>`,
          },
          { heading: "Who", cell: ({ actor }) => shown(actorWords(actor, null)) },
          {
            heading: "Details",
            leaves: 2,
            cell: ({ details }) =>
              shown(
                Object.entries(details)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join(", "),
              ),
          },
        ],
        "Nothing in the audit log.",
      )}
    </div>`,
  );
}
