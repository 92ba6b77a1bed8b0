import { occasionally } from "./occasionally.ts";
import { hasMachine } from "./store.ts";

/** Whether there is an enabled client of kind `machine`. */
export const areThere = occasionally("whether there are machines", hasMachine);
