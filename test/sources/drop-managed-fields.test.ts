import { dropManagedFields } from 'rx-informers';

describe('dropManagedFields', () => {
  it('returns an object without managedFields, and keeps everything else', () => {
    const object = {
      kind: 'Pod',
      metadata: { name: 'a', managedFields: [{ manager: 'x' }], labels: { app: 'web' } },
      spec: { x: 1 },
    };
    const before = structuredClone(object);
    const result = dropManagedFields(object);
    expect(result).toEqual({ kind: 'Pod', metadata: { name: 'a', labels: { app: 'web' } }, spec: { x: 1 } });
    expect('managedFields' in result.metadata).toBe(false);
    expect(result.spec).toBe(object.spec);
    expect(object).toEqual(before);
  });

  it.each([[{ metadata: { name: 'a' } }], [{ metadata: null }], [{}]])(
    'dropManagedFields returns %j unchanged',
    (object) => {
      expect(dropManagedFields(object)).toBe(object);
    },
  );
});
