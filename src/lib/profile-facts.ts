/** What a profile says about a person: each fact with the places where it is. */
import { invalidRequest } from "./errors.ts";
import { pictureAddress } from "./stored-picture.ts";
import { displayName, isHttpsAddress, maxNameCharacters, plainTextProblem } from "./text.ts";

/**
 * `callback`: the user in the answers of callback, `/api/user` and `GET /users/profile`.
 * `validate`: the user in the answers of validate, a copy in the row of the login.
 * `profile`: body and answer of `PATCH /users/profile`, which is what users change of themselves.
 * `account`: the account page, and its form.
 * `download`: in the data that a user downloads, beside the fields of `callback`.
 * `server`: the users' API, with what is created and changed there, and the JSON of commands.
 * `operator`: the console, with what is changed there, and the flags of `user update`.
 * `lines`: export and import.
 * `claims`: claims of the scope `profile`.
 */
type Surface =
  | "callback"
  | "validate"
  | "profile"
  | "account"
  | "download"
  | "server"
  | "operator"
  | "lines"
  | "claims";

type ProfileFact = {
  label: string;
  /** In the document of the API. */
  about: string;
  example: string | null;
  format?: "uri";
  /** Of facts that are written as text. */
  input?: {
    /** The canonical form; null if there is nothing in it, undefined if it is refused. */
    read(text: string): string | null | undefined;
    /** Of `read`, in words: where null is allowed, and in a line of an import. */
    rule: string;
    lineRule: string;
    /** A better rule for this text. */
    problem?(text: string): string | undefined;
    about: string;
    maxLength: number;
    /** Whether users can remove it from their own profile. */
    removable: boolean;
  };
  claim?: { name: string; about: string };
  /** Of `user update`. `value`: the name of its value; `inText`: in the text of `user show`. */
  flag?: { value: string; about: string; atCreation: boolean; inText: boolean };
  /** Keys of texts: in the list of the account page, and in the form. */
  page?: {
    shown: string;
    label: string;
    hint: string | undefined;
    type: "text" | "url";
    autocomplete: string;
    problem: { kind: string; beside: string } | undefined;
  };
  surfaces: readonly Surface[];
};

/** A new fact is only where its `surfaces` say. It needs a column of `users`, null for none. */
export const profileFacts = {
  name: {
    label: "Name",
    about: "The user's display name.",
    example: "Ada",
    input: {
      read: displayName,
      rule: `1 to ${maxNameCharacters} characters, no control characters`,
      lineRule: `at most ${maxNameCharacters} characters, no control characters`,
      about: "The display name, without control characters",
      maxLength: maxNameCharacters,
      // It is a string (docs/spec/http-api.md, 2.2), so a name cannot be removed.
      removable: false,
    },
    claim: { name: "name", about: "The display name." },
    flag: { value: "name", about: "name of the user", atCreation: true, inText: true },
    page: { shown: "name", label: "name", hint: undefined, type: "text", autocomplete: "name", problem: undefined },
    surfaces: ["callback", "validate", "profile", "account", "server", "operator", "lines", "claims"],
  },
  picture: {
    label: "Picture",
    about: "The URL of the user's picture.",
    example: null,
    format: "uri",
    input: {
      read: (text) => (isHttpsAddress(text) ? text : undefined),
      rule: "an https URL of at most 2048 characters, or null",
      lineRule: "an https URL of at most 2048 characters",
      problem: plainTextProblem,
      about: "An https URL",
      maxLength: 2048,
      removable: true,
    },
    claim: { name: "picture", about: "The URL of the user's picture." },
    flag: { value: "url", about: "https URL of a picture", atCreation: false, inText: false },
    page: {
      shown: "picture",
      label: "linkToPicture",
      hint: "pictureHint",
      type: "url",
      autocomplete: "photo",
      problem: { kind: "picture-not-https", beside: "pictureNotHttps" },
    },
    surfaces: ["callback", "profile", "account", "server", "operator", "lines", "claims"],
  },
  /** The page language of the last sign-in. */
  locale: {
    label: "Language",
    about: "The language of the pages at the last sign-in.",
    example: "en",
    claim: { name: "locale", about: "The language of the pages at the last sign-in." },
    surfaces: ["download", "claims"],
  },
} as const satisfies Record<string, ProfileFact>;

type Facts = typeof profileFacts;
export type Fact = keyof Facts;
export type FactOn<Place extends Surface> = {
  [Name in Fact]: Place extends Facts[Name]["surfaces"][number] ? Name : never;
}[Fact];
export type FactsOn<Place extends Surface> = Record<FactOn<Place>, string | null>;
/** What users, operators or servers can write. */
export type WrittenFact = { [Name in Fact]: Facts[Name] extends { input: unknown } ? Name : never }[Fact];

/** In the order of the list, which is that of every answer, form and export. */
export const factNames = Object.keys(profileFacts) as Fact[];

export const writtenFacts = factNames.filter((name): name is WrittenFact => "input" in profileFacts[name]);

export function factsOn<Place extends Surface>(place: Place): FactOn<Place>[] {
  return factNames.filter((name): name is FactOn<Place> =>
    (profileFacts[name].surfaces as readonly Surface[]).includes(place),
  );
}

/** Their labels, as in a sentence. */
export function labelsOf(names: readonly Fact[]): string[] {
  return names.map((name) => profileFacts[name].label.toLowerCase());
}

/** What is made of each of these names. */
export function factsFrom<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}

/** A person's facts, as others read them: with the address of an uploaded picture. */
export function factsOf<Place extends Surface>(
  place: Place,
  person: Readonly<Record<FactOn<Place>, string | null>>,
  baseUrl: string,
): FactsOn<Place> {
  return factsFrom(factsOn(place), (name) => pictureAddress(baseUrl, person[name]));
}

export function flagOf(name: FactOn<"operator">): string {
  return `--${name}`;
}

/** With its value, as help shows it. */
export function flagWithValue(name: FactOn<"operator">): string {
  return `${flagOf(name)} <${profileFacts[name].flag.value}>`;
}

/** Canonical; null for none, which no text stands for. Throws INVALID_REQUEST naming the fact. */
export function checkedFact<Text extends string | null>(name: WrittenFact, text: Text): Text {
  if (text === null) return text;
  const input: NonNullable<ProfileFact["input"]> = profileFacts[name].input;
  const checked = input.read(text);
  if (!checked) throw invalidRequest(name, input.problem?.(text) ?? input.rule);
  return checked as Text;
}
