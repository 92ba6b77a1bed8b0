/** Who has programs and APIs, and an operator who changes them; and what is known of the person. */
import { eq } from "drizzle-orm";
import type { ClientAnswer } from "../../src/applications/clients/client.ts";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as clients from "../../src/applications/clients/service.ts";
import type { ClientChange } from "../../src/applications/clients/settings.ts";
import * as resources from "../../src/applications/resources/service.ts";
import type { ResourceChange } from "../../src/applications/resources/resource.ts";
import type { Context } from "../../src/runtime/context.ts";
import type { TestApp } from "../support/service.ts";
import { sameText } from "./firm-answers.ts";
import { postAs, ProgramKey, type Answer } from "./programs.ts";
import type { Resident } from "./resident.ts";

export type Json = Record<string, unknown>;

export const operator = { actor: { kind: "cli", name: "mall" } } as const;
/** Where its clients are, unless they say otherwise. */
export const callback = "https://mall.example/callback";

/** A client as its operator knows it. `is`: what the service answered last. */
export type Client = { id: string; is: ClientAnswer; secret?: string; key?: ProgramKey };
export type Resource = { identifier: string; scopes: string[]; seconds: number; isListed: boolean };

export type Asked = {
  scope?: string;
  resource?: Resource;
  claims?: { userinfo?: Json; id_token?: Json };
  prover?: ProgramKey;
  more?: Record<string, string>;
};
/** A code, and what belongs to it. */
export type Begun = {
  client: Client;
  asked: Asked;
  code: string;
  verifier: string;
  nonce: string | undefined;
  from: number;
};
export type Issued = {
  token: string;
  claims: Json;
  scopes: string[];
  prover?: ProgramKey | undefined;
  isOver: boolean;
};
export type Login = Pick<Begun, "client" | "asked" | "nonce"> & {
  /** Of the grant, with those of OpenID Connect. */
  scopes: string[];
  authTime: number;
  /** What was proven. */
  proven: { acr: string; amr: string[] };
  sid: string;
  tokens: Issued[];
  /** Empty: none. */
  refresh: string;
  refreshedAt: number;
  idToken: string;
  isOver: boolean;
};

