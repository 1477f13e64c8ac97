import type { ServerContent } from '../model/scenario.js';

/**
 * The annotation with the time of a write. The time is in nanoseconds of a clock that all processes
 * of a machine share.
 */
export const WRITTEN_AT = 'bench/written-at';

/**
 * The resourceVersion of the list. Every object was written before it, and every event comes after
 * it.
 */
export const LIST_VERSION = 2_000_000;

/** Returns the resourceVersion of the last event, by which a client recognises the end. */
export function lastVersion({ events = 0 }: ServerContent): string {
  return String(LIST_VERSION + events);
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** @param object the object as JSON */
export function eventLine(type: 'ADDED' | 'MODIFIED', object: string): string {
  return httpChunk(`{"type":"${type}","object":${object}}\n`);
}

export function bookmarkLine(resourceVersion: string): string {
  return bookmark({ resourceVersion, creationTimestamp: null });
}

/** Returns the bookmark that ends a streaming list. */
export function endOfListLine(resourceVersion: string): string {
  const annotations = { [INITIAL_EVENTS_END]: 'true' };
  return bookmark({ resourceVersion, creationTimestamp: null, annotations });
}

export function expiredLine(): string {
  const object = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version',
    reason: 'Expired',
    code: 410,
  };
  return httpChunk(`${JSON.stringify({ type: 'ERROR', object })}\n`);
}

function bookmark(metadata: object): string {
  const object = { kind: 'Pod', apiVersion: 'v1', metadata, spec: { containers: null }, status: {} };
  return httpChunk(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
}

/**
 * Returns a line of a watch as it is sent: as an HTTP chunk of its own.
 *
 * The API server writes each event separately, and Go's HTTP server makes a chunk of each write of
 * more than 2 KB. A client receives each chunk separately, which costs more than to receive the
 * same bytes in large pieces.
 */
function httpChunk(line: string): string {
  return `${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n`;
}
