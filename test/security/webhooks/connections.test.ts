import { lookup as systemLookup } from "node:dns/promises";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Resolve } from "../../../src/records/webhooks/connections.ts";
import { createSender } from "../../../src/records/webhooks/sender.ts";
import { internal } from "../../support/internal-addresses.ts";
import { call } from "../../support/person.ts";
import { startReceiver, useReceiver } from "../../support/receiver.ts";
import { describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";
import { createEndpoint, localWebhooks, webhookSecret } from "../../support/webhooks.ts";

describe("a connection", () => {
  const receiver = useReceiver();

  async function send(url: string, resolve: Resolve, privateNetworks = false) {
    const sender = createSender({ privateNetworks, clock: Date.now, resolve });
    try {
      return await sender.send({ url, headers: { "webhook-id": "evt_1" }, body: "{}" });
    } finally {
      await sender.close();
    }
  }

  const notPublic = "its address is not public (webhooks.allowPrivateNetworks is off)";
  const family = (address: string): 4 | 6 => (address.includes(":") ? 6 : 4);

  it.each(Object.entries(internal))(
    "W4, CVE-2026-55671: is not made to %s (%s), whatever name stands for it",
    async (_name, address) => {
      const { port } = new URL(receiver.url);
      const found = [{ address, family: family(address) }];
      const outcome = await send(`http://hooks.example.com:${port}/`, async () => found);
      expect(outcome).toMatchObject({
        delivered: false,
        status: null,
        error: notPublic,
      });
    },
  );

  it("W4: is not made when one of several addresses is internal", async () => {
    const found = [
      { address: "8.8.8.8", family: 4 as const },
      { address: "127.0.0.1", family: 4 as const },
    ];
    expect(await send("http://hooks.example.com/", async () => found)).toMatchObject({
      error: notPublic,
    });
  });

  it("W4: is not made to an address that stands in the URL itself", async () => {
    const never: Resolve = async () => await Promise.reject(new Error("an address is not looked up"));
    for (const url of [receiver.url, "http://[::1]:9/", "http://2130706433:9/"]) {
      expect(await send(url, never)).toMatchObject({
        error: notPublic,
      });
    }
    expect(receiver.received).toEqual([]);
  });

  it("W4, CVE-2026-55671: follows no name that was public when it was looked at and is internal when it is connected to (DNS rebinding)", async () => {
    const { port } = new URL(receiver.url);
    const answers = ["8.8.8.8", "127.0.0.1"];
    let asked = 0;
    const rebinding: Resolve = async () => [{ address: answers[asked++ % 2] ?? "", family: 4 }];
    await rebinding("somebody else's look");
    expect(await send(`http://hooks.example.com:${port}/`, rebinding)).toMatchObject({
      error: notPublic,
    });
    // Looked up once for the connection: there is no second look that could be answered otherwise.
    expect(asked).toBe(2);
    expect(receiver.received).toEqual([]);
  });

  it("is made to one's own network where that is allowed", async () => {
    const resolve: Resolve = async (host) => {
      const { address } = await systemLookup(host, 4);
      return [{ address, family: 4 }];
    };
    const outcome = await send(receiver.url.replace("127.0.0.1", "localhost"), resolve, true);
    expect(outcome).toMatchObject({ delivered: true, status: 204, error: null });
  });
});

const ownNetwork = "endpoints in one's own network, registered while that was allowed";
describeOnSqlite(ownNetwork, localWebhooks, endpointsOfThisMachine);

function endpointsOfThisMachine(service: TestService, control: { restart(): Promise<void> }): void {
  let app: TestApp;
  let listening: Awaited<ReturnType<typeof listenEverywhere>>;
  const endpoints = new Map<string, string>();

  beforeAll(async () => {
    listening = await listenEverywhere();
    app = await service.createApp();
    for (const host of hostsOfThisMachine()) {
      const url = `https://${host}:${listening.port}/`;
      endpoints.set(host, await createEndpoint(service, app, { url }));
    }
  });
  afterAll(async () => await listening.stop());

  const test = async (id: string) => await call(service, "POST", `/webhooks/endpoints/${id}/test`, app.headers);

  it("W4, W5, CVE-2026-55671, CVE-2026-5469: are connected to while it is, and never again once it is not, with one answer for all", async () => {
    for (const [host, id] of endpoints) {
      const before = listening.connections();
      await test(id);
      expect([host, listening.connections() > before]).toEqual([host, true]);
    }
    const closed = await startReceiver();
    await closed.stop();
    endpoints.set("a closed port", await createEndpoint(service, app, { url: closed.url }));
    // Takes connections and says nothing, as a port does that a firewall swallows.
    endpoints.set(
      "a silent port",
      await createEndpoint(service, app, { url: `https://127.0.0.1:${listening.silentPort}/` }),
    );

    service.config.webhooks = { allowPrivateNetworks: false, retentionDays: 30 };
    await control.restart();
    const [connections, silent] = [listening.connections(), listening.silentConnections()];
    for (const [host, id] of endpoints) {
      const { status, body } = await test(id);
      const { eventId: _, durationMilliseconds, ...rest } = body;
      expect([host, status, rest]).toEqual([
        host,
        200,
        { delivered: false, event: "user.login", status: null, error: "no response from a public address" },
      ]);
      // Nobody waits for an answer, so that its lateness cannot say what is there either.
      expect(Number(durationMilliseconds)).toBeLessThan(10_000);
    }
    expect([listening.connections(), listening.silentConnections()]).toEqual([connections, silent]);
  });
}

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])(
    "W3, W4, CVE-2026-55671: of status %i into one's own network is not followed",
    async (status) => {
      const [receiver, inside] = [await startReceiver(), await startReceiver()];
      const sender = createSender({ privateNetworks: true, clock: Date.now });
      for (const location of [
        inside.url,
        inside.url.replace("127.0.0.1", "localhost"),
        `//127.0.0.1:${new URL(inside.url).port}/`,
      ]) {
        receiver.next((answer) => void answer.writeHead(status, { location, refresh: `0;url=${location}` }).end());
        const message = { url: receiver.url, headers: { "webhook-id": "evt_1" }, body: "{}" };
        expect(await sender.send(message)).toMatchObject({
          delivered: false,
          status,
          error: "a redirect, which is not followed",
        });
      }
      expect(receiver.received).toHaveLength(3);
      expect([inside.received, inside.connections()]).toEqual([[], 0]);
      await Promise.all([sender.close(), receiver.stop(), inside.stop()]);
    },
  );
});

