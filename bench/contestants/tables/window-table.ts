import { BehaviorSubject, VirtualTimeScheduler } from 'rxjs';
import { emptyWindow, window$, type View } from '../../../src/views/index.js';
import type { BenchPod } from '../../fixtures/pod.js';
import type { OpenTable } from './table.js';

export const windowTable: OpenTable = (pods, options) => {
  const options$ = new BehaviorSubject(options);
  let shown: View<BenchPod> = emptyWindow;
  // Deferred work waits for `settle`, so that it can be measured separately.
  const scheduler = new VirtualTimeScheduler();
  const subscription = window$(pods, options$, scheduler).subscribe((view) => (shown = view));
  return {
    shown: () => shown,
    show: (next) => {
      options$.next(next);
    },
    settle: () => {
      scheduler.flush();
    },
    close: () => {
      subscription.unsubscribe();
    },
  };
};
