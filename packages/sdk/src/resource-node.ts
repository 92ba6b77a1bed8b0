import { send, toRequest, type NodeRequest, type NodeResponse } from "./node-messages.ts";
import { protectResource as protect, type Access, type ResourceOptions } from "./resource.ts";

/** As the transports of the MCP SDK read it. */
type Admitted = NodeRequest & { auth?: Access };

/**
 * Protects an API of `node:http`. Waits until the settings have been checked.
 * @throws AuthsvcError CONFIGURATION, and UNREACHABLE after ten seconds without the service
 */
export async function protectResource(options: ResourceOptions) {
  const resource = protect(options);
  await resource.ready();

  return {
    /** Answers requests for the metadata. False: the request is yours to handle. */
    async handle(request: NodeRequest, response: NodeResponse): Promise<boolean> {
      const answer = resource.metadata(toRequest(request));
      if (answer) await send(answer, response);
      return answer !== undefined;
    },

    /** What the request may do, also as `request.auth`; undefined if the response was sent. */
    async requireToken(
      request: Admitted,
      response: NodeResponse,
      ...scopes: readonly string[]
    ): Promise<Access | undefined> {
      const decided = await resource.requireToken(toRequest(request), scopes, request);
      if (!(decided instanceof Response)) return (request.auth = decided);
      await send(decided, response);
      return undefined;
    },

    access: resource.access,
    requireScopes: resource.requireScopes,
    checkedScopes: resource.checkedScopes,
    close: resource.close,
  };
}
