import { allOf, annotationsChanged, anyOf, generationChanged, labelsChanged, noneOf } from 'rx-informers';
import { changed, finalizersChanged, resourceVersionChanged, type UpdatePredicate } from 'rx-informers/store';
import { updated } from '../fixtures/changes.js';
import { aPod, type Pod } from '../fixtures/pods.js';

type Metadata = Partial<Pod['metadata']>;
type Row = readonly [before: Metadata, after: Metadata, expected: boolean];

const bare: Pod = aPod();

function judge(predicate: UpdatePredicate<Pod>, before: Metadata, after: Metadata): boolean {
  return predicate(updated(aPod(before), aPod(after)));
}

describe('the update predicate generationChanged', () => {
  const rows: readonly Row[] = [
    [{ generation: 1 }, { generation: 2 }, true],
    [{ generation: 1 }, { generation: 1, labels: { app: 'x' } }, false],
    [{}, { generation: 1 }, true],
    [{ resourceVersion: '1' }, { resourceVersion: '2' }, false],
  ];
  it.each(rows.map((row) => [...row] as const))(
    'returns for a change of %j to %j the result %p',
    (before, after, expected) => {
      expect(judge(generationChanged, before, after)).toBe(expected);
    },
  );
});

describe('the update predicate resourceVersionChanged', () => {
  it('is true for another version and false for a resync', () => {
    expect(judge(resourceVersionChanged, { resourceVersion: '1' }, { resourceVersion: '2' })).toBe(true);
    expect(resourceVersionChanged(updated(bare, bare))).toBe(false);
  });
});

describe.each([
  ['labelsChanged', labelsChanged, 'labels'],
  ['annotationsChanged', annotationsChanged, 'annotations'],
] as const)('the update predicate %s', (_name, predicate, field) => {
  it.each([
    [{ app: 'x' }, { app: 'x' }, false],
    [{ app: 'x', tier: 'y' }, { tier: 'y', app: 'x' }, false],
    [{ app: 'x' }, { app: 'y' }, true],
    [{ app: 'x' }, { tier: 'x' }, true],
    [{ app: 'x' }, {}, true],
    [{}, { app: 'x' }, true],
    [undefined, { app: 'x' }, true],
    [{ app: 'x' }, undefined, true],
    [undefined, {}, false],
    [{ toString: 'x' }, { other: 'x' }, true],
  ])('returns for a change of %j to %j, by content, the result %p', (before, after, expected) => {
    expect(judge(predicate, before ? { [field]: before } : {}, after ? { [field]: after } : {})).toBe(expected);
  });

  it('ignores everything else', () => {
    expect(judge(predicate, { generation: 1, finalizers: ['f'] }, { generation: 2 })).toBe(false);
  });
});

describe('the update predicate finalizersChanged', () => {
  it.each([
    [['f'], ['f'], false],
    [['f'], ['g'], true],
    [['f'], ['f', 'g'], true],
    [['f', 'g'], ['f'], true],
    [['f', 'g'], ['g', 'f'], true],
    [undefined, [], false],
    [undefined, ['f'], true],
  ])('returns for a change of %j to %j the result %p', (before, after, expected) => {
    expect(judge(finalizersChanged, before ? { finalizers: before } : {}, { finalizers: after })).toBe(expected);
  });
});

describe('the update predicate changed', () => {
  const onNode = (nodeName: string): Pod => aPod({ node: nodeName });
  const update = updated(onNode('n1'), onNode('N1'));

  it('compares the results of the projection', () => {
    expect(changed((pod: Pod) => pod.spec.nodeName)(update)).toBe(true);
    expect(changed((pod: Pod) => pod.metadata.name)(update)).toBe(false);
  });

  it('compares with the given function', () => {
    const ignoringCase = (previous?: string, next?: string): boolean => previous?.toLowerCase() === next?.toLowerCase();
    expect(changed((pod: Pod) => pod.spec.nodeName, ignoringCase)(update)).toBe(false);
  });

  it('treats NaN as equal to itself', () => {
    expect(changed(() => NaN)(update)).toBe(false);
  });
});

describe('combinations of update predicates', () => {
  const yes = (): boolean => true;
  const no = (): boolean => false;
  const never = (): boolean => {
    throw new Error('must not be asked');
  };
  const update = updated(bare, bare);

  it('allOf is true if all are, and stops at the first that is not', () => {
    expect(allOf(yes, yes)(update)).toBe(true);
    expect(allOf(yes, no, never)(update)).toBe(false);
    expect(allOf()(update)).toBe(true);
  });

  it('anyOf is true if one is, and stops there', () => {
    expect(anyOf(no, yes, never)(update)).toBe(true);
    expect(anyOf(no, no)(update)).toBe(false);
    expect(anyOf()(update)).toBe(false);
  });

  it('noneOf is true if none is, and negates a single one', () => {
    expect(noneOf(no, no)(update)).toBe(true);
    expect(noneOf(no, yes, never)(update)).toBe(false);
    expect(noneOf(yes)(update)).toBe(false);
  });
});
