/** The variables of an application's server (docs/quick-start.md). */
export type AppEnvironment = {
  AUTHSVC_ISSUER: string;
  AUTHSVC_APP_ID: string;
  AUTHSVC_API_KEY: string;
  /** Only for the application: it encrypts its own cookies. */
  AUTHSVC_COOKIE_SECRET: string;
};

/** The lines of its .env file, from which programs can also start: `--env-file`. */
export function envLines(env: AppEnvironment): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
