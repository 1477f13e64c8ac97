import type { SchedulerLike } from 'rxjs';
import type { Catalog } from './resources/catalog.js';
import type { Storage } from './storage/storage.js';

/** The state that all parts of the embedded API server share. */
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

/** A version 4 UUID from the injected randomness, so that a seeded server names everything alike. */
export function randomUid(random: () => number): string {
  const group = (length: number): string =>
    Math.floor(random() * 16 ** length)
      .toString(16)
      .padStart(length, '0');
  const variant = '89ab'.charAt(Math.floor(random() * 4));
  return `${group(8)}-${group(4)}-4${group(3)}-${variant}${group(3)}-${group(12)}`;
}

/** No vowels and nothing that looks like another: the real server's alphabet for generated names. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const maxNameLength = 63;
const suffixLength = 5;

export function randomName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, maxNameLength - suffixLength);
  for (let index = 0; index < suffixLength; index += 1) name += alphabet.charAt(Math.floor(random() * alphabet.length));
  return name;
}
