import { createIndexer, type Indexer } from 'rx-informers';
import type { View } from 'rx-informers/views';

/** A row of a table. */
export interface Thing {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly group: string;
  readonly size: number | undefined;
}

export interface ThingParts {
  readonly group?: string;
  readonly size?: number | undefined;
  readonly labels?: Readonly<Record<string, string>>;
}

export function aThing(name: string, { group = 'g', size, labels }: ThingParts = {}): Thing {
  return { metadata: { name, ...(labels && { labels }) }, group, size };
}

export const nameOf = (thing: Thing): string => thing.metadata.name;
export const sizeOf = (thing: Thing): number | undefined => thing.size;
export const groupOf = (thing: Thing): string => thing.group;

export type Things = Indexer<Thing, 'group'>;

/** Returns a collection that has not synced yet. */
export function noThings(): Things {
  return createIndexer(nameOf, { group: groupOf });
}

export function thingsOf(...things: readonly Thing[]): Things {
  const indexer = noThings();
  indexer.replace(things);
  return indexer;
}

/** Returns a view as text: `c b / 5` for two rows out of five. */
export function textOf({ keys, total }: View<Thing>): string {
  return `${keys.join(' ')} / ${total}`;
}
