import type { Delta } from 'rx-informers';
import { reduceDeltas } from 'rx-informers/store';
import { CommitLog } from '../../../src/informer/commit-log.js';

/** A commit log that a test feeds with deltas, as a cache does. */
export class FedLog<T> extends CommitLog<T> {
  apply(deltas: readonly Delta<T>[]): void {
    this.commit(reduceDeltas(this.latest, deltas));
  }
}
