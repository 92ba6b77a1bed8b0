import { offered } from "./offered.ts";
import { hasMachine } from "./store.ts";

/** Whether there is an enabled client of kind `machine`. */
export const areThere = offered("machines", hasMachine);
