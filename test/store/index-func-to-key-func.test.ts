import { batchToDeltas, indexFuncToKeyFunc, NotOneIndexValueError } from 'rx-informers/store';

describe('indexFuncToKeyFunc', () => {
  const object = { metadata: { name: 'a' } };

  it.each([['x'], [['x']], ['']])('S17: returns the single value of %j as the key', (given) => {
    expect(indexFuncToKeyFunc(() => given)(object)).toBe(typeof given === 'string' ? given : 'x');
  });

  it.each([
    [undefined, []],
    [[], []],
    [
      ['x', 'y'],
      ['x', 'y'],
    ],
  ])('S17: throws for the index values %j', (given, values) => {
    const attempt = (): string => indexFuncToKeyFunc(() => given)(object);
    expect(attempt).toThrow(NotOneIndexValueError);
    expect(attempt).toThrow(expect.objectContaining({ object, values }));
  });

  it('G4: is reported as a KeyError with its cause if used in toDeltas', () => {
    const deltas = batchToDeltas(
      [{ type: 'ADDED', object }],
      indexFuncToKeyFunc<typeof object>(() => []),
    );
    expect(deltas).toMatchObject([
      { type: 'Failed', error: { name: 'KeyError', cause: { name: 'NotOneIndexValueError' } } },
    ]);
  });
});
