import * as fc from 'fast-check';
import { matchesLabelSelector } from 'rx-informers/resources';
import { aPod } from 'rx-informers/testing';
import { formatAddress, parseAddress } from '../../page/address/page-address.js';
import { filterPredicate, isFiltering, noFilter, podPairs } from '../../page/pods/pod-filter.js';
import { typedOf, typedTest } from '../../page/text/typed.js';

describe('a typed filter', () => {
  it.each([
    ['web n1', 'web n1', undefined],
    ['component=worker', '', 'component=worker'],
    ['component = worker', '', 'component=worker'],
    ['tier!=db', '', 'tier!=db'],
    ['env in (b, a)', '', 'env in (a,b)'],
    ['env notin (a)', '', 'env!=a'],
    ['!canary', '', '!canary'],
    ['-l canary', '', 'canary'],
    ['--selector=app.kubernetes.io/name=web', '', 'app.kubernetes.io/name=web'],
    ['canary, env=a', '', 'canary,env=a'],
    ['canary,env=a', '', 'canary,env=a'],
    ['web env in (a), tier!=db', 'web', 'env=a,tier!=db'],
    ['web -l canary', 'web', 'canary'],
    ['-l', '', undefined],
    ['in (a)', 'in (a)', undefined],
    ['web-l canary', 'web-l canary', undefined],
    ['', '', undefined],
  ])('"%s" has the words "%s" and the selector %j', (text, words, selector) => {
    expect(typedOf(text)).toEqual({ words, selector, problem: undefined });
  });

  it.each(['component=a b', 'env in (a', '-l a,,b', 'app=-x', '!a b'])(
    'says why "%s" is no label selector, and then filters nothing by it',
    (text) => {
      const { problem, selector } = typedOf(text);
      expect([problem, selector]).toEqual([expect.stringContaining('invalid label selector'), undefined]);
      expect(typedTest(text)?.(() => 'any pod', {})).not.toBe(false);
    },
  );

  it('selects the same pods as the selector of the library does', () => {
    const key = fc.constantFrom('app', 'tier', 'example.com/team');
    const value = fc.constantFrom('a', 'b', '');
    const requirement = fc.oneof(
      fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
      fc
        .tuple(key, fc.constantFrom(' in ', ' notin '), fc.uniqueArray(value, { minLength: 1 }))
        .map(([name, operator, values]) => `${name}${operator}(${values.join(', ')})`),
      key.map((name) => `!${name}`),
      key,
    );
    const labels = fc.dictionary(key, value);
    fc.assert(
      fc.property(fc.array(requirement, { minLength: 1, maxLength: 3 }), fc.array(labels), (parts, all) => {
        const selector = parts.join(', ');
        const matches = matchesLabelSelector(selector);
        const passes = filterPredicate({ ...noFilter, text: `-l ${selector}` });
        for (const each of all) {
          const pod = aPod({ name: 'web', labels: each });
          expect(passes?.({ pod, pairs: podPairs(pod) }) ?? true).toBe(matches(each));
        }
      }),
    );
  });

  it('narrows by its words and by its selector together', () => {
    const passes = filterPredicate({ ...noFilter, text: 'web tier=front' });
    const is = (name: string, tier: string): boolean | undefined => {
      const pod = aPod({ name, labels: { tier } });
      return passes?.({ pod, pairs: podPairs(pod) });
    };
    expect([is('web-1', 'front'), is('web-1', 'db'), is('api-1', 'front')]).toEqual([true, false, false]);
  });

  it('is kept by the address', () => {
    const text = '-l env in (a,b),!canary';
    const { filter } = parseAddress(formatAddress({ ...parseAddress(''), filter: { ...noFilter, text } }));
    expect([filter.text, isFiltering(filter)]).toEqual([text, true]);
  });
});
