import type { Change, ChangeReason, Delta, KeyedObject, Indexers } from 'rx-informers';

/**
 * An object that the model stores. It is small, so that histories often have equal keys, values,
 * uids and versions.
 */
export interface Thing {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string };
  readonly values: readonly string[];
  readonly content: number;
}

interface Held {
  readonly object: Thing;
  readonly partition: string | undefined;
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
  held: ReadonlyMap<string, Held> = new Map();
  version = 0;
  resourceVersion = '';
  indexers: Indexers<Thing>;

  constructor(indexers: Indexers<Thing>) {
    this.indexers = indexers;
  }

  commit(batch: readonly Delta<Thing>[]): OracleCommit {
    const held = new Map(this.held);
    const changes: Change<Thing>[] = [];
    const collisions: string[] = [];
    for (const delta of batch) {
      if (delta.type === 'Added' || delta.type === 'Updated') upsert(held, delta, delta.partition, changes, collisions);
      if (delta.type === 'Deleted') remove(held, delta, changes);
      if (delta.type === 'Sync') sync(held, delta.key, changes);
      if (delta.type === 'ReplacedAll') {
        const stays = new Set([...delta.items.map(({ key }) => key), ...(delta.missing ?? [])]);
        for (const key of [...held.keys()].sort()) {
          const concerned = delta.partition === undefined || held.get(key)?.partition === delta.partition;
          if (concerned && !stays.has(key)) {
            remove(held, { key, object: undefined, finalStateUnknown: true }, changes);
          }
        }
        for (const item of new Map(delta.items.map((each) => [each.key, each])).values()) {
          upsert(held, item, delta.partition, changes, collisions);
        }
      }
      this.resourceVersion = versionAfter(delta) ?? this.resourceVersion;
    }
    const reason = this.reasonOf(batch);
    const hasContent = batch.some(({ type }) => type !== 'Sync' && type !== 'Bookmark' && type !== 'Failed');
    const hasChanged = changes.some((change) => change.type !== 'updated' || change.object !== change.previous);
    if (hasChanged || (hasContent && this.version === 0)) this.version++;
    this.held = held;
    return { reason, changes, collisions };
  }

  keys(): readonly string[] {
    return [...this.held.keys()].sort();
  }

  keysUnder(name: string, value: string): readonly string[] {
    return this.keys().filter((key) => this.valuesOf(name, (this.held.get(key) as Held).object).includes(value));
  }

  valuesOf(name: string, object: Thing): readonly string[] {
    const given = this.indexers[name]?.(object) ?? [];
    return typeof given === 'string' ? [given] : given;
  }

  indexValues(name: string): readonly string[] {
    return [...new Set([...this.held.values()].flatMap(({ object }) => this.valuesOf(name, object)))].sort();
  }

  private reasonOf(batch: readonly Delta<Thing>[]): ChangeReason {
    const types = new Set(batch.map(({ type }) => type));
    const isContent = types.has('Added') || types.has('Updated') || types.has('Deleted') || types.has('ReplacedAll');
    if (isContent && this.version === 0) return 'initial';
    if (types.has('ReplacedAll')) return 'relist';
    return !isContent && types.has('Sync') ? 'resync' : 'watch';
  }
}

function upsert(
  held: Map<string, Held>,
  { key, object }: KeyedObject<Thing>,
  partition: string | undefined,
  changes: Change<Thing>[],
  collisions: string[],
): void {
  const previous = held.get(key);
  if (!previous) {
    held.set(key, { object, partition });
    changes.push({ type: 'added', key, object });
    return;
  }
  if (previous.partition !== undefined && partition !== undefined && previous.partition !== partition) {
    collisions.push(key);
    return;
  }
  const [before, after] = [previous.object.metadata, object.metadata];
  if (before.uid !== undefined && after.uid !== undefined && before.uid !== after.uid) {
    held.set(key, { object, partition });
    changes.push(
      { type: 'deleted', key, object: previous.object, finalStateUnknown: true },
      { type: 'added', key, object },
    );
    return;
  }
  if (JSON.stringify(previous.object) === JSON.stringify(object)) return;
  held.set(key, { object, partition: partition ?? previous.partition });
  changes.push({ type: 'updated', key, object, previous: previous.object });
}

function remove(
  held: Map<string, Held>,
  delta: {
    readonly key: string;
    readonly object: Thing | undefined;
    readonly finalStateUnknown: boolean;
    readonly partition?: string;
  },
  changes: Change<Thing>[],
): void {
  const { key, object, finalStateUnknown, partition } = delta;
  const previous = held.get(key);
  if (!previous) return;
  if (partition !== undefined && previous.partition !== undefined && partition !== previous.partition) return;
  const [uid, deleted] = [previous.object.metadata.uid, object?.metadata.uid];
  if (uid !== undefined && deleted !== undefined && uid !== deleted) return;
  held.delete(key);
  changes.push({ type: 'deleted', key, object: object ?? previous.object, finalStateUnknown });
}

function sync(held: ReadonlyMap<string, Held>, key: string, changes: Change<Thing>[]): void {
  const entry = held.get(key);
  if (entry) changes.push({ type: 'updated', key, object: entry.object, previous: entry.object });
}

function versionAfter(delta: Delta<Thing>): string | undefined {
  if (delta.type === 'Sync' || delta.type === 'Failed' || delta.partition !== undefined) return undefined;
  if (delta.type === 'Bookmark' || delta.type === 'ReplacedAll') return delta.resourceVersion;
  if (delta.type === 'Deleted' && delta.finalStateUnknown) return undefined;
  return delta.object?.metadata.resourceVersion;
}
