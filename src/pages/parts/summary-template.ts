import { html, type Html } from "../../lib/html.ts";
import { alertGlyph } from "../../look/glyphs.ts";

/** Filled by the browser code if it finds a problem. */
export const summaryTemplate: Html = html`<template
  ><div role="alert" tabindex="-1">
    ${alertGlyph}
    <div></div></div
></template>`;
