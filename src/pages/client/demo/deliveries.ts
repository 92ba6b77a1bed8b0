import { element, part, speak } from "./element.ts";
import { jsonNodes } from "./json.ts";
import { block, headerNode } from "./show-call.ts";
import type { Walk } from "./walk.ts";

/**
 * A webhook as the demo's receiver got it. The body is kept byte for byte, because the signature
 * covers it.
 */
type Delivery = { receivedAt: string; id: string; timestamp: string; signature: string; body: string };

const pollMilliseconds = 1000;

/**
 * Polls this browser's inbox once a second while an endpoint is registered, and shows new
 * deliveries.
 */
export function watchDeliveries(currentWalk: () => Walk): void {
  let shown = "";
  const look = async (): Promise<void> => {
    const { hook } = currentWalk();
    if (hook.endpointId !== undefined && !document.hidden) {
      const text = await fetch(`/dev/demo/hooks/${hook.inbox}`, { cache: "no-store" })
        .then((response) => (response.ok ? response.text() : shown))
        .catch(() => shown);
      if (text !== shown) {
        shown = text;
        await show((JSON.parse(text) as { deliveries: Delivery[] }).deliveries, hook.secret);
      }
    }
    setTimeout(() => void look(), pollMilliseconds);
  };
  void look();
}

async function show(deliveries: Delivery[], secret: string): Promise<void> {
  const step = document.querySelector("#endpoint");
  const place = step && part(step, "deliveries");
  if (!place) return;
  const views = await Promise.all(
    deliveries.map(async (delivery) => deliveryView(delivery, await isGenuine(delivery, secret))),
  );
  place.replaceChildren(element("h3", {}, "Deliveries, the newest first"), ...views);
  place.hidden = views.length === 0;
  if (deliveries[0]) speak(`A webhook has arrived: ${kindOf(deliveries[0])}`);
}

function deliveryView(delivery: Delivery, genuine: boolean): HTMLElement {
  const { id, timestamp, signature, body } = delivery;
  const verdict = genuine
    ? element("p", { class: "remark good" }, "The signature is right: this came from the service, and is unchanged.")
    : element("p", { class: "remark bad" }, "The signature is wrong. Do not trust what it says.");
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  const code = element(
    "code",
    {},
    ...Object.entries(headers).map(([name, value]) => headerNode(name, value)),
    "\n",
    ...jsonNodes(parsed(body)),
  );
  const view = block(kindOf(delivery), [verdict, element("pre", {}, code)]);
  view.classList.add("delivery");
  return view;
}

/**
 * Verifies a Standard Webhooks signature like a receiver. A real one also refuses a timestamp that
 * is more than five minutes off; here old deliveries stay on the page.
 */
async function isGenuine({ id, timestamp, signature, body }: Delivery, secret: string): Promise<boolean> {
  const key = await crypto.subtle.importKey(
    "raw",
    bytesOf(secret.replace(/^whsec_/, "")),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const proofs = signature.split(" ").filter((each) => each.startsWith("v1,"));
  const results = await Promise.all(
    proofs.map((proof) => crypto.subtle.verify("HMAC", key, bytesOf(proof.slice("v1,".length)), content)),
  );
  return results.includes(true);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function kindOf({ body }: Delivery): string {
  const { event } = parsed(body) as { event?: unknown };
  return typeof event === "string" ? event : "unknown event";
}

function parsed(body: string): object {
  try {
    return (JSON.parse(body) as object | null) ?? {};
  } catch {
    return {};
  }
}
