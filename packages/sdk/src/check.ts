import type { Application } from "./api.ts";
import { getDocument, type Call } from "./call.ts";
import { AuthsvcError } from "./errors.ts";
import { configurationError, showBaseUrl, type Settings } from "./settings.ts";

const waitsForService = 10_000;

/** Tries again for ten seconds: the service may be starting at the same time. */
export async function waitingForService<Result>(read: () => Promise<Result>): Promise<Result> {
  for (const start = performance.now(); ;) {
    try {
      return await read();
    } catch (error) {
      const { code, message } = error as AuthsvcError;
      if (code !== "UNREACHABLE" || performance.now() - start > waitsForService) throw error;
      console.warn(`authsvc: ${message} Trying again for ten seconds. To start it: authsvc serve --dev`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

/**
 * Reads the application to find wrong settings when a program starts. Each error names the variable
 * and the command that fixes it.
 */
export async function checkSettings(settings: Settings, call: Call, redirectUri?: string): Promise<Application> {
  const { issuer, appId } = settings;
  await checkIssuer(settings);
  const application = await call("GET /applications/{appId}").catch((error: unknown) => {
    const code = error instanceof AuthsvcError ? error.code : undefined;
    if (code === "INVALID_API_KEY")
      throw configurationError(
        `AUTHSVC_API_KEY is not a valid API key of ${issuer}. Create one: authsvc key create --app ${appId}`,
        error,
      );
    if (code === "INVALID_APP_ID")
      throw configurationError(
        `AUTHSVC_APP_ID is "${appId}", but AUTHSVC_API_KEY belongs to another application. List them: authsvc app list`,
        error,
      );
    throw error;
  });
  if (redirectUri !== undefined && !application.redirectUris.includes(redirectUri))
    throw configurationError(
      `The redirect URI ${redirectUri} is not registered. Register it: authsvc app update ${appId} --add-redirect-uri ${redirectUri}`,
    );
  return application;
}

async function checkIssuer(settings: Settings): Promise<void> {
  const { issuer } = settings;
  const document = await getDocument(settings, "/.well-known/openid-configuration").catch((error: unknown) => {
    // Something answers there, but it is not authsvc.
    if (error instanceof AuthsvcError && error.status !== undefined && error.status < 500 && error.status !== 429)
      throw configurationError(`There is no authsvc at AUTHSVC_ISSUER (${issuer}). ${showBaseUrl}`, error);
    throw error;
  });
  const named = (document as { issuer?: string }).issuer;
  if (named !== issuer)
    throw configurationError(
      `AUTHSVC_ISSUER is ${issuer}, but the service there is ${named}. Set AUTHSVC_ISSUER=${named}`,
    );
}
