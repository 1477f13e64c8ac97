import fc from 'fast-check';
import {
  findCondition,
  isConditionTrue,
  removeCondition,
  setCondition,
  type Condition,
  edit,
} from 'rx-informers/controller';
import { stage, website, type Website } from './support/stage.js';

const at = (milliseconds: number) => ({ now: () => milliseconds });
const ready = { type: 'Ready', status: 'True', reason: 'AllUp', message: '' } as const;
const conditions: readonly Condition[] = [
  { type: 'Synced', status: 'True', reason: 'Done', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' },
  { ...ready, lastTransitionTime: '2024-01-02T00:00:00Z', observedGeneration: 3 },
];

describe('setCondition', () => {
  it('appends a condition that is not there, with the time in whole seconds', () => {
    expect(setCondition(undefined, ready, at(1_999))).toEqual([
      { ...ready, lastTransitionTime: '1970-01-01T00:00:01Z' },
    ]);
    expect(setCondition([conditions[0]!], ready, at(0)).map(({ type }) => type)).toEqual(['Synced', 'Ready']);
  });

  it('has a new time where the status changes, and stands where it stood', () => {
    const failed = { type: 'Synced', status: 'False', reason: 'Failed', message: 'no' } as const;
    const next = setCondition(conditions, failed, at(60_000));
    expect(next).toEqual([{ ...failed, lastTransitionTime: '1970-01-01T00:01:00Z' }, conditions[1]]);
    expect(next[1]).toBe(conditions[1]);
  });

  it('keeps the time where only reason, message or observedGeneration change', () => {
    const next = setCondition(conditions, { ...ready, reason: 'Again', observedGeneration: 4 }, at(60_000));
    expect(next[1]).toEqual({
      ...ready,
      reason: 'Again',
      observedGeneration: 4,
      lastTransitionTime: '2024-01-02T00:00:00Z',
    });
  });

  it('returns the same array if nothing changes', () => {
    expect(setCondition(conditions, { ...ready, observedGeneration: 3 }, at(60_000))).toBe(conditions);
    expect(setCondition(conditions, { ...ready }, at(60_000))).toBe(conditions);
  });

  it('takes the time that the condition itself names', () => {
    const lastTransitionTime = '2020-01-01T00:00:00Z';
    const unknown = { ...ready, status: 'Unknown', lastTransitionTime } as const;
    expect(findCondition(setCondition(conditions, unknown, at(0)), 'Ready')).toMatchObject(unknown);
    expect(setCondition(undefined, unknown, at(0))).toEqual([unknown]);
  });

  it('keeps what other fields a kind of condition has', () => {
    const progressing = [{ type: 'Progressing', status: 'True', lastUpdateTime: 'then' }];
    expect(setCondition(progressing, { type: 'Progressing', status: 'False', lastUpdateTime: 'now' }, at(0))).toEqual([
      { type: 'Progressing', status: 'False', lastUpdateTime: 'now', lastTransitionTime: '1970-01-01T00:00:00Z' },
    ]);
  });

  it('never has two of a type, changes its argument, or moves a time back where the status stays', () => {
    const anyCondition = fc.record({
      type: fc.constantFrom('A', 'B', 'C'),
      status: fc.constantFrom('True' as const, 'False' as const),
      reason: fc.constantFrom('x', 'y'),
      message: fc.constant(''),
    });
    fc.assert(
      fc.property(fc.array(anyCondition), (script) => {
        let known: readonly Condition[] = [];
        script.forEach((condition, step) => {
          const before = structuredClone(known);
          const next = setCondition(Object.freeze(known), condition, at(step * 1_000));
          expect(known).toEqual(before);
          expect(new Set(next.map(({ type }) => type)).size).toBe(next.length);
          expect(next).toContainEqual(expect.objectContaining(condition));
          const previous = findCondition(known, condition.type);
          const kept = findCondition(next, condition.type)?.lastTransitionTime === previous?.lastTransitionTime;
          expect(kept).toBe(previous?.status === condition.status);
          known = next;
        });
      }),
    );
  });

  it('comes down to the smallest patch in an edit of the status, and to none where it says nothing new', () => {
    const { run, putWebsite, websites, patches, requests } = stage();
    const object = putWebsite(website());
    const report = (on: Website, message: string) =>
      edit(
        websites,
        on,
        (draft) => {
          draft.status ??= {};
          draft.status.conditions = setCondition(draft.status.conditions, { ...ready, message }, at(0));
        },
        { subresource: 'status' },
      );
    const [first] = run(report(object, '')).values;
    const [second] = run(report(first!, 'all up')).values;
    expect(patches.at(-1)).toEqual([{ op: 'replace', path: '/status/conditions/0/message', value: 'all up' }]);
    expect(run(report(second!, 'all up')).values[0]).toBe(second);
    expect(requests).toHaveLength(2);
  });
});

describe('conditions', () => {
  it('are found by their type', () => {
    expect(findCondition(conditions, 'Ready')).toBe(conditions[1]);
    expect(findCondition(conditions, 'Other')).toBeUndefined();
    expect(findCondition(undefined, 'Ready')).toBeUndefined();
  });

  it('are true only where they are there and say so', () => {
    expect(isConditionTrue(conditions, 'Ready')).toBe(true);
    expect(isConditionTrue(setCondition(conditions, { ...ready, status: 'Unknown' }), 'Ready')).toBe(false);
    expect(isConditionTrue(conditions, 'Other')).toBe(false);
    expect(isConditionTrue(undefined, 'Ready')).toBe(false);
  });

  it('are removed by their type; the array stays the same where there is none', () => {
    expect(removeCondition(conditions, 'Ready')).toEqual([conditions[0]]);
    expect(removeCondition(conditions, 'Other')).toBe(conditions);
    expect(removeCondition(undefined, 'Ready')).toEqual([]);
  });
});
