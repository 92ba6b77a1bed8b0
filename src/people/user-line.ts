import * as z from "zod";
import { isTotpSecret } from "../factors/totp.ts";
import type { Passkey } from "../credentials/passkeys/store.ts";
import { isoTime } from "../lib/clock.ts";
import { repeatsKey } from "../http/json-body.ts";
import { newEmail } from "../lib/email.ts";
import { AppError } from "../lib/errors.ts";
import { idRule, isGroupName, isId } from "../lib/names.ts";
import { factsFrom, factsOn, profileFacts, type FactOn } from "../lib/profile-facts.ts";
import { enteredAddress } from "../lib/stored-picture.ts";
import { pictureProblems, readPicture, type Picture } from "../pictures/image.ts";
import { isStorable } from "../lib/text.ts";
import { emailRule } from "../lib/user-fields.ts";
import type { Metadata } from "../storage/column-types.ts";
import { patchedMetadata } from "../users/metadata.ts";
import { isPending, type User } from "../users/user.ts";

/**
 * A refused line: the field as the line spells it (`passkeys[1].publicKey`, empty for the whole
 * line) and the rule, never a value.
 */
export type LineProblem = { field: string; rule: string };

const isBase64url = (value: string): boolean =>
  value !== "" && Buffer.from(value, "base64url").toString("base64url") === value;

function text(rule: string, holds: (value: string) => boolean) {
  return z.string(rule).refine(holds, rule);
}

const instantRule = "a time such as 2026-01-31T12:00:00.000Z";
const publicKeyRule = "a COSE key in base64url, for EdDSA, ES256 or RS256";
const secretRule = "a secret in base 32, of 10 to 64 bytes, for SHA-1, 6 digits and 30 seconds";
/** Of 256 KiB. */
const maxDataUrl = 350_000;
const pictureRule = `${profileFacts.picture.input.lineRule}, or a data URL with base64 of at most 256 KiB`;
const handleRule = "1 to 64 bytes in base64url";

const flag = z.boolean("true or false");
const email = z.string("a string").transform((value, context) => {
  const canonical = newEmail(value);
  if (canonical === undefined) context.addIssue({ code: "custom", message: emailRule(value) });
  return canonical ?? null;
});
/** A text as the profile has that fact. */
function lineFact(fact: FactOn<"lines">) {
  const { lineRule, read } = profileFacts[fact].input;
  return z.string(lineRule).transform((value, context) => {
    const shown = read(value);
    if (shown === undefined) context.addIssue({ code: "custom", message: lineRule });
    return shown ?? null;
  });
}
/** An address, or the file itself as a data URL: then it is uploaded. */
const picture = z.string(pictureRule).transform((value, context): string | Picture | null => {
  const base64 = /^data:image\/[a-z+]{1,10};base64,([A-Za-z0-9+/]+={0,2})$/u.exec(value.slice(0, maxDataUrl))?.[1];
  const read = base64 === undefined ? undefined : readPicture(Buffer.from(base64, "base64"), "person");
  const isRefused = typeof read === "string" || value.length > maxDataUrl;
  const shown = typeof read === "object" ? read : profileFacts.picture.input.read(value);
  if (isRefused || shown === undefined)
    context.addIssue({ code: "custom", message: typeof read === "string" ? pictureProblems[read] : pictureRule });
  return shown ?? null;
});
const instant = z.iso.datetime({ offset: true, error: instantRule }).transform((value, context) => {
  const at = Date.parse(value);
  // Ids and sorting require instants of a certain length.
  if (!(at >= 0 && at < Date.UTC(3000, 0))) context.addIssue({ code: "custom", message: instantRule });
  return at;
});

function metadata(field: string) {
  return z
    .unknown()
    .transform((value, context): Metadata | null => {
      if (value === undefined || value === null) return null;
      try {
        return patchedMetadata(field, null, value);
      } catch (error) {
        if (!(error instanceof AppError) || !error.rejected) throw error;
        context.addIssue({ code: "custom", message: error.rejected.rule });
        return null;
      }
    })
    .optional();
}

/** In the form of authenticator apps: in groups, in upper or lower case. */
const totpSecret = z.string(secretRule).transform((value, context) => {
  const secret = value.replaceAll(/[\s=-]/gu, "").toUpperCase();
  if (!isTotpSecret(secret)) context.addIssue({ code: "custom", message: secretRule });
  return secret;
});

