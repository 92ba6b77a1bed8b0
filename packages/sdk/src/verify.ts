import type { Call } from "./call.ts";
import { AuthsvcError, isInvalidToken } from "./errors.ts";
import { createKeyRing } from "./keys.ts";
import { createOnce } from "./once.ts";
import { setNewest } from "./recent.ts";
import { createRevocations } from "./revocations.ts";
import type { Settings } from "./settings.ts";
import { invalidToken, verifyToken, type AnyClaims, type Purpose, type VerifiedToken } from "./token.ts";

/**
 * Refuses a call that does not prove the key of its token; `cnf` undefined: it has none. Resolves
 * with how to ask the service about such a token.
 */
export type ProofCheck = (token: string, cnf?: AnyClaims["cnf"]) => Promise<Ask>;

/** Rejects with INVALID_TOKEN if the service says so. */
type Ask = (settings: Settings, token: string) => Promise<unknown>;

/** About 2 KB each. */
const maxRemembered = 10_000;

/**
 * Verifies access tokens without a call each: the signature by the published keys, ended logins by
 * the feed. A personal access token of the application takes a call each.
 */
export function createVerifier<Kind extends AnyClaims>(settings: Settings, call: Call, problemOf: Purpose<Kind>) {
  const { issuer, now } = settings;
  const keys = createKeyRing(settings);
  const revocations = createRevocations(settings, call, (kid) => keys.forget(kid));
  /** By exact text: each signature is checked once. Undefined: the service refused it. */
  const remembered = new Map<string, VerifiedToken<Kind> | undefined>();
  const once = createOnce<void>(settings);
  const validate = async (accessToken: string) => await call("GET /auth/validate", { accessToken });

  async function signed(token: string): Promise<VerifiedToken<Kind>> {
    const known = remembered.get(token);
    if (!known && remembered.has(token)) throw ended();
    // Without its key, a remembered token is nothing: it is verified again, and refused.
    if (known && (await keys.find(known.kid))) {
      if (known.claims.exp * 1000 <= now()) throw invalidToken("it has expired");
      return known;
    }
    const verified = await verifyToken(token, settings, keys, problemOf);
    setNewest(remembered, token, verified, maxRemembered);
    return verified;
  }

  /** Asks the service; remembers the answer if the feed will report when it changes. */
  async function ask(token: string, verified: VerifiedToken, isCurrent: boolean, askOtherwise?: Ask): Promise<void> {
    const mark = revocations.mark();
    try {
      await (askOtherwise?.(settings, token) ?? validate(token));
      if (isCurrent) revocations.clear(verified, mark);
    } catch (error) {
      if (isInvalidToken(error)) setNewest(remembered, token, undefined, maxRemembered);
      throw error;
    }
  }

  return {
    /**
     * The claims of a token that is valid now, also of a personal access token. `prove`: given if
     * it came with the scheme DPoP, checks the proof (`createProofs`). Without, a token that is
     * bound to a key is refused.
     * @throws AuthsvcError INVALID_TOKEN; UNREACHABLE if it cannot be decided.
     */
    async verify(token: string, prove?: ProofCheck): Promise<Kind> {
      // Not `startsWith`: JavaScript callers may pass undefined.
      // oxlint-disable-next-line prefer-string-starts-ends-with
      if (/^pat_/.test(token)) {
        // Only the service knows what it means now.
        await prove?.(token);
        return (await validate(token)).personalToken as Kind;
      }
      const verified = await signed(token);
      const { cnf } = verified.claims;
      if (cnf && !prove) throw invalidToken("it is bound to a key (cnf)");
      const askOtherwise = await prove?.(token, cnf);
      const isCurrent = await revocations.isCurrent();
      // An ended login stays ended, however old the list is.
      const verdict = revocations.judge(verified);
      if (verdict === "revoked") throw ended();
      if (verdict === "valid" && isCurrent) return verified.claims;
      if (!isCurrent && settings.whenStale === "refuse")
        throw new AuthsvcError("UNREACHABLE", `Ended logins cannot be read from ${issuer} (AUTHSVC_ISSUER).`);
      await once(token, async () => await ask(token, verified, isCurrent, askOtherwise));
      if (revocations.judge(verified) === "revoked") throw ended();
      return verified.claims;
    },

    /** Stops reading the feed. */
    close: (): void => revocations.close(),
  };
}

function ended(): AuthsvcError {
  return invalidToken("its login has ended");
}
