/** What Node offers beyond Web standards; undefined elsewhere. */
type Node = {
  getBuiltinModule?: (name: string) => {
    subscribe: (channel: string, listener: (message: unknown) => void) => void;
    unsubscribe: (channel: string, listener: (message: unknown) => void) => void;
  };
};

type SentRequest = { request: { origin?: unknown; path?: string }; socket: { unref?: () => void } };

const sent = "undici:client:sendHeaders";

/**
 * Lets Node end while a call of this path waits for its answer. `fetch` has no option for that, but
 * reports the socket. Returns what stops it.
 */
export function letProcessEnd(issuer: string, path: string): () => void {
  const { process } = globalThis as { process?: Node };
  const channels = process?.getBuiltinModule?.("node:diagnostics_channel");
  const { origin, pathname } = new URL(issuer + path);
  const release = (message: unknown): void => {
    const { request, socket } = message as SentRequest;
    if (String(request.origin) === origin && request.path?.startsWith(`${pathname}?`) === true) socket.unref?.();
  };
  channels?.subscribe(sent, release);
  return () => channels?.unsubscribe(sent, release);
}

/** A pause that keeps no process running, and ends with the signal. */
export async function pauseQuietly(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer: unknown = setTimeout(resolve, milliseconds);
    (timer as { unref?: () => void }).unref?.();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
