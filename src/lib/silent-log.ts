import type { Log } from "./log.ts";

/** By itself, so that a command, which logs nothing, need not load the logging library. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, debugging: false };
