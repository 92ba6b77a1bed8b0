import { describe, expect, it } from "vitest";
import * as trusts from "../../../src/applications/clients/workload/trusts.ts";
import * as issuerKeys from "../../../src/applications/clients/workload/issuer-keys.ts";
import { createConnections, type Resolve } from "../../../src/records/webhooks/connections.ts";
import { readJson } from "../../../src/records/webhooks/documents.ts";
import { asHost, internal, otherSpellings } from "../../support/internal-addresses.ts";
import { useIssuer } from "../../support/issuer.ts";
import { by, newMachine } from "../../support/resources.ts";
import { describeOnSqlite } from "../../support/service.ts";
import { localWebhooks } from "../../support/webhooks.ts";

const maxBytes = 256 * 1024;
const notPublic = "its address is not public (webhooks.allowPrivateNetworks is off)";

describe("a document of others", () => {
  const issuer = useIssuer();

  async function read(url: string, resolve?: Resolve, privateNetworks = false): Promise<unknown> {
    const connections = createConnections({ privateNetworks, resolve, patience: 5000, max: 4 });
    try {
      return (await readJson(connections, url, { maxBytes, signal: AbortSignal.timeout(5000) })).value;
    } finally {
      await connections.close();
    }
  }

  it.each(Object.entries(internal))(
    "I3: is not read from %s (%s), whatever name stands for it",
    async (_name, address) => {
      const { port } = new URL(issuer.url);
      const resolve: Resolve = async () => [{ address, family: address.includes(":") ? 6 : 4 }];
      await expect(read(`http://issuer.example.com:${port}/keys`, resolve)).rejects.toThrow(notPublic);
      await expect(read(`http://${asHost(address)}:${port}/keys`)).rejects.toThrow(notPublic);
    },
  );

  it("I3: follows no name that was public when it was looked at and is internal when it is connected to (DNS rebinding)", async () => {
    const { port } = new URL(issuer.url);
    const answers = ["8.8.8.8", "127.0.0.1"];
    const resolve: Resolve = async () => [{ address: answers.shift() ?? "", family: 4 }];
    await resolve("somebody else's look");
    await expect(read(`http://issuer.example.com:${port}/keys`, resolve)).rejects.toThrow(notPublic);
    expect(issuer.asked).toEqual([]);
  });

  it("is read from one's own network where that is allowed", async () => {
    expect(await read(`${issuer.url}/keys`, undefined, true)).toHaveProperty("keys");
  });

  it("is waited for only so long", async () => {
    issuer.answers["/stalls"] = (answer) => answer.write("{");
    const connections = createConnections({ privateNetworks: true, patience: 5000, max: 4 });
    const signal = AbortSignal.timeout(50);
    const reading = readJson(connections, `${issuer.url}/stalls`, { maxBytes, signal });
    await expect(reading).rejects.toThrow("no answer in time");
    await connections.close();
  });
});

describeOnSqlite("an issuer that a client trusts", (service) => {
  it("I3: is at no internal address, however it is written", async () => {
    const { client } = await newMachine(service);
    const { ctx } = service.server.app;
    for (const host of [...Object.values(internal).map(asHost), ...Object.values(otherSpellings)])
      for (const issuer of [`https://${host}`, `https://${host}:8443/realm`])
        await expect(trusts.add(ctx, client.id, { issuer, subject: "s" }, by)).rejects.toMatchObject({
          rejected: { field: "issuer" },
        });
    expect(await trusts.list(ctx, client.id)).toEqual([]);
  });
});

describeOnSqlite(
  "an issuer in one's own network, trusted while that was allowed",
  localWebhooks,
  (service, control) => {
    const issuer = useIssuer();

    it("I3: is not asked any more once it is not", async () => {
      const { client } = await newMachine(service, { trusts: [{ issuer: issuer.url, subject: "s" }] });
      expect(await issuerKeys.problemOf(service.server.app.ctx, issuer.url)).toBeUndefined();
      service.config.webhooks = { allowPrivateNetworks: false, retentionDays: 30 };
      await control.restart();
      const { ctx } = service.server.app;
      issuer.asked.length = 0;
      expect(await issuerKeys.problemOf(ctx, issuer.url)).toContain("its discovery document: the address must be");
      expect(issuer.asked).toEqual([]);
      expect(await trusts.list(ctx, client.id)).toHaveLength(1);
    });
  },
);
