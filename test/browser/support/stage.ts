import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import type { Config } from "../../../src/config/config.ts";
import { noBrowser, sharedBrowser } from "../../support/chromium.ts";
import { leftOut } from "../../support/left-out.ts";
import { startTestService, type Dialect, type TestService } from "../../support/service.ts";
import { missingProtections } from "./protections.ts";
import { openSite, type Site } from "./site.ts";

/**
 * What a browser test plays on: a service, an app's own site, and one browser with a fresh profile
 * wherever one is asked for.
 */
export type Stage = {
  service: TestService;
  site: Site;
  /** A browser with cookies of its own; everything that goes wrong in it fails the test. */
  newProfile(options?: BrowserContextOptions): Promise<BrowserContext>;
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Complaints of the browser that this test provokes on purpose. */
  expectComplaint(pattern: RegExp): void;
  /**
   * The service and the site as `localhost` are expected; this test goes to another one on purpose.
   */
  allowOrigin(origin: string): void;
};

export type StageOptions = { dialects?: Dialect[]; overrides?: Partial<Config>; overHttps?: boolean };

const noPages = await noBrowser();
const noHttpsPages = await noBrowser({ overHttps: true });

/**
 * Runs tests in one real browser against one running service; afterwards each test must have left
 * no complaint of the browser, and no page unprotected.
 */
export function describeInBrowser(title: string, tests: (stage: Stage) => void, options: StageOptions = {}): void {
  const { dialects = ["sqlite"], overrides = {}, overHttps = false } = options;
  const reason = overHttps ? noHttpsPages : noPages;
  const shown = `${dialects.length > 1 ? `${title} (%s)` : title}${leftOut(reason)}`;
  describe.skipIf(reason !== undefined).each(dialects)(shown, (dialect) => {
    let browser: Browser;
    let running: Awaited<ReturnType<typeof startTestService>>;
    let site: Site;
    let complaints: string[] = [];
    let expected: RegExp[] = [];

    beforeAll(async () => {
      [browser, running, site] = await Promise.all([sharedBrowser(), startTestService(dialect, overrides), openSite()]);
    });

    afterEach(async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
      const left = complaints.filter((complaint) => !expected.some((pattern) => pattern.test(complaint)));
      complaints = [];
      expected = [];
      site.forget();
      running.service.clock.now = Math.max(running.service.clock.now, Date.now());
      expect(left, "complaints of the browser").toEqual([]);
    });

    afterAll(async () => {
      await Promise.all([running.stop(), site.close()]);
    });

    async function newProfile(profile: BrowserContextOptions = {}): Promise<BrowserContext> {
      const context = await browser.newContext(profile);
      const places = { serviceUrl: running.service.url, siteOrigin: site.origin };
      watch(context, places, (complaint) => complaints.push(complaint));
      return context;
    }

    tests({
      get service() {
        return running.service;
      },
      get site() {
        return site;
      },
      newProfile,
      newPage: async (profile) => await (await newProfile(profile)).newPage(),
      expectComplaint: (pattern) => void expected.push(pattern),
      allowOrigin: (origin) => void expected.push(new RegExp(`^a request to ${RegExp.escape(origin)}/`, "u")),
    });
  });
}

/**
 * Errors and warnings of the console (a blocked script or style is one), exceptions, requests to
 * anybody else, and pages without protection.
 */
function watch(
  context: BrowserContext,
  { serviceUrl, siteOrigin }: { serviceUrl: string; siteOrigin: string },
  complain: (complaint: string) => void,
): void {
  context.on("console", (message) => {
    const isComplaint = message.type() === "error" || message.type() === "warning";
    // Chromium reports every page with an error status; that the status is right is for the test to
    // say.
    if (isComplaint && !/^Failed to load resource: .* status of 4\d\d/u.test(message.text())) complain(message.text());
  });
  context.on("response", (response) => {
    const isPage = response.request().isNavigationRequest() && response.url().startsWith(serviceUrl);
    const missing = isPage && response.status() !== 303 ? missingProtections(response.headers()) : [];
    if (missing.length > 0) complain(`${response.url()} lacks protection: ${missing.join(", ")}`);
  });
  context.on("weberror", (error) => complain(error.error().message));
  context.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:" && origin !== serviceUrl && origin !== siteOrigin)
      complain(`a request to ${request.url()}`);
  });
}
