/**
 * The past of a collection. `history` records its versions, bounded by time and by memory. A view
 * of the history shows any of them as a collection.
 *
 * @packageDocumentation
 */
export {
  collectionHistory,
  type CollectionHistory,
  type HistoryOptions,
  type HistoryMoment,
  type VersionChanges,
} from './history.js';
export { movableTime, type MovableTime } from './movable-time.js';
export type { HistoryOutage } from './outages.js';
export type { Playback } from './playback.js';
export type { EarlierVersion, HistoryVersion } from './version-log.js';
// What a view of the history is
export type { DerivedCollection } from '../derived/core/derived-collection.js';
