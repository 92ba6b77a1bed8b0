/** Operators at a command line beside the service: what the commands call. */
import * as applications from "../../../src/applications/service.ts";
import * as recoveryLinks from "../../../src/credentials/mailed/recovery-links.ts";
import * as resetLinks from "../../../src/credentials/mailed/reset-links.ts";
import * as people from "../../../src/people/administration.ts";
import { importLines } from "../../../src/people/import.ts";
import * as profiles from "../../../src/people/profile.ts";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import { newWebhookSecret } from "../../../src/records/webhooks/signature.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import type { Context } from "../../../src/runtime/context.ts";
import * as signingKeys from "../../../src/tokens/signing-keys.ts";
import * as desiredStates from "../../../src/upkeep/desired-state/service.ts";
import type { Generator } from "../generator.ts";
import { wasRefused, type Act } from "../ledger.ts";
import { Possible, type KnownPerson } from "../model.ts";
import { time } from "../time.ts";
import { Lost, pacing, type Part, type World } from "../world.ts";
import { changeAccess, drawAccess, type AccessAct } from "./access.ts";

const by = { actor: { kind: "cli", name: "operator" } } as const;
const actor = "cli:operator";
const really = { dryRun: false };
const minute = 60_000;

/** Two of them. */
export async function runCommands(world: World, { chances, isOver }: Part): Promise<void> {
  await Promise.all(
    ["one", "other"].map(async (name) => await new Operator(world, chances.fork(name), name).live(isOver)),
  );
}

class Operator {
  readonly #world: World;
  readonly #chances: Generator;
  readonly #name: string;
  #count = 0;

  constructor(world: World, chances: Generator, name: string) {
    this.#world = world;
    this.#chances = chances;
    this.#name = name;
  }