const passkeySchema = z.strictObject({
  credentialId: text("at most 1023 bytes in base64url", (value) => value.length <= 1364 && isBase64url(value)),
  publicKey: text(publicKeyRule, (value) => value.length <= 4096 && isBase64url(value)),
  signCount: z.int("a whole number from 0 to 4294967295").min(0).max(4_294_967_295).nullish(),
  transports: z
    .array(text("at most 32 characters", (value) => value.length <= 32 && isStorable(value)))
    .max(16)
    .nullish(),
  aaguid: text("a UUID", (value) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(value)).nullish(),
  name: lineFact("name").nullish(),
  discoverable: flag.nullish(),
  backedUp: flag.nullish(),
  createdAt: instant.nullish(),
});

const lineSchema = z.strictObject({
  id: text(idRule, isId).nullish(),
  email: email.nullish(),
  emailVerified: flag.nullish(),
  ...factsFrom(factsOn("lines"), (fact) => lineFact(fact).nullish()),
  picture: picture.nullish(),
  createdAt: instant.nullish(),
  disabled: flag.nullish(),
  state: z.literal("pending", 'only "pending", for a user who waits for approval').nullish(),
  /** The application's fields have the rules. */
  profile: z.record(z.string(), z.unknown(), "values by the names of profile fields").nullish(),
  publicMetadata: metadata("publicMetadata"),
  privateMetadata: metadata("privateMetadata"),
  groups: z
    .array(text("the name of a group", isGroupName), "a list")
    .max(64, "at most 64")
    .transform((names) => [...new Set(names)])
    .nullish(),
  handle: text(handleRule, (value) => value.length <= 86 && isBase64url(value)).nullish(),
  password: z
    .strictObject({
      hash: text("at most 1024 characters", (value) => value.length <= 1024),
      salt: text("base64, at most 512 characters", (value) => value.length <= 512).nullish(),
      setAt: instant.nullish(),
      mustChange: flag.nullish(),
    })
    .nullish(),
  totpSecret: totpSecret.nullish(),
  recoveryDigests: z
    .array(
      text("a SHA-256 digest in base64url", (value) => value.length === 43 && isBase64url(value)),
      "a list",
    )
    .max(10, "at most 10")
    .transform((digests) => [...new Set(digests)])
    .nullish(),
  passkeys: z.array(passkeySchema, "a list").max(50, "at most 50").nullish(),
  identities: z
    .array(
      z.strictObject({
        provider: text("the name of a provider, such as google", (value) => /^[a-z][a-z0-9-]{0,31}$/u.test(value)),
        subject: text(
          "a string of 1 to 255 characters",
          (value) => value !== "" && value.length <= 255 && isStorable(value),
        ),
        issuer: text("the provider's issuer, or its host: at most 2048 printable characters", (value) =>
          /^[\x21-\x7E]{1,2048}$/u.test(value),
        )
          .transform((value) => value.replace(/\/+$/u, ""))
          .nullish(),
        email: email.nullish(),
      }),
      "a list",
    )
    .max(50, "at most 50")
    .nullish(),
});

/**
 * One user as a line of an import, checked as far as the line alone allows. Instants are epoch
 * milliseconds.
 */
export type UserLine = z.output<typeof lineSchema>;

/** Nobody signs in by these, and none gives access: left out if they do not fit. */
const optionalFields = new Set<string>([
  ...factsOn("lines"),
  "createdAt",
  "profile",
  "identities.email",
  "passkeys.name",
  "passkeys.transports",
  "passkeys.aaguid",
  "passkeys.createdAt",
]);

/** Parses a JSON line to a user and the skipped fields, or returns its problem. */
export function parseUserLine(json: string): (UserLine & { leftOut: LineProblem[] }) | LineProblem {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { field: "", rule: "not JSON: each line is one user" };
  }
  if (repeatsKey(json, value)) return { field: "", rule: "a key is given twice" };
  let parsed = lineSchema.safeParse(value);
  const unfit = parsed.error?.issues.filter(({ path }) => optionalPart(path) !== undefined) ?? [];
  if (unfit.length > 0) {
    for (const { path } of unfit) remove(value, optionalPart(path) ?? []);
    parsed = lineSchema.safeParse(value);
  }
  if (!parsed.success) return problemOf(parsed.error.issues[0]);
  const data = { ...parsed.data, leftOut: unfit.map(problemOf) };
  if (data.email === null || data.email === undefined) {
    if (data.id === null || data.id === undefined) return { field: "email", rule: "required if there is no id" };
    if (data.emailVerified) return { field: "emailVerified", rule: "only with an email" };
  }
  if (data.passkeys?.some((passkey) => passkey.discoverable !== false) && !data.handle)
    return { field: "handle", rule: "required with passkeys: the WebAuthn user handle that they were created with" };
  if ((data.recoveryDigests ?? []).length > 0 && !data.totpSecret)
    return { field: "recoveryDigests", rule: "only with a totpSecret" };
  return data;
}

