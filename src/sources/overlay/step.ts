import { objectKey } from '../../kubernetes/keys.js';
import { compareResourceVersions, isSameIncarnation } from '../../kubernetes/object.js';
import type { Step as ProtocolStep } from '../../scheduling/run-protocol.js';
import type { ChangeEvent, ListedEvent, WatchEvent, WatchEventBatch } from '../model/watch-event.js';
import { Draft, type ShownEntry, type Input, type State, verdictOn, versionOf } from './protocol.js';

export type Effect<T> =
  | { readonly type: 'emit'; readonly batch: WatchEventBatch<T> }
  /** Asks the source for a new list. */
  | { readonly type: 'relist' };

export type Step<T> = ProtocolStep<State<T>, Effect<T>>;

/**
 * Returns the next state and the effects of an input. Pure.
 *
 * An event that is held back is replaced by a `BOOKMARK` of its version at the end of the batch.
 * Writes whose version was passed are dropped after it: a read may hold changes in any order.
 */
export function step<T>(state: State<T>, input: Input<T>, limit: number): Step<T> {
  const draft = new Draft(state, limit);
  switch (input.type) {
    case 'write':
      draft.write(input.write);
      break;
    case 'batch':
      for (const event of input.batch) pass(draft, event);
      draft.dropPassed();
      break;
    case 'expired':
      draft.dropExpired(input.at);
      break;
    default:
      input satisfies never;
  }
  const next = draft.finish();
  const effects: Effect<T>[] = [];
  if (draft.events.length > 0) effects.push({ type: 'emit', batch: draft.events });
  if (draft.needsList) effects.push({ type: 'relist' });
  return { state: next, effects };
}

function pass<T>(draft: Draft<T>, event: WatchEvent<T>): void {
  switch (event.type) {
    case 'LISTED':
      draft.listed(event);
      for (const object of event.items) draft.sawAlive(object);
      draft.events.push(overlaidList(draft, event));
      return;
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      draft.moved(event.partition, versionOf(event.object));
      if (event.type === 'DELETED') draft.sawDeleted(event.object);
      else draft.sawAlive(event.object);
      passChange(draft, event);
      return;
    case 'BOOKMARK':
      draft.moved(event.partition, event.resourceVersion);
      draft.events.push(event);
      return;
    case 'ERROR':
    case 'STATUS':
      draft.events.push(event);
      return;
    default:
      event satisfies never;
  }
}

function passChange<T>(draft: Draft<T>, event: ChangeEvent<T>): void {
  const found = entryOf(draft, event.object, event.partition);
  if (found?.[1].place === undefined) {
    draft.events.push(event);
    return;
  }
  const [id, { write }] = found;
  const verdict = verdictOn(write, event);
  if (verdict === 'late') {
    draft.entries.set(id, { ...found[1], lastWord: event });
    draft.emitReached(event.partition);
    return;
  }
  if (verdict === 'ends') {
    draft.entries.delete(id);
    // The shown incarnation is deleted first, so that the event is not mistaken for its deletion.
    if (write.type === 'shown' && event.type === 'DELETED' && isSameIncarnation(write.object, event.object) === false) {
      draft.show('DELETED', write.object, event.partition);
    }
  }
  draft.events.push(event);
}

/** Returns the list with the newer writes applied. A write that is older than the list ends. */
function overlaidList<T>(draft: Draft<T>, list: ListedEvent<T>): ListedEvent<T> {
  if (draft.entries.size === 0) return list;
  const concerned = new Map<string, ShownEntry<T>>();
  for (const [id, entry] of draft.entries) {
    const found = draft.entryOf(entry.write.key, list.partition);
    if (found?.[0] === id) concerned.set(id, entry);
  }
  if (concerned.size === 0) return list;
  const names = new Set([...concerned.values()].map(({ write }) => metadataName(write.object)));
  const items = new Map<string, T>();
  for (const object of list.items) {
    // Most objects have a name without a write, so no key is made for them.
    const id = names.has(metadataName(object)) ? entryOf(draft, object, list.partition)?.[0] : undefined;
    if (id !== undefined) items.set(id, object);
  }
  const shown: T[] = [];
  const replaced = new Set<T>();
  const delivered = new Set<string>();
  for (const [id, entry] of concerned) {
    const { write } = entry;
    const item = items.get(id);
    const isMissing = list.missing?.includes(write.key) === true;
    const lastWord = overruled(entry, item, list, isMissing);
    if (lastWord === 'nothing') {
      draft.entries.delete(id);
      continue;
    }
    const place = { partition: list.partition };
    draft.entries.set(id, { write, place, lastWord: lastWord === 'unknown' ? entry.lastWord : lastWord });
    if (item !== undefined) replaced.add(item);
    if (write.type === 'shown') shown.push(write.object);
    if (isMissing) delivered.add(write.key);
  }
  const { missing, ...rest } = list;
  const stillMissing = missing?.filter((key) => !delivered.has(key)) ?? [];
  return {
    ...rest,
    items: [...list.items.filter((object) => !replaced.has(object)), ...shown],
    ...(stillMissing.length > 0 && { missing: stillMissing }),
  };
}

/**
 * Returns the event in a list that a write overrules, or `nothing` if the list ends the write.
 * Pure.
 *
 * | write | in the list | result |
 * | --- | --- | --- |
 * | shown | the list has the version of the write, or a newer one | `nothing`: the write ends |
 * | any | the list has the object | the object, if `verdictOn` returns `late`; otherwise `nothing`
 * |
 * | any | the list names the object as missing | `unknown`: it exists and could not be delivered |
 * | any | the object is absent, and the list is older than the write | a `DELETED`: the object did
 * not exist yet |
 * | any | the object is absent, and the list is not older, or cannot be compared | `nothing`: the
 * write ends |
 */
function overruled<T>(
  { write }: ShownEntry<T>,
  item: T | undefined,
  { partition, resourceVersion }: ListedEvent<T>,
  isMissing: boolean,
): ChangeEvent<T> | 'nothing' | 'unknown' {
  const from = partition === undefined ? {} : { partition };
  const order = compareResourceVersions(resourceVersion, write.resourceVersion);
  if (write.type === 'shown' && order !== undefined && order >= 0) return 'nothing';
  if (item !== undefined) {
    const event: ChangeEvent<T> = { type: 'ADDED', object: item, ...from };
    return verdictOn(write, event) === 'late' ? event : 'nothing';
  }
  if (isMissing) return 'unknown';
  return order !== undefined && order < 0 ? { type: 'DELETED', object: write.object, ...from } : 'nothing';
}

function entryOf<T>(
  draft: Draft<T>,
  object: T,
  partition: string | undefined,
): readonly [string, ShownEntry<T>] | undefined {
  if (draft.entries.size === 0) return undefined;
  const key = objectKey(object);
  return key === undefined ? undefined : draft.entryOf(key, partition);
}

function metadataName(object: unknown): string | undefined {
  return (object as { readonly metadata?: { readonly name?: string } | null } | null | undefined)?.metadata?.name;
}
