import type { SourceStatus } from '../../../sources/source-status.js';
import type { Mention } from './mention.js';

/** One event of a diagram of watch traffic, as it is written. */
export type WatchToken =
  ListToken | ChangeToken | BookmarkToken | StatusErrorToken | ConnectionErrorToken | StatusToken;

export interface ListToken {
  readonly type: 'LISTED';
  readonly mentions: readonly Mention[];
}

/** One event for each object, at least one. */
export interface ChangeToken {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly mentions: readonly Mention[];
}

export interface BookmarkToken {
  readonly type: 'BOOKMARK';
}

export interface StatusErrorToken {
  readonly type: 'STATUS_ERROR';
  /** The HTTP status. */
  readonly code: number;
}

export interface ConnectionErrorToken {
  readonly type: 'CONNECTION_ERROR';
}

export interface StatusToken {
  readonly type: 'STATUS';
  readonly state: SourceStatus['state'];
}