/** The beginning of a path that names an optional field. */
function optionalPart(path: PropertyKey[]): PropertyKey[] | undefined {
  const ends = path.map((_step, at) => path.slice(0, at + 1));
  return ends.find((part) => optionalFields.has(part.filter((step) => typeof step === "string").join(".")));
}

function remove(value: unknown, path: PropertyKey[]): void {
  const owner = path.slice(0, -1).reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)[step], value);
  delete (owner as Record<PropertyKey, unknown>)[path.at(-1) ?? ""];
}

function problemOf(issue: z.core.$ZodIssue | undefined): LineProblem {
  if (!issue) return { field: "", rule: "not a user" };
  const path = issue.path.reduce<string>(
    (above, step) =>
      typeof step === "number" ? `${above}[${step}]` : above === "" ? String(step) : `${above}.${String(step)}`,
    "",
  );
  if (issue.code === "unrecognized_keys") {
    const key = (issue.keys[0] ?? "").slice(0, 64);
    return { field: path === "" ? key : `${path}.${key}`, rule: "not a known field" };
  }
  if (issue.code === "invalid_type" && path === "") return { field: "", rule: "not a JSON object" };
  return { field: path, rule: issue.message };
}

export type StoredUser = {
  user: User;
  groups: string[];
  password: { hash: string; setAt: number | null; mustChange: boolean } | undefined;
  encryptedSecret: string | undefined;
  recoveryDigests: string[];
  passkeys: Passkey[];
  identities: { provider: string; issuer: string; subject: string; email: string | null }[];
  /** If it was uploaded. */
  picture?: { type: string; bytes: Buffer } | undefined;
};

export function dataUrlOf({ type, bytes }: { type: string; bytes: Buffer }): string {
  return `data:${type};base64,${bytes.toString("base64")}`;
}

/** The import line for a stored user, with its opened TOTP secret. Missing values are omitted. */
export function userLineOf(
  { user: stored, groups, password, recoveryDigests, passkeys, identities, picture: file }: StoredUser,
  totpSecret: string | undefined,
): object {
  const user = { ...stored, picture: file ? dataUrlOf(file) : enteredAddress(stored.picture) };
  return {
    id: user.id,
    ...(user.email === null ? {} : { email: user.email, emailVerified: user.emailVerified }),
    ...factsFrom(
      factsOn("lines").filter((name) => user[name] !== null),
      (name) => user[name],
    ),
    createdAt: isoTime(user.createdAt),
    ...(isPending(user) ? { state: "pending" } : user.disabledAt === null ? {} : { disabled: true }),
    ...(user.profile === null ? {} : { profile: user.profile }),
    handle: user.handle,
    ...(user.publicMetadata === null ? {} : { publicMetadata: user.publicMetadata }),
    ...(user.privateMetadata === null ? {} : { privateMetadata: user.privateMetadata }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(password && { password: passwordOf(password) }),
    ...(totpSecret === undefined ? {} : { totpSecret }),
    ...(recoveryDigests.length === 0 ? {} : { recoveryDigests }),
    ...(passkeys.length === 0 ? {} : { passkeys: passkeys.map(passkeyOf) }),
    ...(identities.length === 0 ? {} : { identities: identities.map(identityOf) }),
  };
}

function passwordOf({ hash, setAt, mustChange }: NonNullable<StoredUser["password"]>): object {
  return { hash, ...(setAt !== null && { setAt: isoTime(setAt) }), ...(mustChange && { mustChange: true }) };
}

function passkeyOf(passkey: Passkey): object {
  const { credentialId, publicKey, signCount, transports, aaguid, name, discoverable, backedUp, createdAt } = passkey;
  return {
    credentialId,
    publicKey,
    signCount,
    transports,
    aaguid,
    name,
    discoverable,
    backedUp,
    createdAt: isoTime(createdAt),
  };
}

function identityOf({ provider, issuer, subject, email }: StoredUser["identities"][number]): object {
  return { provider, subject, ...(issuer === "" ? {} : { issuer }), ...(email === null ? {} : { email }) };
}
