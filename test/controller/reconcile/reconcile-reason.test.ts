import type { ReconcileReason } from 'rx-informers/controller';
import { joinReasons, reasonsOf, reasonsOfRun, reasonText } from '../../../src/controller/reconcile/reconcile-event.js';

const changed: ReconcileReason = { type: 'primary', change: 'updated', because: 'watch' };
const strange: ReconcileReason = { type: 'owned', kind: 'Line\nbreak', key: 'a', change: 'added', because: 'initial' };

describe('reasons in the queue', () => {
  it('come out as they went in, each once, whether they were joined or not', () => {
    const texts = [joinReasons([reasonText(changed), reasonText(strange)]), reasonText(changed)];
    expect(reasonsOf(texts)).toEqual([changed, strange]);
  });

  it('are completed by what only a run knows', () => {
    expect(reasonsOfRun([], 1)).toEqual([{ type: 'requeue' }]);
    expect(reasonsOfRun([], 3)).toEqual([{ type: 'retry', failures: 2 }]);
    expect(reasonsOfRun([reasonText(changed)], 1)).toEqual([changed]);
    expect(reasonsOfRun([reasonText(changed)], 2)).toEqual([changed, { type: 'retry', failures: 1 }]);
  });
});
