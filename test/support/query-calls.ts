import { signedUp } from "./person.ts";
import type { TestService } from "./service.ts";

/** An application and somebody who has just signed in to it. */
export async function somebody(service: TestService) {
  const app = await service.createApp();
  return { service, app, person: await signedUp(service, app) };
}

/** An answer as its bytes. */
export async function rawGet(service: TestService, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.url + path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
