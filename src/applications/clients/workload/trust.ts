import { isDeepStrictEqual } from "node:util";
import { invalidRequest } from "../../../lib/errors.ts";
import { isShowable } from "../../../lib/text.ts";
import type { Trust } from "../../../storage/column-types.ts";

/** `audience` null: the address of this service. */
export type NewTrust = { issuer: string; subject: string; audience?: string | null | undefined };

/** A trust as files describe it. */
export type TrustFields = Omit<Trust, "id">;

export type TrustRules = { ownIssuer: string; addressProblem(url: string): string | undefined; newId(): string };

const maxTrusts = 20;
const maxCharacters = 512;

export function fieldsOf({ issuer, subject, audience = null }: NewTrust): TrustFields {
  return { issuer, subject, audience };
}

/** Whether a trust says the same as this one. */
export function isLike(wanted: NewTrust): (trust: Trust) => boolean {
  return (trust) => isDeepStrictEqual(fieldsOf(trust), fieldsOf(wanted));
}

/**
 * The wanted trusts, in their order, without duplicates. Existing ones keep their ids, and so their
 * tokens. Throws INVALID_REQUEST naming the field.
 */
export function changedTrusts(present: readonly Trust[], wanted: readonly NewTrust[], rules: TrustRules): Trust[] {
  if (wanted.length > maxTrusts) throw invalidRequest("trusts", `at most ${maxTrusts}`);
  const trusts: Trust[] = [];
  for (const [index, one] of wanted.entries()) {
    if (trusts.some(isLike(one))) continue;
    const there = present.find(isLike(one));
    trusts.push(there ?? { id: rules.newId(), ...checked(fieldsOf(one), `trusts[${index}]`, rules) });
  }
  return trusts;
}

function checked(fields: TrustFields, at: string, { ownIssuer, addressProblem }: TrustRules): TrustFields {
  const { issuer, subject, audience } = fields;
  const problem = addressProblem(issuer) ?? (issuer.includes("?") ? "no query" : undefined);
  if (problem !== undefined) throw invalidRequest(`${at}.issuer`, problem);
  if (new URL(issuer).origin === ownIssuer) throw invalidRequest(`${at}.issuer`, "not this service itself");
  for (const [name, text] of Object.entries({ subject, audience: audience ?? "default" })) {
    if (text === "" || text.length > maxCharacters || !isShowable(text))
      throw invalidRequest(`${at}.${name}`, `1 to ${maxCharacters} visible characters`);
  }
  if (subject.includes("*")) throw invalidRequest(`${at}.subject`, "no wildcard: it is compared exactly");
  return fields;
}
