import type { Authsvc } from "./authsvc.ts";
import {
  createHandler,
  type Handler,
  type HandlerOptions,
  type Needs,
  type OrganizationNeeds,
  type UserNeeds,
  type UserOrganization,
} from "./handler.ts";
import type { SignedInUser } from "./sessions.ts";

type RequestEvent = { request: Request; getClientAddress?: () => string };
type Resolve<Event> = (event: Event) => Response | Promise<Response>;

/**
 * Sign-in for SvelteKit, in `src/hooks.server.ts`: `export const { init, handle } = auth`.
 */
export function createAuth(options?: HandlerOptions) {
  let made: Handler | undefined;
  // Created on first use: a build imports this file without the settings.
  const handler = (): Handler => (made ??= createHandler(options));

  return {
    get authsvc(): Authsvc {
      return handler().authsvc;
    },

    /** Finds wrong settings when the server starts. */
    init: async (): Promise<void> => await handler().ready(),

    /** The hook: responds to sign-in, callback and sign-out, and keeps sessions. */
    async handle<Event extends RequestEvent>({
      event,
      resolve,
    }: {
      event: Event;
      resolve: Resolve<Event>;
    }): Promise<Response> {
      const { request } = event;
      return (
        (await handler().handle(request, event.getClientAddress)) ??
        (await handler().finish(request, await resolve(event)))
      );
    },

    getUser: async ({ request }: RequestEvent): Promise<SignedInUser | undefined> => await handler().getUser(request),

    getAccessToken: async ({ request }: RequestEvent): Promise<string | undefined> =>
      await handler().getAccessToken(request),

    /** The user, or the response of a `+server.js` for somebody who is not signed in. */
    requireUser: async ({ request }: RequestEvent, needs: UserNeeds = {}): Promise<SignedInUser | Response> =>
      await handler().requireUser(request, needs),

    getOrganization: async ({ request }: RequestEvent): Promise<UserOrganization | undefined> =>
      await handler().getOrganization(request),

    /** The user, if an organization is open as asked; otherwise the response. */
    requireOrganization: async (
      { request }: RequestEvent,
      needs?: OrganizationNeeds,
    ): Promise<SignedInUser | Response> => await handler().requireOrganization(request, needs),

    /** The same for a user with one of these roles. */
    requireRole: async ({ request }: RequestEvent, ...roles: [string, ...string[]]): Promise<SignedInUser | Response> =>
      await handler().requireRole(request, ...roles),

    /** The user, if signed in as recently and strongly as asked; otherwise the response. */
    requireFresh: async ({ request }: RequestEvent, needs: Needs): Promise<SignedInUser | Response> =>
      await handler().requireFresh(request, needs),
  };
}
