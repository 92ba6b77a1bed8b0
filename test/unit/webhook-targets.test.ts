import { lookup as systemLookup } from "node:dns/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSender, type Resolve } from "../../src/webhooks/sender.ts";
import { isPublicAddress, targetPolicy, targetProblem } from "../../src/webhooks/target.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";

const strict = targetPolicy({ dev: false, allowPrivateNetworks: false });

/** One address of every network that a webhook must never reach. */
const internal: Record<string, string> = {
  "this host": "0.0.0.0",
  "this network": "0.1.2.3",
  "private, class A": "10.0.0.1",
  "carrier-grade NAT": "100.64.0.1",
  loopback: "127.0.0.1",
  "the rest of loopback": "127.255.255.254",
  "link-local with the clouds' metadata": "169.254.169.254",
  "private, class B": "172.16.0.1",
  "its last address": "172.31.255.255",
  "protocol assignments": "192.0.0.1",
  "documentation 1": "192.0.2.1",
  "6to4 relays": "192.88.99.1",
  "private, class C": "192.168.1.1",
  benchmarking: "198.18.0.1",
  "documentation 2": "198.51.100.1",
  "documentation 3": "203.0.113.1",
  multicast: "224.0.0.1",
  reserved: "240.0.0.1",
  broadcast: "255.255.255.255",
  "unspecified, IPv6": "::",
  "loopback, IPv6": "::1",
  "IPv4-mapped loopback": "::ffff:127.0.0.1",
  "the same in words": "::ffff:7f00:1",
  "IPv4-mapped public": "::ffff:8.8.8.8",
  "IPv4-compatible": "::7f00:1",
  NAT64: "64:ff9b::7f00:1",
  "local NAT64": "64:ff9b:1::1",
  "discard-only": "100::1",
  Teredo: "2001::1",
  "documentation, IPv6": "2001:db8::1",
  "6to4": "2002:7f00:1::1",
  "documentation, new": "3fff::1",
  "unique local": "fc00::1",
  "unique local, in use": "fd12:3456:789a::1",
  "link-local, IPv6": "fe80::1",
  "link-local with a zone": "fe80::1%eth0",
  "site-local of old": "fec0::1",
  "multicast, IPv6": "ff02::1",
};

const asHost = (address: string): string => (address.includes(":") ? `[${address.replace(/%.*/u, "")}]` : address);

