import { demoAppId as appId } from "../applications/leftovers.ts";
import * as applications from "../applications/service.ts";
import { json, seeOther } from "../http/answer.ts";
import { route, type Route } from "../http/route.ts";
import { envLines } from "../lib/env-lines.ts";
import { demoCallbackPath } from "../lib/redirect-uris.ts";
import type { Assets } from "../pages/assets/assets.ts";
import { pageAnswer } from "../pages/page-answer.ts";
import { serviceLook, type Frame } from "../pages/parts/frame.ts";
import { textsFor } from "../look/texts/texts.ts";
import { mailbox } from "../records/mail/mailbox.ts";
import type { Context } from "../runtime/context.ts";
import type { DevClock } from "./clock.ts";
import { controlRoutes } from "./control-routes.ts";
import { demoLook, openCookieSecret, openDemoApp, openDemoClient, writeEnvFile } from "./demo-app.ts";
import { demoPage } from "./demo-page.ts";
import { createEventInbox, hookRoutes } from "./event-inbox.ts";
import { mailboxRoutes } from "./mailbox-routes.ts";
import { overviewPage } from "./overview-page.ts";
import { createStandIns } from "./providers/routes.ts";
import { standInOrigin } from "./providers/stand-ins.ts";
import { stylesheetAnswer, stylesheetPath } from "./stylesheet.ts";
import { notFromOtherPages, onThisMachine } from "./this-machine.ts";
import { webhooksPage } from "./webhooks-page.ts";

export type Development = Awaited<ReturnType<typeof openDevelopment>>;

/**
 * The additions of `serve --dev`: a demo application with its pages, stand-ins for providers, and
 * calls for tests of applications. Without it none of this exists, and leftovers in the database
 * are disabled (`left.ts`). `listenAddress` reaches this process without a proxy or name:
 * "http://127.0.0.1:8080". `redirectUris` are added to the demo application's, so that developers
 * can use it with their own program.
 */
export async function openDevelopment(
  ctx: Context,
  given: { dataDir: string; listenAddress: string; redirectUris: readonly string[]; devClock: DevClock },
) {
  const { dataDir, listenAddress, redirectUris, devClock } = given;
  const { baseUrl, clock, random } = ctx;
  const mailsHere = mailbox(ctx);
  const devUrl = `${baseUrl}/dev`;
  const callbackUrl = `${baseUrl}${demoCallbackPath}`;
  const origin = standInOrigin(baseUrl, listenAddress);
  const standIns = createStandIns({ baseUrl, origin, clock, random });
  const { accounts } = standIns;
  const apiKey = await openDemoApp(ctx, { dataDir, callbackUrl, redirectUris, accounts });
  const wikiId = await openDemoClient(ctx, callbackUrl);
  const registered = (await applications.get(ctx, appId)).redirectUris;
  const events = createEventInbox(ctx, listenAddress);
  await events.close();
  await events.open();
  const env = {
    AUTHSVC_ISSUER: baseUrl,
    AUTHSVC_APP_ID: appId,
    AUTHSVC_API_KEY: apiKey,
    AUTHSVC_COOKIE_SECRET: openCookieSecret(ctx, dataDir),
  };
  const envText = envLines(env);
  writeEnvFile(dataDir, envText);
  const info = {
    appId,
    apiKey,
    env,
    envText,
    devUrl,
    demoUrl: `${devUrl}/demo`,
    /** The mailbox; undefined if a mail server is configured. */
    mailUrl: mailsHere && `${devUrl}/mail`,
    /** Of the developer's program. */
    redirectUris: registered.filter((uri) => !uri.endsWith(demoCallbackPath)),
  };
  return {
    info,

    routes(assets: Assets): Route[] {
      const { host } = new URL(baseUrl);
      const frame: Frame = { look: serviceLook, ...textsFor("en", undefined), host, assets: assets.links };
      const demoFrame: Frame = { ...frame, look: { ...serviceLook, ...demoLook } };
      const demo = pageAnswer(demoPage(demoFrame, { appId, apiKey, callbackUrl, wikiId, baseUrl }));
      const hasMailbox = mailsHere !== undefined;
      const overview = pageAnswer(overviewPage(frame, { ...info, baseUrl, hasMailbox }));
      const fromHere = onThisMachine(baseUrl, origin);
      const fromProgram = notFromOtherPages(fromHere, baseUrl, origin);
      const at = (path: string, handle: Route["answer"]): Route => route("GET", path, fromHere, undefined, handle);
      return [
        at("/", () => seeOther(devUrl)),
        at("/dev", () => overview),
        at(stylesheetPath, stylesheetAnswer),
        at("/dev/demo", () => demo),
        at(demoCallbackPath, () => demo),
        at("/dev/webhooks", () => pageAnswer(webhooksPage(frame, events.list(), clock()))),
        at("/dev/webhooks.json", () => json({ deliveries: events.list() })),
        ...hookRoutes(events, { clock, fromHere }),
        ...(mailsHere ? mailboxRoutes(mailsHere, { frame, fromHere }) : []),
        ...standIns.routes(assets.links, fromHere),
        ...controlRoutes(ctx, { clock: devClock, fromProgram, events }),
      ];
    },
  };
}
