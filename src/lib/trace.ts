/** W3C Trace Context (https://www.w3.org/TR/trace-context/): what a caller's tracing told of a request. */
export type Trace = {
  /** 32 hexadecimal digits. */
  traceId: string;
  sampled: boolean;
  /** What tracing systems say to each other; passed on as it came. */
  state: string | undefined;
};

/** Versions above 00 may say more after a dash; ff is not one. */
const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-.*)?$/u;
const mostStateCharacters = 512;

/** Undefined for what is missing or not valid: then there is no trace (§3.2.1). `state` counts only beside a valid parent. */
export function readTrace(parent: string | undefined, state: string | undefined): Trace | undefined {
  if (parent === undefined) return undefined;
  const [, version, traceId, flags = "", more] = form.exec(parent) ?? [];
  if (traceId === undefined || (version === "00" && more !== undefined)) return undefined;
  const isState =
    state !== undefined && state.length <= mostStateCharacters && /^[\x21-\x7e][\x20-\x7e]*$/u.test(state);
  return { traceId, sampled: (Number.parseInt(flags, 16) & 1) === 1, state: isState ? state : undefined };
}

/** The headers of a call that is made for the traced request: the same trace, a parent of its own. */
export function childHeaders(
  { traceId, sampled, state }: Trace,
  random: (size: number) => Uint8Array,
): Record<string, string> {
  const parentId = Buffer.from(random(8)).toString("hex");
  const traceparent = `00-${traceId}-${parentId}-0${sampled ? 1 : 0}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
