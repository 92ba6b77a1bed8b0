/** The programs of the world: clients, machines and APIs, and what they keep secret. */
import { hash, sign, type KeyObject, type webcrypto } from "node:crypto";
import * as clientSecrets from "../../src/applications/clients/secrets.ts";
import * as clients from "../../src/applications/clients/service.ts";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as applications from "../../src/applications/service.ts";
import * as resources from "../../src/applications/resources/service.ts";
import { keyThumbprint } from "../../src/lib/key-thumbprint.ts";
import * as newUsers from "../../src/people/new-users.ts";
import type { Context } from "../../src/runtime/context.ts";
import { basic } from "../support/openid-tokens.ts";
import type { TestApp } from "../support/service.ts";
import type { Generator } from "./generator.ts";
import { ed25519Pair } from "./key-pairs.ts";
import { Endable, KnownLogin, KnownPerson, passwords } from "./model.ts";
import { time } from "./time.ts";

export const issuer = "http://localhost:8080";
const by = { actor: { kind: "cli", name: "simulation" } } as const;

/** A key whose holder signs assertions and DPoP proofs. EdDSA: nothing of chance is in them. */
export class ProgramKey {
  readonly jwk: webcrypto.JsonWebKey;
  readonly thumbprint: string;
  readonly #chances: Generator;
  readonly #private: KeyObject;

  constructor(chances: Generator) {
    const { privateKey, publicKey } = ed25519Pair(chances.bytes(32));
    this.#chances = chances;
    this.#private = privateKey;
    this.jwk = publicKey.export({ format: "jwk" });
    this.thumbprint = keyThumbprint(this.jwk);
  }

