import { objectChanges } from '../../page/drawer/object-changes.js';

describe('the diff of an update', () => {
  it('lists each path that differs, with the old and the new value', () => {
    const before = { metadata: { resourceVersion: '1', labels: { app: 'web' } }, status: { phase: 'Pending' } };
    const after = { metadata: { resourceVersion: '2', labels: {} }, status: { phase: 'Running', podIP: '10.0.0.1' } };
    expect(objectChanges(before, after)).toEqual([
      { path: 'metadata.labels.app', before: '"web"', after: undefined },
      { path: 'status.phase', before: '"Pending"', after: '"Running"' },
      { path: 'status.podIP', before: undefined, after: '"10.0.0.1"' },
    ]);
  });

  it('is empty if only the resourceVersion differs', () => {
    expect(objectChanges({ metadata: { resourceVersion: '1' } }, { metadata: { resourceVersion: '2' } })).toEqual([]);
  });

  it('names array items by their position', () => {
    expect(objectChanges({ c: [{ ready: false }, 1] }, { c: [{ ready: true }] })).toEqual([
      { path: 'c[0].ready', before: 'false', after: 'true' },
      { path: 'c[1]', before: '1', after: undefined },
    ]);
  });

  it('shows an array that becomes a map as a whole, and distinguishes null from a missing field', () => {
    expect(objectChanges({ a: [1], b: null }, { a: { x: 1 }, b: undefined })).toEqual([
      { path: 'a', before: '[1]', after: '{"x":1}' },
      { path: 'b', before: 'null', after: undefined },
    ]);
  });

  it('stays small if the changed value is large', () => {
    const keys = Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]);
    const changes = objectChanges({ big: 'a' }, { ...Object.fromEntries(keys), big: 'b'.repeat(10_000_000) });
    expect(changes.length).toBe(100);
    expect(JSON.stringify(changes).length).toBeLessThan(20_000);
  });

  it('handles fields that are named like members of Object.prototype', () => {
    expect(objectChanges({}, JSON.parse('{"constructor":"x","__proto__":"y"}'))).toEqual([
      { path: 'constructor', before: undefined, after: '"x"' },
      { path: '__proto__', before: undefined, after: '"y"' },
    ]);
  });
});
