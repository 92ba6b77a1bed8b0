import type { CreateAccountProblem } from "../pages/problems.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Passwords } from "../passwords/service.ts";
import type { Adding } from "./adding.ts";
import { passkeyPlaceOf, type Holder } from "./holder.ts";
import type { Proofs } from "./proofs.ts";

export type AddMethod = ReturnType<typeof createAddMethod>;

/** Adds a passkey or password to the session's account. `provider-sign-in.ts` adds identities. */
export function createAddMethod(deps: { proofs: Proofs; passwords: Passwords; passkeys: Passkeys }) {
  const { proofs, passwords, passkeys } = deps;

  return {
    async passkey(holder: Holder, credential: string): Promise<Adding<CreateAccountProblem>> {
      const { application, clientInfo } = holder;
      const user = await proofs.findAddingUser(holder, "passkey");
      if (!user) return "not-fresh";
      const made = await passkeys.proveAdded(application, passkeyPlaceOf(holder), user, credential);
      if (!made) return { refusal: { kind: "passkey-failed" } };
      return await proofs.add<CreateAccountProblem>(
        holder,
        { type: "passkey", provider: null },
        async (tx, userId, now) => {
          if (!(await passkeys.hasRoom(userId, tx))) return { refusal: { kind: "passkeys-full" } };
          const device = { userAgent: clientInfo.userAgent, lastUsedAt: null };
          return (await passkeys.add(tx, userId, made, device, now)) ?? { refusal: { kind: "passkey-exists" } };
        },
      );
    },

    /**
     * Sets or replaces the password. `network`: counts the attempt. Throws RATE_LIMITED and BUSY.
     */
    async password(
      holder: Holder,
      { password, network }: { password: string; network: string },
    ): Promise<Adding<CreateAccountProblem>> {
      const user = await proofs.findAddingUser(holder, "password");
      if (!user) return "not-fresh";
      if (password === "") return { refusal: { kind: "password-missing" } };
      const person = { email: user.email ?? "", name: user.name };
      const problem = await passwords.problemWith(password, holder.application, person, network);
      if (problem) return { refusal: problem };
      const hash = await passwords.hash(password, network);
      return await proofs.add(holder, { type: "password", provider: null }, async (tx, userId, now) => {
        // In the same order as a sign-in.
        if (user.email !== null) await passwords.forgetFailures(tx, user.appId, user.email, holder.knownBrowser);
        return { ...(await passwords.set(tx, userId, hash, now)), name: null };
      });
    },
  };
}