  newJti(): string {
    return Buffer.from(this.#chances.bytes(8)).toString("hex");
  }

  /** `other`: in the place of right claims. */
  assertion(clientId: string, jti = this.newJti(), other: object = {}): string {
    const now = Math.floor(time.now() / 1000);
    return this.#sign({}, { iss: clientId, sub: clientId, aud: issuer, iat: now, exp: now + 60, jti, ...other });
  }

  proof(
    method: string,
    path: string,
    { token, jti = this.newJti(), other = {} }: { token?: string; jti?: string; other?: object } = {},
  ): string {
    const ath = token === undefined ? {} : { ath: hash("sha256", token, "base64url") };
    const claims = { jti, htm: method, htu: `${issuer}${path}`, iat: Math.floor(time.now() / 1000), ...ath };
    return this.#sign({ typ: "dpop+jwt", jwk: this.jwk }, { ...claims, ...other });
  }

  #sign(header: object, claims: object): string {
    const input = [{ alg: "EdDSA", ...header }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${input}.${sign(null, Buffer.from(input), this.#private).toString("base64url")}`;
  }
}

/** A client as its program knows it. */
export type Program = {
  id: string;
  redirectUri: string;
  scopes: readonly string[];
  /** What its tokens are for; undefined: the application. */
  resource?: string;
  secret?: string;
  key?: ProgramKey;
  /** Its tokens are bound to a key. */
  isBound?: boolean;
  /** It sends its request before the browser. */
  pushes?: boolean;
  /** People are asked for their consent. */
  asks?: boolean;
};

export type Answer = { status: number; body: Record<string, unknown> };

/** A form that a program sends with its credentials, and with the proof of a key. */
export async function postAs(
  program: Pick<Program, "id" | "secret" | "key">,
  path: string,
  form: Record<string, string>,
  { prover, secret = program.secret }: { prover?: ProgramKey | undefined; secret?: string | undefined } = {},
): Promise<Answer> {
  const headers: Record<string, string> = prover ? { dpop: prover.proof("POST", path) } : {};
  if (secret !== undefined) Object.assign(headers, basic({ client: program, secret }));
  const assertion = program.key && {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: program.key.assertion(program.id),
  };
  const named: Record<string, string> = secret === undefined ? { client_id: program.id } : {};
  const body = new URLSearchParams({ ...named, ...assertion, ...form });
  const answer = await fetch(`${issuer}${path}`, { method: "POST", body, headers });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** A login that a client began, and what was granted. */
export class ClientLogin extends KnownLogin {
  readonly program: Program;
  readonly person: KnownPerson;
  readonly prover: ProgramKey | undefined;
  readonly scopes: readonly string[];
  readonly authTime: number;
  /** Tokens that an agent got for it. */
  readonly exchanged: { token: string; expiresAt: number }[] = [];
  idToken = "";

  constructor(
    name: string,
    refresh: string,
    facts: Pick<ClientLogin, "program" | "person" | "prover" | "scopes" | "authTime">,
  ) {
    super(name, facts.person.userId ?? "", refresh);
    this.program = facts.program;
    this.person = facts.person;
    this.prover = facts.prover;
    this.scopes = facts.scopes;
    this.authTime = facts.authTime;
  }
}

/** A secret of a machine, with the tokens that it got. */
export class MachineSecret extends Endable {
  readonly id: string;
  readonly secret: string;
  readonly tokens: { token: string; expiresAt: number }[] = [];
  /** Its end, if a rotation said when. */
  endsAt = Number.POSITIVE_INFINITY;

  constructor({ id, secret }: { id: string; secret: string }) {
    super();
    this.id = id;
    this.secret = secret;
  }
}

export type Programs = {
  /** In which people sign in by a browser. */
  web: Program[];
  screen: Program;
  robot: Program;
  /** A machine with a key. */
  meter: Program;
  /** The client of the API `orders`, which acts for people at `archive`. */
  agent: Program;
  orders: string;
  archive: string;
  people: KnownPerson[];
  logins: ClientLogin[];
  graveyard: KnownLogin[];
  robotSecrets: MachineSecret[];
  /** An application whose API key is rotated. */
  keyedApp: { id: string; apiKey: string };
};

const personal = ["openid", "profile", "email", "offline_access"] as const;

export async function openPrograms(ctx: Context, app: TestApp, chances: Generator): Promise<Programs> {
  const scopes = ["read", "write"].map((name) => ({ name, sentence: `May ${name}` }));
  const [orders, archive] = await Promise.all(
    ["orders", "archive"].map(async (name) => {
      const identifier = `https://${name}.example/api`;
      await resources.create(ctx, { appId: app.id, identifier, name, scopes, accessTokenSeconds: 600 }, by);
      return identifier;
    }),
  );
  if (orders === undefined || archive === undefined) throw new Error("no resources");

  async function client(id: string, facts: Partial<Program>, settings: Partial<NewClient>): Promise<Program> {
    const { secret, key, scopes = personal } = facts;
    const redirectUri = `https://${id}.example/callback`;
    const isWeb = settings.kind !== "machine" && settings.kind !== "device";
    const input: NewClient = {
      id: `cli_${id}`,
      appId: app.id,
      name: id,
      idTokenAlg: "EdDSA",
      ...(isWeb && { redirectUris: [redirectUri], postLogoutRedirectUris: [`https://${id}.example/`] }),
      ...(settings.kind !== "machine" && { refreshTokens: "always", scopes: [...personal] }),
      ...(key && { jwks: { keys: [{ ...key.jwk, alg: "EdDSA" }] } }),
      ...(facts.asks && { consent: "ask" }),
      ...settings,
    };
    await clients.create(ctx, input, secret === undefined ? { mayGenerate: false } : { secret }, by);
    return { ...facts, id: `cli_${id}`, redirectUri, scopes };
  }

  const secretOf = (name: string): string => `cs_${hash("sha256", name, "hex")}`;
  const key = (name: string): ProgramKey => new ProgramKey(chances.fork(name));
  const logoutUri = (id: string): { backchannelLogoutUri: string } => ({
    backchannelLogoutUri: `https://${id}.example/logout`,
  });
  const ofOrders = { resource: orders, scopes: [...personal, "read", "write"] };
  const web = [
    await client("wiki", { secret: secretOf("wiki") }, logoutUri("wiki")),
    await client("notes", { asks: true }, { kind: "native" }),
    await client("shop", { isBound: true }, { kind: "spa", dpop: "optional" }),
    await client(
      "bank",
      { key: key("bank"), isBound: true, pushes: true, asks: true },
      { dpop: "required", ...logoutUri("bank") },
    ),
    await client("desk", { secret: secretOf("desk"), ...ofOrders }, { resources: [orders] }),
  ];
  const screen = await client("screen", {}, { kind: "device" });
  const machine: Partial<NewClient> = { kind: "machine", resources: [orders] };
  const robot = await client("robot", { resource: orders, scopes: ["read", "write"] }, machine);
  const meter = await client("meter", { key: key("meter"), resource: orders, scopes: ["read", "write"] }, machine);
  const acts: Partial<NewClient> = { kind: "machine", exchangeTo: [archive], audienceOf: [orders] };
  const agent = await client(
    "agent",
    { secret: secretOf("agent"), resource: archive, scopes: ["read", "write"] },
    acts,
  );
  const first = await clientSecrets.createSecret(ctx, { clientId: robot.id }, by.actor);

  const graveyard: KnownLogin[] = [];
  const people: KnownPerson[] = [];
  for (const number of [1, 2, 3]) {
    const person = new KnownPerson(`reader${number}`, `192.0.2.${100 + number}`, graveyard);
    const [password] = passwords;
    const input = { appId: app.id, email: person.email, emailVerified: true, password };
    person.userId = (await newUsers.create(ctx, input, { dryRun: false }, by)).id;
    people.push(person);
  }
  const all = { screen, robot, meter, agent, orders, archive };
  const { application, apiKey } = await applications.createWithKey(
    ctx,
    { id: "app_keyed", name: "Keyed" },
    {},
    by.actor,
  );
  const keyedApp = { id: application.id, apiKey };
  return { web, ...all, people, logins: [], graveyard, robotSecrets: [new MachineSecret(first)], keyedApp };
}
