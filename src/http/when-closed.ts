import type { Socket } from "node:net";

const ofSockets = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `act` when the connection closes, unless the returned function was called before. The
 * requests of a connection share one listener, because pipelined ones can be many.
 */
export function whenClosed(socket: Socket, act: () => void): () => void {
  const acts = ofSockets.get(socket) ?? new Set();
  if (!ofSockets.has(socket)) {
    ofSockets.set(socket, acts);
    socket.once("close", () => {
      for (const each of acts) each();
    });
  }
  acts.add(act);
  if (socket.destroyed) act();
  return () => void acts.delete(act);
}
