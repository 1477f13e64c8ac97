import { readFileSync } from 'node:fs';
import type { ChangeSet, KubernetesObject } from 'rx-informers';
import { Subject, Subscription } from 'rxjs';
import { projectRoot } from '../../project/entry-points.js';
import { compare } from '../../soak/comparison.js';
import { replaceOnce } from '../../soak/find-planted-bugs.js';
import { fold, viewOf, type Observer } from '../../soak/observers/observer.js';
import { plantedBugs } from '../../soak/planted-bugs.js';

const object = (name: string, uid: string, resourceVersion = '1') => ({
  metadata: { namespace: 'a', name, uid, resourceVersion },
});

function differencesOf(shown: readonly object[], listed: readonly object[]) {
  const observer = { name: 'observer', views: [viewOf('list', () => shown)] } as Partial<Observer> as Observer;
  return compare([observer], listed, 0).differences;
}

describe('the soak compares each view with the server', () => {
  test('a view that shows exactly what is listed does not differ, in any order', () => {
    const [first, second] = [object('x', '1'), object('y', '2')];

    expect(differencesOf([first, second], [second, first])).toEqual([]);
  });

  test('an object under the same name with another uid is lost, and the shown one is a phantom', () => {
    expect(differencesOf([object('x', 'old')], [object('x', 'new')])).toEqual([
      { observer: 'observer', view: 'list', lost: ['a/x new@1'], phantom: ['a/x old@1'] },
    ]);
  });

  test('an object that a view shows twice is a phantom', () => {
    const shown = object('x', '1');

    expect(differencesOf([shown, shown], [shown])).toMatchObject([{ lost: [], phantom: ['a/x 1@1'] }]);
  });
});

describe('the soak compares each change with the state before it', () => {
  const generation = (version: number): KubernetesObject => ({
    metadata: { namespace: 'a', name: 'x', uid: '1', generation: version },
  });
  const update = (reason: 'watch' | 'relist', from: number, to: number, seesEveryUpdate = true): readonly string[] => {
    const changes$ = new Subject<ChangeSet<KubernetesObject>>();
    const contradictions: string[] = [];
    fold(changes$, contradictions, new Subscription(), seesEveryUpdate);
    const [previous, object] = [generation(from), generation(to)];
    changes$.next({ reason: 'initial', changes: [{ type: 'added', key: 'a/x', object: previous }] });
    changes$.next({ reason, changes: [{ type: 'updated', key: 'a/x', object, previous }] });
    return contradictions;
  };

  test('an update by the watch that skips a generation is a contradiction', () => {
    expect(update('watch', 1, 2)).toEqual([]);
    expect(update('watch', 1, 3)).toEqual(['watch skips a generation of a/x']);
  });

  test('a list may skip generations, and so may a watch that merges updates', () => {
    expect(update('relist', 1, 3)).toEqual([]);
    expect(update('watch', 1, 3, false)).toEqual([]);
  });
});

describe('planted bugs', () => {
  test.each(plantedBugs)('the text that "$name" replaces occurs once in its file', ({ file, find, replace }) => {
    const text = readFileSync(`${projectRoot}/${file}`, 'utf8');

    expect(replaceOnce(text, find, replace)).not.toBe(text);
  });
});
