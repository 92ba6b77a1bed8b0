import { browserOrigins } from "../applications/browser-origins.ts";
import * as applications from "../applications/service.ts";
import { createClientAddresses } from "../http/addresses.ts";
import { createCors } from "../http/cors.ts";
import type { Router } from "../http/node-handler.ts";
import { createRouter, type RouterOptions } from "../http/router.ts";
import { claimedClient } from "../openid/claimed-client.ts";
import { rateLimits } from "../rate-limits/service.ts";
import type { Context } from "../runtime/context.ts";
import { claimedApp } from "../tokens/access-tokens.ts";

type Given = Pick<RouterOptions, "routes" | "errorPage" | "onAnswered" | "otherwise">;

/** Answers the service's public calls, of all routes or of those that a thread answers itself. */
export function serviceRouter(ctx: Context, given: Given): Router {
  const { baseUrl, log, config } = ctx;
  const isHttps = baseUrl.startsWith("https:");
  return createRouter({
    ...given,
    ctx,
    addresses: createClientAddresses(config.trustedProxies, (proxy, claim) =>
      log.warn("a proxy in trustedProxies sends X-Forwarded-For without an address: its callers count as one", {
        proxy,
        claim,
      }),
    ),
    limiter: rateLimits(ctx).limiter,
    limits: config.rateLimits,
    cors: createCors({
      application: (id) => applications.find(ctx, ctx.storage.reader, id),
      client: (request) => claimedClient(ctx, request),
      appOfToken: claimedApp,
      origins: browserOrigins(ctx),
    }),
    behindTlsProxy: isHttps && config.listen.tls === undefined && config.trustedProxies.length > 0,
    strictTransportSecurity: isHttps,
    isKnownCause: ctx.writability.explains,
    random: ctx.random,
    log,
  });
}
