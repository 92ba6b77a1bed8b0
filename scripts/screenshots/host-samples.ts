import { markupOf, type HostMessage } from "../../src/forward-auth/pages.ts";
import { all, frameOf, inLanguage, type Sample } from "./sample.ts";

const host = "files.acme.example";
const start = `https://${host}/.authsvc/start`;
const home = `https://${host}/`;
const account = "ada@example.com";

const messages: Record<string, HostMessage> = {
  form: { kind: "form", start },
  frame: { kind: "frame", top: home },
  again: { kind: "again", start },
  late: { kind: "late", way: home },
  repeated: { kind: "repeated", start },
  cancelled: { kind: "cancelled", start },
  refused: { kind: "refused", refusal: "groups", account, other: start, way: home },
  "refused-factor": { kind: "refused", refusal: "second-factor", account, other: start, way: home },
  "refused-identity": {
    kind: "refused",
    refusal: "identity",
    account,
    other: start,
    way: home,
    missing: "email",
  },
  http: { kind: "http", said: "X-Forwarded-Proto: http", home },
  "too-long": { kind: "too-long", home },
  "sign-out": { kind: "sign-out", account, token: "token", home },
  "signed-out": { kind: "signed-out", start, provider: "Google" },
  "foreign-form": { kind: "foreign-form", home },
};

/** The pages of a protected host. */
export const hostSamples: Sample[] = Object.entries(messages).flatMap(([name, message]) => [
  { name: `host-${name}`, variants: all, page: (assets) => markupOf(frameOf(assets, { host }), message) },
  ...["ar", "de", "ja"].map((lang): Sample => ({
    name: `host-${name}-${lang}`,
    variants: ["phone"],
    page: (assets) => markupOf(frameOf(assets, { host, ...inLanguage(lang) }), message),
  })),
]);
