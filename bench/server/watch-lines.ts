import { httpChunk } from './http-chunk.js';

/**
 * The annotation with the time of a write. The time is in nanoseconds of a clock that all processes
 * of a machine share.
 */
export const WRITTEN_AT = 'bench/written-at';

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
