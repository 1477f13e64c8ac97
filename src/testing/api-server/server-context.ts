import type { SchedulerLike } from 'rxjs';
import type { Catalog } from './resources/catalog.js';
import type { Storage } from './storage/storage.js';

/** What every part of the embedded API server works on. */
export interface ServerContext {
  readonly storage: Storage;
  readonly catalog: Catalog;
  readonly scheduler: SchedulerLike;
  readonly random: () => number;
  readonly settings: ServerSettings;
}

export interface ServerSettings {
  readonly watchList: boolean;
  readonly shardedListAndWatch: boolean;
  /** Milliseconds. */
  readonly bookmarkInterval: number;
}

/** The server's clock as the API writes it: RFC 3339 in whole seconds. */
export function timestamp(context: ServerContext, secondsFromNow = 0): string {
  const milliseconds = context.scheduler.now() + secondsFromNow * 1000;
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
