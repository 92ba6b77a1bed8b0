import type { Application } from "../applications/application.ts";
import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { Audit, Origin } from "../audit/audit.ts";
import { newId, type Random } from "../lib/random.ts";
import type { Notices } from "../mail/notices.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Passwords } from "../passwords/service.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { Handle } from "../storage/storage.ts";
import type { Tokens } from "../tokens/service.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { Events } from "../webhooks/events.ts";
import { decideLink, type LinkDecision, type ProviderIdentity } from "./identity.ts";
import { providerDisplayName } from "./providers.ts";
import { deleteIdentitiesOfUser, findIdentity, insertIdentity, noteIdentityUse } from "./identity-store.ts";

/** Why nobody was signed in by a provider that did its part. */
export type LinkRefusal = "existing-method-first" | "no-email" | "unverified-email" | "sign-up-closed" | "refused";

export type Linking = ReturnType<typeof createLinking>;

/** From an identity at a provider to a user of an application (decision 9). */
export function createLinking(deps: {
  users: Users;
  passwords: Passwords;
  passkeys: Passkeys;
  tokens: Tokens;
  signIn: SignIn;
  browserSessions: BrowserSessions;
  notices: Notices;
  events: Events;
  audit: Audit;
  random: Random;
}) {
  const { users, passwords, passkeys, tokens, signIn, browserSessions, notices, events, audit, random } = deps;

  type Arrival = {
    application: Application;
    provider: string;
    identity: ProviderIdentity;
    origin: Origin;
    signUpOpen: boolean;
  };

  async function link(
    tx: Handle,
    { application, provider, identity, origin }: Arrival,
    user: User,
    how: LinkDecision,
    now: number,
  ): Promise<boolean> {
    const { subject, email } = identity;
    const id = newId("mth", now, random);
    const row = {
      id,
      appId: application.id,
      userId: user.id,
      provider,
      subject,
      email,
      createdAt: now,
      lastUsedAt: now,
    };
    if (!(await insertIdentity(tx, row))) return false;
    const actor = { kind: "user", name: user.id } as const;
    const details = { method: "oauth", provider, methodId: id, how };
    await audit.record(
      tx,
      { actor, action: "method.added", result: "success", appId: application.id, userId: user.id, origin, details },
      now,
    );
    // The method that somebody signs up with comes with `user.created`.
    if (how !== "create") {
      const about = { appId: application.id, userId: user.id, authMethod: "oauth", origin, sessionId: null } as const;
      await events.record(tx, { kind: "method.added", ...about }, now);
      await notices.methodAdded(tx, { user, origin }, { type: "oauth", name: providerDisplayName(provider) }, now);
    }
    return true;
  }

  async function removeUnproven(
    tx: Handle,
    { id: userId, appId }: User,
    { by, origin }: { by: "linking" | "mail"; origin: Origin },
    now: number,
  ): Promise<void> {
    await passwords.removeAll(tx, userId);
    await passkeys.removeAll(tx, userId);
    await deleteIdentitiesOfUser(tx, userId);
    await signIn.cancelCodes(tx, userId, now);
    const ended = await tokens.endLogins(tx, userId, "address-proven", now);
    await browserSessions.forgetAll(tx, userId);
    const actor = { kind: "service", name: by } as const;
    const event = { actor, action: "user.address-proven", result: "success", appId, userId, origin } as const;
    await audit.record(tx, { ...event, details: { endedLogins: ended.length } }, now);
  }

  return {
    /**
     * The first proof of an address. Whoever put credentials and logins on it never proved it: they may all be an attacker's, waiting for the owner
     * (pre-hijacking).
     */
    removeUnproven,

    /** Gives an account one more identity. A linked identity never moves, not even to where its owner is signed in. */
    async addTo(
      tx: Handle,
      userId: string,
      { application, provider, identity }: Pick<Arrival, "application" | "provider" | "identity">,
      now: number,
    ): Promise<{ methodId: string } | "identity-taken" | "identity-there"> {
      const { subject, email } = identity;
      const known = await findIdentity(tx, { appId: application.id, provider, subject });
      if (known) return known.userId === userId ? "identity-there" : "identity-taken";
      const id = newId("mth", now, random);
      const row = { id, appId: application.id, userId, provider, subject, email, createdAt: now, lastUsedAt: null };
      return (await insertIdentity(tx, row)) ? { methodId: id } : "identity-taken";
    },

    /** The user that this identity signs in, with everything written that makes it so; or why not, with nothing written. */
    async userFor(tx: Handle, arrival: Arrival, now: number): Promise<{ userId: string } | LinkRefusal> {
      const { application, provider, identity } = arrival;
      const known = await findIdentity(tx, { appId: application.id, provider, subject: identity.subject });
      const local =
        known || identity.email === null ? undefined : await users.findByEmail(application.id, identity.email, tx);
      const decision = decideLink({ ...identity, identityKnown: known !== undefined, local });
      switch (decision) {
        case "no-email":
        case "unverified-email":
        case "existing-method-first":
          return decision;
        case "sign-in": {
          const user = known && (await users.find(known.userId, tx));
          if (!user || user.disabledAt !== null) return "refused";
          const noted = await noteIdentityUse(tx, known.id, { email: identity.email, lastUsedAt: now });
          return noted ? { userId: user.id } : "refused";
        }
        case "create": {
          if (!arrival.signUpOpen) return "sign-up-closed";
          const { email, emailVerified, name } = identity;
          const signedUp = { method: "oauth", origin: arrival.origin } as const;
          const user =
            email === null
              ? undefined
              : await users.create(tx, { appId: application.id, email, emailVerified, name, signedUp }, now);
          return user && (await link(tx, arrival, user, decision, now)) ? { userId: user.id } : "refused";
        }
        case "link":
        case "take-over-unproven": {
          // Locked, and read again: what is added to the account at this moment comes before or after, and so does another proof of its address.
          const user = local && (await users.take(tx, local.id, now));
          if (!user || user.disabledAt !== null) return "refused";
          if (!user.emailVerified) {
            await removeUnproven(tx, user, { by: "linking", origin: arrival.origin }, now);
            await users.proveEmail(tx, user, identity.name, arrival.origin, now);
          }
          return (await link(tx, arrival, { ...user, emailVerified: true }, decision, now))
            ? { userId: user.id }
            : "refused";
        }
      }
    },
  };
}
