/**
 * Lines and cases that have no test, and why they do not apply here. An id stands here or in a
 * test's title, never in both.
 */
export const notApplicable: Record<string, string> = {};
