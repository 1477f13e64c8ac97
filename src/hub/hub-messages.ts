import type { FeedMessage } from '../feeds/feed-messages.js';
import type { FeedRequest } from '../feeds/feed-session.js';
import type { RxInformersError } from '../kubernetes/errors.js';
import { isDnsLabel } from '../kubernetes/object.js';
import type { Resource } from '../kubernetes/resource.js';
import { isCount, parsedWindow, type WindowRequest } from './window-request.js';

/** Increases when a page and a hub of different builds would not understand each other. */
export const hubProtocol = 2;

/** Milliseconds between two pings of the hub. */
export const hubHeartbeat = 5_000;

/** The number of heartbeats without a message after which the other side counts as gone. */
export const maxMissedOfHub = 3;
export const maxMissedOfViewer = 8;

/** Limits for the frames of a viewer, who may be hostile. Lengths are UTF-16 code units. */
const maxFrame = 64 * 1024;
const maxText = 4_096;
/** The names of a namespace and of an object have 63 and 253 characters at most. */
const maxKey = 320;
const maxNamespaces = 100;

/** What is used of a WebSocket, in browsers and of the package `ws`. */
export interface HubSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
  /** The amount of data that the socket has not sent yet. */
  readonly bufferedAmount?: number | undefined;
}

/** A request of a viewer for objects. Everything in it is data. */
export interface HubRequest {
  readonly resource: Pick<Resource<unknown>, 'group' | 'version' | 'plural'>;
  /** The namespaces to read; `['']` stands for all namespaces, or for the cluster. */
  readonly namespaces: readonly string[];
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** True to receive whole objects instead of the fields that differ. */
  readonly isWhole: boolean;
  /** The content that the viewer has, from an earlier connection. */
  readonly resume?: HubPosition | undefined;
  /** The part of the sorted objects to receive. Default: all objects. */
  readonly window?: WindowRequest | undefined;
}

/** A version, and the run of the hub's informer in which it was current. */
export interface HubPosition {
  readonly epoch: string;
  readonly resourceVersion: string;
}

/** The key and the version of an object. The version is `''` if the page does not know it. */
export type ObjectVersion = readonly [key: string, resourceVersion: string];

/** The messages of a viewer to the hub. */
export type ToHub =
  | { readonly type: 'hello'; readonly protocol: number }
  | Exclude<FeedRequest<HubRequest>, { readonly type: 'recheck' }>
  /** Answers `compare`, in one or more messages. */
  | { readonly type: 'has'; readonly id: number; readonly objects: readonly ObjectVersion[]; readonly isLast: boolean }
  /** Moves a window. */
  | { readonly type: 'window'; readonly id: number; readonly window: WindowRequest }
  | { readonly type: 'alive' };

/** Why a subscription has ended, or was refused. */
export type EndReason = Exclude<RxInformersError<'RXI_HUB'>['problem'], 'protocol' | 'lost' | 'upstream'>;

/** The messages of the hub about one feed, besides those of every feed. */
export type HubFeedMessage =
  /** The hub does not know the position of the page, so it needs the versions of its objects. */
  | { readonly type: 'compare'; readonly id: number }
  /** The rights are confirmed. `isResumed`: only changes from the content of the page follow. */
  | { readonly type: 'opened'; readonly id: number; readonly epoch: string; readonly isResumed: boolean }
  | { readonly type: 'ended'; readonly id: number; readonly reason: EndReason; readonly detail: string };

/** The messages of the hub to a viewer. */
export type ToViewer =
  | { readonly type: 'welcome'; readonly protocol: number }
  | { readonly type: 'ping' }
  /** The hub closes the connection. */
  | { readonly type: 'closed'; readonly reason: 'slow' | 'protocol'; readonly detail: string }
  | FeedMessage
  | HubFeedMessage;

/**
 * Encodes a message of the hub. The text of objects follows after the first line, because it was
 * encoded before, for all viewers.
 */