describe("an internal address", () => {
  it.each(Object.entries(internal))("%s (%s) is not public", (_name, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(Object.entries(internal))("%s (%s) is refused at registration (security rule W4)", (_name, address) => {
    expect(targetProblem(`https://${asHost(address)}/hook`, strict)).toBe("https on a public address");
  });

  it.each([
    ["decimal", "https://2130706433/"],
    ["octal", "https://0177.0.0.1/"],
    ["hexadecimal", "https://0x7f.1/"],
    ["one hexadecimal number", "https://0x7f000001/"],
    ["short", "https://127.1/"],
    ["percent-encoded", "https://%31%32%37.0.0.1/"],
    ["a trailing dot", "https://127.0.0.1./"],
    ["the name", "https://localhost/"],
    ["the name in capitals", "https://LOCALHOST/"],
    ["below the name", "https://hooks.localhost/"],
    ["a name without a dot", "https://ip6-loopback/"],
    ["localdomain", "https://localhost.localdomain/"],
    ["a name of multicast DNS", "https://printer.local/"],
    ["a name inside of a cloud", "https://metadata.google.internal/"],
    ["a name of a home network", "https://router.home.arpa/"],
  ])("is refused spelled otherwise: %s", (_name, url) => {
    expect(targetProblem(url, strict)).toBe("https on a public address");
  });

  it.each(["8.8.8.8", "100.63.255.255", "172.32.0.1", "192.167.255.255", "2606:4700::1111", "2a00:1450::1"])(
    "%s is none",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
      expect(targetProblem(`https://${asHost(address)}/hook`, strict)).toBeUndefined();
    },
  );
});

describe("the address of an endpoint", () => {
  it.each([
    ["http://hooks.example.com/", "https"],
    ["ftp://hooks.example.com/", "https"],
    ["hooks.example.com", "an absolute URL"],
    ["https://hooks.example.com/\u{E9}", "an absolute URL"],
    ["https://hooks.example.com/ a", "an absolute URL"],
    ["https://user:pass@hooks.example.com/", "no user or password"],
    ["https://@hooks.example.com/", "no user or password"],
    ["https://hooks.example.com/#top", "no fragment"],
    ["https://hooks.example.com/#", "no fragment"],
    ["https://hooks.example.com./", "no dot at the end of the host"],
    ["https://hooks.example.com:25/", "port 443, or 1024 and above"],
    ["https://hooks.example.com:0/", "port 443, or 1024 and above"],
    [`https://hooks.example.com/${"a".repeat(2048)}`, "at most 2048 characters"],
  ])("%s is refused: %s", (url, problem) => {
    expect(targetProblem(url, strict)).toBe(problem);
  });

  it.each(["https://hooks.example.com", "https://hooks.example.com:8443/a?b=c@d", "https://xn--bcher-kva.example/"])(
    "%s is taken",
    (url) => {
      expect(targetProblem(url, strict)).toBeUndefined();
    },
  );

  it.each([
    [{ dev: false, allowPrivateNetworks: true }, "https://10.0.0.1:25/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "https://hooks/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "http://127.0.0.1:3000/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "http://app.localhost:3000/", undefined],
    [{ dev: false, allowPrivateNetworks: true }, "http://10.0.0.1/", "https"],
    [{ dev: true, allowPrivateNetworks: false }, "http://host.docker.internal:3000/", undefined],
    [{ dev: true, allowPrivateNetworks: false }, "https://user@localhost/", "no user or password"],
  ])("with %o, %s: %s", (settings, url, problem) => {
    expect(targetProblem(url, targetPolicy(settings))).toBe(problem);
  });
});

describe("a connection", () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.stop();
  });

  async function send(url: string, resolve: Resolve, privateNetworks = false) {
    const sender = createSender({ privateNetworks, clock: Date.now, resolve });
    try {
      return await sender.send({ url, headers: { "webhook-id": "evt_1" }, body: "{}" });
    } finally {
      await sender.close();
    }
  }

  const family = (address: string): 4 | 6 => (address.includes(":") ? 6 : 4);

  it.each(Object.entries(internal))(
    "is not made to %s (%s), whatever name stands for it (security rule W4)",
    async (_name, address) => {
      const { port } = new URL(receiver.url);
      const found = [{ address, family: family(address) }];
      const outcome = await send(`http://hooks.example.com:${port}/`, async () => found);
      expect(outcome).toMatchObject({ delivered: false, status: null, error: "its address is not public" });
    },
  );

  it("is not made when one of several addresses is internal", async () => {
    const found = [
      { address: "8.8.8.8", family: 4 as const },
      { address: "127.0.0.1", family: 4 as const },
    ];
    expect(await send("http://hooks.example.com/", async () => found)).toMatchObject({
      error: "its address is not public",
    });
  });

  it("is not made to an address that stands in the URL itself", async () => {
    const never: Resolve = async () => await Promise.reject(new Error("an address is not looked up"));
    for (const url of [receiver.url, "http://[::1]:9/", "http://2130706433:9/"]) {
      expect(await send(url, never)).toMatchObject({ error: "its address is not public" });
    }
    expect(receiver.received).toEqual([]);
  });

  it("follows no name that was public when it was looked at and is internal when it is connected to (DNS rebinding)", async () => {
    const { port } = new URL(receiver.url);
    const answers = ["8.8.8.8", "127.0.0.1"];
    let asked = 0;
    const rebinding: Resolve = async () => [{ address: answers[asked++ % 2] ?? "", family: 4 }];
    await rebinding("somebody else's look");
    expect(await send(`http://hooks.example.com:${port}/`, rebinding)).toMatchObject({
      error: "its address is not public",
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
