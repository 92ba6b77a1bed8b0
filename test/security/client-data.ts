import type { Credential } from "../support/authenticator.ts";

/** A site that is not ours. */
const elsewhere = "https://evil.example";

/**
 * Client data (WebAuthn §5.8.1) that no browser in front of an honest page makes, as changes of
 * honest ones; by what is wrong with them.
 */
export function wrongClientData(type: "webauthn.create" | "webauthn.get"): [title: string, Record<string, unknown>][] {
  return Object.entries({
    "the other ceremony's type": { type: type === "webauthn.get" ? "webauthn.create" : "webauthn.get" },
    "a type in capitals": { type: type.toUpperCase() },
    "an empty type": { type: "" },
    "no type": { type: undefined },
    "a number for a type": { type: 1 },
    "a list of types": { type: [type] },
    "another challenge": { challenge: "A".repeat(43) },
    "an empty challenge": { challenge: "" },
    "no challenge": { challenge: undefined },
    "a number for a challenge": { challenge: 7 },
    "another site's origin": { origin: elsewhere },
    "another port's origin": { origin: "http://localhost:1" },
    "the origin without a port": { origin: "http://localhost" },
    "the origin over https": { origin: "https://localhost" },
    "an empty origin": { origin: "" },
    "no origin": { origin: undefined },
    "origin null": { origin: null },
    "a cross-origin frame": { crossOrigin: true },
    "a word for crossOrigin": { crossOrigin: "false" },
    "a number for crossOrigin": { crossOrigin: 1 },
    "crossOrigin null": { crossOrigin: null },
    "a named frame": { crossOrigin: true, topOrigin: elsewhere },
    "a named frame that is said to be none": { topOrigin: elsewhere },
    "an empty topOrigin": { topOrigin: "" },
    "a topOrigin of another type": { topOrigin: { origin: elsewhere } },
  });
}

type Change = [title: string, change: (honest: Credential) => unknown];

/** A credential with another value for one member of its response. */
export const withResponse = (honest: Credential, name: string, value: unknown): unknown => ({
  ...honest,
  response: { ...honest.response, [name]: value },
});

/**
 * Each member of what is posted absent, empty and of another type (FIDO
 * Server-ServerAuthenticatorAttestationResponse-Resp-1 and its like for assertions).
 */
export function wrongMembers(...ofResponse: string[]): Change[] {
  return [
    ...["id", "rawId", "type", "response"].flatMap((name) =>
      [undefined, "", 5, null, ["x"]].map((value): Change => [
        `${JSON.stringify(value)} for ${name}`,
        (honest) => ({ ...honest, [name]: value }),
      ]),
    ),
    ...ofResponse.flatMap((name) =>
      [undefined, "", 5, null, {}, "not base64url!", "e30="].map((value): Change => [
        `${JSON.stringify(value)} for response.${name}`,
        (honest) => withResponse(honest, name, value),
      ]),
    ),
  ];
}

/** What is no credential, or none that can be trusted to be one. */
export const wrongCredentials: Change[] = [
  ["an id in base64 with padding", (honest) => ({ ...honest, id: `${String(honest["id"])}=` })],
  ["another kind of credential", (honest) => ({ ...honest, type: "password" })],
  ["an array instead of an object", (honest) => [honest]],
  ["null", () => null],
];
