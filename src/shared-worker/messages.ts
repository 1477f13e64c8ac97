import type { Resource } from '../kubernetes/resource.js';
import type { ChangeReason } from '../store/change.js';

/** Increases when a page and a worker of different builds would not understand each other. */
export const protocolVersion = 2;

/** Milliseconds between two pings of the worker. */
export const heartbeat = 2_000;

/**
 * The largest number of heartbeats without a message from the worker, and from a page. At the next
 * heartbeat, the other side counts as gone. Heartbeats are counted instead of time, because a
 * machine may sleep. A page may be busy or frozen, and then shows nothing that is out of date, so
 * the worker waits longer.
 */
export const maxMissedOfWorker = 3;
export const maxMissedOfPage = 8;

/** The largest amount of unacknowledged text of one feed, in UTF-16 code units. */
export const feedWindow = 512 * 1024;

/** The size of one message, in UTF-16 code units. A larger single object is not split. */
export const partSize = 128 * 1024;

/** What is used of a `MessagePort`, in browsers and in Node. */
export interface MessagePortLike {
  postMessage(message: unknown): void;
  addEventListener(type: string, listener: (event: object) => void): void;
  start(): void;
  close(): void;
}

/** A request of a page for objects. Equal requests share one informer. */
export interface SharedRequest {
  readonly resource: Pick<Resource<unknown>, 'group' | 'version' | 'plural' | 'kind' | 'namespaced'>;
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly metadataOnly: boolean;
  /** True to keep `managedFields` and to send whole objects, because the page transforms them. */
  readonly isWhole: boolean;
}

/** The messages of a page to the worker. */
export type ToWorker =
  | { readonly type: 'hello'; readonly protocol: number; readonly version: string; readonly identity: string }
  | { readonly type: 'subscribe'; readonly id: number; readonly request: SharedRequest }
  | { readonly type: 'unsubscribe'; readonly id: number }
  /** Acknowledges the text of a feed that was processed since the last acknowledgement. */
  | { readonly type: 'taken'; readonly id: number; readonly amount: number }
  /** Reconnects to the API server now. */
  | { readonly type: 'recheck'; readonly id: number }
  | { readonly type: 'alive' }
  | { readonly type: 'bye' };

/** From the worker. Content is JSON text, which costs less than a structured clone. */
export type ToPage =
  /** The worker holds the lock `lock`, if the browser has locks, until it ends. */
  | { readonly type: 'welcome'; readonly lock?: string }
  /** The page has another build than the worker, or else another identity. */
  | { readonly type: 'refused'; readonly protocol: number; readonly version: string }
  | { readonly type: 'ping' }
  /** The page was silent for too long, and its feeds are closed. */
  | { readonly type: 'let-go' }
  | FeedMessage;

/** The messages of the worker about one feed. */
export type FeedMessage =
  | PartMessage
  /** The API server sent something. `resourceVersion`: nothing has changed up to it. */
  | {
      readonly type: 'heard';
      readonly id: number;
      readonly at: number | undefined;
      readonly resourceVersion?: string;
    }
  /** A status that no earlier change has to precede. */
  | { readonly type: 'status'; readonly id: number; readonly text: string }
  | { readonly type: 'error'; readonly id: number; readonly text: string };

/** A part of one change set: a JSON array of `FeedEntry`. The last part has `end`. */
export interface PartMessage {
  readonly type: 'part';
  readonly id: number;
  readonly text: string;
  /** The number of entries in all parts of the change set. */
  readonly total: number;
  readonly end?: PartsEnd;
}

/** The end of a change set. `status` is a status that follows the changes. */
export interface PartsEnd {
  readonly reason: ChangeReason;
  readonly resourceVersion: string;
  readonly status?: string;
}

/** A whole object; its fields that differ from the page's copy; or a deletion. */
export type FeedEntry =
  | { readonly object: object }
  | {
      readonly key: string;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly removed?: readonly string[];
    }
  /** `object` is the final state. If it is missing, the deletion was inferred. */
  | { readonly deleted: string; readonly object?: object };
