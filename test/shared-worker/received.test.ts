import type { WatchEvent } from 'rx-informers/store';
import type { FeedEntry } from '../../src/feeds/feed-messages.js';
import { ReceivedFeed } from '../../src/feeds/received-feed.js';

interface Item {
  readonly metadata: { readonly name: string };
  readonly isBroken?: boolean;
}

const item = (name: string, isBroken = false): Item => ({ metadata: { name }, ...(isBroken && { isBroken }) });

describe('a page with a transform that fails for an object', () => {
  const received = (): ((
    reason: 'initial' | 'watch' | 'relist',
    ...entries: FeedEntry[]
  ) => readonly WatchEvent<Item>[]) => {
    const page = new ReceivedFeed<Item>({
      transform: (object: Item) => {
        if (object.isBroken === true) throw new Error('broken');
        return object;
      },
      shareAcrossObjects: true,
    });
    return (reason, ...entries) =>
      page.take({
        type: 'part',
        id: 1,
        text: JSON.stringify(entries),
        total: entries.length,
        end: { reason, resourceVersion: '1' },
      });
  };
  const missingIn = (events: readonly WatchEvent<Item>[]): readonly (readonly string[] | undefined)[] =>
    events.flatMap((event) => (event.type === 'LISTED' ? [event.missing] : []));

  it('names the object as missing in lists while it exists', () => {
    const take = received();
    expect(missingIn(take('initial', { object: item('a', true) }, { object: item('b') }))).toEqual([['a']]);
    expect(missingIn(take('relist', { object: item('c') }))).toEqual([['a']]);
  });

  it('does not name it any more once it was deleted, although its final state cannot be transformed either', () => {
    const take = received();
    take('initial', { object: item('a', true) }, { object: item('b') });
    take('watch', { deleted: 'a', object: item('a', true) });
    expect(missingIn(take('relist', { object: item('c') }))).toEqual([undefined]);
  });
});

describe('a page that receives only the fields that differ', () => {
  it('keeps a field named __proto__ as a field, and does not take the prototype of an object from it', () => {
    const page = new ReceivedFeed<Item>({ transform: undefined, shareAcrossObjects: true });
    const take = (reason: 'initial' | 'watch', entries: string): readonly WatchEvent<Item>[] =>
      page.take({ type: 'part', id: 1, text: entries, total: 1, end: { reason, resourceVersion: '1' } });
    take('initial', '[{"object":{"metadata":{"name":"a"}}}]');
    const [event] = take('watch', '[{"key":"a","fields":{"__proto__":{"status":{"phase":"Ready"}}}}]');
    const object = event?.type === 'MODIFIED' ? event.object : undefined;
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect((object as { readonly status?: unknown }).status).toBeUndefined();
    expect(Object.keys(object ?? {})).toEqual(['metadata', '__proto__']);
  });
});
