import type { Change, Indexers } from 'rx-informers';
import type { ChangeReason, Delta, KeyedObject } from 'rx-informers/store';

/**
 * An object that the model stores. It is small, so that histories often have equal keys, values,
 * uids and versions.
 */
export interface Thing {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string };
  readonly values: readonly string[];
  readonly content: number;
}

interface Blocked {
  readonly object: Thing;
  readonly partition: string | undefined;
}

interface Refused {
  readonly key: string;
  readonly partition: string;
  readonly object: Thing;
}

/** How the partition of a held object deleted it, while other partitions have one of its key. */
interface Departure {
  readonly object: Thing;
  readonly finalStateUnknown: boolean;
}

/** The state while a batch is applied. */
interface Draft {
  readonly stored: Map<string, Blocked>;
  refused: readonly Refused[];
  readonly departures: Map<string, Departure>;
  readonly changes: Change<Thing>[];
  readonly collisions: string[];
}

export interface OracleCommit {
  readonly reason: ChangeReason;
  readonly changes: readonly Change<Thing>[];
  /** The keys of objects in other partitions. */
  readonly collisions: readonly string[];
}

/**
 * The simplest possible store: a plain Map. It recomputes everything for each read and shares
 * nothing.
 *
 * It follows the promises of `reduce` in the table of the documentation. It does not follow the
 * code.
 */
export class Oracle {
  stored: ReadonlyMap<string, Blocked> = new Map();
  /** The objects that other partitions hold under the key of a held object. */
  refused: readonly Refused[] = [];
  version = 0;
  resourceVersion = '';
  indexers: Indexers<Thing>;

  constructor(indexers: Indexers<Thing>) {
    this.indexers = indexers;
  }

  commit(batch: readonly Delta<Thing>[]): OracleCommit {
    const draft: Draft = {
      stored: new Map(this.stored),
      refused: this.refused,
      departures: new Map(),
      changes: [],
      collisions: [],
    };
    const { stored, changes, collisions } = draft;
    for (const delta of batch) {
      if (delta.type === 'Added' || delta.type === 'Updated') upsert(draft, delta, delta.partition);
      if (delta.type === 'Deleted') remove(draft, delta);
      if (delta.type === 'Sync') sync(stored, delta.key, changes);
      if (delta.type === 'ReplacedAll') {
        const { partition } = delta;
        const stays = new Set([...delta.items.map(({ key }) => key), ...(delta.missing ?? [])]);
        for (const key of [...stored.keys()].sort()) {
          const isConcerned =
            partition === undefined ||
            stored.get(key)?.partition === partition ||
            draft.refused.some((each) => each.key === key && each.partition === partition);
          if (isConcerned && !stays.has(key)) {
            const gone = { key, object: undefined, finalStateUnknown: true };
            remove(draft, partition === undefined ? gone : { ...gone, partition });
          }
        }
        for (const item of new Map(delta.items.map((each) => [each.key, each])).values()) {
          upsert(draft, item, partition);
        }
      }
      this.resourceVersion = versionAfter(delta) ?? this.resourceVersion;
    }
    for (const [key, departure] of draft.departures) depart(draft, key, departure);
    const reason = this.reasonOf(batch);
    const hasContent = batch.some(({ type }) => type !== 'Sync' && type !== 'Bookmark' && type !== 'Failed');
    const hasChanged = changes.some((change) => change.type !== 'updated' || change.object !== change.previous);
    if (hasChanged || (hasContent && this.version === 0)) this.version++;
    this.stored = stored;
    this.refused = draft.refused;
    return { reason, changes, collisions };
  }

  keys(): readonly string[] {
    return [...this.stored.keys()].sort();
  }

  keysUnder(name: string, value: string): readonly string[] {
    return this.keys().filter((key) => this.valuesOf(name, (this.stored.get(key) as Blocked).object).includes(value));
  }

  valuesOf(name: string, object: Thing): readonly string[] {
    const input = this.indexers[name]?.(object) ?? [];
    return typeof input === 'string' ? [input] : input;
  }

  indexValues(name: string): readonly string[] {
    return [...new Set([...this.stored.values()].flatMap(({ object }) => this.valuesOf(name, object)))].sort();
  }

  private reasonOf(batch: readonly Delta<Thing>[]): ChangeReason {
    const types = new Set(batch.map(({ type }) => type));
    const isContent = types.has('Added') || types.has('Updated') || types.has('Deleted') || types.has('ReplacedAll');
    if (isContent && this.version === 0) return 'initial';
    if (types.has('ReplacedAll')) return 'relist';
    return !isContent && types.has('Sync') ? 'resync' : 'watch';
  }
}

