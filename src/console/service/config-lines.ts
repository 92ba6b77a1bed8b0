/** Lines of configuration to paste, with values to replace. */
import { html, type Html } from "../../lib/html.ts";
import { pasted } from "../parts/command-line.ts";

const lines = {
  mail: "mail:\n  smtpUrl: smtps://USER:PASSWORD@smtp.example.com\n  from: auth@example.com\n",
  domain: "baseUrl: https://auth.example.com\n",
  tls: "listen:\n  tls:\n    certFile: /etc/authsvc/tls/fullchain.pem\n    keyFile: /etc/authsvc/tls/privkey.pem\n",
  console: "console:\n  listen: 127.0.0.1:9470\n  baseUrl: https://console.internal.example.com\n",
};

/** They take effect after a restart. */
export function configLines(...names: (keyof typeof lines)[]): Html {
  return html`${pasted("Configuration", names.map((name) => lines[name]).join(""))}
    <p class="hint">In config.yaml; then check it with <code>authsvc config check</code>, and restart.</p>`;
}

/** Of the settings that a sentence names. */
export function linesFor(sentence: string): Html | undefined {
  const wanted: [keyof typeof lines, string][] = [
    ["mail", "mail.smtpUrl"],
    ["domain", "baseUrl"],
    ["tls", "listen.tls"],
  ];
  const names = wanted.filter(([, setting]) => sentence.includes(setting)).map(([name]) => name);
  return names.length === 0 ? undefined : configLines(...names);
}
