/** @jest-environment ./test/page/support/browser-environment.js */
import { clusterInfoOf } from '../../page/cluster/cluster-info.js';
import { contextColour } from '../../page/frame/context.js';
import { keyAction, type PressedKey } from '../../page/frame/page-keys.js';
import { matchingItems, type PaletteItem } from '../../page/frame/palette-items.js';

describe('the keyboard shortcuts of the page', () => {
  const pressed = (key: string, change: Partial<PressedKey> = {}) =>
    keyAction({ key, isControl: false, isAlt: false, isTyping: false, before: undefined, ...change });

  it('open the palette, and do not affect typing in a field', () => {
    expect([
      pressed('/'),
      pressed('k', { isControl: true }),
      pressed('K', { isControl: true, isTyping: true }),
    ]).toEqual([{ type: 'palette' }, { type: 'palette' }, { type: 'palette' }]);
    expect([
      pressed('/', { isTyping: true }),
      pressed('j', { isAlt: true }),
      pressed('c', { isControl: true }),
    ]).toEqual([undefined, undefined, undefined]);
  });

  it('go to a view with g and its letter', () => {
    expect([pressed('g'), pressed('k', { before: 'g' }), pressed('k')]).toEqual([
      undefined,
      { type: 'view', key: 'k' },
      { type: 'table' },
    ]);
  });

  it('keep their action after a g if no view has this key', () => {
    expect([
      pressed('Escape', { before: 'g' }),
      pressed('/', { before: 'g' }),
      pressed('Tab', { before: 'g' }),
    ]).toEqual([{ type: 'escape' }, { type: 'palette' }, undefined]);
  });
});

describe('the command palette', () => {
  const item = (kind: string, title: string, hint?: string): PaletteItem => ({
    id: `${kind} ${title}`,
    kind,
    title,
    ...(hint !== undefined && { hint }),
    act: {},
  });
  const items = [
    item('View', 'Pods'),
    item('Namespace', 'shop'),
    item('Pod', 'web-shop-1', 'blog'),
    item('Pod', 'api', 'shop'),
  ];
  const titles = (typed: string): string =>
    matchingItems(items, typed)
      .map(({ title }) => title)
      .join();

  it('lists everything before a letter is typed, and then entries with every word, those whose title begins with it first', () => {
    expect([titles(''), titles('shop'), titles('pod shop'), titles('nothing')]).toEqual([
      'Pods,shop,web-shop-1,api',
      'shop,web-shop-1,api',
      'web-shop-1,api',
      '',
    ]);
  });
});

describe('the cluster in the header', () => {
  it("shows the server's information, without fields of another type", () => {
    const info = clusterInfoOf(
      { context: 'prod-eu', contexts: ['staging', 7], user: 'alice', namespace: null, allowWrites: 'yes', demo: false },
      { gitVersion: 'v1.34.1' },
    );
    expect(info).toMatchObject({
      isKnown: true,
      context: 'prod-eu',
      contexts: ['prod-eu', 'staging'],
      user: 'alice',
      namespace: undefined,
      allowWrites: false,
      version: 'v1.34.1',
    });
  });

  it('is unknown and read-only under kubectl proxy, which has a version', () => {
    expect(clusterInfoOf(undefined, { gitVersion: 'v1.34.1' })).toMatchObject({
      isKnown: true,
      context: undefined,
      allowWrites: false,
    });
    expect(clusterInfoOf(undefined, undefined).isKnown).toBe(false);
  });

  it('has a stable colour for each context', () => {
    expect([contextColour('prod-eu'), contextColour('prod-eu')]).toEqual([
      contextColour('prod-eu'),
      contextColour('prod-eu'),
    ]);
    expect(new Set(['prod-eu', 'prod-us', 'staging', 'dev'].map(contextColour)).size).toBeGreaterThan(2);
  });
});