describeOnSqlite("registration", (service) => {
  it("W5: looks nothing up: a name that is not there is answered like one that is", async () => {
    const app = await service.createApp();
    for (const host of ["nowhere.invalid", "example.com", "127.0.0.1.nip.io"]) {
      const endpoint = { url: `https://${host}/`, events: ["user.login"], secret: webhookSecret };
      const { status } = await call(service, "POST", "/webhooks/endpoints", app.headers, endpoint);
      expect([host, status]).toEqual([host, 201]);
    }
  });
});

/**
 * Counts who connects, on every address of this machine; hangs up at once on the one port, and
 * never on the other.
 */
async function listenEverywhere() {
  const sockets = new Set<Socket>();
  let [connections, silentConnections] = [0, 0];
  const open = async (server: Server): Promise<number> => {
    server.on("connection", (socket: Socket) => void sockets.add(socket.on("error", () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, hasIpv6() ? "::" : "0.0.0.0", resolve));
    return (server.address() as AddressInfo).port;
  };
  const hasty = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const silent = createServer(() => void (silentConnections += 1));
  const [port, silentPort] = [await open(hasty), await open(silent)];
  return {
    port,
    silentPort,
    connections: () => connections,
    silentConnections: () => silentConnections,
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await Promise.all([hasty, silent].map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
    },
  };
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}

function hasIpv6(): boolean {
  return ownAddresses().includes("::1");
}

/** Everything that leads to this machine, as the host of a URL. */
function hostsOfThisMachine(): string[] {
  const own = ownAddresses().filter((address) => address.includes(".") && address !== "127.0.0.1");
  const four = [
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "localhost",
    ...own,
  ];
  return [...four, ...(hasIpv6() ? ["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"] : [])];
}
