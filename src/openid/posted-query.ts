/** A longer address could exceed what servers accept, ours included. */
const longestQuery = 12_000;

/**
 * The query of the GET that a posted request is redirected to: the browser omits our Lax cookies
 * from another site's post, but sends them with that. Undefined if it would be too long.
 */
export function postedQuery(pairs: [string, string][]): string | undefined {
  const query = new URLSearchParams(pairs).toString();
  return query.length > longestQuery ? undefined : query;
}

export const postedTooLong = `form: at most ${longestQuery} characters`;
