/** @jest-environment ./test/react/support/browser-environment.js */
import { Activity, type ReactNode } from 'react';
import type { Collection, Pod } from 'rx-informers';
import { useChanges, useHasSynced, useList, useWindow } from 'rx-informers/react';
import { aPod } from 'rx-informers/testing';
import './support/console-errors.js';
import { cluster } from './support/cluster.js';
import { namesOf, open, podOn, podsOf } from './support/page.js';

interface OfCollection {
  readonly of: Collection<Pod>;
}

let renders = 0;

function List({ of }: OfCollection): ReactNode {
  renders++;
  return `list ${namesOf(useList(of))}; `;
}

function Table({ of }: OfCollection): ReactNode {
  return `table ${namesOf(useWindow(of).rows)}; `;
}

function Synced({ of }: OfCollection): ReactNode {
  return useHasSynced(of) ? 'synced; ' : 'loading; ';
}

function showing(mode: 'visible' | 'hidden', ...content: readonly ReactNode[]): ReactNode {
  return <Activity mode={mode} children={content} />;
}

describe('a part of the page that an Activity hides', () => {
  it.each([
    ['during the linger time', 50],
    ['afterwards', 1000],
  ])('shows the current content in the commit in which it becomes visible, %s', async (_, milliseconds) => {
    const pods = podsOf(podOn('n1', 'a'));
    const content = [<List key="1" of={pods} />, <Table key="2" of={pods} />, <Synced key="3" of={pods} />];
    const page = open(showing('visible', ...content));
    // Once more: React forgets what it has to look at again after a render in which nothing
    // changed.
    page.show(
      showing('visible', <List key="1" of={pods} />, <Table key="2" of={pods} />, <Synced key="3" of={pods} />),
    );
    page.show(showing('hidden', ...content));
    pods.add(podOn('n1', 'b'));
    await page.pass(milliseconds);
    page.show(showing('visible', ...content));
    expect(page.text()).toBe('list a b; table a b; synced; ');
    pods.add(podOn('n1', 'c'));
    await page.pass();
    expect(page.text()).toBe('list a b c; table a b c; synced; ');
  });

  it('is not rendered for changes meanwhile', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const content = <List key="1" of={pods} />;
    const page = open(showing('visible', content));
    page.show(showing('hidden', content));
    renders = 0;
    pods.add(podOn('n1', 'b'));
    await page.pass();
    expect(renders).toBe(0);
  });

  it('releases its informer after the linger time, and starts it again when it becomes visible (G8)', async () => {
    const { server, scheduler, lists, requests, ...rest } = cluster();
    const all = rest.informer();
    const received: string[] = [];
    const Listening = (): ReactNode => {
      useChanges(all, ({ reason, changes }) => received.push(`${reason} ${changes.length}`));
      return null;
    };
    const content = [<List key="1" of={all} />, <Listening key="2" />];
    const page = open(showing('visible', ...content), { scheduler });
    page.show(showing('hidden', ...content));
    await page.pass(99);
    page.show(showing('visible', ...content));
    await page.pass(1000);
    expect(lists.count).toBe(1);
    page.show(showing('hidden', ...content));
    await page.pass(200);
    expect([requests.open, scheduler.timers]).toEqual([0, 0]);
    server.apply(aPod({ name: 'd' }));
    page.show(showing('visible', ...content));
    await page.pass();
    expect([page.text(), lists.count, received]).toEqual([
      'list a b c d; ',
      2,
      ['initial 3', 'initial 3', 'initial 4'],
    ]);
  });

  it('retains nothing of a render that was never shown (G8)', async () => {
    const { scheduler, requests, ...rest } = cluster();
    const all = rest.informer();
    const page = open(showing('hidden', <List key="1" of={all} />, <Table key="2" of={all} />), { scheduler });
    await page.pass(200);
    expect([requests.open, scheduler.timers]).toEqual([0, 0]);
  });
});
