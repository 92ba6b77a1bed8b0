import { presence } from "./presence.ts";
import { hasNonceDemand, hasProver } from "./store.ts";

/** Whether an enabled client was set to use DPoP. By default clients may, and nothing says so. */
export const isUsed = presence("clients with DPoP", hasProver);

/** Whether an enabled client's proofs need nonces: then calls with bound tokens read the client. */
export const needsNonces = presence("clients with DPoP nonces", hasNonceDemand);
