/** The applications of the simulated world, and what each is for. */
import type { NewApplication } from "../../src/applications/new-application.ts";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import type { NewClient } from "../../src/applications/clients/rules.ts";
import * as clients from "../../src/applications/clients/service.ts";
import * as applications from "../../src/applications/service.ts";
import { eventKinds, type ApplicationClaim } from "../../src/storage/column-types.ts";
import { newWebhookSecret } from "../../src/records/webhooks/signature.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import * as groups from "../../src/users/groups/service.ts";
import type { TestApp } from "../support/service.ts";
import type { Generator } from "./generator.ts";
import { Possible } from "./model.ts";
import { openFirms, type Firms } from "./organizations.ts";
import { Pages } from "./pages.ts";
import { openPrograms, type Programs } from "./programs.ts";
import type { SimulatedNode } from "./node.ts";
import { time } from "./time.ts";

/** The webhook endpoint of the application that commands change. */
export const hook = "https://receiver.example/hook";
const cli = { kind: "cli", name: "simulation" } as const;

/** Applications of which nobody changes how people sign in. */
const constant = new Set([
  "app_house",
  "app_campus",
  "app_college",
  "app_offices",
  "app_firms",
  "app_registry",
  "app_annex",
]);
const providersOf = (id: string): string[] => (/house/u.test(id) ? [] : ["discord"]);

export class Town {
  readonly generator: Generator;
  readonly pages = new Pages();
  /** `rotatedAt`: when its secret last changed. */
  webhook = { id: "", secret: new Possible(""), rotatedAt: 0 };
  app!: TestApp;
  /** Where people have all methods and second factors. */
  club!: TestApp;
  programs!: Programs;
  /** Where people belong to organizations. */
  firms!: Firms;
  /** Where people have hosts and tokens. The last two are for a group, and for two factors. */
  house!: { app: TestApp; hosts: readonly string[] };
  /** Where newcomers wait for approval. `terms`: the newest version. */
  gate!: { app: TestApp; host: string; terms: number; mayBeClosed: boolean; mayBeOptional: boolean };
  /** Where each login is of an organization. */
  offices!: TestApp;
  /** Whose organizations have providers. One of its programs takes confined people. */
  companies!: { app: TestApp; host: string; takes: string; refuses: string };
  /** Where people have programs and APIs of their own. `receivers`: of logout tokens. */
  mall!: { app: TestApp; receivers: Set<string>; hints: { userId: string; token: string }[] };
  /** Whose machines have no people. */
  plant!: { app: TestApp; mayBeLimited: boolean };
  /** Two applications that have the same people. */
  registry!: readonly TestApp[];
  /** Where people come by every door. */
  campus!: TestApp;
  /** Another application, where they are others. */
  college!: TestApp;
  /** Whose settings and groups keepers change. */
  keepers!: TestApp;
  /** Where founders have organizations, each known as a whole. */
  founders!: TestApp;

  constructor(generator: Generator) {
    this.generator = generator;
  }

