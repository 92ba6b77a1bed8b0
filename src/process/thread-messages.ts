import type { Config } from "../config/config.ts";
import type { Outgoing } from "../http/node-handler.ts";
import type { Passed, PassedAnswered } from "../http/passed.ts";
import type { LogFields } from "../lib/log.ts";
import type { LimitMemory } from "../lib/rate-limits.ts";
import type { Counted } from "../metrics/instruments.ts";

/** The start data of an HTTP thread. */
export type ThreadData = {
  config: Config;
  baseUrl: string;
  port: number;
  maxConnections: number;
  limitMemory: LimitMemory;
  /** Of the listener for reverse proxies. */
  forwardAuthPort: number | undefined;
  /** Not 0 while somebody watches every response. */
  watched: Int32Array;
  /** How many of the thread's responses the main thread has recorded. */
  noted: Int32Array;
};

/** From a thread. `turn`: everything of one turn of its event loop. */
export type FromThread =
  | { kind: "listening" }
  | { kind: "turn"; calls: (Passed & { call: number })[]; gone: number[]; answered: PassedAnswered[] }
  | { kind: "log"; level: "debug" | "info" | "warn"; message: string; fields: LogFields | undefined }
  | { kind: "error"; message: string; error: string; fields: LogFields }
  | { kind: "counted"; counted: Counted }
  | { kind: "stopped" }
  | { kind: "closed" };

/** To a thread. Without an outgoing answer, there is none. */
export type ToThread =
  | { kind: "answers"; answers: { call: number; outgoing: Outgoing | undefined }[] }
  | { kind: "reload" }
  | { kind: "count" }
  | { kind: "stop" }
  | { kind: "close" };
