/** Users of whom all is known: what each answer about them must be, and each list of them. */
import { isDeepStrictEqual } from "node:util";
import type { TestApp } from "../support/service.ts";
import { Violation, type KnownResident } from "./model.ts";
import type { World } from "./world.ts";

type Json = Record<string, unknown>;
export type Methods = { passkey: boolean; oauth: string[]; password: boolean };

/** Facts that only the service knows, until it has said them. */
type Moments = { createdAt: string; updatedAt: string; lastLoginAt: string | null; disabledAt: string | null };

export class KnownUser implements KnownResident {
  readonly world: World;
  readonly app: TestApp;
  readonly name: string;
  email: string;
  /** That it ever had. */
  readonly emails = new Set<string>();
  userId = "";
  emailVerified = false;
  displayName: string | null = null;
  picture: string | null = null;
  authMethods: Methods = { passkey: false, oauth: [], password: false };
  publicMetadata: Json = {};
  privateMetadata: Json = {};
  profile: Json = {};
  groups: string[] = [];
  password = "";
  mustChange = false;
  /** What an import said of the ways to sign in; undefined: not imported. */
  line: Json | undefined;
  loginCount = 0;
  lastIpAddress: string | null = null;
  /** As it was said last. */
  moments: Moments | undefined;
  isGone = false;
  isUnsure = false;
  readonly left = new Map<string, number>();

  constructor(world: World, app: TestApp, name: string, email: string) {
    this.world = world;
    this.app = app;
    this.name = name;
    this.email = email;
    this.emails.add(email);
  }

  leaves(...lines: string[]): void {
    for (const line of lines) this.left.set(line, (this.left.get(line) ?? 0) + 1);
  }

  /** As a list shows it. */
  get listed(): Json {
    const { userId: id, app, email, emailVerified, displayName: name, picture, authMethods, moments } = this;
    return { id, appId: app.id, email, emailVerified, name, picture, ...moments, authMethods };
  }

  get hasTotp(): boolean {
    return this.line?.["totpSecret"] !== undefined;
  }

  get codesLeft(): number {
    return ((this.line?.["recoveryDigests"] ?? []) as unknown[]).length;
  }

  /** As an answer about this one alone. */
  get shown(): Json {
    const { loginCount, lastIpAddress, publicMetadata, privateMetadata, profile, mustChange } = this;
    const userAgent = lastIpAddress === null ? null : `Browser/1.0 (${lastIpAddress})`;
    return {
      ...this.listed,
      metadata: { loginCount, lastIpAddress, userAgent },
      ...(isSome(publicMetadata) && { publicMetadata }),
      ...(isSome(privateMetadata) && { privateMetadata }),
      ...(isSome(profile) && { profile }),
      ...(mustChange && { passwordMustChange: true }),
    };
  }

  /** The service has said when: within `during`, if a change of these moments was asked for. */
  learn(answer: Json, changed: readonly (keyof Moments)[], during: { from: number; to: number }): void {
    const said = (name: keyof Moments) => (answer[name] as string | null | undefined) ?? null;
    const before = this.moments;
    this.moments = {
      createdAt: said("createdAt") ?? "",
      updatedAt: said("updatedAt") ?? "",
      lastLoginAt: said("lastLoginAt"),
      disabledAt: said("disabledAt"),
    };
    for (const [name, value] of Object.entries(this.moments) as [keyof Moments, string | null][]) {
      if (!changed.includes(name)) {
        if (before && before[name] !== value) this.fail(`${name} is ${value} instead of ${before[name]}`);
        continue;
      }
      const at = value === null ? Number.NaN : Date.parse(value);
      const isWithin = at >= during.from && at <= during.to;
      if (value !== null && !isWithin && this.world.clockWasRight(during.from))
        this.fail(`${name} is ${value}, which is not when it was changed`);
    }
  }

  fail(message: string): never {
    throw new Violation("O4", `${this.name}: ${message}`);
  }

  /** O4: all that an answer says of this user is so, and nothing is missing. */
  mustBe(answer: unknown, known: unknown, what: string): void {
    if (isDeepStrictEqual(plain(answer), plain(known))) return;
    this.fail(`${what} is ${JSON.stringify(answer)} instead of ${JSON.stringify(known)}`);
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;
const isSome = (value: Json): boolean => Object.keys(value).length > 0;

/** RFC 7396: null removes a key, objects merge, and all else replaces. */
export function patched(before: Json, patch: Json): Json {
  const after: Json = { ...before };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete after[key];
    else if (isObject(value)) after[key] = patched(isObject(before[key]) ? before[key] : {}, value);
    else after[key] = value;
  }
  return after;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a list is asked for. */
export type Asked = Partial<
  Record<
    "email" | "name" | "group" | "state" | "createdSince" | "createdBefore" | "lastLoginSince" | "lastLoginBefore",
    string
  >
> & { sort?: string };

/** Who is listed, in which order (docs/users-api.md). */
export function listedOf(users: readonly KnownUser[], asked: Asked): KnownUser[] {
  const at = (time: string | null | undefined): number => (time ? Date.parse(time) : Number.NEGATIVE_INFINITY);
  const within = (time: string | null | undefined, since?: string, before?: string): boolean =>
    (since === undefined || at(time) >= at(since)) && (before === undefined || at(time) < at(before));
  const found = users.filter(
    ({ email, displayName, groups, moments }) =>
      (asked.email === undefined || email === asked.email.toLowerCase()) &&
      (asked.name === undefined || (displayName ?? "").toLowerCase().startsWith(asked.name.toLowerCase())) &&
      (asked.name === undefined || displayName !== null) &&
      (asked.group === undefined || groups.includes(asked.group)) &&
      (asked.state === undefined || (asked.state === "active") === (moments?.disabledAt === null)) &&
      within(moments?.createdAt, asked.createdSince, asked.createdBefore) &&
      within(moments?.lastLoginAt, asked.lastLoginSince, asked.lastLoginBefore),
  );
  const isByLogin = [asked.lastLoginSince, asked.lastLoginBefore].some((each) => each !== undefined);
  const isByCreation = [asked.createdSince, asked.createdBefore].some((each) => each !== undefined);
  const usual = asked.name === undefined ? (isByLogin && !isByCreation ? "lastLoginAt" : "createdAt") : "name";
  const sort = asked.group === undefined ? (asked.sort ?? usual) : "id";
  const keyOf = ({ moments, displayName }: KnownUser): string | number => {
    const by = sort.replace("-", "");
    if (by === "id") return "";
    if (by === "name") return (displayName ?? "").toLowerCase();
    return at(by === "createdAt" ? moments?.createdAt : moments?.lastLoginAt);
  };
  const sign = sort.startsWith("-") ? -1 : 1;
  const order = (one: string | number, other: string | number): number => (one < other ? -1 : one > other ? 1 : 0);
  return found.toSorted((one, other) => sign * (order(keyOf(one), keyOf(other)) || order(one.userId, other.userId)));
}
