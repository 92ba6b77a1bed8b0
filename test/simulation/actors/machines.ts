/** Programs without a person: machines with secrets and keys, and an agent that acts for people. */
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import * as applicationKeys from "../../../src/applications/keys.ts";
import { call } from "../../support/person.ts";
import { calling } from "../browser.ts";
import type { Generator } from "../generator.ts";
import { wasRefused } from "../ledger.ts";
import { Violation } from "../model.ts";
import type { SimulatedNode } from "../node.ts";
import { checkAccess, claimsOf } from "../oracles/tokens.ts";
import { MachineSecret, postAs, type Answer, type Programs } from "../programs.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { operated, settled } from "./in-flight.ts";

const by = { kind: "cli", name: "simulation" } as const;
const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessToken = "urn:ietf:params:oauth:token-type:access_token";
/** A clock is read at both ends of a call. */
const instant = 5;

export async function machines(world: World, { chances, isOver, pause }: Part): Promise<void> {
  const network = { world, ipAddress: "203.0.113.20", chances: chances.fork("network") };
  await calling(network, async () => {
    const machine = new Machines(world, chances);
    while (!isOver()) {
      await pause(30_000);
      try {
        await machine.draw()();
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  });
}

/** A secret whose end a rotation set, and another that it gave. */
type Rotated = { old: string; next: string; ends: { from: number; to: number } };

class Machines {
  readonly #world: World;
  readonly #chances: Generator;
  readonly #programs: Programs;
  #keys: Rotated | undefined;

  constructor(world: World, chances: Generator) {
    this.#world = world;
    this.#chances = chances;
    this.#programs = world.programs;
  }

  draw(): () => Promise<void> {
    const { robotSecrets } = this.#programs;
    const secret = this.#chances.pick(robotSecrets);
    return this.#chances.pick([
      () => this.#getToken(secret),
      () => this.#getToken(secret),
      () => this.#look(secret),
      () => this.#look(secret),
      () => this.#replace(),
      () => this.#endWhile(secret),
      () => this.#assertTwice(),
      () => this.#shareJti(),
      () => this.#exchange(),
      () => this.#exchange(),
      () => this.#tryWhatEnded(),
      () => this.#tryWhatEnded(),
      () => (this.#keys ? this.#useKeys(this.#keys) : this.#rotateKeys()),
    ]);
  }

  #note({ act, answer: { status } }: { act: string; answer: Answer }): void {
    this.#world.note(`a machine ${act}: ${status}`);
  }

  /** Undefined also if there are too many secrets, which unanswered rotations made. */
  async #operated<Result>(act: (ctx: SimulatedNode["ctx"]) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await operated(this.#world, act);
    } catch (error) {
      if (!wasRefused(error)) throw error;
      return undefined;
    }
  }

  async #machineToken(secret?: string, assertion?: string): Promise<Answer> {
    const { robot, meter, orders } = this.#programs;
    const form = {
      grant_type: "client_credentials",
      resource: orders,
      scope: this.#chances.pick(["read", "read write"]),
    };
    const program = secret === undefined ? meter : robot;
    const given: Record<string, string> = assertion === undefined ? form : { ...form, client_assertion: assertion };
    const answer = await this.#leaving(
      "machineToken",
      "",
      async () => await postAs(program, "/oauth2/token", given, { secret }),
    );
    this.#note({ act: `of ${program.id} asks`, answer });
    if (answer.status === 200)
      checkAccess(
        String(answer.body["access_token"]),
        {
          program,
          userId: program.id,
          scopes: form.scope.split(" "),
          key: undefined,
        },
        this.#world.app.id,
      );
    return answer;
  }

  /** O9: a token leaves one entry; a refusal none. */
  async #leaving(act: "machineToken" | "exchangeToken", about: string, work: () => Promise<Answer>): Promise<Answer> {
    const leaving = { actor: `app:${this.#world.app.id}`, act, about };
    return await this.#world.ledger.leaving(leaving, work, ({ status }) =>
      status === 200 ? true : status < 500 ? false : undefined,
    );
  }

  /** O1 and O4: a secret works until its end. */
  async #getToken(secret: MachineSecret): Promise<void> {
    const from = time.now();
    const { status, body } = await this.#machineToken(secret.secret);
    if (status === 200) {
      if (secret.wasOver(from) || (from >= secret.endsAt + instant && this.#world.clockHasBeenRight))
        throw new Violation("O1", `a machine got a token by ${secret.id}, which has ended`);
      const expiresAt = time.now() + (Number(body["expires_in"]) - 60) * 1000;
      secret.tokens.push({ token: String(body["access_token"]), expiresAt });
    }
    if (status === 401 && this.#isLive(secret))
      throw new Violation("O4", `the machine's secret ${secret.id} was refused`);
  }

  #isLive(secret: MachineSecret): boolean {
    const isTimely = time.now() < secret.endsAt - instant && this.#world.clockHasBeenRight;
    return isTimely && secret.wasUntouched(time.now());
  }

  /** The tokens of a secret end with it. */
  async #look(secret: MachineSecret): Promise<void> {
    const [wiki] = this.#programs.web;
    const one = secret.tokens.at(-1);
    if (!wiki || !one) return;
    const from = time.now();
    const answer = await postAs(wiki, "/oauth2/introspect", { token: one.token });
    const isActive = answer.body["active"] === true;
    this.#note({ act: `of ${secret.id} is introspected (${isActive})`, answer });
    const isLate = from >= secret.endsAt + instant && this.#world.clockHasBeenRight;
    if (isActive && (secret.wasOver(from) || isLate))
      throw new Violation("O1", `a token of ${secret.id} was active after the end of its secret`);
    if (answer.status === 200 && !isActive && this.#isLive(secret) && one.expiresAt > time.now())
      throw new Violation("O4", `a token of ${secret.id} was inactive`);
  }

  /** A new secret; the others end later, or at once. */
  async #replace(): Promise<void> {
    const { robot, robotSecrets } = this.#programs;
    const overlap = this.#chances.pick([0, 60_000, 600_000]);
    const ending = robotSecrets.filter((secret) => !secret.wasOver(time.now()) && secret.endsAt > time.now());
    const from = time.now();
    // Whether it happens or not, they may end now, or by then.
    for (const secret of ending) secret.isBeingEnded(overlap === 0 ? from : from + overlap);
    const rotated = await this.#operated(
      async (ctx) => await clientSecrets.rotateSecret(ctx, { clientId: robot.id, overlap }, by),
    );
    this.#world.note(`the robot's secret is rotated: ${overlap} ${rotated !== undefined}`);
    if (!rotated) return this.#addSecret();
    this.#world.reached(overlap === 0 ? "a secret replaced at once" : "a secret with an overlap");
    for (const secret of ending) {
      if (overlap === 0) secret.hasEnded(time.now());
      else secret.endsAt = Math.min(secret.endsAt, time.now() + overlap);
    }
    robotSecrets.push(new MachineSecret(rotated));
    robotSecrets.splice(0, robotSecrets.length - 6);
  }

  async #addSecret(): Promise<void> {
    const { robot, robotSecrets } = this.#programs;
    const made = await this.#operated(async (ctx) => await clientSecrets.createSecret(ctx, { clientId: robot.id }, by));
    if (made) robotSecrets.push(new MachineSecret(made));
  }

  /** O1: a revocation and a token of the same secret, which then ends, too. */
  async #endWhile(secret: MachineSecret): Promise<void> {
    if (!this.#isLive(secret)) return;
    secret.isBeingEnded(time.now());
    await settled([
      async () => await this.#getToken(secret),
      async () => {
        const revoked = await this.#operated(async (ctx) => await clientSecrets.revokeSecret(ctx, secret.id, by));
        this.#world.note(`${secret.id} is revoked: ${revoked !== undefined}`);
        if (revoked) secret.hasEnded(time.now());
      },
    ]);
    this.#world.reached("a machine's token while its secret is revoked");
    await this.#addSecret();
    await this.#look(secret);
  }

  /** O3: an assertion works once. */
  async #assertTwice(): Promise<void> {
    const { meter } = this.#programs;
    const assertion = meter.key?.assertion(meter.id);
    const ask = async (): Promise<number> => (await this.#machineToken(undefined, assertion)).status;
    const statuses = await settled([ask, ask]);
    this.#world.reached("two uses of one assertion at once");
    if (this.#chances.chance(0.5)) await time.pause(this.#chances.wait(20_000));
    statuses.push(await ask());
    if (statuses.filter((status) => status === 200).length > 1)
      throw new Violation("O3", "an assertion of the meter worked twice");
  }

  /** O3: an id that one client has used is still new to another. */
  async #shareJti(): Promise<void> {
    const { meter, web } = this.#programs;
    const bank = web.find(({ key }) => key !== undefined);
    if (!meter.key || !bank?.key) return;
    const jti = meter.key.newJti();
    const first = await this.#machineToken(undefined, meter.key.assertion(meter.id, jti));
    const second = await postAs(bank, "/oauth2/introspect", {
      token: "none",
      client_assertion: bank.key.assertion(bank.id, jti),
    });
    this.#world.reached("one jti of two clients");
    if ((first.status === 401 || second.status === 401) && this.#world.clockHasBeenRight)
      throw new Violation("O3", `a jti that another client used was refused: ${first.status} ${second.status}`);
  }

  /** The API's own client acts for a person, at another API. */
  async #exchange(): Promise<void> {
    const { agent, archive, logins } = this.#programs;
    const ofOrders = logins.filter(({ program, access }) => program.resource !== undefined && access.length > 0);
    if (ofOrders.length === 0) return;
    const live = ofOrders.filter((each) => !each.wasOver(time.now()));
    // Few sign in there, and most tokens of old would be refused.
    const login = this.#chances.pick((live.length > 0 ? live : ofOrders).slice(-20));
    const { token = "" } = login.access.at(-1) ?? {};
    const from = time.now();
    const form = {
      grant_type: exchange,
      subject_token: token,
      subject_token_type: accessToken,
      resource: archive,
      scope: "read",
    };
    const answer = await this.#leaving(
      "exchangeToken",
      login.userId,
      async () => await postAs(agent, "/oauth2/token", form),
    );
    this.#note({ act: `acts for ${login.name}`, answer });
    if (answer.status !== 200) return;
    this.#world.reached("a token exchanged");
    if (login.wasOver(from)) throw new Violation("O1", `a token of ${login.name} was exchanged after its end`);
    const { body } = answer;
    const given = String(body["access_token"]);
    // The subject's own scopes bound what the agent may do.
    checkAccess(
      given,
      { program: agent, userId: login.userId, scopes: login.scopes, key: undefined },
      this.#world.app.id,
    );
    const { act, exp } = claimsOf(given);
    if (JSON.stringify(act) !== JSON.stringify({ sub: agent.id }) || Number(exp) > Number(claimsOf(token)["exp"]))
      throw new Violation("O6", `an exchanged token of ${login.name} says ${JSON.stringify({ act, exp })}`);
    const expiresAt = time.now() + (Number(body["expires_in"]) - 60) * 1000;
    login.exchanged.splice(0, login.exchanged.length, { token: given, expiresAt });
  }

  /** O1: tokens of a program's login that ended long ago. */
  async #tryWhatEnded(): Promise<void> {
    const { logins, web } = this.#programs;
    const over = logins.filter((login) => login.wasOver(time.now()));
    const [wiki] = web;
    if (!wiki || over.length === 0) return;
    const { name, program, prover, refresh, access } = this.#chances.pick(over);
    const { token } = this.#chances.pick(access);
    const form = { grant_type: "refresh_token", refresh_token: refresh };
    const refreshed = await postAs(program, "/oauth2/token", form, { prover });
    const looked = await postAs(wiki, "/oauth2/introspect", { token });
    this.#note({ act: `tries ${name}, which has ended`, answer: refreshed });
    if (refreshed.status === 200 || looked.body["active"] === true)
      throw new Violation("O1", `${name} was refreshed or active long after its end`);
  }

  /** A second key of the application is rotated with an overlap; its servers keep the first. */
  async #rotateKeys(): Promise<void> {
    // Every other actor uses the world's key, so that its own application's keys stay as they are.
    const { keyedApp } = this.#programs;
    const overlap = this.#chances.pick([30_000, 120_000]);
    const from = time.now();
    const rotated = await this.#operated(
      async (ctx) => await applicationKeys.rotateKey(ctx, { appId: keyedApp.id, overlap }, by),
    );
    this.#world.note(`an API key is rotated: ${rotated !== undefined}`);
    if (!rotated) return;
    const ends = { from: from + overlap, to: time.now() + overlap };
    this.#keys = { old: keyedApp.apiKey, next: rotated.apiKey, ends };
    keyedApp.apiKey = rotated.apiKey;
  }

  /** Both work until the first one's end, and then only the second. */
  async #useKeys({ old, next, ends }: Rotated): Promise<void> {
    const use = async (apiKey: string): Promise<number> => {
      const { id } = this.#programs.keyedApp;
      return (await call(this.#world.service, "GET", `/applications/${id}`, { authorization: `Bearer ${apiKey}` }))
        .status;
    };
    const from = time.now();
    const first = await use(old);
    this.#world.note(`an API key is used: ${first}`);
    const isTimely = this.#world.clockHasBeenRight;
    if (first === 401 && time.now() < ends.from && isTimely)
      throw new Violation("O4", "an API key was refused within its overlap");
    if (first === 200 && from >= ends.to && isTimely) throw new Violation("O1", "an API key worked after its overlap");
    if ((await use(next)) === 401) throw new Violation("O4", "a new API key was refused");
    if (from < ends.to) return;
    this.#world.reached("an API key after its overlap");
    this.#keys = undefined;
  }
}
