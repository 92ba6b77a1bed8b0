/** W3C Trace Context of a request: https://www.w3.org/TR/trace-context/ */
export type Trace = {
  /** 32 hexadecimal digits. */
  traceId: string;
  sampled: boolean;
  /** Data between tracing systems, passed on unchanged. */
  state: string | undefined;
};

/** Versions above 00 may have more fields after a dash. Version ff is invalid. */
const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-.*)?$/u;
const maxStateCharacters = 512;

/**
 * Undefined if the parent is missing or invalid: then there is no trace (§3.2.1). `state` is
 * ignored without a valid parent.
 */
export function readTrace(parent: string | undefined, state: string | undefined): Trace | undefined {
  if (parent === undefined) return undefined;
  const [, version, traceId, flags = "", more] = form.exec(parent) ?? [];
  if (traceId === undefined || (version === "00" && more !== undefined)) return undefined;
  const isState = state !== undefined && state.length <= maxStateCharacters && /^[\x21-\x7e][\x20-\x7e]*$/u.test(state);
  return { traceId, sampled: (Number.parseInt(flags, 16) & 1) === 1, state: isState ? state : undefined };
}

/** The headers of an outgoing call for the traced request: same trace, new parent. */
export function childHeaders(
  { traceId, sampled, state }: Trace,
  random: (size: number) => Uint8Array,
): Record<string, string> {
  const parentId = Buffer.from(random(8)).toString("hex");
  const traceparent = `00-${traceId}-${parentId}-0${sampled ? 1 : 0}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
