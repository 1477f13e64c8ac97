import { tap } from 'rxjs';
import { listWatch } from 'rx-informers';
import type { ListWatchOptions } from '../../src/sources/list-watch.js';
import { podOf, pods, type Pod } from '../fixtures/pods.js';
import { endBookmark, line } from '../fixtures/wire.js';
import { respond, scriptedClient } from './support/scripted-client.js';
import { timeline } from './support/timeline.js';

const onNode = (spelled: string): Pod => ({ ...podOf(spelled), spec: { nodeName: 'a-node-with-a-long-name' } });

/** Listed objects, then those of the watch. */
function objectsOf(text: string, options: ListWatchOptions<Pod> = {}): readonly Pod[] {
  const seen: Pod[] = [];
  const source = listWatch(scriptedClient([respond([[1, text]])]), pods, options);
  timeline(
    () =>
      source.pipe(
        tap((batch) => {
          for (const event of batch) {
            if (event.type === 'LISTED') seen.push(...event.items);
            else if ('object' in event) seen.push(event.object);
          }
        }),
      ),
    100,
  );
  return seen;
}

const text =
  line('ADDED', onNode('a@1')) + line('ADDED', onNode('b@2')) + endBookmark('5') + line('ADDED', onNode('c@6'));

describe('listWatch: the objects of a streaming list', () => {
  it('take over what equals the object before them', () => {
    const [first, second] = objectsOf(text);
    expect(second).toEqual(onNode('b@2'));
    expect(second?.spec).toBe(first?.spec);
  });

  it('do so no more behind the end of the list, where the store knows better', () => {
    const [first, , third] = objectsOf(text);
    expect(third).toEqual(onNode('c@6'));
    expect(third?.spec).not.toBe(first?.spec);
  });

  it('share nothing with shareAcrossObjects: false', () => {
    const [first, second] = objectsOf(text, { shareAcrossObjects: false });
    expect(second?.spec).not.toBe(first?.spec);
  });

  it('are shared after transform, which sees none that holds a part of another', () => {
    const touched = (pod: Pod): Pod => Object.assign(pod, { spec: { ...pod.spec, touched: true } });
    const nodes: unknown[] = [];
    const transform = (pod: Pod): Pod => {
      nodes.push(pod.spec);
      return touched(pod);
    };
    const [first, second] = objectsOf(text, { transform });
    expect(nodes).toEqual(Array.from({ length: 3 }, () => ({ nodeName: 'a-node-with-a-long-name' })));
    expect(second?.spec).toBe(first?.spec);
  });
});
