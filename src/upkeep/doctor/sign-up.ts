/** Findings about the sign-up rules and the people who wait for approval (docs/decisions/0099). */
import type { Application } from "../../applications/application.ts";
import { disposableDomains, othersDisposable } from "../../applications/sign-up/disposable.ts";
import { hasDomainRules, needsProof } from "../../applications/sign-up/rules.ts";
import { problemWith } from "../../applications/sign-up/service.ts";
import { countWaitingOfAll, listAddresses } from "../../people/approval-store.ts";
import type { Context } from "../../runtime/context.ts";
import { problem, warning, type Finding } from "./finding.ts";

/** The file of this node, and whether other nodes have another one. */
async function examineFile(ctx: Context, applications: Application[]): Promise<Finding[]> {
  const users = applications.filter(({ settings }) => settings.signUpBlockDisposable === true);
  if (ctx.config.disposableDomainsFile === undefined)
    return users.map(({ id }) =>
      warning(
        "sign-up",
        `${id} blocks disposable addresses, but this node has no list of their domains.`,
        `set disposableDomainsFile, or: authsvc app update ${id} --sign-up-block-disposable off`,
      ),
    );
  const { digest, problems } = disposableDomains(ctx);
  const others = await othersDisposable(ctx, digest);
  return [
    ...problems.map((words) => warning("sign-up", `disposableDomainsFile: ${words}.`, "correct the file")),
    ...(others.length === 0
      ? []
      : [
          warning(
            "sign-up",
            `disposableDomainsFile differs from that of other nodes: ${others.join(", ")}.`,
            "copy the same file to every node",
          ),
        ]),
  ];
}

/** How many people are inside whom the rules would not let in today. Reads every address. */
async function countExcepted(ctx: Context, application: Application): Promise<number> {
  const { reader } = ctx.storage;
  let excepted = 0;
  for (let after = ""; ;) {
    const page = await listAddresses(reader, application.id, after);
    for (const { email, emailVerified } of page)
      if (problemWith(ctx, application, email) || (!emailVerified && needsProof(application.settings))) excepted += 1;
    const last = page.at(-1);
    if (!last) return excepted;
    after = last.id;
  }
}

function waitingWords(id: string, waiting: number, apart: number): string {
  const first =
    waiting === 1 ? `1 account of ${id} waits for approval` : `${waiting} accounts of ${id} wait for approval`;
  return `${first}, and ${apart} more ${apart === 1 ? "has" : "have"} not proved their address.`;
}

async function examineOne(
  ctx: Context,
  application: Application,
  waits: { waiting: number; unproved: number } | undefined,
  isQuick: boolean,
): Promise<Finding[]> {
  const { id, settings } = application;
  const findings: Finding[] = [];
  if (waits)
    findings.push(
      warning(
        "sign-up",
        waitingWords(id, waits.waiting, waits.unproved),
        `authsvc user list --app ${id} --state pending`,
      ),
    );
  const excepted =
    isQuick || !(hasDomainRules(settings) || needsProof(settings)) ? 0 : await countExcepted(ctx, application);
  if (excepted > 0)
    findings.push(
      warning(
        "sign-up",
        `${excepted} ${excepted === 1 ? "user" : "users"} of ${id} ${excepted === 1 ? "has" : "have"} an address that the sign-up rules would not let in today; they stay.`,
        `authsvc user export --app ${id}, or change the rules`,
      ),
    );
  return findings;
}

/** `sendsMail`: otherwise nobody can prove an address, and sign-up is closed to everybody. */
export async function examineSignUp(
  ctx: Context,
  applications: Application[],
  { sendsMail, isQuick = false }: { sendsMail: boolean; isQuick?: boolean | undefined },
): Promise<Finding[]> {
  const findings = await examineFile(ctx, applications);
  const waits = await countWaitingOfAll(ctx.storage.reader);
  for (const application of applications) {
    if (!sendsMail && needsProof(application.settings))
      findings.push(
        problem(
          "sign-up",
          `Nobody can sign up at ${application.id}: its rules ask for the proof of an address, and there is no mail server.`,
          "set mail.smtpUrl and mail.from",
        ),
      );
    const ofApplication = waits.find(({ appId }) => appId === application.id);
    findings.push(...(await examineOne(ctx, application, ofApplication, isQuick)));
  }
  return findings;
}
