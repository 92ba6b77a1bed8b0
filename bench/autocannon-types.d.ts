// The parts of autocannon that are used here; it has no types of its own.
declare module "autocannon" {
  type Request = {
    method?: "GET" | "POST";
    headers?: Record<string, string>;
    body?: string;
    setupRequest?: (request: Request) => Request;
    onResponse?: (status: number, body: string) => void;
  };
  type Options = {
    url: string;
    /** Seconds. */
    duration: number;
    connections: number;
    /** Per connection and second. */
    connectionRate?: number;
    requests: Request[];
  };
  export type Result = {
    duration: number;
    requests: { total: number };
    latency: { p50: number; p99: number };
    errors: number;
    non2xx: number;
  };
  // eslint-disable-next-line import/no-default-export -- it is CommonJS
  export default function autocannon(options: Options): Promise<Result>;
}
