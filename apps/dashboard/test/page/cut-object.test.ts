import fc from 'fast-check';
import { childPath, cutObject } from '../../page/drawer/cut-object.js';
import { objectYaml } from '../../page/drawer/object-yaml.js';

describe('an object that is too large to be shown', () => {
  it('keeps the beginning of a 10 MB annotation, and states its size', () => {
    const { value, cuts } = cutObject({ metadata: { annotations: { 'example.com/dump': 'x'.repeat(10_000_000) } } });
    expect(JSON.stringify(value).length).toBeLessThan(1200);
    expect(cuts).toEqual([
      { path: 'metadata.annotations["example.com/dump"]', what: '10.0 M characters, 1.0 k shown' },
    ]);
  });

  it('ends after a maximum number of entries, and states how many there are', () => {
    const annotations = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key-${at}`, 'some value']));
    const { value, cuts } = cutObject({ annotations, status: { phase: 'Running' } });
    expect(JSON.stringify(value).length).toBeLessThan(200_000);
    expect(cuts[0]?.path).toBe('annotations');
    expect(cuts[0]?.what).toMatch(/^100000 entries, \d+ shown$/);
  });

  it('is truncated in the YAML too', () => {
    const { lines, cuts } = objectYaml({ data: 'x'.repeat(10_000_000) });
    expect([lines.join('\n').length, cuts.length]).toEqual([1007, 1]);
  });

  it('is shown unchanged if it is small, with any content', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        const plain: unknown = JSON.parse(JSON.stringify(json));
        const { value, cuts } = cutObject(plain, { longest: 1e6, budget: 1e7 });
        expect(JSON.stringify(value)).toBe(JSON.stringify(plain));
        expect(cuts).toEqual([]);
      }),
    );
  });
});

describe('a path into an object', () => {
  it('is formatted so that it can be parsed again', () => {
    expect([childPath('', 'spec', false), childPath('spec', '0', true), childPath('a', 'b.c/d', false)]).toEqual([
      'spec',
      'spec[0]',
      'a["b.c/d"]',
    ]);
  });
});