  async live(isOver: () => boolean): Promise<void> {
    const pause = pacing(this.#chances.fork("pace"));
    while (!isOver()) {
      await pause(50_000);
      try {
        await this.#act();
      } catch (error) {
        if (!(error instanceof Lost) && !wasRefused(error)) throw error;
      }
    }
  }

  async #act(): Promise<void> {
    const drawn = this.#chances.next();
    const known = this.#world.people.filter(({ userId, isGone }) => userId !== undefined && !isGone);
    const act = this.#chances.pick([
      () => this.#unblock(this.#chances.pick(known)),
      () => this.#makeLink(this.#chances.pick(known)),
      () => this.#import(),
      () => this.#apply(),
      () => this.#rotateSigningKeys(),
      () => this.#rotateWebhook(),
      () => this.#redeliver(),
    ]);
    if (known.length === 0) return;
    if (drawn < 0.4) await act();
    else await this.#changeAccess(this.#chances.pick(known));
  }

  /** A command that leaves this when it succeeds, unless `changed` says otherwise. */
  async #run<Result>(
    act: Act,
    about: string,
    work: (ctx: Context) => Promise<Result>,
    changed?: (result: Result) => boolean,
  ): Promise<Result> {
    this.#world.note(`a command begins: ${act}`);
    return await this.#world.ledger.leaving({ actor, act, about }, () => this.#world.operate(work), changed);
  }

  async #changeAccess(person: KnownPerson): Promise<void> {
    const act = drawAccess(person, this.#chances.next());
    const work = async (userId: string): Promise<boolean> => await onPerson(this.#world, act, userId);
    await changeAccess(this.#world, person, { act, actor }, work);
  }

  async #unblock({ userId = "" }: KnownPerson): Promise<void> {
    await this.#run(
      "unblock",
      userId,
      async (ctx) => await people.unblock(ctx, userId, { ...really, factor: true }, by),
      ({ passwords, factor }) => passwords > 0 || factor,
    );
  }

  async #makeLink({ userId = "" }: KnownPerson): Promise<void> {
    if (this.#chances.chance(0.5))
      await this.#run("resetLink", userId, async (ctx) => {
        await resetLinks.linkFor(ctx, userId, { ...really, send: false }, by.actor);
      });
    else
      await this.#run("recoveryLink", userId, async (ctx) => {
        await recoveryLinks.linkFor(ctx, userId, { ...really, lasts: 10 * minute }, by.actor);
      });
  }

  /** O4: all lines or none; again after no answer. */
  async #import(): Promise<void> {
    const open = this.#world.imports.find(({ isDone }) => isDone.allows(false));
    this.#count += 1;
    const named = [1, 2, 3].map((line) => `import-${this.#name}-${this.#count}-${line}@example.org`);
    const batch = open ?? { emails: named, isDone: new Possible(false) };
    if (!open) this.#world.imports.push(batch);
    const lines = batch.emails.map((email, at) => {
      const password = { hash: "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy" };
      return {
        line: at + 1,
        json: JSON.stringify({ email, name: "Imported", password, totpSecret: "GEZDGNBVGY3TQOJQ" }),
      };
    });
    await batch.isDone.changing(
      true,
      async () =>
        await this.#run(
          "import",
          "",
          async (ctx) => await importLines(ctx, this.#world.app.id, lines, really, by.actor),
          (outcomes) => outcomes.some(({ outcome }) => outcome === "created"),
        ),
      () => true,
    );
    this.#world.reached(open ? "an import repeated after no answer" : "an import");
  }

  async #apply(): Promise<void> {
    const { app, settings } = this.#world;
    const companyName = `Company ${this.#name} ${time.now()}`;
    const state = { version: 1 as const, applications: [{ id: app.id, branding: { companyName } }] };
    const options = { prune: false, keepIdentities: false, actor: by.actor };
    await settings.companyName.changing(
      companyName,
      async () =>
        await this.#run("changeSettings", "", async (ctx) => {
          const planned = await desiredStates.plan(ctx, state, options);
          await desiredStates.apply(ctx, state, { ...options, planned });
        }),
      () => true,
    );
    const { companyName: known } = settings;
    const watch = known.watch();
    const { branding } = await this.#world.operate(async (ctx) => await applications.get(ctx, app.id));
    if (watch.isAlone()) this.#world.mustBe("the name of the company", known, branding.companyName ?? undefined);
  }

  /** One for each algorithm in use. */
  async #rotateSigningKeys(): Promise<void> {
    if (this.#chances.chance(0.7)) return;
    const leaving = { actor, act: "rotateSigningKey", about: "" } as const;
    let made: number | undefined;
    this.#world.rotations += 1;
    try {
      const rotated = await this.#world.operate(
        async (ctx) => await signingKeys.rotateByCommand(ctx, { atOnce: true, dryRun: false }, by),
      );
      made = rotated.length;
    } catch (error) {
      if (wasRefused(error)) made = 0;
      throw error;
    } finally {
      for (let key = 0; key < (made ?? 2); key += 1) this.#world.ledger.left(leaving, { isSure: made !== undefined });
    }
  }

  async #rotateWebhook(): Promise<void> {
    const { webhook } = this.#world;
    const { ctx } = this.#world.node;
    const secret = newWebhookSecret(ctx.random);
    const secretOverlap = this.#chances.pick([0, 30_000]);
    await webhook.secret.changing(
      secret,
      async () =>
        await this.#run("rotateWebhook", "", async (within) => {
          await webhooks.update(within, webhook.id, { secret, secretOverlap }, by);
        }),
      () => true,
    );
    webhook.rotatedAt = time.now();
  }

  async #redeliver(): Promise<void> {
    const since = time.now() - 5 * minute;
    await this.#run(
      "redeliver",
      "",
      async (ctx) => await deliveries.redeliver(ctx, this.#world.webhook.id, { since }, by),
    );
    this.#world.reached("events sent again by a command");
  }
}

/** False if there is no such account. */
async function onPerson(world: World, act: AccessAct, userId: string): Promise<boolean> {
  try {
    await world.operate(async (ctx) => {
      if (act === "disable") await people.disable(ctx, userId, really, by);
      else if (act === "enable") await people.enable(ctx, userId, really, by);
      else if (act === "revoke") await people.revokeLogins(ctx, userId, really, by);
      else await profiles.remove(ctx, userId, by);
    });
    return true;
  } catch (error) {
    if (wasRefused(error)) return false;
    throw error;
  }
}
