import { benchPod, type BenchPod } from '../fixtures/pod.js';
import type { ServerContent } from '../scenario.js';
import { lastVersion, LIST_VERSION } from './last-version.js';
import { joinPieces, type Pieces } from './pieces.js';
import { bookmarkLine, endOfListLine, eventLine, WRITTEN_AT } from './watch-lines.js';

/** Everything that is ever sent, serialised beforehand, so that the server's speed limits nobody. */
export interface ServedPods {
  /** Of the list. */
  readonly resourceVersion: string;
  /** In key order, each but the first with the comma before it; without `kind` and `apiVersion`, which a list says once. */
  readonly items: Pieces;
  /** A streaming list: all pods, then the bookmark that ends it. */
  readonly initialEvents: Pieces;
  /** What a watch sends, in the order of sending. */
  readonly events: Pieces;
  readonly lastBookmark: Buffer;
}

/** A prime, so that the pods follow one another in an order that has nothing to do with that of their keys, and each has its turn. */
const STRIDE = 7919;

/** The place that is kept free for a stamp. */
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

/** As JSON: what the `position`th event says. */
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

/** As the API server's storage sorts: by namespace, then by name. */
function byKey(a: BenchPod, b: BenchPod): number {
  const [one, other] = [keyOf(a), keyOf(b)];
  return one < other ? -1 : Number(one > other);
}

function keyOf({ metadata }: BenchPod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
