import { createIndexer, informer, listWatch } from 'rx-informers';
import type { ResponsePart } from 'rx-informers/client';
import { concat, NEVER, of, VirtualTimeScheduler } from 'rxjs';
import { podOf, pods, type Pod } from '../fixtures/pods.js';
import { line, podList } from '../fixtures/wire.js';
import { scriptedClient, type Answer } from '../sources/support/scripted-client.js';

interface Thing {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly labels: Readonly<Record<string, string>>; readonly revision: number };
}

const aThing = (version: number): Thing => ({
  metadata: { name: 'a', resourceVersion: String(version) },
  spec: { labels: { app: 'shop' }, revision: version },
});

/** An object with all the parts in it, to compare by identity. */
const partsOf = (thing: Thing | undefined): readonly unknown[] => [
  thing,
  thing?.metadata,
  thing?.spec,
  thing?.spec.labels,
];

describe('a published object is never written to without freezing, as in production', () => {
  it('by another collection to which it is added after a version was skipped', () => {
    const first = createIndexer<Thing>(({ metadata }) => metadata.name, {}, { freeze: false });
    const second = createIndexer<Thing>(({ metadata }) => metadata.name, {}, { freeze: false });
    first.add(aThing(1));
    second.add(aThing(1));
    first.update(aThing(2));
    first.update(aThing(3));
    const published = first.get('a') as Thing;
    const parts = partsOf(published);

    second.update(published);

    expect(partsOf(first.get('a'))).toEqual(parts);
    partsOf(first.get('a')).forEach((part, position) => expect(part).toBe(parts[position]));
    expect(second.get('a')).toEqual(aThing(3));
  });

  it('by an informer whose transform returns it, in a list or from the watch', () => {
    const nodeOf = (name: string): Pod => ({ ...podOf(name), spec: { nodeName: 'a-node-with-a-long-name' } });
    const known = new Map(['a@1', 'b@2', 'c@3', 'a@4'].map((name) => [name, nodeOf(name)]));
    const specs = [...known.values()].map(({ spec }) => spec);
    const transform = (pod: Pod): Pod => known.get(`${pod.metadata.name}@${pod.metadata.resourceVersion}`) ?? pod;
    const scheduler = new VirtualTimeScheduler();
    const list = respondNow(podList('9', ['a@1', 'b@2', 'c@3']));
    const watch = respondNow(line('MODIFIED', nodeOf('a@4')), true);
    const cache = informer(
      listWatch(scriptedClient([list, watch, NEVER]), pods, { initialList: 'pages', transform, scheduler }),
      { freeze: false, scheduler },
    );
    const connection = cache.connect();
    expect(cache.get('web/a')?.metadata.resourceVersion).toBe('4');
    expect(cache.get('web/b')?.spec).toBe(cache.get('web/c')?.spec);
    [...known.values()].forEach(({ spec }, position) => expect(spec).toBe(specs[position]));
    connection.unsubscribe();
  });
});

/** An answer without time: all of it comes in the subscription; a watch stays open. */
function respondNow(text: string, isOpen = false): Answer {
  const answer: Answer = of<ResponsePart[]>(
    { type: 'head', status: 200, headers: { 'content-type': 'application/json' } },
    { type: 'bytes', bytes: new TextEncoder().encode(text) },
  );
  return isOpen ? concat(answer, NEVER) : answer;
}
