import { V1LabelSelector } from '@kubernetes/client-node';
import { expectTypeOf } from 'expect-type';
import fc from 'fast-check';
import { addEventHandler, createIndexer, matching, type Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import {
  type SelectorRequirement,
  parseLabelSelector,
  formatLabelSelector,
  matchesLabelSelector,
  nothingSelector,
  type LabelSelector,
} from 'rx-informers/resources';
import { countMatching, metaNamespaceKey } from 'rx-informers/store';
import { filterObjects, window$ } from 'rx-informers/views';
import { errorWith } from '../support/error-with.js';

const isIn = (key: string, ...values: string[]): SelectorRequirement => ({ key, operator: 'In', values });
const isNotIn = (key: string, ...values: string[]): SelectorRequirement => ({ key, operator: 'NotIn', values });
const exists = (key: string): SelectorRequirement => ({ key, operator: 'Exists', values: [] });
const isAbsent = (key: string): SelectorRequirement => ({ key, operator: 'DoesNotExist', values: [] });

describe('parseLabelSelector', () => {
  const rows: [string, SelectorRequirement[]][] = [
    ['', []],
    [' \t\r\n', []],
    ['app=web', [isIn('app', 'web')]],
    ['app==web', [isIn('app', 'web')]],
    [' app = web ', [isIn('app', 'web')]],
    ['app!=web', [isNotIn('app', 'web')]],
    ['app=', [isIn('app', '')]],
    ['app=,tier', [isIn('app', ''), exists('tier')]],
    ['app!=', [isNotIn('app', '')]],
    ['app in (web,api)', [isIn('app', 'web', 'api')]],
    ['app in(web , web)', [isIn('app', 'web')]],
    ['app notin (web)', [isNotIn('app', 'web')]],
    ['app in (,web)', [isIn('app', '', 'web')]],
    ['app in (web,)', [isIn('app', 'web', '')]],
    ['app in (web,,api)', [isIn('app', 'web', '', 'api')]],
    ['app in (,)', [isIn('app', '')]],
    ['app in ()', [isIn('app', '')]],
    ['app notin ()', [isNotIn('app', '')]],
    ['app', [exists('app')]],
    ['!app', [isAbsent('app')]],
    ['! app , tier', [isAbsent('app'), exists('tier')]],
    ['a=1,!b,c notin (x),d', [isIn('a', '1'), isAbsent('b'), isNotIn('c', 'x'), exists('d')]],
    ['n>3', [{ key: 'n', operator: 'Gt', values: ['3'] }]],
    ['n < 10', [{ key: 'n', operator: 'Lt', values: ['10'] }]],
    ['in in (in,notin)', [isIn('in', 'in', 'notin')]],
    ['notin notin (in)', [isNotIn('notin', 'in')]],
    ['in', [exists('in')]],
    ['app=in', [isIn('app', 'in')]],
    ['example.com/App_x.y=A-b_c.9', [isIn('example.com/App_x.y', 'A-b_c.9')]],
    [`${'k'.repeat(63)}=${'v'.repeat(63)}`, [isIn('k'.repeat(63), 'v'.repeat(63))]],
  ];
  it.each(rows)('parses the label selector %j', (text, requirements) => {
    expect(parseLabelSelector(text)).toEqual(requirements);
  });

  it.each([
    ['=web', 1, `found '=', expected a label key or '!'`],
    [',', 1, `found ',', expected a label key or '!'`],
    ['app,', 5, `found the end, expected a label key or '!'`],
    ['app,,tier', 5, `found ',', expected a label key or '!'`],
    ['!', 2, 'found the end, expected a label key'],
    ['!!app', 2, `found '!', expected a label key`],
    ['!app=web', 5, `found '=', expected ',' or the end`],
    ['app web', 5, `found 'web', expected '=', '==', '!=', 'in', 'notin', '<', '>', ',' or the end`],
    ['app=web tier', 9, `found 'tier', expected ',' or the end`],
    ['app===web', 6, `found '=', expected a value`],
    ['app>=3', 5, `found '=', expected a value`],
    ['app=(web)', 5, `found '(', expected a value`],
    ['app in', 7, `found the end, expected '('`],
    ['app in web', 8, `found 'web', expected '('`],
    ['app in (web', 12, `found the end, expected ',' or ')'`],
    ['app in (web api)', 13, `found 'api', expected ',' or ')'`],
    ['app in (=)', 9, `found '=', expected a value, ',' or ')'`],
    ['app in (a))', 11, `found ')', expected ',' or the end`],
    ['n>', 3, '"" is not an integer'],
    ['n>x', 3, '"x" is not an integer'],
    ['n<1.5', 3, '"1.5" is not an integer'],
    ['n>9223372036854775808', 3, '"9223372036854775808" is not an integer'],
    ['app=-web', 5, '"-web" is not a label value'],
    ['app=web.', 5, '"web." is not a label value'],
    ['app=wéb', 5, '"wéb" is not a label value'],
    [`app=${'v'.repeat(64)}`, 5, `"${'v'.repeat(64)}" is not a label value`],
    ['a=1,-app', 5, '"-app" is not a label key'],
    ['a/b/c', 1, '"a/b/c" is not a label key'],
    ['/app', 1, '"/app" is not a label key'],
    ['example.com/', 1, '"example.com/" is not a label key'],
    ['Example.com/app', 1, '"Example.com/app" is not a label key'],
    ['k'.repeat(64), 1, `"${'k'.repeat(64)}" is not a label key`],
  ])('throws for %j and names column %d', (text, column, problem) => {
    const attempt = (): unknown => parseLabelSelector(text);
    expect(attempt).toThrow(errorWith('RXI_INVALID_SELECTOR'));
    expect(attempt).toThrow(expect.objectContaining({ selector: text, column, problem }));
    expect(attempt).toThrow(`invalid label selector ${JSON.stringify(text)}: column ${column}: ${problem}`);
  });

  it('returns requirements that can be used as matchExpressions', () => {
    const selector: LabelSelector = { matchExpressions: parseLabelSelector('app in (web),n>3') };
    expect(matchesLabelSelector(selector)({ app: 'web', n: '4' })).toBe(true);
  });
});

describe('matchesLabelSelector', () => {
  const web = { app: 'web', tier: '', n: '7' };

  it.each<[LabelSelector, boolean]>([
    ['', true],
    [{}, true],
    ['app=web', true],
    ['app=api', false],
    ['missing=web', false],
    ['missing=', false],
    ['tier=', true],
    ['app!=api', true],
    ['app!=web', false],
    ['missing!=web', true],
    ['app in (api,web)', true],
    ['missing in (api,web)', false],
    ['app notin (api,web)', false],
    ['missing notin (api,web)', true],
    ['app,tier', true],
    ['missing', false],
    ['!missing', true],
    ['!app', false],
    ['app=web,app!=web', false],
    ['n>6', true],
    ['n>7', false],
    ['n<8', true],
    ['n<7', false],
    ['missing>0', false],
    ['app>0', false],
    ['tier<1', false],
    ['toString', false],
    ['!constructor', true],
    [{ matchLabels: { app: 'web', tier: '' } }, true],
    [{ matchLabels: { app: 'web', tier: 'x' } }, false],
    [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, false],
    [{ matchLabels: { app: 'web' }, matchExpressions: [{ key: 'missing', operator: 'DoesNotExist' }] }, true],
    [{ matchLabels: undefined, matchExpressions: undefined }, true],
  ])('the label selector %j matches: %p', (selector, expected) => {
    expect(matchesLabelSelector(selector)(web)).toBe(expected);
  });

  it('compares integers as integers, even beyond 2^53', () => {
    expect(matchesLabelSelector('n>9007199254740992')({ n: '9007199254740993' })).toBe(true);
    expect(matchesLabelSelector('n>9')({ n: '10' })).toBe(true);
    expect(matchesLabelSelector('n>9')({ n: '1e9' })).toBe(false);
    expect(matchesLabelSelector('n>9')({ n: '99999999999999999999' })).toBe(false);
    expect(matchesLabelSelector('n>9')({ n: '010' })).toBe(true);
  });

  it('treats an object without labels like one with empty labels', () => {
    expect(matchesLabelSelector('!app')(undefined)).toBe(true);
    expect(matchesLabelSelector('app')(undefined)).toBe(false);
  });

  it('S16: never reads labels for an empty selector', () => {
    const labels = new Proxy({}, { get: fail, has: fail, getOwnPropertyDescriptor: fail });
    expect(matchesLabelSelector('')(labels)).toBe(true);
  });

  it('S16: supports a selector that matches nothing', () => {
    const matches = matchesLabelSelector(nothingSelector);
    expect([matches(undefined), matches({}), matches({ nothing: 'x' })]).toEqual([false, false, false]);
  });

  it.each<[unknown, string]>([
    [{ matchLabels: { '-': 'x' } }, '-: "-" is not a label key'],
    [{ matchLabels: { app: '-' } }, 'app: "-" is not a label value'],
    [{ matchLabels: { app: 7 } }, 'app: 7 is not a label value'],
    [{ matchExpressions: [{ key: 'app', operator: 'In' }] }, 'app: In needs at least one value'],
    [{ matchExpressions: [{ key: 'app', operator: 'Exists', values: ['x'] }] }, 'app: Exists takes no values'],
    [{ matchExpressions: [{ key: 'app', operator: 'Equals', values: ['x'] }] }, 'app: there is no operator "Equals"'],
    [{ matchExpressions: [{ key: 'n', operator: 'Gt', values: ['1', '2'] }] }, 'n: Gt needs one value, not 2'],
    [null, 'it must be a string or an object'],
    [undefined, 'it must be a string or an object'],
    [['app=web'], 'it must be a string or an object'],
    [[], 'it must be a string or an object'],
    [new Map([['app', 'web']]), 'it must be a string or an object'],
    [Promise.resolve('app=web'), 'it must be a string or an object'],
    [{ app: 'web' }, expect.stringContaining('it has the field "app"')],
    [{ app: undefined }, expect.stringContaining('it has the field "app"')],
    [{ matchLabel: { app: 'web' } }, expect.stringContaining('it has the field "matchLabel"')],
    [{ matchLabels: { app: 'web' }, app: 'web' }, expect.stringContaining('it has the field "app"')],
    [{ matchLabels: ['app'] }, 'matchLabels must be a map of labels'],
    [{ matchLabels: 'app' }, 'matchLabels must be a map of labels'],
    [{ matchLabels: new Map([['app', 'web']]) }, 'matchLabels must be a map of labels'],
    [{ matchExpressions: { key: 'app', operator: 'Exists' } }, 'matchExpressions must be an array'],
  ])('throws for %j before anything is matched', (selector, problem) => {
    const attempt = (): unknown => matchesLabelSelector(selector as LabelSelector);
    expect(attempt).toThrow(errorWith('RXI_INVALID_SELECTOR'));
    expect(attempt).toThrow(expect.objectContaining({ problem, column: undefined }));
  });

  it('says for a map of labels how to write it as a selector', () => {
    expect(() => matchesLabelSelector({ app: 'web' } as LabelSelector)).toThrow(
      'invalid label selector {"app":"web"}: it has the field "app", but only matchLabels and matchExpressions are fields of a selector; ' +
        'write a map of labels as { matchLabels }, and the selector of a Service as serviceSelector(service)',
    );
  });

  it('treats null as an absent field, as the API server does', () => {
    const selector = { matchLabels: { app: 'web' }, matchExpressions: null } as unknown as LabelSelector;
    expect(formatLabelSelector(selector)).toBe('app=web');
    expect(formatLabelSelector({ matchLabels: null } as unknown as LabelSelector)).toBe('');
  });

  it("accepts client-node's V1LabelSelector", () => {
    const selector = Object.assign(new V1LabelSelector(), { matchLabels: { app: 'web' } });
    expect(formatLabelSelector(selector)).toBe('app=web');
    expectTypeOf<V1LabelSelector>().toExtend<LabelSelector>();
  });
});

describe('a map of labels, such as the selector of a Service', () => {
  const map = { app: 'web' } as LabelSelector;
  const pods = createIndexer<Pod>(metaNamespaceKey);
  it.each<[string, () => unknown]>([
    ['list$', () => pods.list$(map)],
    ['matching', () => pods.query(matching(map))],
    ['countMatching', () => pods.query(countMatching(map))],
    ['filterObjects', () => filterObjects(map)],
    ['addEventHandler', () => addEventHandler(pods, {}, { where: map })],
    ['derived.filter', () => derived.filter(pods, map)],
    ['window$', () => window$(pods, { selector: map })],
    ['formatLabelSelector', () => formatLabelSelector(map)],
  ])('throws in %s instead of selecting every object', (_name, attempt) => {
    expect(attempt).toThrow(errorWith('RXI_INVALID_SELECTOR'));
  });
});

describe('formatLabelSelector', () => {
  it.each<[LabelSelector, string]>([
    ['', ''],
    [{}, ''],
    [' app == web ', 'app=web'],
    ['b,a', 'a,b'],
    ['a,a', 'a'],
    ['app in (web)', 'app=web'],
    ['app in (web,api)', 'app in (api,web)'],
    ['app notin (web)', 'app!=web'],
    ['app notin (web,)', 'app notin (,web)'],
    ['app in (,)', 'app='],
    ['!app,n>3,m<4', '!app,m<4,n>3'],
    [
      { matchLabels: { tier: 'x', app: 'web' }, matchExpressions: [{ key: 'canary', operator: 'DoesNotExist' }] },
      '!canary,app=web,tier=x',
    ],
  ])('writes %j as %j', (selector, text) => {
    expect(formatLabelSelector(selector)).toBe(text);
  });

  const key = fc.constantFrom('app', 'tier', 'in', 'notin');
  const value = fc.constantFrom('', 'a', 'b', 'in', '7', '12');
  const labels = fc.dictionary(key, value);
  const requirement = fc.oneof(
    fc.record({
      key,
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.array(value, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    fc.record({ key, operator: fc.constantFrom('Gt', 'Lt'), values: fc.tuple(fc.constantFrom('7', '10')) }),
  );
  const selectors = fc.record({ matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 3 }) });

  it('returns a text that parses to an equivalent selector', () => {
    fc.assert(
      fc.property(selectors, labels, (selector, candidate) => {
        const text = formatLabelSelector(selector);
        expect(matchesLabelSelector(text)(candidate)).toBe(matchesLabelSelector(selector)(candidate));
        expect(formatLabelSelector(text)).toBe(text);
      }),
    );
  });

  it('returns the same text for any order of the requirements', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (matchExpressions) => {
        const reversed = [...matchExpressions].reverse();
        expect(formatLabelSelector({ matchExpressions: reversed })).toBe(formatLabelSelector({ matchExpressions }));
      }),
    );
  });
});

function fail(): never {
  throw new Error('labels were read');
}