function upsert(draft: Draft, { key, object }: KeyedObject<Thing>, partition: string | undefined): void {
  const { stored, departures, changes } = draft;
  const previous = stored.get(key);
  if (!previous) {
    stored.set(key, { object, partition });
    changes.push({ type: 'added', key, object });
    return;
  }
  const departure = departures.get(key);
  if (departure === undefined && isForeign(previous, partition)) {
    refuse(draft, { key, partition: partition as string, object });
    draft.collisions.push(key);
    return;
  }
  departures.delete(key);
  forget(draft, key, partition);
  replace(draft, previous, { key, object }, partition ?? previous.partition, departure);
}

/** Puts an object in the place of another one. A new uid is a deletion and an addition. */
function replace(
  { stored, changes }: Draft,
  previous: Blocked,
  { key, object }: KeyedObject<Thing>,
  partition: string | undefined,
  departure: Departure = { object: previous.object, finalStateUnknown: true },
): void {
  if (isAnother(previous.object, object)) {
    stored.set(key, { object, partition });
    changes.push({ type: 'deleted', key, ...departure }, { type: 'added', key, object });
    return;
  }
  if (JSON.stringify(previous.object) === JSON.stringify(object)) {
    stored.set(key, { object: previous.object, partition });
    return;
  }
  stored.set(key, { object, partition });
  changes.push({ type: 'updated', key, object, previous: previous.object });
}

function remove(
  draft: Draft,
  delta: {
    readonly key: string;
    readonly object: Thing | undefined;
    readonly finalStateUnknown: boolean;
    readonly partition?: string;
  },
): void {
  const { key, object, finalStateUnknown, partition } = delta;
  const previous = draft.stored.get(key);
  if (!previous) return;
  if (isForeign(previous, partition)) {
    const refused = draft.refused.find((each) => each.key === key && each.partition === partition);
    if (refused && !(object && isAnother(refused.object, object))) forget(draft, key, partition);
    return;
  }
  if (object && isAnother(previous.object, object)) return;
  const departure = { object: object ?? previous.object, finalStateUnknown };
  if (draft.departures.has(key)) return;
  if (draft.refused.some((each) => each.key === key)) {
    draft.departures.set(key, departure);
    return;
  }
  draft.stored.delete(key);
  draft.changes.push({ type: 'deleted', key, ...departure });
}

/** Deletes an object, unless another partition has one, which takes the place. */
function depart(draft: Draft, key: string, departure: Departure): void {
  const others = draft.refused.filter((each) => each.key === key);
  const [first] = others.map(({ partition }) => partition).sort();
  const next = others.find(({ partition }) => partition === first);
  if (next === undefined) {
    draft.stored.delete(key);
    draft.changes.push({ type: 'deleted', key, ...departure });
    return;
  }
  forget(draft, key, next.partition);
  replace(draft, draft.stored.get(key) as Blocked, next, next.partition, departure);
}

function refuse(draft: Draft, refused: Refused): void {
  forget(draft, refused.key, refused.partition);
  draft.refused = [...draft.refused, refused];
}

function forget(draft: Draft, key: string, partition: string | undefined): void {
  draft.refused = draft.refused.filter((each) => each.key !== key || each.partition !== partition);
}

function isForeign(previous: Blocked, partition: string | undefined): boolean {
  return previous.partition !== undefined && partition !== undefined && previous.partition !== partition;
}

function isAnother({ metadata: before }: Thing, { metadata: after }: Thing): boolean {
  return before.uid !== undefined && after.uid !== undefined && before.uid !== after.uid;
}

function sync(stored: ReadonlyMap<string, Blocked>, key: string, changes: Change<Thing>[]): void {
  const entry = stored.get(key);
  if (entry) changes.push({ type: 'updated', key, object: entry.object, previous: entry.object });
}

function versionAfter(delta: Delta<Thing>): string | undefined {
  if (delta.type === 'Sync' || delta.type === 'Failed' || delta.partition !== undefined) return undefined;
  if (delta.type === 'Bookmark' || delta.type === 'ReplacedAll') return delta.resourceVersion;
  if (delta.type === 'Deleted' && delta.finalStateUnknown) return undefined;
  return delta.object?.metadata.resourceVersion;
}
