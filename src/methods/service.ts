import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Applications } from "../applications/service.ts";
import type { Audit, By } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError, invalidRequest, userNotFound } from "../lib/errors.ts";
import { displayName } from "../lib/text.ts";
import type { Notices } from "../mail/notices.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { User } from "../users/user.ts";
import type { Users } from "../users/service.ts";
import type { Events } from "../webhooks/events.ts";
import { canDoWithout, canSignIn, methodAnswer, type Circumstances, type Method, type MethodAnswer } from "./method.ts";
import { deleteMethod, listConfiguredProviders, listMethods, renamePasskey } from "./store.ts";

const mostLabelCharacters = 100;

export type Methods = ReturnType<typeof createMethods>;

/** The ways in which a user can sign in: what a person may see and do about them. Passkeys, passwords and identities are made elsewhere. */
export function createMethods(deps: {
  storage: Storage;
  users: Users;
  applications: Applications;
  signIn: SignIn;
  browserSessions: BrowserSessions;
  notices: Notices;
  events: Events;
  audit: Audit;
  clock: Clock;
  passkeysAvailable: boolean;
  providerDisplayName(provider: string): string;
}) {
  const {
    storage,
    users,
    applications,
    signIn,
    browserSessions,
    notices,
    events,
    audit,
    clock,
    passkeysAvailable,
    providerDisplayName,
  } = deps;

  async function circumstancesOf(handle: Handle, user: User): Promise<Circumstances> {
    const application = await applications.find(user.appId, handle);
    if (!application) throw userNotFound();
    const configuredProviders = await listConfiguredProviders(handle, user.appId);
    return { application, configuredProviders, passkeysAvailable, hasEmail: user.email !== null };
  }

  function nameOf(method: Method): string | null {
    if (method.type === "passkey") return method.name;
    return method.type === "oauth" ? providerDisplayName(method.provider) : null;
  }

  async function note(
    tx: Handle,
    action: string,
    { user, by }: { user: User; by: By },
    method: Method,
    now: number,
  ): Promise<void> {
    const { appId, id: userId } = user;
    const details = { method: method.type, methodId: method.id };
    await audit.record(tx, { ...by, action, result: "success", appId, userId, details }, now);
  }

  return {
    /** The longest name of a passkey. */
    mostLabelCharacters,

    /** A user's methods, oldest first; also those that the application does not let in now. */
    async list(userId: string, handle: Handle = storage.reader): Promise<Method[]> {
      return await listMethods(handle, userId);
    },

    /** The same as a token with these scopes shows them. */
    async answersFor(userId: string, scopes: string[]): Promise<MethodAnswer[]> {
      return (await listMethods(storage.reader, userId)).map((method) => methodAnswer(method, scopes));
    },

    /** Those of a user's methods that would be let in now. */
    async usable(user: User, handle: Handle = storage.reader): Promise<Method[]> {
      const circumstances = await circumstancesOf(handle, user);
      return (await listMethods(handle, user.id)).filter((method) => canSignIn(method, circumstances));
    },

    /**
     * Removes a method: it signs nobody in from now on, and codes that are on their way are worth nothing. The user is told by mail.
     * `browserSession`: of the browser that asks for it, as a digest; all others must prove anew who they are. Throws USER_NOT_FOUND, METHOD_NOT_FOUND; INVALID_REQUEST where the user could not sign in without it.
     */
    async remove(userId: string, methodId: string, by: By, browserSession?: string): Promise<void> {
      const now = clock();
      await storage.write(async (tx) => {
        // Taken first: of two removals of the last two methods at once, the later one sees what the earlier one has left.
        const user = await users.take(tx, userId, now);
        if (!user) throw userNotFound();
        const methods = await listMethods(tx, userId);
        const method = methods.find(({ id }) => id === methodId);
        if (!method) throw methodNotFound();
        if (!canDoWithout(method, methods, await circumstancesOf(tx, user))) {
          throw invalidRequest("methodId: the last method that can sign the user in cannot be removed");
        }
        await deleteMethod(tx, userId, method);
        await signIn.cancelCodes(tx, userId, now);
        await browserSessions.outdateProofs(tx, userId, browserSession);
        await note(tx, "method.removed", { user, by }, method, now);
        const { origin = null } = by;
        const { appId } = user;
        const event = {
          kind: "method.removed",
          appId,
          userId,
          authMethod: method.type,
          origin,
          sessionId: null,
        } as const;
        await events.record(tx, event, now);
        const notice = { type: method.type, name: nameOf(method) };
        await notices.methodRemoved(tx, { user, origin: by.origin }, notice, now);
      });
    },

    /** Gives a passkey a name of its owner's. Throws METHOD_NOT_FOUND for anything else, INVALID_REQUEST naming the rule, USER_NOT_FOUND. */
    async rename(userId: string, methodId: string, name: string, by: By): Promise<void> {
      const now = clock();
      const label = displayName(name);
      if (!label || label.length > mostLabelCharacters) {
        throw invalidRequest(`name: 1 to ${mostLabelCharacters} characters, none of them a control character`);
      }
      await storage.write(async (tx) => {
        const user = await users.find(userId, tx);
        if (!user) throw userNotFound();
        if (!(await renamePasskey(tx, userId, methodId, label))) throw methodNotFound();
        const [method] = (await listMethods(tx, userId)).filter(({ id }) => id === methodId);
        if (method) await note(tx, "method.renamed", { user, by }, method, now);
      });
    },
  };
}

function methodNotFound(): AppError {
  return new AppError("METHOD_NOT_FOUND", "The user has no such method.");
}
