/** What is wrong now, as somebody needs to know it first. */
import { hour } from "../../lib/clock.ts";
import { amongNetworks } from "../../lib/networks.ts";
import { listOwnerless } from "../../organizations/membership-store.ts";
import * as activity from "../../records/activity/activity.ts";
import * as audit from "../../records/audit/audit.ts";
import * as mail from "../../records/mail/service.ts";
import * as webhooks from "../../records/webhooks/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { CheckName, Finding } from "./finding.ts";
import { needsBackup } from "./findings.ts";
import { hoursOfDrop, signInDrop } from "./sign-in-drop.ts";

/** `since`: undefined if nobody knows. */
export type Alarm = { isGrave: boolean; since: number | undefined; message: string } & (
  | { about: "mail" | "sign-ins" }
  | { about: "webhook"; id: string }
  | { about: "network"; network: string }
  | { about: "organizations"; appId: string }
  | { about: "finding"; check: CheckName }
);

/** An operator of one application, or one who may not see the console's own, sees less. */
export type Scope = { appId: string | undefined; exceptAppId: string | undefined };

/** Somebody who fails at so many accounts within an hour guesses. */
const guessedAccounts = 10;

const maxOwnerless = 10;

/** Grave ones first. `findings`: of the whole service; none for an operator of one application. */
export async function alarms(ctx: Context, scope: Scope, findings: readonly Finding[]): Promise<Alarm[]> {
  const found = await Promise.all([
    mailAlarms(ctx, scope),
    webhookAlarms(ctx, scope),
    signInAlarms(ctx, scope),
    networkAlarms(ctx, scope),
    organizationAlarms(ctx, scope),
    findingAlarms(ctx, findings),
  ]);
  return found.flat().toSorted((a, b) => Number(b.isGrave) - Number(a.isGrave));
}

async function mailAlarms(ctx: Context, { appId }: Scope): Promise<Alarm[]> {
  const since = await mail.failingSince(ctx, appId);
  if (since === undefined) return [];
  const waiting = await mail.countWaiting(ctx, appId);
  const message = `No mail is sent. ${counted(waiting, "mail waits", "mails wait")}.`;
  return [{ about: "mail", isGrave: true, since, message }];
}

async function webhookAlarms(ctx: Context, { appId }: Scope): Promise<Alarm[]> {
  return await Promise.all(
    (await webhooks.silent(ctx, appId)).map(async ({ id, url, since, isDisabled }): Promise<Alarm> => {
      const { waiting } = await webhooks.backlogOf(ctx, id);
      const what = isDisabled ? "was disabled, because it failed" : "is failing: its last ten attempts failed";
      const message = `The webhook of ${new URL(url).host} ${what}. ${counted(waiting, "event waits", "events wait")}.`;
      return { about: "webhook", id, isGrave: true, since, message };
    }),
  );
}

async function signInAlarms(ctx: Context, { appId }: Scope): Promise<Alarm[]> {
  const now = ctx.clock();
  const read = hoursOfDrop(now).map(async (period) => {
    return await activity.series(ctx.storage.reader, { appId, span: "hour", events: ["sign-in"], ...period });
  });
  const inHour = new Map<number, number>();
  for (const { startsAt, value } of (await Promise.all(read)).flat())
    inHour.set(startsAt, (inHour.get(startsAt) ?? 0) + value);
  const drop = signInDrop((startsAt) => inHour.get(startsAt) ?? 0, now);
  if (!drop) return [];
  const { since, counted: few, usual } = drop;
  const message = `Far fewer people sign in than usual: ${few} in the last two whole hours, where ${Math.round(usual)} are usual.`;
  return [{ about: "sign-ins", isGrave: true, since, message }];
}

async function networkAlarms(ctx: Context, scope: Scope): Promise<Alarm[]> {
  const wanted = { ...scope, since: ctx.clock() - hour, accounts: guessedAccounts };
  return (await audit.guessingNetworks(ctx, wanted)).map(({ network, accounts, since }) => {
    const message = [
      `Sign-ins from ${network} failed at ${accounts} accounts within an hour.`,
      ctx.config.trustedProxies.length === 0 && isInternal(network)
        ? "This address is not of the internet: if it is your proxy, everybody counts as one network until trustedProxies lists it."
        : ctx.config.passwords.puzzleAfter > 0 && "Passwords from there cost a puzzle.",
    ]
      .filter(Boolean)
      .join(" ");
    return { about: "network", network, isGrave: false, since, message };
  });
}

/** As a proxy on this machine or in its network. */
const isInternal = amongNetworks(["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]);

/** Only an operator or the application appoints another. */
async function organizationAlarms(ctx: Context, { appId: ofApp }: Scope): Promise<Alarm[]> {
  const ownerless = await listOwnerless(ctx.storage.reader, { limit: maxOwnerless, appId: ofApp });
  return [...Map.groupBy(ownerless, ({ appId }) => appId)].map(([appId, each]) => {
    const names = each.map(({ slug }) => slug).join(", ");
    const message = `Organizations of ${appId} have no owner any more: ${names}.`;
    const since = Math.min(...each.map(({ ownerlessAt }) => ownerlessAt ?? Infinity));
    return { about: "organizations", appId, isGrave: false, since, message };
  });
}

/** Every problem, and the warnings that get worse by themselves. Webhooks have their own. */
async function findingAlarms(ctx: Context, findings: readonly Finding[]): Promise<Alarm[]> {
  const urgent: CheckName[] = [
    "certificate",
    "database",
    "signing-keys",
    ...((await needsBackup(ctx)) ? ["backup" as const] : []),
  ];
  return findings
    .filter(({ check, status }) => status === "problem" || (status === "warning" && urgent.includes(check)))
    .filter(({ check }) => check !== "webhooks")
    .map(({ check, status, message }) => {
      return { about: "finding", check, isGrave: status === "problem", since: undefined, message };
    });
}

function counted(value: number, one: string, many: string): string {
  return `${value} ${value === 1 ? one : many}`;
}