export function hubFrame(message: ToViewer): string {
  if (message.type !== 'part') return JSON.stringify(message);
  const { text, ...head } = message;
  return `${JSON.stringify(head)}\n${text}`;
}

/** Decodes a frame of the hub, which the page trusts. */
export function readHubFrame(frame: string): ToViewer {
  const end = frame.indexOf('\n');
  if (end < 0) return JSON.parse(frame) as ToViewer;
  return { ...(JSON.parse(frame.slice(0, end)) as ToViewer), text: frame.slice(end + 1) } as ToViewer;
}

/** Decodes a frame of a viewer; `undefined` if any part of it is not as the protocol defines it. */
export function readViewerFrame(data: unknown): ToHub | undefined {
  if (typeof data !== 'string' || data.length > maxFrame) return undefined;
  try {
    return parsedMessage(JSON.parse(data));
  } catch {
    // The frame is not JSON, or is nested too deeply to be parsed.
    return undefined;
  }
}

function parsedMessage(value: unknown): ToHub | undefined {
  if (!isRecord(value)) return undefined;
  const { type, id } = value;
  switch (type) {
    case 'alive':
      return { type };
    case 'hello':
      return isCount(value['protocol']) ? { type, protocol: value['protocol'] } : undefined;
  }
  if (!isCount(id)) return undefined;
  switch (type) {
    case 'unsubscribe':
      return { type, id };
    case 'taken':
      return isCount(value['amount']) ? { type, id, amount: value['amount'] } : undefined;
    case 'has': {
      const { objects, isLast } = value;
      return areKnown(objects) && typeof isLast === 'boolean' ? { type, id, objects, isLast } : undefined;
    }
    case 'window': {
      const window = parsedWindow(value['window']);
      return window && { type, id, window };
    }
    case 'subscribe': {
      const request = parsedRequest(value['request']);
      return request && { type, id, request };
    }
    default:
      return undefined;
  }
}

/** Copies the known fields of a request, so that nothing else of a viewer is kept. */
function parsedRequest(value: unknown): HubRequest | undefined {
  if (!isRecord(value)) return undefined;
  const { resource, namespaces, labelSelector, fieldSelector, isWhole } = value;
  if (!isRecord(resource) || !Array.isArray(namespaces)) return undefined;
  const { group, version, plural } = resource;
  const window = value['window'] === undefined ? undefined : parsedWindow(value['window']);
  const resume = value['resume'] === undefined ? undefined : parsedPosition(value['resume']);
  const isValid =
    isText(group) &&
    isText(version) &&
    isText(plural) &&
    isText(labelSelector) &&
    isText(fieldSelector) &&
    typeof isWhole === 'boolean' &&
    areNamespaces(namespaces) &&
    (window === undefined) === (value['window'] === undefined) &&
    (resume === undefined) === (value['resume'] === undefined);
  if (!isValid) return undefined;
  return {
    resource: { group, version, plural },
    namespaces: [...new Set(namespaces)].sort(),
    labelSelector,
    fieldSelector,
    isWhole,
    window,
    resume,
  };
}

function parsedPosition(value: unknown): HubPosition | undefined {
  if (!isRecord(value)) return undefined;
  const { epoch, resourceVersion } = value;
  return isText(epoch) && isText(resourceVersion) ? { epoch, resourceVersion } : undefined;
}

function areKnown(values: unknown): values is readonly ObjectVersion[] {
  const isKnown = (value: unknown): boolean =>
    Array.isArray(value) && value.length === 2 && value.every((text) => isText(text) && text.length <= maxKey);
  return Array.isArray(values) && values.every(isKnown);
}

/** Returns true for names of namespaces, or for `''` alone. */
function areNamespaces(values: readonly unknown[]): values is readonly string[] {
  if (values.length === 1 && values[0] === '') return true;
  const isName = (value: unknown): boolean => typeof value === 'string' && isDnsLabel(value);
  return values.length > 0 && values.length <= maxNamespaces && values.every(isName);
}

/** Returns true for a JSON object. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns true for a text of limited length. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxText;
}
