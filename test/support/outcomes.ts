/** What `call` answers for a refusal, as far as it matters, for `toMatchObject`. */
export const outcome = (status: number, code: string) => ({ status, body: { error: { code } } });

export const invalidRequest = outcome(400, "INVALID_REQUEST");
export const invalidToken = outcome(401, "INVALID_TOKEN");
