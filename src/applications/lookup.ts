import type { Clock } from "../lib/clock.ts";
import { isPossibleCredential } from "../lib/credentials.ts";
import { invalidApiKey } from "../lib/errors.ts";
import { digestOf } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Application } from "./application.ts";
import type { LastUses } from "../storage/queries/last-uses.ts";
import { findApplication, findApplicationByKey, listThreeApplications } from "./store.ts";

/** Recognises the application of development mode; only one with this id can be it. */
export type DemoApp = { id: string; isIt(application: Application): boolean };

/** Finds the applications that may be used in this process. */
export function createLookup(deps: {
  storage: Storage;
  clock: Clock;
  keyUses: LastUses;
  demoApp: DemoApp;
  /** Whether the demo application may be used too. In commands it may. */
  demoAppActs: boolean;
}) {
  const { storage, clock, keyUses, demoApp, demoAppActs } = deps;

  function usable(application: Application | undefined): Application | undefined {
    return application && (demoAppActs || !demoApp.isIt(application)) ? application : undefined;
  }

  return {
    /**
     * The current state, because a command may have just changed it. Undefined if there is none
     * that may be used.
     */
    async find(id: string, handle: Handle = storage.reader): Promise<Application | undefined> {
      return usable(await findApplication(handle, id));
    },

    /**
     * Whether its id alone shows that it may be used; otherwise call `find`. Checked for every
     * access token.
     */
    isSurelyUsable(id: string): boolean {
      return demoAppActs || id !== demoApp.id;
    },

    /** The demo application, if development mode has left one, whether or not it may be used. */
    async findDemoApp(): Promise<Application | undefined> {
      const application = await findApplication(storage.reader, demoApp.id);
      return application && demoApp.isIt(application) ? application : undefined;
    },

    /** The only usable application of this service; undefined if there is none or several. */
    async findOnly(): Promise<Application | undefined> {
      const [only, ...others] = (await listThreeApplications(storage.reader)).filter((found) => usable(found));
      return others.length === 0 ? only : undefined;
    },

    async isAnyUsable(): Promise<boolean> {
      return (await listThreeApplications(storage.reader)).some((found) => usable(found));
    },

    /** The application of an API key. Throws INVALID_API_KEY. */
    async authenticate(apiKey: string): Promise<Application> {
      if (!isPossibleCredential(apiKey)) throw invalidApiKey();
      const [keyDigest, now] = [digestOf(apiKey), clock()];
      const application = usable(await findApplicationByKey(storage.reader, keyDigest, now));
      if (!application) throw invalidApiKey();
      keyUses.note(keyDigest, now);
      return application;
    },
  };
}
