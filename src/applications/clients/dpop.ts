import { presence } from "./presence.ts";
import { hasProver } from "./store.ts";

/** Whether an enabled client was set to use DPoP. By default clients may, and nothing says so. */
export const isUsed = presence("clients with DPoP", hasProver);
