import type { FeedMessage } from '../feeds/feed-messages.js';
import type { FeedRequest } from '../feeds/feed-session.js';
import type { Resource } from '../kubernetes/resource.js';

/** Increases when a page and a worker of different builds would not understand each other. */
export const protocolVersion = 3;

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
  | FeedRequest<SharedRequest>
  | PastQuestion
  | { readonly type: 'alive' }
  | { readonly type: 'bye' };

/** A part of what a worker has recorded. */
export interface PastRequest {
  /** Versions before this time are read, in milliseconds since 1970. */
  readonly before: number;
  /** The size of the text at which the part ends, in UTF-16 code units. */
  readonly size: number;
}

/** What a worker has recorded of one informer, for its pages. Its texts are the program's own. */
export interface RecordedPast {
  read(request: PastRequest): string;
  /** Stops recording, and drops what was recorded. */
  stop(): void;
}

/** Requests a part of what the worker has recorded of the objects of a request. */
export interface PastQuestion extends PastRequest {
  readonly type: 'past';
  readonly id: number;
  readonly request: SharedRequest;
}

/** The answer. `text` is empty if the worker records nothing for this request. */
export interface PastAnswer {
  readonly type: 'past';
  readonly id: number;
  readonly text: string;
}

/** From the worker. Content is JSON text, which costs less than a structured clone. */
export type ToPage =
  /** The worker holds the lock `lock`, if the browser has locks, until it ends. */
  | { readonly type: 'welcome'; readonly lock?: string }
  /** The page has another build than the worker, or else another identity. */
  | { readonly type: 'refused'; readonly protocol: number; readonly version: string }
  | { readonly type: 'ping' }
  /** The page was silent for too long, and its feeds are closed. */
  | { readonly type: 'let-go' }
  | PastAnswer
  | FeedMessage;
