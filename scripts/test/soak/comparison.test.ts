import { readFileSync } from 'node:fs';
import { projectRoot } from '../../project/entry-points.js';
import { compare } from '../../soak/comparison.js';
import { replaceOnce } from '../../soak/find-planted-bugs.js';
import { viewOf, type Observer } from '../../soak/observers/observer.js';
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

describe('planted bugs', () => {
  test.each(plantedBugs)('the text that "$name" replaces occurs once in its file', ({ file, find, replace }) => {
    const text = readFileSync(`${projectRoot}/${file}`, 'utf8');

    expect(replaceOnce(text, find, replace)).not.toBe(text);
  });
});
