import type { Socket } from "node:net";

const ofSockets = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `act` when the connection is closed, until the returned function is called. One listener
 * for all requests of a connection: they may be pipelined.
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
