import { userCodePage, deviceDecisionPage, type UserCodeData } from "../../src/pages/openid/device-pages.ts";
import { serviceLook, type Frame } from "../../src/pages/parts/frame.ts";
import { all, frameOf, inLanguage, message, type Sample } from "./sample.ts";

const noApp: Partial<Frame> = { look: serviceLook, backUrl: undefined };
const toCode: Partial<Frame> = { backUrl: "https://auth.acme.example/device" };

/** The pages for a device without a browser. */
export const deviceSamples: Sample[] = [
  { name: "device-code", variants: [...all, "narrow"], page: code({}) },
  { name: "device-code-filled", variants: all, page: code({ code: "WDJB-MJHT", isFilled: true }) },
  {
    name: "device-code-wrong",
    variants: all,
    page: code({ code: "WDJB-MJHX", problem: { kind: "code-wrong" } }),
  },
  {
    name: "device-code-limited",
    variants: all,
    page: code({ code: "WDJB-MJHX", problem: { kind: "too-many-tries", retryAfterSeconds: 45 } }),
  },
  { name: "device-code-malformed", variants: all, page: code({ code: "", problem: { kind: "code-malformed" } }) },
  { name: "device-decision", variants: [...all, "narrow", "contrast"], page: decision() },
  ...["ar", "de", "ja"].map((lang) => ({
    name: `device-decision-${lang}`,
    variants: all,
    page: decision(inLanguage(lang)),
  })),
  { name: "device-code-ar", variants: all, page: code({ code: "WDJB-MJHT", isFilled: true }, inLanguage("ar")) },
  message("device-allowed", { kind: "device-allowed" }, { backUrl: undefined }),
  message("device-denied", { kind: "device-denied" }, { backUrl: undefined }),
  message("device-over", { kind: "device-over" }, toCode),
  message("device-not-admitted", { kind: "device-not-admitted" }, toCode),
];

function code(data: Partial<UserCodeData>, frame: Partial<Frame> = {}): Sample["page"] {
  return (assets) => userCodePage(frameOf(assets, { ...noApp, ...frame }), { token: "token", code: "", ...data });
}

function decision(frame: Partial<Frame> = {}): Sample["page"] {
  return (assets, _origin, sessionPath) =>
    deviceDecisionPage(frameOf(assets, { timeZone: "Europe/Berlin", ...frame }), {
      sessionPath,
      token: "token",
      account: "ada@example.com",
      client: "Acme TV",
      scopes: ["openid", "profile", "email", "offline_access"],
      resource: null,
      request: { createdAt: Date.UTC(2026, 10, 20, 19, 10), ipAddress: "203.0.113.7" },
    });
}
