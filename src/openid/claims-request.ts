import { z } from "zod";
import { isStorable } from "../lib/text.ts";
import type { ClaimsRequest } from "../storage/column-types.ts";

const member = z.object({
  essential: z.boolean().optional(),
  value: z.unknown().optional(),
  values: z.array(z.unknown()).max(20).optional(),
});

/** More claims than anybody has. */
const maxClaims = 50;

const byClaim = z
  .record(z.string().max(100), member.nullable())
  .refine((claims) => Object.keys(claims).length <= maxClaims);

const claimsRequest = z.object({ userinfo: byClaim.optional(), id_token: byClaim.optional() });

/**
 * The `claims` parameter (OpenID Connect Core 1.0 §5.5); undefined if it is not as documented.
 * Unknown members are ignored.
 */
export function parseClaimsRequest(text: string): ClaimsRequest | undefined {
  let areStorable = true;
  let value: unknown;
  try {
    value = JSON.parse(text, (name, member: unknown) => {
      areStorable &&= isStorable(name) && (typeof member !== "string" || isStorable(member));
      return member;
    });
  } catch {
    return undefined;
  }
  // Escapes such as \u0000 only become text here.
  if (!areStorable) return undefined;
  const parsed = claimsRequest.safeParse(value);
  // Only the members of the type, without those of other specifications.
  return parsed.success ? (JSON.parse(JSON.stringify(parsed.data)) as ClaimsRequest) : undefined;
}
