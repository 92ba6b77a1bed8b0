import { presence } from "./presence.ts";
import { hasMachine } from "./store.ts";

/** Whether there is an enabled client of kind `machine`. */
export const areThere = presence("machines", hasMachine);
