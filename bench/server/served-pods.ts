import { benchPod, type BenchPod } from '../fixtures/pod.js';
import type { ServerContent } from '../model/scenario.js';
import { lastVersion, LIST_VERSION, bookmarkLine, endOfListLine, eventLine, WRITTEN_AT } from './watch-lines.js';

/** Many texts as one block of bytes, so that consecutive texts are sent without a copy. */
export interface Pieces {
  readonly bytes: Buffer;
  /** The start of each piece, and the end of the last one. */
  readonly offsets: readonly number[];
}

/**
 * Everything that the server sends. It is serialised beforehand, so that the speed of the server
 * limits no contestant.
 */
export interface ServedPods {
  /** The resourceVersion of the list. */
  readonly resourceVersion: string;
  /**
   * The items in key order. Each item except the first begins with a comma. Items have no `kind`
   * and `apiVersion`, because the list states them once.
   */
  readonly items: Pieces;
  /** The events of a streaming list: all pods, then the bookmark that ends the list. */
  readonly initialEvents: Pieces;
  /** The events of a watch, in order. */
  readonly events: Pieces;
  readonly lastBookmark: Buffer;
}

/**
 * The step from one changed pod to the next. It is a prime, so that the order of the events is
 * unrelated to the order of the keys, and every pod changes.
 */
const STRIDE = 7919;

/** The reserved place for a timestamp in an event. */
export const UNSTAMPED = '0'.repeat(20);

export function servePods(content: ServerContent): ServedPods {
  const items = Array.from({ length: content.pods }, (_, number) => benchPod(number))
    .sort(byKey)
    .map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => JSON.stringify(item));
  const { events = 0 } = content;
  return {
    resourceVersion: String(LIST_VERSION),
    items: joinPieces(items.map((item, position) => (position === 0 ? item : `,${item}`))),
    initialEvents: joinPieces([
      ...items.map((item) => eventLine('ADDED', `{"kind":"Pod","apiVersion":"v1",${item.slice(1)}`)),
      endOfListLine(String(LIST_VERSION)),
    ]),
    events: joinPieces(
      Array.from({ length: events }, (_, position) => eventLine('MODIFIED', writtenPod(content, position))),
    ),
    lastBookmark: Buffer.from(bookmarkLine(lastVersion(content))),
  };
}

/** Returns the list as JSON, with the items from `start` up to but not including `end`. */
export function listBetween({ items, resourceVersion }: ServedPods, start: number, end: number): readonly Buffer[] {
  const count = items.offsets.length - 1;
  const metadata = {
    resourceVersion,
    ...(end < count && { continue: String(end), remainingItemCount: count - end }),
  };
  const opening = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata }).slice(0, -1);
  const content = piecesBetween(items, start, end);
  return [Buffer.from(`${opening},"items":[`), start === 0 ? content : content.subarray(1), Buffer.from(']}\n')];
}

/** Returns the pod of the `position`th event as JSON. */
function writtenPod({ pods, eventsPerPod = 1, writesPerSecond }: ServerContent, position: number): string {
  const number = (Math.floor(position / eventsPerPod) * STRIDE) % pods;
  const { kind, apiVersion, metadata, ...rest } = benchPod(number, position + 1);
  const annotations = {
    ...metadata.annotations,
    ...(writesPerSecond !== undefined && { [WRITTEN_AT]: UNSTAMPED }),
  };
  const resourceVersion = String(LIST_VERSION + position + 1);
  return JSON.stringify({ kind, apiVersion, metadata: { ...metadata, annotations, resourceVersion }, ...rest });
}

/** Compares pods as the API server's storage sorts them: by namespace, then by name. */
function byKey(a: BenchPod, b: BenchPod): number {
  const [one, other] = [keyOf(a), keyOf(b)];
  return one < other ? -1 : Number(one > other);
}

function keyOf({ metadata }: BenchPod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function joinPieces(texts: readonly string[]): Pieces {
  const buffers = texts.map((text) => Buffer.from(text));
  const offsets = [0];
  let end = 0;
  for (const buffer of buffers) offsets.push((end += buffer.length));
  return { bytes: Buffer.concat(buffers, end), offsets };
}

/**
 * Returns the bytes of the pieces from `start` up to but not including `end`. The bytes are shared,
 * not copied.
 */
export function piecesBetween({ bytes, offsets }: Pieces, start: number, end: number): Buffer {
  return bytes.subarray(offsets[start], offsets[end]);
}
