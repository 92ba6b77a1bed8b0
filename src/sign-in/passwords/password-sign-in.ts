import type { Passwords } from "../../passwords/service.ts";
import type { Users } from "../../users/service.ts";
import type { FailedSignIns } from "../failed-sign-ins.ts";
import type { Holder } from "../holder.ts";
import type { Outcome, Proofs } from "../proofs.ts";
import type { SignIn } from "../service.ts";

export type PasswordSignIn = ReturnType<typeof createPasswordSignIn>;

/** Signs in by address and password. */
export function createPasswordSignIn(deps: {
  signIn: SignIn;
  proofs: Proofs;
  passwords: Passwords;
  users: Users;
  failedSignIns: FailedSignIns;
}) {
  const { signIn, proofs, passwords, users, failedSignIns } = deps;

  return {
    /**
     * `network`: counts the attempt. `mayOffer`: a passkey may be offered afterwards. Throws
     * RATE_LIMITED and BUSY.
     */
    async signIn(
      holder: Holder,
      typed: { email: string; password: string; network: string; mayOffer: boolean },
    ): Promise<Outcome | "other-browser"> {
      const { email, password, network, mayOffer } = typed;
      // Refuses before any write if the queue is full or the network has failed too often.
      const attempt = passwords.admitTry(network);
      try {
        // Claim before hashing: otherwise another browser could see when the hash is done.
        if (!(await signIn.claim(holder.session, holder.browserDigest))) return "other-browser";
        const tried = { email, password, browser: holder.knownBrowser, attempt };
        const proof = await passwords.prove(holder.application, tried);
        const outcome = await proofs.accept(holder, { signedInWith: "password", mayOffer }, async (tx, now) => {
          // For every address, so that all attempts take as long.
          await users.lock(tx, proof.userId);
          return await proof.count(tx, now);
        });
        if (typeof outcome === "object") {
          await proof.renew();
          return outcome;
        }
        // In this order, so that every refusal takes as long; the user is looked up for all alike.
        await proof.refuse();
        const known = await users.findByEmail(holder.application.id, email);
        await failedSignIns.recordOutcome(holder, outcome, { method: "password", userId: known?.id ?? null });
        return outcome;
      } finally {
        attempt.end();
      }
    },
  };
}
