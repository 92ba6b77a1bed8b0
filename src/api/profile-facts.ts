/** The facts of a profile in the document of the API: fields of answers, bodies and claims. */
import { z } from "zod";
import {
  factsFrom,
  factsOn,
  profileFacts,
  type Fact,
  type FactOn,
  type FactsOn,
  type WrittenFact,
} from "../lib/profile-facts.ts";
import { address, text } from "./fields.ts";
import type { Keywords } from "./operation.ts";

type Answering = "callback" | "validate" | "profile" | "server";

function textOf(fact: Fact, about: string): z.ZodType<string> {
  return "format" in profileFacts[fact] ? address(about) : text(about);
}

export function answerFields<Place extends Answering>(place: Place) {
  return factsFrom(factsOn(place), (fact) => textOf(fact, profileFacts[fact].about).nullable());
}

export function answerExample<Place extends Answering>(place: Place): FactsOn<Place> {
  return factsFrom(factsOn(place), (fact): string | null => profileFacts[fact].example);
}

type ClaimName = (typeof profileFacts)[FactOn<"claims">]["claim"]["name"];

/** By the names of the claims. */
export function claimFields() {
  const fields = factsOn("claims").map((fact) => {
    const { name, about } = profileFacts[fact].claim;
    return [name, textOf(fact, about).optional()] as const;
  });
  return Object.fromEntries(fields) as Record<ClaimName, (typeof fields)[number][1]>;
}

const string = z.string("must be a string").optional();
const stringOrNull = z.string("must be a string or null").nullable().optional();

/** Of a body that creates somebody. */
export const created = factsFrom(factsOn("server"), () => string);
export const createdWords = factsFrom(factsOn("server"), (fact) => words(fact, { nullable: false }));

/** Of a body that changes somebody, by the application's server. */
export const changed = factsFrom(factsOn("server"), () => stringOrNull);
export const changedWords = factsFrom(factsOn("server"), (fact) => words(fact, { nullable: true }));

/** Of a body by which users change their own profile. */
export const changedByUser = factsFrom(factsOn("profile"), (fact) => (isRemovable(fact) ? stringOrNull : string));
export const changedByUserWords = factsFrom(factsOn("profile"), (fact) =>
  words(fact, { nullable: isRemovable(fact), ...(isRemovable(fact) ? {} : { minLength: 1 }) }),
);

/** Values of the application's own fields: allowed where it has some. */
export const changedValues = z.record(z.string(), z.unknown(), "must be an object").optional();
export const changedValuesWords =
  "Values of the application's own profile fields, by name. Null clears; omitted fields stay. Only if the application has such fields.";

function isRemovable(fact: FactOn<"profile">): boolean {
  return profileFacts[fact].input.removable;
}

function words(fact: WrittenFact, { nullable, ...least }: { nullable: boolean; minLength?: number }): Keywords {
  const row = profileFacts[fact];
  const { about, maxLength } = row.input;
  const format = "format" in row ? { format: row.format } : {};
  return { about: nullable ? `${about}, or null for none.` : `${about}.`, ...format, ...least, maxLength };
}
