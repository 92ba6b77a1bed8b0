import { offered } from "./offered.ts";
import { hasExchanger } from "./store.ts";

/** Whether there is an enabled client that may exchange tokens (RFC 8693). */
export const areThere = offered("clients that exchange tokens", hasExchanger);
