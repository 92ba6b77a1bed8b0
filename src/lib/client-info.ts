/** Where a request came from, for what is remembered of it. */
export type ClientInfo = { ipAddress: string; userAgent: string | null; requestId: string };
