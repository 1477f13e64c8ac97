import type { ListEnvelopeMetadata } from '../wire/list-envelope.js';
import type { DecodeError, ResponseError, SourceError, StatusError, TransformError } from '../source-error.js';

/** Something that happened, when (milliseconds on the scheduler's clock), and a number in [0, 1) for whatever is random in the answer. */
export type Input<T> = Happening<T> & { readonly at: number; readonly random: number };

export type Happening<T> =
  | { readonly type: 'started' }
  /** The moment that `alarmOf` names has come. */
  | { readonly type: 'alarm' }
  | Reading<T>;

/** What a request in flight brings; after `page-end`, `closed` and `failed` it is over. */
export type Reading<T> =
  /** The head of a successful response. */
  | { readonly type: 'head' }
  /** List items of one network read; `failures` are those that could not be transformed, `elsewhere` counts those of other shards. */
  | {
      readonly type: 'items';
      readonly items: readonly T[];
      readonly failures: readonly TransformError[];
      readonly elsewhere?: number;
    }
  | { readonly type: 'page-end'; readonly metadata: ListEnvelopeMetadata }
  /** Watch events of one network read. Nothing follows an `error`, and at most `untransformed` follows `lost`. */
  | { readonly type: 'events'; readonly events: readonly DecodedEvent<T>[] }
  /** The watch ended; with `cut` in the middle of a line. */
  | { readonly type: 'closed'; readonly cut?: DecodeError }
  | { readonly type: 'failed'; readonly error: SourceError };

/** The client keeps a request waiting for its turn (`KubeRequest.onQueued`), or has sent it after that. */
export type Turn = { readonly type: 'queued' } | { readonly type: 'sent' };

/** One line of a watch. */
export type DecodedEvent<T> =
  | {
      readonly type: 'change';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: T;
      /** `namespace/name`, where the object has a name. */
      readonly key: string | undefined;
      readonly resourceVersion: string;
    }
  /** A change of an object that is another shard's: nothing but its version matters. */
  | {
      readonly type: 'elsewhere';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly resourceVersion: string;
    }
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly endsInitialList: boolean }
  /** The server says what is wrong. */
  | { readonly type: 'error'; readonly error: StatusError }
  /** An event that could not be understood. */
  | { readonly type: 'lost'; readonly error: DecodeError | ResponseError }
  /** An event whose object could not be transformed; the error has its key. */
  | {
      readonly type: 'untransformed';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly error: TransformError;
    };
