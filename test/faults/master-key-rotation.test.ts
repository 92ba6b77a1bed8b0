import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openApp, type App } from "../../src/process/app.ts";
import { newSecret, systemRandom } from "../../src/lib/random.ts";
import { insertEndpoint } from "../../src/records/webhooks/endpoint-store.ts";
import { secretContext } from "../../src/records/webhooks/endpoint.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import { rotationMetadata } from "../../src/secrets/check.ts";
import { findMetadata } from "../../src/secrets/store.ts";
import { authsvc, finish, start } from "../cli/command.ts";
import { call, newEmail, redeem, refresh, signIn, signUp } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { kill, startProcess } from "../support/process.ts";
import { startReceiver, until } from "../support/receiver.ts";
import { testConfig, type Dialect } from "../support/service.ts";
import { randomMoments, reportExperiment } from "./experiment.ts";
import { emptyFolder } from "../cli/command.ts";

const rounds = 4;
const moment = randomMoments();
const idleEndpoints = 800;
const secretOf = (turn: number): string => `whsec_${Buffer.alloc(24, turn % 256).toString("base64")}`;

/** Secrets of endpoints that are told of nothing: so many that a rotation takes a while. */
async function addEndpoints(app: App, appId: string): Promise<void> {
  const row = { appId, url: "https://idle.example.com/", events: ["user.deleted" as const], enabled: false };
  const rest = {
    clientId: null,
    encryptedOldSecret: null,
    oldSecretUntil: null,
    disabledReason: "operator" as const,
    failingSince: null,
  };
  const times = { createdAt: Date.now(), updatedAt: Date.now() };
  await app.ctx.storage.write(async (tx) => {
    for (let turn = 0; turn < idleEndpoints; turn += 1) {
      const id = `whe_idle_${turn}`;
      const encryptedSecret = await app.ctx.keyring.encrypt(tx, secretOf(turn), secretContext(id));
      await insertEndpoint(tx, { ...row, ...rest, ...times, id, encryptedSecret });
    }
  });
}

it.each<Dialect>(["sqlite", "postgres"])(
  "a rotation of the master key that is killed loses nothing and is ended by the next call (%s)",
  async (dialect) => {
    const data = emptyFolder();
    const url = dialect === "postgres" ? await createTestDatabase() : undefined;
    const file = join(data, url === undefined ? "master.key" : "operators.key");
    const keys = (): string[] => readFileSync(file, "utf8").trim().split("\n");
    if (url !== undefined) writeFileSync(file, `${newSecret(systemRandom)}\n`, { mode: 0o600 });
    const env = {
      AUTHSVC_WEBHOOKS__ALLOW_PRIVATE_NETWORKS: "true",
      AUTHSVC_RATE_LIMITS__WEBHOOKS: "1000000",
      ...(url === undefined ? {} : { AUTHSVC_DATABASE__URL: url, AUTHSVC_MASTER_KEY_FILE: file }),
    };
    const receiver = await startReceiver();
    let running = await startProcess(data, env);
    const { service, app } = running;
    const config = {
      ...testConfig,
      dataDir: data,
      database: { url, poolSize: 2 },
      masterKey: url === undefined ? undefined : keys()[0],
      masterKeyFile: url === undefined ? undefined : file,
    };
    const operator = await openApp(config, {});
    const hook = { url: receiver.url, events: ["user.login"], secret: secretOf(0) };
    const created = await call(service, "POST", "/webhooks/endpoints", app.headers, hook);
    expect(created.status).toBe(201);
    const endpointId = String(created.body["id"]);
    // Past the number that an application may have, which is counted when one is created.
    await addEndpoints(operator, app.id);
    const person = { email: newEmail() };
    let tokens = await redeem(service, app, await signUp(service, app, person));

    const place = { cwd: data, env, built: true };
    const rotate = ["master-key", "rotate", "--yes", "--data", data];
    const signedIn = new Set<string>();
    const stop = new AbortController();
    let turn = 0;
    let acknowledged = 0;
    const signIns = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const { user } = await redeem(service, app, await signUp(service, app, { email: newEmail() }));
        signedIn.add(String(user["id"]));
      }
    };
    const changes = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const wanted = (turn += 1);
        const change = { secret: secretOf(wanted), secretOverlapSeconds: wanted % 2 === 0 ? 60 : 0 };
        const { status } = await call(service, "PATCH", `/webhooks/endpoints/${endpointId}`, app.headers, change);
        if (status !== 200) throw new Error(`a change of a secret was answered with ${status}`);
        acknowledged = wanted;
        await sleep(10);
      }
    };
    const load = [signIns(), changes()];
    // Looked at when the load has ended.
    for (const work of load) work.catch(() => stop.abort());

    const lost: string[] = [];
    let checks = 0;
    let mixed = 0;
    for (let round = 0; round < rounds && !stop.signal.aborted; round += 1) {
      if (url !== undefined) writeFileSync(file, [newSecret(systemRandom), ...keys()].join("\n"));
      const child = start(rotate, place);
      const ended = finish(child);
      const begun = async () => (await findMetadata(operator.ctx.storage.reader, rotationMetadata)) !== undefined;
      if (round % 2 === 0) while (child.exitCode === null && !(await begun())) await sleep(2);
      await sleep(moment(round % 2 === 0 ? 200 : 1000));
      child.kill("SIGKILL");
      await ended;
      if (await begun()) mixed += 1;
      const rotated = await authsvc(rotate, place);
      checks += 1;
      // The one that was to be killed may have been done.
      const isDone = rotated.code === 4 && rotated.stderr.includes("is already the current one");
      if (rotated.code !== 0 && !isDone) lost.push(`round ${round}: ${rotated.stderr}`);
      // What an operator does who was told to.
      if (url !== undefined) writeFileSync(file, keys()[0] ?? "");
      checks += 1;
      if (keys().length !== 1) lost.push(`round ${round}: ${keys().length} keys`);
      const sound = await authsvc(["db", "check", "--data", data], place);
      checks += 1;
      if (sound.code !== 0) lost.push(`round ${round}: ${sound.stdout}${sound.stderr}`);
    }
    stop.abort();
    await Promise.all(load);
    // The control: kills met rotations that were under way.
    expect(mixed).toBeGreaterThan(0);
    await operator.close();

    // A process that knows the last key alone.
    await kill(running.process);
    running = await startProcess(data, env);
    const last = await openApp({ ...config, masterKey: url === undefined ? undefined : keys()[0] }, {});
    for (let each = 0; each < idleEndpoints; each += 1) {
      checks += 1;
      const secret = await webhooks.secret(last.ctx, `whe_idle_${each}`).catch(String);
      if (secret !== secretOf(each)) lost.push(`the secret of endpoint ${each}: ${secret}`);
    }
    checks += 1;
    if ((await webhooks.secret(last.ctx, endpointId)) !== secretOf(acknowledged)) lost.push("an acknowledged secret");
    await last.close();
    const refreshed = await refresh(running.service, app, tokens.refreshToken);
    if (refreshed.status !== 200) lost.push("a login");
    tokens = await redeem(running.service, app, await signIn(running.service, app, person));
    signedIn.add(String(tokens.user["id"]));
    await until(() => {
      const told = new Set(receiver.of("user.login").map(({ body }) => body.data["userId"]));
      return [...signedIn].every((id) => told.has(id));
    });
    checks += 1 + signedIn.size;
    await kill(running.process);
    await receiver.stop();
    reportExperiment(`kill -9 during a rotation of the master key (${dialect})`, { rounds, checks, lost });
  },
);
