import fc from 'fast-check';
import { createIndexer, informer, type Change, type ChangeSet, type Pod, addEventHandler } from 'rx-informers';
import { metaNamespaceKey, type WatchEvent } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { filterObjects } from 'rx-informers/views';
import { map, Subject } from 'rxjs';
import { errorWith } from '../support/error-with.js';
import { until } from '../support/until.js';

const version = (resourceVersion: number, app: string, name = 'a'): Pod =>
  aPod({ name, resourceVersion: String(resourceVersion), labels: { app } });
const textOf = ({ metadata }: Pod): string => `${metadata.name}@${metadata.resourceVersion}`;
const textOfChange = (change: Change<Pod>): string =>
  change.type === 'updated'
    ? `updated ${textOf(change.previous)}→${textOf(change.object)}`
    : `${change.type} ${textOf(change.object)}`;
const textOfSet = ({ reason, changes }: ChangeSet<Pod>): string =>
  changes.length === 0 ? reason : `${reason}: ${changes.map(textOfChange).join(', ')}`;

/** An informer, and what the selection `app=web` of its changes emits. */
function running() {
  const source = new Subject<WatchEvent<Pod>>();
  const pods = informer(source, { linger: 0 });
  const seen: string[] = [];
  pods.changes$.pipe(filterObjects('app=web'), map(textOfSet)).subscribe((text) => seen.push(text));
  const list = (...items: readonly Pod[]): void => source.next({ type: 'LISTED', items, resourceVersion: '1' });
  return { source, pods, seen, list };
}

describe('filterObjects', () => {
  it('D10: an object that enters the selection is added, one that leaves it deleted as it was in the selection', () => {
    const { source, seen, list } = running();
    list(version(1, 'db'));
    expect(seen.splice(0)).toEqual(['initial']);
    source.next({ type: 'MODIFIED', object: version(2, 'web') });
    source.next({ type: 'MODIFIED', object: version(3, 'web') });
    source.next({ type: 'MODIFIED', object: version(4, 'db') });
    source.next({ type: 'MODIFIED', object: version(5, 'db') });
    expect(seen).toEqual(['watch: added a@2', 'watch: updated a@2→a@3', 'watch: deleted a@3']);
  });

  it('D10: additions and deletions of selected objects are emitted, others are not', () => {
    const { source, seen, list } = running();
    list(version(1, 'web', 'a'), version(1, 'db', 'b'));
    source.next({ type: 'ADDED', object: version(2, 'db', 'c') });
    source.next({ type: 'DELETED', object: version(3, 'db', 'c') });
    source.next({ type: 'DELETED', object: version(3, 'web', 'a') });
    expect(seen).toEqual(['initial: added a@1', 'watch: deleted a@3']);
  });

  it('▲ D10: the deletion of a selected object is emitted even if its final state is not selected', () => {
    const { source, seen, list } = running();
    list(version(1, 'web'));
    source.next({ type: 'DELETED', object: version(2, 'db') });
    expect(seen).toEqual(['initial: added a@1', 'watch: deleted a@2']);
  });

  it('drops change sets that become empty, and keeps the reason of others', () => {
    const { seen, list } = running();
    list(version(1, 'web', 'a'));
    list(version(1, 'web', 'a'), version(1, 'db', 'b'));
    list(version(1, 'db', 'b'));
    expect(seen).toEqual(['initial: added a@1', 'relist: deleted a@1']);
  });

  it('throws at once for an invalid selector', () => {
    expect(() => filterObjects('a in')).toThrow(errorWith('RXI_INVALID_SELECTOR'));
  });

  it('contains exactly the selected objects after any changes, for each subscriber separately', () => {
    const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), app: fc.constantFrom('web', 'db', undefined) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const pods = createIndexer<Pod>(metaNamespaceKey);
        const isWeb = (pod: Pod): boolean => pod.metadata.labels?.['app'] === 'web';
        const selected$ = pods.changes$.pipe(filterObjects(isWeb));
        const follow = (): Map<string, Pod> => {
          const stored = new Map<string, Pod>();
          selected$.subscribe(({ changes }) => {
            for (const { type, key, object } of changes) {
              expect(stored.has(key)).toBe(type !== 'added');
              if (type === 'deleted') stored.delete(key);
              else stored.set(key, object);
            }
          });
          return stored;
        };
        const early = follow();
        steps.forEach(({ name, app }, at) => {
          if (app === undefined) pods.delete(`default/${name}`);
          else pods.update(version(at, app, name));
        });
        const expected = pods.list().filter(isWeb);
        for (const stored of [early, follow()]) {
          expect([...stored.keys()].sort().map((key) => stored.get(key))).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('addEventHandler with a where function', () => {
  it('D10: calls onAdd for an object that enters the selection and onDelete for one that leaves it', async () => {
    const { source, pods, list } = running();
    const calls: string[] = [];
    list(version(1, 'db'));
    addEventHandler(
      pods,
      {
        onAdd: (pod, { isInInitialList }) => calls.push(`add ${textOf(pod)} ${String(isInInitialList)}`),
        onUpdate: (previous, pod) => calls.push(`update ${textOf(previous)}→${textOf(pod)}`),
        onDelete: (pod) => calls.push(`delete ${textOf(pod)}`),
      },
      { where: 'app=web' },
    );
    source.next({ type: 'MODIFIED', object: version(2, 'web') });
    source.next({ type: 'MODIFIED', object: version(3, 'web') });
    source.next({ type: 'MODIFIED', object: version(4, 'db') });
    await until(() => calls.length === 3);
    expect(calls).toEqual(['add a@2 false', 'update a@2→a@3', 'delete a@3']);
    pods.stop();
  });
});
