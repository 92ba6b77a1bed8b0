import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../../../src/process/server.ts";
import { withMemberships } from "../../support/memberships.ts";
import { validate } from "../../support/person.ts";
import { atUrl, serviceOfTest } from "../../support/service.ts";

it("Q8: every node sees at the next call what a person lost, and within a second what an organization lost", async () => {
  const service = await serviceOfTest("postgres");
  const second = await startServer({ ...service.config, baseUrl: service.url }, { clock: () => service.clock.now });
  onTestFinished(async () => await second.close());
  const nodes = [service, atUrl(service, second.url)];
  const person = await withMemberships(service);
  const [acme, best] = [await person.found("Acme"), await person.found("Best")];
  const tokens = await person.tokens({ organization: acme });
  const other = await person.tokens({ organization: best });
  const statuses = async (token: string): Promise<number[]> =>
    await Promise.all(nodes.map(async (node) => (await validate(node, person.app, token)).status));
  expect(await statuses(tokens.accessToken)).toEqual([200, 200]);
  expect(await statuses(other.accessToken)).toEqual([200, 200]);
  await person.change(acme, { disabled: true });
  service.clock.advance(1000);
  expect(await statuses(tokens.accessToken)).toEqual([401, 401]);
  expect(await statuses(other.accessToken)).toEqual([200, 200]);
  await person.change(acme, { disabled: false });
  // After a long pause everything is read again.
  service.clock.advance(700_000);
  expect(await statuses(tokens.accessToken)).toEqual([200, 200]);
  await person.leave(best);
  expect(await statuses(other.accessToken)).toEqual([401, 401]);
});
