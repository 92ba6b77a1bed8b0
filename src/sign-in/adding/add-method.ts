import type { CreateAccountProblem } from "../../pages/parts/problems.ts";
import type { Passkeys } from "../../passkeys/service.ts";
import type { NewPasswords } from "../../passwords/new-passwords.ts";
import type { Passwords } from "../../passwords/service.ts";
import type { Adding, Additions } from "./adding.ts";
import { passkeyPlaceOf, type Holder } from "../holder.ts";

export type AddMethod = ReturnType<typeof createAddMethod>;

/** Adds a passkey or password to the session's account. `provider-sign-in.ts` adds identities. */
export function createAddMethod(deps: {
  additions: Additions;
  passwords: Passwords;
  newPasswords: NewPasswords;
  passkeys: Passkeys;
}) {
  const { additions, passwords, newPasswords, passkeys } = deps;

  return {
    async passkey(holder: Holder, credential: string): Promise<Adding<CreateAccountProblem>> {
      const { application, clientInfo } = holder;
      const user = await additions.findAddingUser(holder, "passkey");
      if (!user) return "not-fresh";
      const made = await passkeys.proveAdded(
        application,
        passkeyPlaceOf(holder.session, holder.browserDigest),
        user,
        "add",
        credential,
      );
      if (!made) return { refusal: { kind: "passkey-failed" } };
      return await additions.add<CreateAccountProblem>(
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
      const user = await additions.findAddingUser(holder, "password");
      if (!user) return "not-fresh";
      if (password === "") return { refusal: { kind: "password-missing" } };
      const person = { email: user.email ?? "", name: user.name };
      const problem = await newPasswords.problemWith(password, holder.application, person, network);
      if (problem) return { refusal: problem };
      const hash = await newPasswords.hash(password, network);
      return await additions.add(holder, { type: "password", provider: null }, async (tx, userId, now) => {
        // In the same order as a sign-in.
        if (user.email !== null) await passwords.forgetFailures(tx, user.appId, user.email, holder.knownBrowser);
        return { ...(await passwords.set(tx, userId, hash, now)), name: null };
      });
    },
  };
}
