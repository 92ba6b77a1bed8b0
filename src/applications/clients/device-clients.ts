import { knownExistence } from "./known-existence.ts";
import { hasDeviceClient } from "./store.ts";

/** Whether there is an enabled client with the device grant. */
export const areThere = knownExistence("clients for devices", hasDeviceClient);
