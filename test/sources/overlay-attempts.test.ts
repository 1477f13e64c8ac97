import { informer, listWatch } from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import type { WatchEvent } from 'rx-informers/store';
import { informerTest, virtualClock } from 'rx-informers/testing';
import { asyncScheduler, Subject } from 'rxjs';
import { podOf, pods as podResource, spell, type Pod } from '../fixtures/pods.js';
import { overlaidScript, readEvent } from './support/overlay-script.js';
import { open } from './support/run-list-watch.js';
import { scriptedClient } from './support/scripted-client.js';
import { describeEvent } from './support/timeline.js';

const on = (node: string) => (pod: Pod) => ({ ...pod, spec: { ...pod.spec, nodeName: node } }) as Pod;

/**
 * An informer over an overlay that holds a@3 and b@8, and what it shows: versions, and nodes where
 * an attempt named one.
 */
function shown() {
  const source = new Subject<readonly WatchEvent<Pod>[]>();
  const overlaid = overlay(source, { scheduler: virtualClock() });
  const pods = informer(overlaid);
  pods.connect();
  const play = (text: string): void => {
    source.next(text.split(', ').map(readEvent));
  };
  play('LISTED 9(a@3 b@8)');
  const nodeOf = (pod: Pod) => (pod as { readonly spec?: { readonly nodeName?: string } }).spec?.nodeName;
  const now = () =>
    pods
      .list()
      .map((pod) => (nodeOf(pod)?.startsWith('n') === true ? `${pod.metadata.name} on ${nodeOf(pod)}` : spell(pod)));
  return { source, overlaid, pods, play, now };
}

describe('an optimistic attempt in an overlay', () => {
  it('is shown at once, and reverted when it ends without a response', () => {
    const { overlaid, pods, now } = shown();
    const end = overlaid.attempt('web/a', on('n1'));
    expect(now()).toEqual(['a on n1', 'b@8']);
    end();
    expect(now()).toEqual(['a@3', 'b@8']);
    end();
    expect(pods.snapshot.resourceVersion).toBe('9');
  });

  it('is replaced by the response without showing the old object in between', () => {
    const { overlaid, pods, now, play } = shown();
    const seen: string[] = [];
    pods.get$('web/a').subscribe(() => seen.push(...now().slice(0, 1)));
    const end = overlaid.attempt('web/a', on('n1'));
    overlaid.show(podOf('a@12'));
    end();
    play('MODIFIED(a@12)');
    expect(seen).toEqual(['a@3', 'a on n1', 'a@12']);
    expect(now()).toEqual(['a@12', 'b@8']);
  });

  it('is applied to changes that the watch delivers meanwhile, and reverted to them', () => {
    const { overlaid, now, play } = shown();
    const end = overlaid.attempt('web/a', on('n1'));
    play('MODIFIED(a@10)');
    expect(now()).toEqual(['a on n1', 'b@8']);
    end();
    expect(now()).toEqual(['a@10', 'b@8']);
  });

  it('does not restore an object that was deleted meanwhile, by an event or by a list', () => {
    const { overlaid, now, play } = shown();
    const ends = [overlaid.attempt('web/a', on('n1')), overlaid.attempt('web/b', on('n1'))];
    play('DELETED(a@10)');
    expect(now()).toEqual(['b on n1']);
    play('LISTED 12()');
    expect(now()).toEqual([]);
    for (const end of ends) end();
    expect(now()).toEqual([]);
  });

  it('is part of a list, and is shown to an informer that starts later', () => {
    const { overlaid, source, now, play } = shown();
    overlaid.attempt('web/a', on('n1'));
    play('LISTED 12(a@11 b@8)');
    expect(now()).toEqual(['a on n1', 'b@8']);
    const received: string[] = [];
    overlaid.subscribe((batch) =>
      received.push(
        ...batch.map(
          (event) => `${describeEvent(event)} ${event.type === 'LISTED' ? JSON.stringify(event.items[0]) : ''}`,
        ),
      ),
    );
    source.next([readEvent('LISTED 12(a@11 b@8)')]);
    expect(received.join()).toContain('n1');
  });

  it('is shown at once to an informer with custom keys, if the overlay knows the objects of that informer', () => {
    const source = new Subject<readonly WatchEvent<Pod>[]>();
    const stored = { get: (key: string): Pod | undefined => pods.get(`east:${key}`) };
    const overlaid = overlay(source, { scheduler: virtualClock(), held: stored });
    const keyOf = ({ metadata }: Pod): string => `east:${metadata.namespace}/${metadata.name}`;
    const pods = informer(overlaid, { keyOf });
    pods.connect();
    source.next([readEvent('LISTED 9(a@3)')]);
    const end = overlaid.attempt('web/a', on('n1'));
    expect(pods.get('east:web/a')).toMatchObject({ spec: { nodeName: 'n1' } });
    end();
    expect(pods.list().map(spell)).toEqual(['a@3']);
  });

  it('does not handle rechecks itself, and leaves nothing open when it is unsubscribed from', () => {
    informerTest(({ flush }) => {
      const client = scriptedClient([open]);
      const overlaid = overlay(listWatch(client, podResource, { initialList: 'pages', random: () => 0 }));
      const pods = informer(overlaid, { linger: 0 });
      const running = pods.connect();
      asyncScheduler.schedule(() => {
        expect(client.requests).toHaveLength(1);
        pods.recheck();
        expect([client.requests.length, client.inFlight]).toEqual([2, 1]);
        running.unsubscribe();
        expect(client.inFlight).toBe(0);
      }, 2_000);
      flush();
    });
  });

  it('is shown on top of another one, and each ends separately', () => {
    const { overlaid, now } = shown();
    const first = overlaid.attempt('web/a', on('n1'));
    const second = overlaid.attempt('web/a', on('n2'));
    expect(now()).toEqual(['a on n2', 'b@8']);
    second();
    expect(now()).toEqual(['a on n1', 'b@8']);
    first();
    expect(now()).toEqual(['a@3', 'b@8']);
  });

  it('shows the object of the watch if its change function throws', () => {
    const { overlaid, now } = shown();
    const end = overlaid.attempt('web/a', () => {
      throw new Error('broken');
    });
    expect(now()).toEqual(['a@3', 'b@8']);
    end();
    expect(now()).toEqual(['a@3', 'b@8']);
  });

  it('shows nothing for an object that does not exist', () => {
    const { overlaid, now } = shown();
    overlaid.attempt('web/z', on('n1'))();
    expect(now()).toEqual(['a@3', 'b@8']);
  });

  it('costs nothing while there is none: batches are passed on unchanged', () => {
    const { overlaid, source } = overlaidScript();
    const batches: unknown[] = [];
    overlaid.subscribe((batch) => batches.push(batch[0]));
    const event = readEvent('ADDED(z@5)');
    source.next([event]);
    expect(batches).toEqual([event]);
    expect(batches[0]).toBe(event);
  });
});
