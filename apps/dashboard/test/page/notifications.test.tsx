/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen, within } from '@testing-library/react';
import { pods } from 'rx-informers';
import { aPod } from 'rx-informers/testing';
import { questionText } from '../../page/frame/answer-changes.js';
import './support/console-errors.js';
import { addWhatJsdomLacks, showPage, type ShownPage } from './support/shown-page.js';

const worker = (name: string, namespace = 'shop') => aPod({ name, namespace, labels: { component: 'worker' } });
const cluster = [worker('worker-1'), aPod({ name: 'web-1', namespace: 'shop', labels: { component: 'web' } })];

/** A notification that the page has shown. */
interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  onclick?: () => void;
}
const shown: Shown[] = [];
let permission: NotificationPermission = 'granted';
let requests = 0;
let isSupported = true;

class FakeNotification {
  onclick?: () => void;
  constructor(
    readonly title: string,
    { body, tag }: { readonly body: string; readonly tag: string },
  ) {
    if (!isSupported) throw new TypeError('Illegal constructor');
    shown.push(Object.assign(this, { body, tag }));
  }
  close(): void {
    // The page does not read back what it has closed.
  }
  static async requestPermission(): Promise<NotificationPermission> {
    requests += 1;
    return permission;
  }
}

beforeAll(() => {
  addWhatJsdomLacks(600);
  Object.assign(globalThis, { Notification: FakeNotification });
  window.focus = () => undefined;
});

beforeEach(() => {
  shown.length = 0;
  permission = 'granted';
  requests = 0;
  isSupported = true;
});

/** Runs a command of the palette. */
async function choose({ page, eventually }: ShownPage, title: string): Promise<void> {
  page.run(() => fireEvent.keyDown(document.body, { key: '/' }));
  const input = (): HTMLElement => screen.getByRole('combobox', { name: /^Go to/ });
  await eventually(() => expect(input()).toBeTruthy());
  page.run(() => fireEvent.change(input(), { target: { value: title } }));
  const places = within(screen.getByRole('listbox', { name: 'Places' }));
  page.run(() => fireEvent.click(places.getByRole('option', { name: new RegExp(title) })));
}

const state = (): string | undefined => document.querySelector('.watched-question')?.textContent;

async function watch(address = '/?text=component%3Dworker'): Promise<ShownPage> {
  const stage = await showPage(address, cluster);
  expect(requests).toBe(0);
  await choose(stage, 'Notify me');
  await stage.eventually(() => expect(state()).toBeDefined());
  await stage.page.pass(4000);
  return stage;
}

describe('notifications about the filtered pods', () => {
  it('tell once which pods match now, and which no longer do, however many changes there were', async () => {
    const { server, page } = await watch();
    expect(state()).toBe('Notifies you when other pods match: “component=worker” Stop');
    server.apply([worker('worker-2'), worker('worker-3'), worker('worker-4'), worker('worker-5')]);
    server.remove(pods, 'worker-1', 'shop');
    await page.pass(4000);
    expect(shown.map(({ title, body }) => [title.split(' · ')[0], body])).toEqual([
      ['4 pods: “component=worker”', '+ shop/worker-2, shop/worker-3, shop/worker-4 and 1 more\n− shop/worker-1'],
    ]);
  });

  it('stay away while the same pods match: pods change, others come, and one comes and goes', async () => {
    const { server, page } = await watch();
    server.apply([aPod({ name: 'worker-1', namespace: 'shop', labels: { component: 'worker' }, phase: 'Pending' })]);
    server.apply(aPod({ name: 'web-2', namespace: 'shop', labels: { component: 'web' } }));
    await page.pass(4000);
    server.apply(worker('brief'));
    await page.pass(1000);
    server.remove(pods, 'brief', 'shop');
    await page.pass(6000);
    expect(shown).toEqual([]);
  });

  it('are about the same filter and namespace after the user has gone on, and lead back there', async () => {
    const stage = await watch('/?namespace=shop&text=component%3Dworker');
    stage.page.run(() => fireEvent.keyDown(document.body, { key: 'Escape' }));
    await stage.eventually(() => expect(location.search).not.toContain('component'));
    stage.server.apply([worker('worker-9'), worker('of-blog', 'blog'), aPod({ name: 'web-9', namespace: 'shop' })]);
    await stage.page.pass(4000);
    expect(shown.map(({ body }) => body)).toEqual(['+ shop/worker-9']);
    stage.page.run(() => shown[0]?.onclick?.());
    await stage.eventually(() => expect(location.search).toContain('component'));
    expect(new URLSearchParams(location.search).get('namespace')).toBe('shop');
  });

  it('end with the same command', async () => {
    const stage = await watch();
    await choose(stage, 'Stop the notifications');
    await stage.eventually(() => expect(state()).toBeUndefined());
    stage.server.apply(worker('late'));
    await stage.page.pass(4000);
    expect(shown).toEqual([]);
  });

  it.each([
    ['the user has denied them', 'does not permit', () => (permission = 'denied')],
    ['the browser shows those of service workers only', 'This browser cannot', () => (isSupported = false)],
  ])('are missing, and the page says why: %s', async (_, text, prepare) => {
    prepare();
    const { server, eventually } = await watch();
    server.apply(worker('worker-2'));
    await eventually(() => expect(state()).toContain(text));
    expect(shown).toEqual([]);
  });

  it('name a filter in words', () => {
    expect(questionText({ chosen: {}, text: '' })).toBe('all pods');
    expect(questionText({ chosen: { namespace: ['shop', 'blog'], trouble: ['failing'] }, text: ' cart ' })).toBe(
      'Namespace shop or blog, trouble failing, “cart”',
    );
  });
});
