import { knownExistence } from "./known-existence.ts";
import { hasMachine } from "./store.ts";

/** Whether there is an enabled client of kind `machine`. */
export const areThere = knownExistence("machines", hasMachine);
