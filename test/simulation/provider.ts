/** Discord, as the service and browsers reach it. */
import { time } from "./time.ts";

/** What it says of somebody who is signed in there. */
export type ProviderAccount = { id: string; email?: string; verified?: boolean; name?: string };

export class Provider {
  readonly #granted = new Map<string, ProviderAccount>();

  /** Where it sends the browser of somebody who agrees, from the page that asks for it. */
  agree(asked: URL, account: ProviderAccount): string {
    const code = `code-${this.#granted.size}`;
    this.#granted.set(code, account);
    const back = new URL(asked.searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.searchParams.get("state") ?? "");
    return back.href;
  }

  /** Where it sends somebody who does not agree. `code`: one that nobody was given. */
  refuse(asked: URL, error: string, code = ""): string {
    const back = new URL(asked.searchParams.get("redirect_uri") ?? "");
    for (const [name, value] of Object.entries({ error, code })) if (value !== "") back.searchParams.set(name, value);
    back.searchParams.set("state", asked.searchParams.get("state") ?? "");
    return back.href;
  }

  readonly fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    await time.pause(50);
    const { pathname } = new URL(String(input));
    if (pathname === "/api/oauth2/token") {
      const code = new URLSearchParams(init.body as string).get("code") ?? "";
      return Response.json({ access_token: code, token_type: "Bearer", scope: "identify email" });
    }
    const token = new Headers(init.headers).get("authorization")?.split(" ")[1] ?? "";
    const account = this.#granted.get(token);
    if (pathname !== "/api/users/@me" || !account) return Response.json({}, { status: 401 });
    return Response.json({ ...account, username: account.id, global_name: account.name ?? null });
  };
}
