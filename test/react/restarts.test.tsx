/** @jest-environment ./test/react/support/browser-environment.js */
import type { ReactNode } from 'react';
import type { Informer, Pod } from 'rx-informers';
import { useChanges, useHasSynced, useList, useObject, useWindow } from 'rx-informers/react';
import { aPod } from 'rx-informers/testing';
import { Subscription } from 'rxjs';
import './support/console-errors.js';
import { cluster } from './support/cluster.js';
import { namesOf, open } from './support/page.js';

interface OfInformer {
  readonly of: Informer<Pod>;
}

function List({ of }: OfInformer): ReactNode {
  return `list ${namesOf(useList(of))}; `;
}

function Table({ of }: OfInformer): ReactNode {
  return `table ${namesOf(useWindow(of).rows)}; `;
}

function Phase({ of }: OfInformer): ReactNode {
  return `phase ${useObject(of, 'default/a')?.status?.phase}; `;
}

function Synced({ of }: OfInformer): ReactNode {
  return useHasSynced(of) ? 'synced; ' : 'loading; ';
}

describe('an informer that is stopped while components show it, for example by registry.stop()', () => {
  it('is not restarted by them, and their content stays', async () => {
    const { server, scheduler, requests, ...rest } = cluster();
    const all = rest.informer();
    const page = open([<List key="1" of={all} />, <Table key="2" of={all} />], { scheduler });
    page.run(() => all.stop());
    server.apply(aPod({ name: 'd' }));
    await page.pass(1000);
    expect([page.text(), all.isRunning, requests.open]).toEqual(['list a b c; table a b c; ', false, 0]);
  });

  it('G6: shows its status in all of them again after another component restarts it', async () => {
    const { server, scheduler, lists, ...rest } = cluster();
    const all = rest.informer();
    const shown = [<List key="1" of={all} />, <Table key="2" of={all} />, <Phase key="3" of={all} />];
    const page = open(shown, { scheduler });
    page.run(() => all.stop());
    server.apply([aPod({ name: 'a', phase: 'Failed' }), aPod({ name: 'd' })]);
    const other = new Subscription();
    page.run(() => other.add(all.connect()));
    await page.pass();
    expect(page.text()).toBe('list a b c d; table a b c d; phase Failed; ');
    server.apply(aPod({ name: 'e' }));
    other.unsubscribe();
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['list a b c d e; table a b c d e; phase Failed; ', 2]);
  });

  it('emits the state again after a restart, and is unsubscribed from (G8)', async () => {
    const { scheduler, requests, ...rest } = cluster();
    const all = rest.informer();
    const received: string[] = [];
    const Listening = (): ReactNode => {
      useChanges(all, ({ reason, changes }) => received.push(`${reason} ${changes.length}`));
      return null;
    };
    const page = open([<Listening key="1" />], { scheduler });
    page.run(() => all.stop());
    page.show([<Listening key="1" />, <List key="2" of={all} />]);
    page.show([<Listening key="1" />]);
    await page.pass();
    page.show(null);
    await page.pass(200);
    expect([received, requests.open, scheduler.timers]).toEqual([['initial 3', 'initial 3'], 0, 0]);
  });
});

describe('an informer that a component starts during a render and that has its content at once', () => {
  it('updates no component in the middle of that render, and shows the content in all', async () => {
    const { scheduler, ...rest } = cluster();
    const all = rest.informer();
    const page = open([<Synced key="1" of={all} />], { scheduler });
    page.show([<Synced key="1" of={all} />, <List key="2" of={all} />]);
    await page.pass(0);
    expect(page.text()).toBe('synced; list a b c; ');
  });
});
