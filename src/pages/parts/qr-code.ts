import encodeQr from "qr";
import { html, type Html } from "../../lib/html.ts";

/** An SVG that reads the same in light and dark. The quiet zone belongs to the code. */
export function qrCode(text: string, label: string): Html {
  const modules = encodeQr(text, "raw", { border: 4, ecc: "medium" });
  const path = modules.flatMap((line, y) => line.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  const size = modules.length;
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" width="220" height="220">
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path}" fill="#000" shape-rendering="crispEdges" />
  </svg>`;
}
