/** The data of a page about one person. */
import type { Application } from "../../applications/application.ts";
import type { ClientAnswer } from "../../applications/clients/client.ts";
import * as clients from "../../applications/clients/service.ts";
import * as applications from "../../applications/service.ts";
import { answerFor, type FactorAnswer } from "../../factors/answer.ts";
import * as factors from "../../factors/service.ts";
import * as trustedBrowsers from "../../factors/trusted-browsers.ts";
import type { TrustedBrowserAnswer } from "../../factors/trusted-browsers.ts";
import type { Method } from "../../credentials/methods/method.ts";
import * as methods from "../../credentials/methods/service.ts";
import { userNotFound } from "../../lib/errors.ts";
import * as pictures from "../../pictures/service.ts";
import type { ShownPicture } from "../../pictures/service.ts";
import * as mail from "../../records/mail/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as logins from "../../sessions/login-administration.ts";
import type { LoginAnswer } from "../../sessions/login-administration.ts";
import * as grants from "../../sign-in/grants.ts";
import type { Grant } from "../../sign-in/grants.ts";
import { factorStep, stepAfter, type Step } from "../../sign-in/steps.ts";
import type { SignInMethod } from "../../storage/column-types.ts";
import * as groups from "../../users/groups/service.ts";
import type { User } from "../../users/user.ts";

/** A way to sign in that works now, and what follows it. */
export type Way = { method: SignInMethod; next: Step };

/** A program of the application. `next`: its next requirement after any working method. */
export type Program = { client: ClientAnswer; isAdmitted: boolean; next: Step[] };

export type Person = {
  user: User;
  application: Application;
  methods: { method: Method; works: boolean; isRemovable: boolean }[];
  ways: Way[];
  programs: Program[];
  /** There are more than `programs`. */
  hasMorePrograms: boolean;
  isFactorRequired: boolean;
  factor: FactorAnswer;
  logins: LoginAnswer[];
  trustedBrowsers: TrustedBrowserAnswer[];
  groups: string[];
  grants: Grant[];
  sendsMail: boolean;
  /** Undefined if none was uploaded. */
  picture: ShownPicture | undefined;
};

const maxPrograms = 50;

/** Throws USER_NOT_FOUND. */
export async function examine(ctx: Context, user: User): Promise<Person> {
  const { reader } = ctx.storage;
  const { id, appId } = user;
  const application = await applications.find(ctx, reader, appId);
  if (!application) throw userNotFound();
  const [itsMethods, factor, live, trusted, itsGroups, itsGrants, allClients, demand, picture] = await Promise.all([
    methods.examined(ctx, user),
    answerFor(reader, id),
    logins.list(ctx, id, { all: false }),
    trustedBrowsers.list(ctx, id),
    groups.ofUser(reader, id),
    grants.list(ctx, id),
    clients.list(ctx, appId),
    factors.demandOn(reader, application, id),
    pictures.shownOf(ctx, { userId: id }),
  ]);
  const working = itsMethods.filter(({ works }) => works).map(({ method }) => method.type);
  const signsInByMail = application.settings.emailCode === true && user.email !== null;
  const ways: SignInMethod[] = [...new Set(working), ...(signsInByMail ? (["emailCode"] as const) : [])];
  const hasPasskey = itsMethods.some(({ method }) => method.type === "passkey");
  const after = (method: SignInMethod, isRequired: boolean): Step => {
    const proven = { signedInWith: method, proofs: null, secondFactor: null };
    const asked = { isRequired, hasFactor: demand.hasFactor, takesTrust: false };
    const missing = factorStep(proven, asked, hasPasskey);
    const step = missing === "unmet" ? undefined : missing;
    return stepAfter("sign-in", application, {
      signedInWith: method,
      hasPasskey,
      mayOffer: false,
      factor: step,
      isLate: false,
      isTrusted: false,
    });
  };
  const programs = allClients.slice(0, maxPrograms).map(async (client) => ({
    client,
    isAdmitted: await groups.admits(reader, client, id),
    next: await stepsAt(client),
  }));
  async function stepsAt(client: ClientAnswer): Promise<Step[]> {
    const { isRequired } = await factors.demandOn(reader, application as Application, id, client.id);
    return [...new Set(ways.map((way) => after(way, isRequired)))].filter((step) => step !== "done");
  }
  return {
    user,
    application,
    methods: itsMethods,
    ways: ways.map((method) => ({ method, next: after(method, demand.isRequired) })),
    programs: await Promise.all(programs),
    hasMorePrograms: allClients.length > maxPrograms,
    isFactorRequired: demand.isRequired,
    factor,
    logins: live,
    trustedBrowsers: trusted,
    groups: itsGroups,
    grants: itsGrants,
    sendsMail: mail.available(ctx),
    picture,
  };
}