/** A text in which the order of members does not matter. */
export function written(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

export class Owner {
  readonly me: Resident;
  readonly app: TestApp;
  /** What the server keeps of its person. */
  readonly person: {
    name: string;
    picture: string | null;
    updatedAt: number;
    createdAt: string;
    groups: string[];
    badge: string;
    grade: number;
    profile: Json;
  };
  #count = 0;
  /** What the next login rests on. */
  proven: Login["proven"] = { acr: "urn:authsvc:acr:1", amr: ["pwd"] };
  /** What the person decides changes the account, too. */
  isStale = false;

  constructor(me: Resident) {
    this.me = me;
    this.app = me.app;
    const none = { picture: null, updatedAt: 0, createdAt: "", groups: [], badge: "", grade: 0, profile: {} };
    this.person = { name: me.name, ...none };
  }

  word(name: string): string {
    return `${name}${(this.#count += 1)}-${this.me.name}`;
  }

  newKey(): ProgramKey {
    return new ProgramKey(this.me.chances.fork(this.word("key")));
  }

  /** Its application's server creates the person. */
  async moveIn(): Promise<void> {
    const { me, person } = this;
    const { email, password } = me;
    const created = await me.server("POST", "/users", { email, emailVerified: true, password, name: person.name });
    me.must("O10", created.status === 201, `was not created: ${created.status}`);
    me.userId = String(created.body["id"]);
    me.leaves("entry user.create", "event user.created");
    person.createdAt = String(created.body["createdAt"]);
    await this.say({ seats: me.chances.below(9), customer: this.word("customer") });
    await this.change({ badge: this.word("badge"), grade: 1 + me.chances.below(9) });
    await this.belong("buyers", true);
  }

  /** The server keeps other values, or another name. */
  async change(change: { name?: string; badge?: string; grade?: number }): Promise<void> {
    const { me, person } = this;
    const { name, badge = person.badge, grade = person.grade } = change;
    if (name !== undefined) {
      await me.server("PATCH", `/users/${me.userId}`, { name });
      me.leaves("entry user.update", "event user.updated");
    }
    const metadata = { public: { badge }, private: { grade } };
    const { status } = await me.server("PATCH", `/users/${me.userId}/metadata`, metadata);
    me.must("O10", status === 200, `the values were not kept: ${status}`);
    me.leaves("entry user.metadata", "event user.updated");
    Object.assign(person, { name: name ?? person.name, badge, grade });
    await this.readBack();
  }

  /** The server writes fields of the profile, which null clears, and the picture. */
  async say(profile: Json, picture = this.person.picture): Promise<void> {
    const { me, person } = this;
    await me.patch({ profile, picture });
    const all = Object.entries({ ...person.profile, ...profile }).filter(([, value]) => value !== null);
    const now = { picture, profile: Object.fromEntries(all) };
    const { picture: before, profile: was } = person;
    if (!sameText({ picture: before, profile: was }, now)) me.leaves("entry user.update", "event user.updated");
    Object.assign(person, now);
    await this.readBack();
  }

  /** Whether the address is proven, as the server says. */
  async prove(isVerified: boolean): Promise<void> {
    const { me } = this;
    await me.patch({ emailVerified: isVerified });
    me.leaves("entry user.update", "event user.updated");
    me.isVerified = isVerified;
    await this.readBack();
  }

  async belong(group: string, isIn: boolean): Promise<void> {
    const { me, person } = this;
    const { status } = await me.server(isIn ? "PUT" : "DELETE", `/groups/${group}/members/${me.userId}`);
    me.must("O10", status < 300, `the group did not change: ${status}`);
    me.leaves(`entry group.${isIn ? "add" : "remove"}`, "event user.updated");
    const others = person.groups.filter((each) => each !== group);
    person.groups = (isIn ? [...others, group] : others).toSorted();
    await this.readBack();
  }

  async readBack(): Promise<void> {
    const { me, person } = this;
    const { body } = await me.server("GET", `/users/${me.userId}`);
    this.isStale = false;
    person.updatedAt = Math.floor(Date.parse(String(body["updatedAt"])) / 1000);
  }

  /** `is` as it should be. */
  same(oracle: string, is: unknown, should: unknown, what: string): void {
    const [one, other] = [written(is), written(should)];
    this.me.must(oracle, one === other, `${what} says ${one} instead of ${other}`);
  }

  /** An act of the operator, which the service may refuse by this code. */
  async command<Result>(act: (ctx: Context) => Promise<Result>): Promise<Result> {
    return await this.me.world.operate(act);
  }

  /** The code of the refusal of an act that must not be possible. */
  async refusal(act: (ctx: Context) => Promise<unknown>): Promise<string> {
    return await this.me.world.operate(async (ctx) => {
      try {
        await act(ctx);
        return "done";
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (typeof code !== "string" || !/^[A-Z_]+$/u.test(code) || this.me.world.isFault(error)) throw error;
        return code;
      }
    });
  }

  /** O9: all entries about a client, a resource or a key. */
  async leaves(target: string, ...actions: string[]): Promise<void> {
    const entries = await this.command(async ({ storage: { reader } }) => {
      const { auditEvents } = reader.tables;
      return await reader.db.select().from(auditEvents).where(eq(auditEvents.target, target));
    });
    const found = entries.map(({ action, actor, appId }) => `${action} ${actor} ${appId}`).toSorted();
    const should = actions.map((action) => `${action} cli:mall ${this.app.id}`).toSorted();
    this.same("O9", found, should, `the log about ${target}`);
  }

  async newResource(
    name: string,
    change: ResourceChange = {},
    identifier = `https://${this.word(name)}.example/api`,
  ): Promise<Resource> {
    const scopes = ["read", "write", "admin"].map((scope) => ({ name: scope, sentence: `May ${scope}` }));
    const seconds = this.me.chances.pick([300, 600, 900]);
    const settings = { scopes, accessTokenSeconds: seconds, ...change };
    await this.command(async (ctx) => {
      await resources.create(ctx, { appId: this.app.id, identifier, name, ...settings }, operator);
    });
    return { identifier, scopes: settings.scopes.map((scope) => scope.name), seconds, isListed: true };
  }

  /** Kind `web` with a secret, unless it has a key or cannot keep one. */
  async newClient(name: string, given: Partial<NewClient> = {}, key?: ProgramKey): Promise<Client> {
    const { kind = "web" } = given;
    const isOfPeople = kind !== "machine" && kind !== "device";
    const input: NewClient = {
      id: `cli_${this.word(name)}`,
      appId: this.app.id,
      name,
      kind,
      ...(isOfPeople && { redirectUris: [callback] }),
      ...(kind !== "machine" && { refreshTokens: "always" }),
      ...(key && { jwks: { keys: [{ ...key.jwk, alg: "EdDSA" }] } }),
      idTokenAlg: this.me.chances.pick(["EdDSA", "ES256"]),
      ...given,
    };
    const options = key ? { mayGenerate: false } : {};
    const { client: is, secret } = await this.command(
      async (ctx) => await clients.create(ctx, input, options, operator),
    );
    return { id: is.id, is, ...(secret !== null && { secret }), ...(key && { key }) };
  }

  /** O4 and O9: what was set is set, and nothing else; the log says so. */
  async update(client: Client, change: ClientChange): Promise<void> {
    await this.command(async (ctx) => {
      client.is = await clients.update(ctx, client.id, change, operator);
    });
  }

  /** As the application itself, which is its own client. */
  get itself(): Client {
    const is = { consent: "none", kind: "web", disabledAt: null } as ClientAnswer;
    return { id: this.app.id, secret: this.app.apiKey, is };
  }

  /** A call with the client's credentials. */
  async post(client: Client, path: string, form: Record<string, string>, prover?: ProgramKey): Promise<Answer> {
    const program = { id: client.id, ...(client.secret !== undefined && { secret: client.secret }), key: client.key };
    const answer = await postAs(client.key ? { id: client.id, key: client.key } : program, path, form, {
      prover,
    });
    this.me.world.note(`${client.id} posts ${path} ${form["grant_type"] ?? ""}: ${answer.status}`);
    return answer;
  }

  /** The application's own claims. Programs of others get them by scope, and nothing private. */
  own(place: "access" | "id" | "userinfo", { is }: Client, scopes: readonly string[]): Json {
    const { groups, badge, grade, profile } = this.person;
    const isOwn = is.consent !== "ask";
    const { team, seats } = isOwn || scopes.includes("profile") ? profile : {};
    return {
      ...(place === "userinfo" ? seats !== undefined && { seats } : team !== undefined && { team }),
      ...(place !== "userinfo" && { realm: "mall" }),
      ...(scopes.includes("groups") && { groups }),
      ...((isOwn || scopes.includes("profile")) && { badge }),
      ...(place === "access" && isOwn && { grade }),
      ...(place === "userinfo" && (isOwn || scopes.includes("groups")) && { teams: groups }),
    };
  }

  allowed({ is }: Client, granted: readonly string[]): readonly string[] {
    return is.consent === "none" ? is.scopes : granted;
  }

  withGroups(
    client: Client,
    given: readonly string[],
    { scopes, requested }: { scopes: readonly string[]; requested: Json },
  ): readonly string[] {
    const isAsked = Object.hasOwn(requested, "groups") && this.allowed(client, scopes).includes("groups");
    return isAsked && !given.includes("groups") ? [...given, "groups"] : given;
  }

  /** What a program may know of the person: by scope, and by name if it may have the scope. */
  facts(client: Client, scopes: readonly string[], granted: readonly string[], requested: Json): Json {
    const { person, me } = this;
    const allowed = this.allowed(client, granted);
    const may = (scope: string, name: string): boolean =>
      scopes.includes(scope) || (Object.hasOwn(requested, name) && allowed.includes(scope));
    const facts = Object.entries({
      name: ["profile", person.name],
      ...(person.picture !== null && { picture: ["profile", person.picture] }),
      locale: ["profile", "en"],
      updated_at: ["profile", person.updatedAt],
      email: ["email", me.email],
      email_verified: ["email", me.isVerified],
    }).filter(([name, [scope = ""]]) => may(String(scope), name));
    const given = Object.fromEntries(facts.map(([name, [, value]]) => [name, value]));
    return {
      ...given,
      ...("email" in given &&
        me.isVerified &&
        may("profile", "preferred_username") && { preferred_username: me.email }),
    };
  }
}
