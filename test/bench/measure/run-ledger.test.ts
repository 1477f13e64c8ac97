import { RunLedger } from '../../../bench/measure/run-ledger.js';

describe('a ledger of runs', () => {
  it('lets every addition wait until the next run of its key, which may serve many', () => {
    const ledger = new RunLedger();
    ledger.added('a', 1);
    ledger.added('b', 2);
    ledger.added('a', 3);
    ledger.started('a', 5);
    expect(ledger.waits).toEqual([4, 2]);
    expect([ledger.additions, ledger.runs]).toEqual([3, 1]);
  });

  it('counts an addition during a run for the run after it', () => {
    const ledger = new RunLedger();
    ledger.added('a', 1);
    ledger.started('a', 1);
    ledger.added('a', 2);
    ledger.ended('a');
    ledger.started('a', 9);
    expect(ledger.waits).toEqual([0, 7]);
  });

  it('counts runs that begin while one of the same key is under way', () => {
    const ledger = new RunLedger();
    for (const key of ['a', 'b', 'a', 'a']) ledger.started(key, 0);
    for (const key of ['a', 'a', 'a']) ledger.ended(key);
    ledger.started('a', 1);
    expect(ledger.overlaps).toBe(2);
  });

  it('is settled when a run began after each addition, and all have ended', () => {
    const ledger = new RunLedger();
    ledger.added('a', 0);
    expect(ledger.isSettled).toBe(false);
    ledger.started('a', 1);
    expect(ledger.isSettled).toBe(false);
    ledger.ended('a');
    expect(ledger.isSettled).toBe(true);
  });
});
