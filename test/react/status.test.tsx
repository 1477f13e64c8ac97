/** @jest-environment ./test/react/support/browser-environment.js */
import type { ReactNode } from 'react';
import type { Informer, InformerError, Pod } from 'rx-informers';
import { useErrors, useList, useStatus } from 'rx-informers/react';
import { serverFaults } from 'rx-informers/testing';
import { cluster } from './support/cluster.js';
import { open } from './support/page.js';

const renders: string[] = [];

interface OfInformer {
  readonly of: Informer<Pod>;
}

function Status({ of }: OfInformer): ReactNode {
  const { state } = useStatus(of);
  renders.push(state);
  return state;
}

function Count({ of }: OfInformer): ReactNode {
  return `; ${useList(of).length}`;
}

beforeEach(() => {
  renders.length = 0;
});

describe('useStatus', () => {
  it('shows what the source is doing, beside the data', async () => {
    const { server, scheduler, ...rest } = cluster();
    const all = rest.informer();
    server.faults.next('any', serverFaults.delay(100));
    const page = open([<Status key="1" of={all} />, <Count key="2" of={all} />], { scheduler });
    await page.pass();
    expect(page.text()).toBe('listing; 0');
    await page.pass(100);
    await page.pass();
    expect(page.text()).toBe('watching; 3');
    server.faults.always('any', serverFaults.refuse());
    page.run(() => server.restart());
    await page.pass(5000);
    expect(page.text()).toBe('backing-off; 3');
    server.faults.clear();
    for (let seconds = 0; seconds < 60; seconds++) await page.pass(1000);
    expect(page.text()).toBe('watching; 3');
  });

  it('does not start an informer', async () => {
    const { scheduler, lists, ...rest } = cluster();
    const page = open(<Status of={rest.informer()} />, { scheduler });
    await page.pass();
    expect([page.text(), lists.count, renders]).toEqual(['stopped', 0, ['stopped']]);
  });

  it('is the same in all components, and is not drawn while the tab is hidden', async () => {
    const { server, scheduler, ...rest } = cluster();
    const all = rest.informer();
    const page = open([<Count key="0" of={all} />, <Status key="1" of={all} />, <Status key="2" of={all} />], {
      scheduler,
    });
    await page.pass();
    renders.length = 0;
    page.hide();
    server.faults.always('any', serverFaults.refuse());
    server.restart();
    await page.pass(5000);
    expect(renders).toEqual([]);
    page.reveal();
    await page.pass();
    expect(renders).toEqual(['backing-off', 'backing-off']);
  });
});

describe('useErrors', () => {
  it('reports errors as they happen to the handler of the last render, until it is unmounted', async () => {
    const { server, scheduler, ...rest } = cluster();
    const all = rest.informer();
    const told: string[] = [];
    const Listening = ({ as }: { readonly as: string }): ReactNode => {
      useErrors(all, (error: InformerError) => told.push(`${as}: ${error.name}`));
      return null;
    };
    const page = open([<Count key="1" of={all} />, <Listening key="2" as="first" />], { scheduler, isStrict: true });
    page.show([<Count key="1" of={all} />, <Listening key="2" as="later" />]);
    page.hide();
    server.faults.always('any', serverFaults.refuse());
    server.restart();
    await page.pass(5000);
    expect(new Set(told)).toEqual(new Set(['later: ConnectionError']));
    page.show([<Count key="1" of={all} />]);
    told.length = 0;
    await page.pass(60_000);
    expect(told).toEqual([]);
  });
});
