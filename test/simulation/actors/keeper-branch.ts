/** An application of one's own with keys and providers, of which everything is known to its end. */
import * as keys from "../../../src/applications/keys.ts";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import type { ProviderInput } from "../../../src/applications/providers/provider-input.ts";
import * as applications from "../../../src/applications/service.ts";
import type { Context } from "../../../src/runtime/context.ts";
import { call } from "../../support/person.ts";
import { command } from "../command-line.ts";
import { sameText, without } from "../firm-answers.ts";
import type { Resident } from "../resident.ts";
import { time } from "../time.ts";
import { refusalOf } from "./keeper-settings.ts";

const cli = { kind: "cli", name: "keepers" } as const;
const overlap = 60_000;
const issuer = "https://corp.example/";

type Key = { id: string; text: string; label: string | null; until: number; isRevoked: boolean; expires: boolean };

export class Branch {
  readonly #me: Resident;
  readonly #id: string;
  readonly #keys: Key[] = [];
  readonly #providers = new Map<string, ProviderInput>();

  constructor(me: Resident, number: number) {
    this.#me = me;
    this.#id = `app_branch_${number}_of_${me.name}`;
  }

  async #command<Result>(act: (ctx: Context) => Promise<Result>): Promise<Result> {
    return await this.#me.world.operate(act);
  }

  async #typed(args: string[]): Promise<unknown> {
    const { code, said, notes } = await command(this.#me.world, args);
    this.#me.must("O10", code === 0, `${args.join(" ")} ended with ${code}: ${notes}`);
    return said;
  }

  async #refused(code: string, act: (ctx: Context) => Promise<unknown>): Promise<void> {
    const is = await refusalOf(async () => await this.#command(act));
    this.#me.must("O3", is === code, `${code} was expected, and ${is} happened`);
  }

  async lives(): Promise<void> {
    const { chances, app } = this.#me;
    const id = this.#id;
    const domain = `${id.replaceAll("_", "-")}.example`;
    const input = { id, name: "Branch", domain, redirectUris: [app.redirectUri], methods: ["password"] as const };
    const wanted = { ...input, methods: [...input.methods], settings: { relyingPartyId: domain } };
    const checked = await this.#command(async (ctx) => await applications.check(ctx, wanted));
    await this.#refused("APP_NOT_FOUND", async (ctx) => await applications.get(ctx, id));
    const made = await this.#command(async (ctx) => await applications.create(ctx, wanted, cli));
    this.#me.must("O4", sameText(made, checked), `${id} is made as ${JSON.stringify(made)}`);
    await this.#refused("CONFLICT", async (ctx) => await applications.create(ctx, wanted, cli));
    for (let acts = 0; acts < 5; acts += 1) {
      await chances.pick([
        () => this.#newKey(),
        () => this.#newKey(),
        () => this.#revoke(),
        () => this.#set(),
        () => this.#set(),
        () => this.#edit(),
        () => this.#remove(),
      ])();
      await this.#check();
      await time.pause(chances.wait(10_000));
    }
    await this.#ends();
  }

  /** Another key, and for a rotation the end of all others. */
  async #newKey(): Promise<void> {
    const { chances } = this.#me;
    const label = chances.chance(0.5) ? this.#me.next("Key") : undefined;
    const rotates = this.#keys.length > 0 && chances.chance(0.6);
    const lasts = chances.pick([0, overlap]);
    const from = time.now();
    const labelled = [`--app=${this.#id}`, ...(label === undefined ? [] : [`--label=${label}`])];
    const args = rotates
      ? ["key", "rotate", ...labelled, `--overlap=${lasts}ms`.replace("000ms", "s").replace("0ms", "0s")]
      : ["key", "create", ...labelled];
    const byCommand = chances.chance(0.5);
    if (byCommand && chances.chance(0.3)) {
      await this.#typed([...args, "--dry-run"]);
      await this.#check();
    }
    const made = byCommand
      ? ((await this.#typed(args)) as { id: string; apiKey: string })
      : await this.#command(async (ctx) =>
          rotates
            ? await keys.rotateKey(ctx, { appId: this.#id, overlap: lasts, label }, cli)
            : await keys.createKey(ctx, { appId: this.#id, label }, cli),
        );
    if (rotates) {
      for (const key of this.#keys) {
        if (key.until > from + overlap) key.expires = true;
        if (lasts === 0 && key.until > from) key.isRevoked = true;
        key.until = Math.min(key.until, time.now() + lasts);
      }
      this.#me.world.reached("keys of a branch rotated");
    }
    this.#keys.push({
      id: made.id,
      text: made.apiKey,
      label: label ?? null,
      until: Infinity,
      isRevoked: false,
      expires: false,
    });
  }

  async #revoke(): Promise<void> {
    if (this.#keys.length === 0) return;
    const key = this.#me.chances.pick(this.#keys);
    if (this.#me.chances.chance(0.5)) await this.#typed(["key", "revoke", key.id]);
    else await this.#command(async (ctx) => await keys.revokeKey(ctx, key.id, cli));
    Object.assign(key, { isRevoked: true, until: Math.min(key.until, time.now()) });
  }

  #input(name: string): ProviderInput {
    const { chances } = this.#me;
    const own = {
      issuer,
      ...(chances.chance(0.5) && { trustsEmail: chances.chance(0.5) }),
      ...(chances.chance(0.5) && { trustsSecondFactor: "amr=mfa" }),
      ...(chances.chance(0.5) && { emailClaim: chances.pick(["upn", "mail"]) }),
      ...(chances.chance(0.5) && { authorizationUrl: `${issuer}authorize`, tokenUrl: `${issuer}token` }),
    };
    return { name, clientId: this.#me.next("client"), secret: this.#me.next("secret"), ...(name === "corp" && own) };
  }

  async #set(): Promise<void> {
    const { chances } = this.#me;
    const input = this.#input(chances.pick(["corp", "corp", "github", "discord"]));
    const dry = { dryRun: chances.chance(0.3) };
    await this.#command(async (ctx) => await providers.set(ctx, this.#id, input, cli, dry));
    if (dry.dryRun) return;
    this.#providers.set(input.name, input);
  }

  /** Its secret stays, unless it would be sent elsewhere. */
  async #edit(): Promise<void> {
    const { chances } = this.#me;
    if (this.#providers.size === 0)
      return await this.#refused(
        "METHOD_NOT_FOUND",
        async (ctx) => await providers.set(ctx, this.#id, { name: "corp", change: (present) => present }, cli),
      );
    const [name, known] = chances.pick([...this.#providers]);
    const clientId = this.#me.next("client");
    const change = (present: ProviderInput): ProviderInput => ({ ...present, clientId });
    await this.#command(async (ctx) => await providers.set(ctx, this.#id, { name, change }, cli));
    this.#providers.set(name, { ...known, clientId });
    const elsewhere = (present: ProviderInput): ProviderInput => ({
      ...present,
      tokenUrl: "https://other.example/token",
    });
    await this.#refused(
      "INVALID_REQUEST",
      async (ctx) => await providers.set(ctx, this.#id, { name, change: elsewhere }, cli),
    );
  }

  async #remove(): Promise<void> {
    const name = this.#me.chances.pick(["corp", "github", "discord"]);
    const dry = { dryRun: this.#me.chances.chance(0.3) };
    const work = async (ctx: Context): Promise<void> => await providers.remove(ctx, this.#id, name, cli, dry);
    if (!this.#providers.has(name)) return await this.#refused("METHOD_NOT_FOUND", work);
    await this.#command(work);
    if (!dry.dryRun) this.#providers.delete(name);
  }

  #mustBe(is: unknown, should: unknown, what: string): void {
    this.#me.must("O4", sameText(is, should), `${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`);
  }

  async #works({ text }: Key): Promise<boolean> {
    const headers = { authorization: `Bearer ${text}`, "x-service-app-id": this.#id };
    return (await call(this.#me.world.service, "GET", `/applications/${this.#id}`, headers)).status === 200;
  }

  /** O4: what is listed, and O1: a key works until its end. */
  async #check(): Promise<void> {
    const { world, app, chances } = this.#me;
    const id = this.#id;
    const listed = await this.#command(async (ctx) => await keys.listKeys(ctx, id));
    const shown = listed.map((key) => [key.id, key.appId, key.label, key.state === "revoked", key.expiresAt !== null]);
    const known = this.#keys.map(({ isRevoked, ...key }) => [key.id, id, key.label, isRevoked, key.expires]);
    this.#mustBe(shown, known, "the keys");
    if (this.#keys.length > 0) {
      const key = chances.pick(this.#keys);
      const from = time.now();
      const works = await this.#works(key);
      const isRight = works ? from <= key.until : time.now() >= key.until - overlap / 60;
      this.#me.must("O1", isRight, `a key until ${key.until} ${works ? "works" : "is refused"} at ${from}`);
    }
    const inputs = [...this.#providers.values()];
    const { set, kept, names, own } = await this.#command(async (ctx) => ({
      set: await providers.list(ctx, id),
      kept: await providers.settings(ctx, id),
      names: await providers.namesByApplication(ctx),
      own: await applications.get(ctx, id),
    }));
    this.#mustBe(
      set.map(({ endpoints, ...each }) => ({ ...without(each, "displayName", "updatedAt"), issuer: endpoints.issuer })),
      inputs.map(({ name, clientId, trustsEmail = true, trustsSecondFactor = null, ...input }) => ({
        name,
        clientId,
        enabled: true,
        callbackUrl: `${world.service.url}/oauth/${name}/callback`,
        trustsEmail,
        trustsSecondFactor,
        emailClaim: input.emailClaim ?? "email",
        issuer: input.issuer,
      })),
      "the providers",
    );
    const given = kept.map(({ secret, ...each }) => ({ ...each, secret: secret() }));
    const empty = Object.fromEntries(Object.keys(given[0] ?? {}).map((name) => [name, null]));
    const stored = inputs.map((input) => ({ ...empty, appId: id, ...input }));
    this.#mustBe(given, stored, "what is kept of the providers");
    const order = inputs.map(({ name }) => name).toSorted();
    this.#mustBe([(names.get(id) ?? []).toSorted(), names.get(app.id)], [order, undefined], "the names of providers");
    this.#mustBe(own.authMethods.oauth.providers.toSorted(), order, "the providers offered");
    const open = await call(world.service, "GET", `/api/config?app_id=${id}`, {});
    const { oauth } = open.body["authMethods"] as { oauth: { providers: Record<string, unknown>[] } };
    const links = own.authMethods.oauth.providers.map((name) => [
      name,
      `${world.service.url}/oauth/${name}/authorize?app_id=${id}`,
    ]);
    const offered = oauth.providers.map(({ name, authorizeUrl }) => [name, authorizeUrl]);
    this.#mustBe(offered, links, "the providers of the public settings");
    world.reached("keys and providers of a branch compared");
  }

  /** O11: nothing is left of it, and O3: its id is not given again. */
  async #ends(): Promise<void> {
    const id = this.#id;
    await this.#command(async (ctx) => await applications.remove(ctx, id, cli));
    for (const key of this.#keys)
      this.#me.must("O1", !(await this.#works(key)), "a key of a deleted application works");
    await this.#refused("APP_NOT_FOUND", async (ctx) => await keys.listKeys(ctx, id));
    const wanted = { id, name: "Branch", redirectUris: [this.#me.app.redirectUri] };
    await this.#refused("CONFLICT", async (ctx) => await applications.create(ctx, wanted, cli));
    await this.#command(async ({ storage: { reader } }) => {
      for (const [name, table] of Object.entries(reader.tables)) {
        // What was done is remembered, and that there was such an id.
        if (["auditEvents", "deletedApplications", "userSearch"].includes(name)) continue;
        const rows = (await reader.db.select().from(table as never)) as unknown[];
        const left = rows.find((row) => JSON.stringify(row).includes(`"${id}"`));
        this.#me.must("O11", left === undefined, `${name} has ${JSON.stringify(left)}`);
      }
    });
    this.#me.world.reached("an application's id asked for again");
  }
}
