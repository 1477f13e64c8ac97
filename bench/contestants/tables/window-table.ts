import { BehaviorSubject } from 'rxjs';
import { emptyView, window$, type View } from '../../../src/views/index.js';
import type { BenchPod } from '../../fixtures/pod.js';
import type { OpenTable } from './table.js';

export const windowTable: OpenTable = (pods, options) => {
  const options$ = new BehaviorSubject(options);
  let shown: View<BenchPod> = emptyView;
  const subscription = window$(pods, options$).subscribe((view) => (shown = view));
  return {
    shown: () => shown,
    show: (next) => {
      options$.next(next);
    },
    close: () => {
      subscription.unsubscribe();
    },
  };
};
