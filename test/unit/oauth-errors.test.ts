import { describe, expect, it } from "vitest";
import { oauthErrorAnswer } from "../../src/http/error-answers.ts";
import { AppError, insufficientScope, invalidClient, oauthError, withoutCredential } from "../../src/lib/errors.ts";

const rows: [error: AppError, status: number, code: string, challenge: string | undefined][] = [
  [new AppError("INVALID_REQUEST", "Wrong."), 400, "invalid_request", undefined],
  [oauthError("invalid_grant", "Wrong."), 400, "invalid_grant", undefined],
  [oauthError("unsupported_grant_type", "Wrong."), 400, "unsupported_grant_type", undefined],
  [invalidClient("unknown"), 401, "invalid_client", 'Basic realm="authsvc"'],
  [new AppError("INVALID_API_KEY", "Wrong."), 401, "invalid_client", 'Basic realm="authsvc"'],
  [new AppError("INVALID_TOKEN", "Wrong."), 401, "invalid_token", 'Bearer realm="authsvc", error="invalid_token"'],
  [
    new AppError("INVALID_TOKEN", "Wrong.", { cause: withoutCredential }),
    401,
    "invalid_token",
    'Bearer realm="authsvc"',
  ],
  [insufficientScope("openid"), 403, "insufficient_scope", 'Bearer realm="authsvc", error="insufficient_scope"'],
  [new AppError("UNSUPPORTED_MEDIA_TYPE", "Wrong."), 415, "invalid_request", undefined],
  [new AppError("BUSY", "Later.", { retryAfterSeconds: 7 }), 429, "temporarily_unavailable", undefined],
  [new AppError("SERVER_ERROR", "Ours."), 500, "server_error", undefined],
];

describe("an error of an OAuth route", () => {
  it.each(rows)("is the object of RFC 6749 §5.2: %s", (error, status, code, challenge) => {
    const answer = oauthErrorAnswer(error);
    expect(answer.status).toBe(status);
    expect(JSON.parse(String(answer.body))).toEqual({
      error: code,
      error_description: `${error.message} ${error.details}`.trim(),
    });
    expect(answer.headers["www-authenticate"]).toBe(challenge);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.headers["retry-after"]).toBe(error.retryAfterSeconds?.toString());
  });

  it("is described in the characters that RFC 6749 §5.2 allows", () => {
    const { body } = oauthErrorAnswer(oauthError("invalid_request", 'name: "ä\\'));
    expect(JSON.parse(String(body))).toMatchObject({ error_description: "name: '''" });
  });
});
