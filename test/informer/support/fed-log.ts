import type { SourceStatus } from 'rx-informers';
import { type Delta, reduceDeltas } from 'rx-informers/store';
import { NEVER, of } from 'rxjs';
import { CommitLog } from '../../../src/collections/commit-log.js';
import type { LiveQueryContext } from '../../../src/collections/live-query.js';
import { LogCollection } from '../../../src/collections/log-collection.js';
import { SlowSubscribers } from '../../../src/collections/reports.js';
import { steady } from '../../../src/scheduling/clock.js';
import type { Pod } from '../../fixtures/pods.js';

/** A commit log to which a test writes deltas, as a cache does. */
export class FedLog<T> extends CommitLog<T> {
  apply(deltas: readonly Delta<T>[]): void {
    this.commit(reduceDeltas(this.latest, deltas));
  }
}

/** A collection over a log to which a test writes. It has no source, so it never fails or stops. */
export class FedCollection extends LogCollection<Pod, 'node'> {
  readonly errors$ = NEVER;
  readonly status: SourceStatus = { state: 'watching', since: 0, resourceVersion: '' };
  readonly status$ = of(this.status);
  readonly isRunning = true;

  constructor(context: Pick<LiveQueryContext<Pod>, 'log' | 'retain'>) {
    const scheduler = steady();
    const slow = new SlowSubscribers({ name: 'fed' }, scheduler);
    super({ ...context, name: 'fed', report: () => undefined, slow, scheduler, isPartitioned: false });
  }

  override whenSynced(): Promise<void> {
    return Promise.resolve();
  }
}
