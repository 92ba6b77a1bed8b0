import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { createAuthsvc } from "../../packages/sdk/src/index.ts";
import { usePython } from "./python.ts";

const secret = "whsec_" + Buffer.from("a secret of the tests, of 32 bytes").toString("base64");
const now = 1_790_000_000;
const body = JSON.stringify({ event: "user.created", timestamp: "2026-11-28T00:00:00.000Z", data: {} });

type Delivery = Record<string, string>;

/** Headers of a delivery, signed as the service does. */
function delivery(timestamp: string, changes: Delivery = {}): Delivery {
  const key = Buffer.from(secret.slice(6), "base64");
  const signature = createHmac("sha256", key).update(`evt_1.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
    ...changes,
  };
}

const python = usePython(`
import json, sys
import authsvc
for line in sys.stdin:
    given = json.loads(line)
    try:
        answer = authsvc.verify_webhook(given["secret"], given["headers"], given["body"].encode(), now=given["now"])["event"]
    except ValueError:
        answer = "refused"
    except Exception as error:
        answer = repr(error)
    print(json.dumps(answer), flush=True)
`);

const packages: Record<string, (headers: Delivery) => Promise<string>> = {
  async TypeScript(headers) {
    const client = createAuthsvc({ issuer: "http://localhost:1", appId: "app_x", apiKey: "k", now: () => now * 1000 });
    const request = new Request("http://localhost/", { method: "POST", headers, body });
    return await client.verifyWebhook(request, secret).then(
      ({ event }) => event,
      (error: unknown) => ((error as { code?: string }).code === "INVALID_REQUEST" ? "refused" : String(error)),
    );
  },
  Python: async (headers) => await python<string>({ secret, headers, body, now }),
};

test.each(Object.keys(packages))("%s takes a delivery within five minutes, either way, and no later", async (name) => {
  const verify = packages[name] as (typeof packages)[string];
  for (const [apart, said] of [
    [-301, "refused"],
    [-300, "user.created"],
    [0, "user.created"],
    [300, "user.created"],
    [301, "refused"],
  ] as const)
    expect([apart, await verify(delivery(String(now + apart)))]).toEqual([apart, said]);
});

test.each(Object.keys(packages))("%s refuses whatever else a stranger writes into the headers", async (name) => {
  const verify = packages[name] as (typeof packages)[string];
  const { "webhook-signature": signature = "" } = delivery(String(now));
  const timestamps = [
    "",
    "x",
    "-1",
    "1e9",
    "0x6",
    `${now}.5`,
    "9".repeat(400),
    "9".repeat(5000),
    "\u00b2",
    "NaN",
    "Infinity",
  ];
  const signatures = [
    "",
    "v1",
    "v1,",
    "v1,*",
    "v2" + signature.slice(2),
    signature.slice(0, -4),
    "v1,\u00e9",
    " ".repeat(5000),
  ];
  const odd = [
    {},
    ...timestamps.map((each) => delivery(each)),
    ...signatures.map((each) => delivery(String(now), { "webhook-signature": each })),
    delivery(String(now), { "webhook-id": "evt_2" }),
  ];
  for (const headers of odd) expect([headers, await verify(headers)]).toEqual([headers, "refused"]);
  expect(await verify(delivery(String(now), { "webhook-signature": `v1,AAAA ${signature}` }))).toBe("user.created");
});
