import type { Context } from "../../runtime/context.ts";
import type { OrganizationProvider } from "./provider.ts";

export async function recordFailure(_ctx: Context, _provider: OrganizationProvider, _error: unknown): Promise<void> {}
export async function recordSuccess(_ctx: Context, _provider: OrganizationProvider): Promise<void> {}
