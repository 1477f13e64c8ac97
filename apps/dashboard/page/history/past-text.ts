import type { Change, Collection, KubernetesObject } from 'rx-informers';
import {
  collectionHistory,
  type CollectionHistory,
  type EarlierVersion,
  type HistoryOptions,
  type HistoryVersion,
} from 'rx-informers/history';
import type { PastRequest, RecordedPast } from 'rx-informers/shared-worker';

/** The number of changes of a history over time. */
export interface PastOutline {
  /** The time of the oldest version; `undefined` if nothing is recorded. */
  readonly since: number | undefined;
  /** Spans of ten seconds with changes, oldest first. */
  readonly spans: readonly PastSpan[];
}

/** A span of ten seconds. */
export type PastSpan = Pick<HistoryVersion, 'time' | 'changes' | 'isThinned'>;

/** What `readPast` has found in a text. */
export interface ReadPast {
  readonly outline: PastOutline;
  /** The time of the oldest version that the text contains; `undefined` if it contains none. */
  readonly oldest: number | undefined;
  /** True if there are no earlier versions. */
  readonly isComplete: boolean;
}

const spanLength = 10_000;

/**
 * Returns a function that records a collection in the shared worker, for the tabs. A text contains
 * whole versions, the newest first, and each as its differences from the next one. So a tab reads
 * only as far back as it needs.
 *
 * @param options the limits of each history
 */
export function recordPast(options: HistoryOptions = {}): (collection: Collection<KubernetesObject>) => RecordedPast {
  return (collection) => {
    const history = collectionHistory(collection, options);
    return {
      read: (request) => pastText(history, request),
      stop: () => {
        history.stop();
      },
    };
  };
}

/** Returns the part of the past that a text of the worker contains. `''` contains nothing. */
export function partOf(text: string): PastPart {
  return (text === '' ? nothing : JSON.parse(text)) as PastPart;
}

/**
 * Adds the versions in a part before the oldest version of a history. An object is added only if
 * the history has the state that followed it. So a tab that received a change later than the worker
 * does not have it twice.
 */
export function readPast<T extends KubernetesObject>(history: CollectionHistory<T>, part: PastPart): ReadPast {
  const { outline, versions, isComplete, outages } = part;
  const { oldest } = history;
  if (oldest !== undefined && versions.length > 0) {
    const snapshot = history.at(oldest);
    history.prepend(
      versionsOf<T>(versions, (key) => snapshot.get(key)),
      outages.map(([from, until]) => ({ from, until, status: { state: 'reconnecting' } })),
    );
  }
  return { outline, isComplete, oldest: versions.at(-1)?.time };
}

/** A part of what is recorded of a collection. */
export interface PastPart extends Pick<ReadPast, 'outline' | 'isComplete'> {
  /** The newest version first. */
  readonly versions: readonly VersionText[];
  readonly outages: readonly (readonly [from: number, until: number])[];
}

/** A version, as its differences from the next one. */
export interface VersionText extends Pick<HistoryVersion, 'time' | 'isThinned'> {
  readonly objects: readonly ObjectText[];
}

/** An object that differs in the next version, as a difference from its state there. */
interface ObjectText {
  readonly key: string;
  /** The resourceVersion in the next version; `''` if the object does not exist there. */
  readonly next: string;
  /** Missing if the object does not exist in this version. */
  readonly patch?: Patch;
}

const nothing: PastPart = { outline: { since: undefined, spans: [] }, versions: [], isComplete: true, outages: [] };

function pastText(history: CollectionHistory<KubernetesObject>, { before, size }: PastRequest): string {
  const { versions, outages } = history;
  const texts: string[] = [];
  let length = 0;
  let position = versions.findLastIndex(({ time }) => time < before);
  for (; position >= 0 && size > 0; position--) {
    const version = versions[position] as HistoryVersion;
    const next = versions[position + 1];
    // The next request names only a time, so a part has all versions of one time.
    if (length >= size && version.time !== next?.time) break;
    const changes = next === undefined ? [] : history.diff(version, next).changes;
    const text = JSON.stringify(versionText(version, changes));
    texts.push(text);
    length += text.length;
  }
  const outline: PastOutline = { since: versions[0]?.time, spans: spansOf(versions) };
  const ended = outages.map(({ from, until = before }) => [from, until]);
  return `{"outline":${JSON.stringify(outline)},"isComplete":${position < 0},"outages":${JSON.stringify(ended)},"versions":[${texts.join()}]}`;
}

