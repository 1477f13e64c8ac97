import type { OpenTable } from './table.js';

/** The floor: whatever follows changes has to be told of them. */
export const changesRead: OpenTable = (pods) => {
  let read = 0;
  const subscription = pods.changes$.subscribe(({ changes }) => (read += changes.length));
  return {
    shown: () => ({ rows: [], total: read }),
    show: () => undefined,
    close: () => {
      subscription.unsubscribe();
    },
  };
};
