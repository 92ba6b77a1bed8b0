/** Whether `npm run test:long` runs the file again, for what `npm test` leaves out of it. */
export const isLongRun = process.env["AUTHSVC_TEST_LONG_RUN"] !== undefined;

/** Every nth row of a large table in `npm test`; all of them in `npm run test:long`. */
export function sampled<T>(rows: readonly T[], nth: number): T[] {
  return rows.filter((_row, at) => isLongRun || at % nth === 0);
}
