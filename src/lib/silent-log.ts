import type { Log } from "./log.ts";

/** In its own file, so that commands do not load the logging library. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, debugging: false };
