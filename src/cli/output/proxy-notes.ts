import type { ClientAnswer } from "../../applications/clients/client.ts";
import * as applications from "../../applications/service.ts";
import type { Context } from "../../runtime/context.ts";
import { listenerFindings, listenerLine, proxyFindings } from "../../upkeep/doctor/proxies.ts";
import { styled } from "./text.ts";

const colours = { ok: "green", warning: "yellow", problem: "red" } as const;

/** What remains to do for a new client of kind proxy, and who gets in. */
export async function notesOnProxy(ctx: Context, client: ClientAnswer): Promise<string[]> {
  const application = await applications.find(ctx, ctx.storage.reader, client.appId);
  const findings = application ? proxyFindings(client, application) : [];
  const listener = ctx.config.forwardAuth ? listenerFindings(ctx.config, [client]) : [];
  return [
    ...[...findings, ...listener].map(
      ({ status, message, fix }) => `${styled(colours[status], message)} To fix it: ${fix}`,
    ),
    ...(ctx.config.forwardAuth ? [] : [`Reverse proxies ask at an address of their own; ${listenerLine}`]),
  ];
}
