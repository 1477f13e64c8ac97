import { objectChanges } from '../../../../examples/dashboard/page/model/object-changes.js';

describe('what an update has changed', () => {
  it('is each place that differs, with what it was and is', () => {
    const before = { metadata: { resourceVersion: '1', labels: { app: 'web' } }, status: { phase: 'Pending' } };
    const after = { metadata: { resourceVersion: '2', labels: {} }, status: { phase: 'Running', podIP: '10.0.0.1' } };
    expect(objectChanges(before, after)).toEqual([
      { path: 'metadata.labels.app', before: '"web"', after: undefined },
      { path: 'status.phase', before: '"Pending"', after: '"Running"' },
      { path: 'status.podIP', before: undefined, after: '"10.0.0.1"' },
    ]);
  });

  it('is nothing where only the version is another one', () => {
    expect(objectChanges({ metadata: { resourceVersion: '1' } }, { metadata: { resourceVersion: '2' } })).toEqual([]);
  });

  it('names items of lists by their place', () => {
    expect(objectChanges({ c: [{ ready: false }, 1] }, { c: [{ ready: true }] })).toEqual([
      { path: 'c[0].ready', before: 'false', after: 'true' },
      { path: 'c[1]', before: '1', after: undefined },
    ]);
  });

  it('shows a list that becomes a map as a whole, and distinguishes null from a missing field', () => {
    expect(objectChanges({ a: [1], b: null }, { a: { x: 1 }, b: undefined })).toEqual([
      { path: 'a', before: '[1]', after: '{"x":1}' },
      { path: 'b', before: 'null', after: undefined },
    ]);
  });

  it('stays small where what has changed is large', () => {
    const keys = Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]);
    const changes = objectChanges({ big: 'a' }, { ...Object.fromEntries(keys), big: 'b'.repeat(10_000_000) });
    expect(changes.length).toBe(100);
    expect(JSON.stringify(changes).length).toBeLessThan(20_000);
  });

  it('is not led astray by names that every object has', () => {
    expect(objectChanges({}, JSON.parse('{"constructor":"x","__proto__":"y"}'))).toEqual([
      { path: 'constructor', before: undefined, after: '"x"' },
      { path: '__proto__', before: undefined, after: '"y"' },
    ]);
  });
});
