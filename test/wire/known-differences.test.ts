import { differences } from './compare.js';
import { covers, knownDifferences, parseTable } from './known-differences.js';
import { normalise } from './normalise.js';
import { scenarios } from './scenarios.js';
import type { Step } from './session.js';

const step = (body: unknown): Step =>
  ({ step: 'first', request: 'GET /', status: 200, headers: {}, body }) as unknown as Step;
const names = { namespace: 'wire-x', unique: 'x1x' };
const table = `
| scenario | step | field | what differs |
| --- | --- | --- | --- |
| \`a\` | \`first\` | \`body.items.*.kind\` | words |
`;

describe('the table of known differences', () => {
  it('matches exactly its scenario, step and field', () => {
    const [row] = parseTable(table);
    const [kind] = differences([step({ items: [{ kind: 'A' }] })], [step({ items: [{}] })]);
    const [name] = differences([step({ items: [{ name: 'A' }] })], [step({ items: [{}] })]);
    expect(kind).toEqual({ step: 'first', field: 'body.items.0.kind', expected: 'A', actual: undefined });
    expect(covers(row!, 'a', kind!)).toBe(true);
    expect(covers(row!, 'a', name!)).toBe(false);
    expect(covers(row!, 'b', kind!)).toBe(false);
  });

  it('is refused if a row lacks a cell', () => {
    expect(() => parseTable(`${table}| \`a\` | \`first\` | |\n`)).toThrow('not a row of four cells');
  });

  it('names only existing scenarios', () => {
    const known = new Set(['*', ...scenarios.map(({ name }) => name)]);
    expect(knownDifferences().filter(({ scenario }) => !known.has(scenario))).toEqual([]);
  });

  it('is not empty', () => {
    expect(knownDifferences().length).toBeGreaterThan(0);
  });
});

describe('a normalised transcript', () => {
  const object = (uid: string, resourceVersion: string) => ({
    metadata: { uid: `00000000-0000-4000-8000-00000000000${uid}`, resourceVersion, namespace: 'wire-x' },
  });

  it('keeps the order of versions and which object is which, but not their values', () => {
    const [early] = normalise([step([object('1', '10'), object('2', '30'), object('1', '20')])], names);
    const [late] = normalise([step([object('5', '110'), object('4', '999'), object('5', '500')])], names);
    expect(early).toEqual(late);
    const [otherOrder] = normalise([step([object('1', '10'), object('2', '20'), object('1', '30')])], names);
    expect(otherOrder).not.toEqual(early);
  });

  it('ignores writes of others between two versions', () => {
    const list = (resourceVersion: string) => [step([object('1', '10'), { metadata: { resourceVersion } }])];
    expect(normalise(list('10'), names)).toEqual(normalise(list('17'), names));
    expect(normalise(list('9'), names)).not.toEqual(normalise(list('10'), names));
  });
});
