import { join } from "node:path";
import { minute, second } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { hostOf, isLoopbackHost } from "../../lib/loopback.ts";
import { readAtMost } from "../../lib/read-file.ts";

/** Reads a file of a release of at most `most` bytes; undefined if there is none. */
export type ReleaseFiles = (name: string, most: number) => Promise<Buffer | undefined>;

export type Download = {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  onProgress(done: number, all: number | undefined): void;
};

const maxRedirects = 5;
const patienceMilliseconds = 30 * second;
/** Of an archive, on a slow line. */
const longPatienceMilliseconds = 30 * minute;
const smallBytes = 1024 * 1024;

export function filesInFolder(folder: string): ReleaseFiles {
  return async (name, most) => {
    try {
      return readAtMost(join(folder, name), most);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw new AppError("INVALID_REQUEST", `--from: ${join(folder, name)} cannot be read: ${message}`, {
        cause: error,
      });
    }
  };
}

/** The files below a URL. Throws SERVER_ERROR. */
export function filesAt(url: string, download: Download): ReleaseFiles {
  return async (name, most) => {
    const address = `${url}/${name}`;
    const patience = most > smallBytes ? longPatienceMilliseconds : patienceMilliseconds;
    const signal = AbortSignal.any([download.signal, AbortSignal.timeout(patience)]);
    try {
      return await requested(address, most, { ...download, signal });
    } catch (error) {
      download.signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      const { name: kind, cause } = error as { name: string; cause?: NodeJS.ErrnoException };
      const reason = kind === "TimeoutError" ? "it took too long" : (cause?.code ?? "the connection was lost");
      throw failed(address, reason, error);
    }
  };
}

async function requested(first: string, most: number, download: Download): Promise<Buffer | undefined> {
  let address = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    refuseOpenHttp(address);
    const { fetch, signal } = download;
    const response = await fetch(address, { headers: { "user-agent": "authsvc" }, redirect: "manual", signal });
    const { status } = response;
    const location = response.headers.get("location");
    if (status === 200) return await read(response, { address, most }, download);
    await response.body?.cancel();
    if (status === 404) return undefined;
    if (status < 300 || status > 399 || location === null || !URL.canParse(location, address))
      throw failed(address, `status ${status}`);
    address = new URL(location, address).href;
  }
  throw failed(first, `more than ${maxRedirects} redirects`);
}

/** Includes redirects. A signature protects the content, not the name of the requester. */
function refuseOpenHttp(address: string): void {
  const { protocol } = new URL(address);
  if (protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostOf(address)))) return;
  throw failed(address, "only https is allowed");
}

async function read(
  response: Response,
  { address, most }: { address: string; most: number },
  { onProgress }: Download,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const length = Number(response.headers.get("content-length")) || undefined;
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > most) throw failed(address, `it is larger than ${most} bytes`);
    parts.push(part);
    if (most > smallBytes) onProgress(size, length);
  }
  return Buffer.concat(parts);
}

function failed(address: string, reason: string, cause?: unknown): AppError {
  return new AppError("SERVER_ERROR", `${address} cannot be downloaded: ${reason}.`, { cause });
}
