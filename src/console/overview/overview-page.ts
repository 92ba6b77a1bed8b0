import { html } from "../../lib/html.ts";
import { consolePage } from "../parts/frame.ts";
import { view } from "../route.ts";

export const page = view("/overview", "viewer", async (ctx, visit) =>
  consolePage(ctx, visit, { title: "Overview", section: "Overview", body: html`<p>…</p>` }),
);
