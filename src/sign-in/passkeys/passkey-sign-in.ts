import type { Audit } from "../../audit/audit.ts";
import type { Passkeys, ProvenPasskey } from "../../passkeys/service.ts";
import type { Users } from "../../users/service.ts";
import type { User } from "../../users/user.ts";
import type { Additions } from "../adding/adding.ts";
import type { FailedSignIns } from "../failed-sign-ins.ts";
import { passkeyPlaceOf, type Holder } from "../holder.ts";
import type { How, Outcome, Proofs } from "../proofs.ts";

/** `unknown`: the passkey that no application here has, for browsers to forget. */
type UnknownPasskey = { unknown: Awaited<ReturnType<Passkeys["nobodys"]>> };

export type PasskeySignIn = ReturnType<typeof createPasskeySignIn>;

/** Signs in by a passkey, alone or as the step after another proof. */
export function createPasskeySignIn(deps: {
  proofs: Proofs;
  additions: Additions;
  passkeys: Passkeys;
  users: Users;
  audit: Audit;
  failedSignIns: FailedSignIns;
}) {
  const { proofs, additions, passkeys, users, audit, failedSignIns } = deps;

  async function accept(holder: Holder, proven: ProvenPasskey, how: Pick<How, "proofOf">): Promise<Outcome> {
    const { user: shown, passkey } = proven;
    const outcome = await proofs.accept(holder, { signedInWith: "passkey", ...how }, async (tx, now) => {
      const user = await users.lock(tx, shown.id);
      if (!user) return undefined;
      const noted = await passkeys.recordUse(tx, proven, now);
      if (noted === "removed") return undefined;
      // A decreased counter means a copied authenticator or one that counts badly: recorded, not
      // refused (WebAuthn §6.1.1).
      if (noted === "copied") {
        const actor = { kind: "user", name: user.id } as const;
        const about = { appId: holder.application.id, userId: user.id, clientInfo: holder.clientInfo };
        const details = { methodId: passkey.id };
        await audit.record(tx, { actor, action: "passkey.counter", result: "failure", ...about, details }, now);
      }
      return user;
    });
    await failedSignIns.recordOutcome(holder, outcome, { method: "passkey", userId: shown.id });
    return outcome;
  }

  return {
    async signIn(holder: Holder, credential: string): Promise<Outcome<UnknownPasskey>> {
      const { application } = holder;
      const proven = await passkeys.prove(
        application,
        passkeyPlaceOf(holder.session, holder.browserDigest),
        credential,
      );
      if (typeof proven === "object") return await accept(holder, proven, {});
      await failedSignIns.record(holder, { method: "passkey" });
      return proven === undefined
        ? "refused"
        : { refusal: { unknown: await passkeys.nobodys(application, credential) } };
    },

    /** The required step after another proof: only a passkey of this user counts. */
    async completeWith(holder: Holder, user: User, credential: string): Promise<Outcome<"unknown">> {
      const proven = await passkeys.prove(
        holder.application,
        passkeyPlaceOf(holder.session, holder.browserDigest),
        credential,
      );
      if (typeof proven === "object" && proven.user.id === user.id)
        return await accept(holder, proven, { proofOf: user.id });
      await failedSignIns.record(holder, { method: "passkey", userId: user.id });
      return proven === "unknown" ? { refusal: proven } : "refused";
    },

    /**
     * The required or offered passkey, after another proof. A refusal is no failed sign-in. A
     * conditional creation asked nobody, so it proves nothing: the password signs in.
     */
    async create(
      holder: Holder,
      user: User,
      ceremony: "add" | "conditional",
      credential: string,
    ): Promise<Outcome<"exists">> {
      const { application, clientInfo } = holder;
      const made = await passkeys.proveAdded(
        application,
        passkeyPlaceOf(holder.session, holder.browserDigest),
        user,
        ceremony,
        credential,
      );
      if (!made) return "refused";
      const asked = ceremony === "add";
      const how = { signedInWith: asked ? "passkey" : "password", proofOf: user.id, isNew: asked } as const;
      return await proofs.accept<"exists">(holder, how, async (tx, now) => {
        if (!(await users.lockForChange(tx, user.id, now))) return undefined;
        const device = { userAgent: clientInfo.userAgent, lastUsedAt: asked ? now : null };
        const added = await passkeys.add(tx, user.id, made, device, now);
        if (!added) return { refusal: "exists" };
        await additions.recordAdded(tx, user, { type: "passkey", provider: null, ...added }, clientInfo, now);
        return user.id;
      });
    },

    /** Completes the sign-in without the offered passkey; undefined without a stored proof. */
    async decline(holder: Holder, user: User): Promise<Outcome | undefined> {
      const { provenWith, provenProvider } = holder.session;
      if (provenWith === null) return undefined;
      const how = { signedInWith: provenWith, provider: provenProvider, proofOf: user.id };
      return await proofs.accept(holder, how, async (tx, now) => {
        await users.declinePasskey(tx, user.id, now);
        return user.id;
      });
    },
  };
}