function spansOf(versions: readonly HistoryVersion[]): readonly PastSpan[] {
  const spans = new Map<number, { time: number; changes: number; isThinned?: boolean }>();
  for (const { time, changes, isThinned } of versions) {
    const begin = Math.floor(time / spanLength) * spanLength;
    const span = spans.get(begin) ?? { time: begin, changes: 0 };
    span.changes += changes;
    if (isThinned) span.isThinned = true;
    spans.set(begin, span);
  }
  return [...spans.values()].filter(({ changes }) => changes > 0);
}

/** Returns a version, from the changes that lead to the next one. */
export function versionText(
  { time, isThinned }: Pick<HistoryVersion, 'time' | 'isThinned'>,
  changes: readonly Change<KubernetesObject>[],
): VersionText {
  return { time, ...(isThinned && { isThinned }), objects: objectsOf(changes) };
}

/** A deletion and an addition of one key are one object that was replaced. */
function objectsOf(changes: readonly Change<KubernetesObject>[]): readonly ObjectText[] {
  const objects = new Map<string, { before?: KubernetesObject; after?: KubernetesObject }>();
  for (const change of changes) {
    const { key } = change;
    const known = objects.get(key) ?? {};
    if (change.type === 'updated') objects.set(key, { before: change.previous, after: change.object });
    else objects.set(key, { ...known, [change.type === 'deleted' ? 'before' : 'after']: change.object });
  }
  return [...objects].map(([key, { before, after }]) => ({
    key,
    next: resourceVersionOf(after) ?? '',
    ...(before !== undefined && { patch: patchTo(after, before) }),
  }));
}

function versionsOf<T extends KubernetesObject>(
  versions: readonly VersionText[],
  objectOf: (key: string) => T | undefined,
): readonly EarlierVersion<T>[] {
  const known = new Map<string, T | undefined>();
  const earlier = versions.map(({ time, isThinned, objects }): EarlierVersion<T> => {
    const before = new Map<string, T | undefined>();
    for (const { key, next, patch } of objects) {
      const after = known.has(key) ? known.get(key) : objectOf(key);
      // The page has another state of the object: it received this change later, or not yet.
      if ((resourceVersionOf(after) ?? '') !== next) continue;
      const object = patch === undefined ? undefined : (patched(after, patch) as T);
      before.set(key, object);
      known.set(key, object);
    }
    return { time, objects: before, ...(isThinned && { isThinned }) };
  });
  return earlier.reverse();
}

/** Another value in an array of one item; the parts that differ; or `null` for a removed field. */
type Patch = readonly [unknown] | { readonly [name: string]: Patch | null };

type Fields = Readonly<Record<string, unknown>>;

/** Returns what turns one value into another. Parts that both share are not compared. */
function patchTo(from: unknown, to: unknown): Patch {
  if (!isParts(from) || !isParts(to) || Array.isArray(from) !== Array.isArray(to)) return [to];
  if (Array.isArray(from) && from.length !== (to as unknown as readonly unknown[]).length) return [to];
  const differing = Object.entries(to)
    .filter(([name, value]) => !Object.hasOwn(from, name) || from[name] !== value)
    .map(([name, value]): [string, Patch] => [
      name,
      patchTo(Object.hasOwn(from, name) ? from[name] : undefined, value),
    ]);
  const removed = Object.keys(from).filter((name) => !Object.hasOwn(to, name));
  return Object.fromEntries<Patch | null>([...differing, ...removed.map((name): [string, null] => [name, null])]);
}

function patched(from: unknown, patch: Patch): unknown {
  if (isReplacement(patch)) return patch[0];
  const fields = Object.entries(patch).flatMap(([name, part]): [string, unknown][] => {
    const value = isParts(from) && Object.hasOwn(from, name) ? from[name] : undefined;
    return part === null ? [] : [[name, patched(value, part)]];
  });
  if (Array.isArray(from)) return Object.assign([...(from as readonly unknown[])], Object.fromEntries(fields));
  const kept = Object.entries(from as Fields).filter(([name]) => !Object.hasOwn(patch, name));
  // Not assigned one by one: assigning `__proto__` would replace the prototype.
  return Object.fromEntries([...kept, ...fields]);
}

function isReplacement(patch: Patch): patch is readonly [unknown] {
  return Array.isArray(patch);
}

function resourceVersionOf(object: KubernetesObject | undefined): string | undefined {
  return object?.metadata?.resourceVersion;
}

function isParts(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
