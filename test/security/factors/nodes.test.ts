import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type RunningServer } from "../../../src/process/server.ts";
import { codeAt, firstProof, signedUpWithTotp, wrongCodeAt } from "../../support/factors.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const required = { settings: { secondFactor: "required" } } as const;

describe("a second factor over two nodes", () => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let service: TestService;
  let second: RunningServer;
  beforeAll(async () => {
    running = await startTestService("postgres");
    service = running.service;
    second = await startServer({ ...service.config, baseUrl: service.url }, { clock: () => service.clock.now });
  });
  afterAll(async () => {
    await second.close();
    await running.stop();
  });

  /** Posts a code for each of the sign-ins, to either node in turns. */
  async function postAll(proofs: Awaited<ReturnType<typeof firstProof>>[], code: string): Promise<number[]> {
    const pages = await Promise.all(
      proofs.map(async ({ visitor, page, session }, n) => {
        const { fields } = page.form("/step/code");
        const { pathname } = new URL(session.authUrl);
        const node = n % 2 === 0 ? service.url : second.url;
        // The form belongs to the public address, whichever node answers.
        return await visitor.post(`${node}${pathname}/step/code`, { ...fields, code }, { origin: service.url });
      }),
    );
    return pages.map(({ status }) => status);
  }

  it("M2: has one winner of fifty at the same time, for a time step and for a recovery code", async () => {
    const app = await service.createApp(required);
    const person = await signedUpWithTotp(service, app);
    for (const codeOf of [() => codeAt(person.key, service.clock.now), () => person.codes[0] ?? ""]) {
      service.clock.advance(3_600_000);
      const proofs = await Promise.all(Array.from({ length: 50 }, () => firstProof(service, app, person.email)));
      const statuses = await postAll(proofs, codeOf());
      expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    }
  });

  it("M3: counts wrong codes together, also when a node starts again", async () => {
    const app = await service.createApp(required);
    const person = await signedUpWithTotp(service, app);
    service.clock.advance(60_000);
    const proof = await firstProof(service, app, person.email);
    const wrong = wrongCodeAt(person.key, service.clock.now);
    // Five are free, and the sixth is followed by a wait.
    for (let time = 0; time < 3; time += 1) expect(await postAll([proof, proof], wrong)).toEqual([422, 422]);
    await second.close();
    second = await startServer({ ...service.config, baseUrl: service.url }, { clock: () => service.clock.now });
    expect(await postAll([proof, proof], wrong)).toEqual([429, 429]);
  });
});