  /** On a new database. */
  protected async build(ctx: SimulatedNode["ctx"]): Promise<void> {
    // From the start: until it signs, all tokens would end with a key of ES256.
    await signingKeys.announce(ctx, "EdDSA", { atOnce: true, dryRun: false });
    this.app = await this.#newApplication(ctx, { id: "app_sim", name: "Simulated" });
    this.programs = await openPrograms(ctx, this.app, this.generator.fork("programs"));
    this.club = await this.#newApplication(
      ctx,
      { id: "app_club", name: "Club", methods: ["password", "passkey", "oauth"] },
      { secondFactor: "optional", trustBrowsersDays: 30, emailCode: true },
    );
    const card: NewClient = { id: "cli_card", appId: "app_club", name: "Card", kind: "spa", idTokenAlg: "EdDSA" };
    await clients.create(ctx, { ...card, redirectUris: [this.club.redirectUri] }, {}, { actor: cli });
    const firms = await this.#newApplication(
      ctx,
      { id: "app_firms", name: "Firms" },
      { organizations: "on", organizationRoles: ["billing", "audit:owners"] },
    );
    this.firms = await openFirms(ctx, firms, this.generator.fork("firms"));
    this.house = await this.#openHouse(ctx);
    this.gate = await this.#openGate(ctx);
    this.offices = await this.#newApplication(
      ctx,
      { id: "app_offices", name: "Offices", methods: ["password"] },
      { organizations: "required", organizationRoles: ["billing"] },
    );
    this.companies = await this.#openCompanies(ctx);
    this.mall = { app: await this.#openMall(ctx), receivers: new Set(), hints: [] };
    this.plant = { app: await this.#newApplication(ctx, { id: "app_plant", name: "Plant" }), mayBeLimited: false };
    this.keepers = await this.#newApplication(ctx, { id: "app_keepers", name: "Keepers", methods: ["password"] });
    this.founders = await this.#newApplication(
      ctx,
      { id: "app_founders", name: "Founders", methods: ["password"] },
      { organizations: "on", companySignIn: "on", organizationRoles: ["billing", "audit:owners"] },
    );
    this.registry = [await this.#openRegistry(ctx, "app_registry"), await this.#openRegistry(ctx, "app_annex")];
    this.campus = await this.#newApplication(
      ctx,
      { id: "app_campus", name: "Campus", methods: ["password", "passkey", "oauth"] },
      { emailCode: true, secondFactor: "optional" },
    );
    this.college = await this.#newApplication(
      ctx,
      { id: "app_college", name: "College", methods: ["password", "passkey", "oauth"] },
      { emailCode: true },
    );
    await providers.set(ctx, "app_college", { name: "discord", clientId: "college", secret: "secret" }, cli);
    await providers.set(ctx, "app_campus", { name: "discord", clientId: "campus", secret: "secret" }, cli);
    await providers.set(ctx, "app_club", { name: "discord", clientId: "club", secret: "secret" }, cli);
  }

  async #openHouse(ctx: SimulatedNode["ctx"]): Promise<Town["house"]> {
    const app = await this.#newApplication(
      ctx,
      { id: "app_house", name: "House", methods: ["password", "oauth"] },
      { secondFactor: "optional", emailCode: true, personalTokens: true },
    );
    const hosts = ["files.house.example", "mail.house.example", "wiki.house.example", "vault.house.example"];
    const launchedAt = (name: string) => ({ launchUrl: `https://${name}.house.example/` });
    await this.#protect(ctx, app, { hosts: hosts.slice(0, 2), ...launchedAt("files") });
    const told = { id: "id", email: "email", groups: "groups", floor: "private.floor" };
    const headers = Object.entries(told).map(([name, from]) => ({ name: `Remote-${name}`, from }));
    await this.#protect(ctx, app, {
      hosts: hosts.slice(3),
      ...launchedAt("vault"),
      secondFactor: "required",
      headers: [...headers, { name: "X-Authsvc-Assertion", from: "assertion" }],
    });
    const claims: ApplicationClaim[] = [
      { claim: "roles", from: "groups", in: ["access"] },
      { claim: "floor", from: "public.floor", in: ["access"] },
    ];
    await applications.update(ctx, app.id, { claims }, cli);
    await groups.create(ctx, app.id, "staff", { actor: cli });
    const ofStaff = { access: "groups" as const, allowedGroups: ["staff"], ...launchedAt("wiki") };
    await this.#protect(ctx, app, { hosts: hosts.slice(2, 3), ...ofStaff });
    return { app, hosts };
  }

  async #openMall(ctx: SimulatedNode["ctx"]): Promise<TestApp> {
    const app = await this.#newApplication(
      ctx,
      { id: "app_mall", name: "Mall", methods: ["password"] },
      {
        scopes: ["profile", "email", "groups"],
        secondFactor: "optional",
        trustBrowsersDays: 30,
        signingAlgorithm: "ES256",
        profileFields: [
          { name: "team", type: "text", label: { en: "Team" } },
          { name: "seats", type: "number", label: { en: "Seats" } },
          { name: "customer", type: "text", label: { en: "Customer" }, editableBy: "server" },
        ],
      },
    );
    for (const name of ["buyers", "regulars", "nobody"]) await groups.create(ctx, app.id, name, { actor: cli });
    const claims: ApplicationClaim[] = [
      { claim: "realm", from: "value", value: "mall", in: ["access", "id"] },
      { claim: "badge", from: "public.badge", in: ["access", "id", "userinfo"] },
      { claim: "grade", from: "private.grade", in: ["access"] },
      { claim: "teams", from: "groups", in: ["userinfo"] },
      { claim: "team", from: "profile.team", in: ["access", "id"] },
      { claim: "seats", from: "profile.seats", in: ["userinfo"] },
    ];
    await applications.update(ctx, app.id, { claims }, cli);
    return app;
  }

  async #openCompanies(ctx: SimulatedNode["ctx"]): Promise<Town["companies"]> {
    const app = await this.#newApplication(
      ctx,
      { id: "app_companies", name: "Companies", methods: ["password"] },
      { organizations: "on", companySignIn: "on", personalTokens: true, secondFactor: "optional" },
    );
    const host = "files.companies.example";
    await this.#protect(ctx, app, { hosts: [host] });
    const [takes, refuses] = ["cli_takes", "cli_refuses"] as const;
    for (const id of [takes, refuses]) {
      const kind = { kind: "spa", idTokenAlg: "EdDSA" } as const;
      const client: NewClient = { id, appId: app.id, name: id, ...kind, redirectUris: [app.redirectUri] };
      await clients.create(ctx, { ...client, companySignIn: id === takes }, {}, { actor: cli });
    }
    return { app, host, takes, refuses };
  }

  async #openRegistry(ctx: SimulatedNode["ctx"], id: string): Promise<TestApp> {
    const options = ["s", "l"].map((value) => ({ value, label: { en: value } }));
    const app = await this.#newApplication(
      ctx,
      { id, name: id, methods: ["password", "passkey", "oauth"] },
      {
        profileFields: [
          { name: "team", type: "text", label: { en: "Team" } },
          { name: "size", type: "choice", label: { en: "Size" }, options },
          { name: "seats", type: "number", label: { en: "Seats" } },
          { name: "customer", type: "text", label: { en: "Customer" }, editableBy: "server" },
          { name: "born", type: "date", label: { en: "Born" } },
          { name: "phone", type: "phone", label: { en: "Phone" } },
          { name: "agrees", type: "checkbox", label: { en: "Agrees" } },
        ],
      },
    );
    await providers.set(ctx, id, { name: "discord", clientId: id, secret: "secret" }, cli);
    return app;
  }

  async #openGate(ctx: SimulatedNode["ctx"]): Promise<Town["gate"]> {
    const app = await this.#newApplication(
      ctx,
      { id: "app_gate", name: "Gate", methods: ["password"] },
      {
        emailCode: true,
        personalTokens: true,
        maxLogins: 2,
        signUpApproval: true,
        signUpBlockedDomains: ["no.example"],
        profileFields: [
          { name: "team", type: "text", label: { en: "Your team" }, askAt: "nextSignIn", required: true },
        ],
        termsVersion: "1",
        termsUrl: "https://app.example/terms",
      },
    );
    const host = "files.gate.example";
    await this.#protect(ctx, app, { hosts: [host] });
    return { app, host, terms: 1, mayBeClosed: false, mayBeOptional: false };
  }

  /** Programs behind a proxy. */
  async #protect(ctx: SimulatedNode["ctx"], app: TestApp, given: Partial<NewClient>): Promise<void> {
    const client: NewClient = { appId: app.id, name: "Programs", kind: "proxy", access: "everyone", ...given };
    await clients.create(ctx, client, {}, { actor: cli });
  }

  async #newApplication(
    ctx: SimulatedNode["ctx"],
    input: Pick<NewApplication, "methods"> & { id: string; name: string },
    settings: NewApplication["settings"] = {},
  ): Promise<TestApp> {
    const redirectUri = "https://app.example/callback";
    const { application, apiKey } = await applications.createWithKey(
      ctx,
      { ...input, redirectUris: [redirectUri], settings: { signingAlgorithm: "EdDSA", ...settings } },
      {},
      cli,
    );
    const secret = newWebhookSecret(ctx.random);
    const { emailCode = false, companySignIn } = settings ?? {};
    if (constant.has(input.id) && companySignIn === undefined)
      this.pages.knows(input.id, {
        methods: input.methods ?? ["password", "passkey"],
        providers: providersOf(input.id),
        emailCode,
      });
    const endpoint = { url: input.id === "app_sim" ? hook : `${hook}/${input.id}`, events: [...eventKinds], secret };
    const { id } = await webhooks.create(ctx, application.id, endpoint, { actor: cli, appId: undefined });
    if (input.id === "app_sim") this.webhook = { id, secret: new Possible(secret), rotatedAt: time.now() };
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": application.id };
    return { id: application.id, apiKey, redirectUri, headers };
  }
}
