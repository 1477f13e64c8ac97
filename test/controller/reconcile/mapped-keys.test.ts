import { MappedKeyError } from 'rx-informers/controller';
import { mappedKeys } from '../../../src/controller/reconcile/triggers.js';

const found = (output: unknown) => mappedKeys([0], () => output);

describe('mappedKeys', () => {
  it.each([
    ['a string', 'a', ['a']],
    ['an array', ['a', 'b'], ['a', 'b']],
    ['a set', new Set(['a']), ['a']],
    ['the same twice', ['a', 'a'], ['a']],
    ['undefined', undefined, []],
    ['null', null, []],
    ['an empty array', [], []],
  ])('mappedKeys takes %s as its mapping', (_what, output, keys) => {
    expect(found(output)).toEqual({ keys, errors: [] });
  });

  it.each([
    ['a number', 5, 'a value of type number'],
    ['an object', { key: 'a' }, 'a value of type object'],
    ['a promise', Promise.resolve('a'), 'a value of type object'],
    ['a boolean', false, 'a value of type boolean'],
    ['an empty string', '', 'an empty string'],
    ['a symbol', Symbol('a'), 'a value of type symbol'],
  ])('refuses %s, and says what it was', (_what, output, said) => {
    const { keys, errors } = found(output);
    expect(keys).toEqual([]);
    expect(errors).toEqual([new MappedKeyError(output)]);
    expect((errors[0] as MappedKeyError).output).toBe(output);
    expect((errors[0] as MappedKeyError).message).toContain(said);
  });

  it('keeps the keys beside a mistake', () => {
    const { keys, errors } = found(['a', undefined, 'b', null]);
    expect(keys).toEqual(['a', 'b']);
    expect(errors).toHaveLength(2);
  });

  it('keeps the keys that an iterable gave before it threw', () => {
    function* broken(): Iterable<string> {
      yield 'a';
      throw new Error('broken');
    }
    expect(found(broken())).toEqual({ keys: ['a'], errors: [new Error('broken')] });
  });

  it('keeps the keys of one version where the mapping of the other throws', () => {
    const map = (value: string): string => {
      if (value === 'old') throw new Error('cannot read the old one');
      return value;
    };
    expect(mappedKeys(['old', 'new'], map)).toEqual({ keys: ['new'], errors: [new Error('cannot read the old one')] });
  });
});
