import { minute, type Clock } from "../../lib/clock.ts";
import { newSecret, type Random } from "../../lib/random.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { Failure } from "./failures.ts";
import type { Person } from "./people.ts";

/** What a person agreed to at a stand-in. */
export type Grant = {
  provider: string;
  request: AuthorizationRequest;
  person: Person;
  failure: Failure | undefined;
};

const codesLast = minute;
const tokensLast = 10 * minute;
const most = 1000;

export type Grants = ReturnType<typeof createGrants>;

/** The codes and access tokens of all stand-ins, in memory; new ones displace the oldest. */
export function createGrants({ clock, random }: { clock: Clock; random: Random }) {
  const codes = new Map<string, Grant & { expiresAt: number }>();
  const tokens = new Map<string, Grant & { expiresAt: number }>();
  const seen = new Map<string, true>();

  function remember<T>(memory: Map<string, T>, key: string, value: T): void {
    memory.set(key, value);
    const [oldest] = memory.keys();
    if (memory.size > most && oldest !== undefined) memory.delete(oldest);
  }

  return {
    issueCode(grant: Grant): string {
      const code = newSecret(random);
      remember(codes, code, { ...grant, expiresAt: clock() + codesLast });
      return code;
    },

    /** Works once, whatever the result. */
    consumeCode(provider: string, code: string): Grant | undefined {
      const grant = codes.get(code);
      codes.delete(code);
      return grant?.provider === provider && grant.expiresAt > clock() ? grant : undefined;
    },

    issueToken(grant: Grant): string {
      const token = newSecret(random);
      remember(tokens, token, { ...grant, expiresAt: clock() + tokensLast });
      return token;
    },

    findToken(provider: string, token: string): Grant | undefined {
      const grant = tokens.get(token);
      return grant?.provider === provider && grant.expiresAt > clock() ? grant : undefined;
    },

    /** Whether this subject agrees for the first time: only then Apple sends the name. */
    isFirstTime(subject: string): boolean {
      const isNew = !seen.has(subject);
      remember(seen, subject, true);
      return isNew;
    },
  };
}
