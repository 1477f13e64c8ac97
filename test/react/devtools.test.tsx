/** @jest-environment ./test/react/support/browser-environment.js */
import { act, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { defineRequest, indexByNode, informerRegistry, nodes, pods } from 'rx-informers';
import { InformersDevtools, useByIndex, useInformer, useList, useStatus, useWindow } from 'rx-informers/react';
import { aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { readings$ } from '../../src/react/devtools/readings.js';
import { steady } from '../../src/scheduling/clock.js';
import { jumpingScheduler } from '../support/wall-clock.js';
import './support/console-errors.js';
import { cluster } from './support/cluster.js';
import { open } from './support/page.js';

const podsByNode = defineRequest(pods, { linger: 0, indexers: { node: indexByNode } });

function OnNode({ node }: { readonly node: string }): ReactNode {
  return useByIndex(useInformer(podsByNode), 'node', node).length;
}

function Everything(): ReactNode {
  const all = useInformer(podsByNode);
  return [useList(all).length, useWindow(all, { index: ['node', 'n1'] }).total, useStatus(all).state].join();
}

/** Requests nodes, without a query. */
function Unused(): null {
  useInformer(nodes);
  return null;
}

const row = (name: RegExp): readonly string[] =>
  within(screen.getByRole('rowheader', { name }).closest('tr')!)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent);

describe('InformersDevtools', () => {
  it('shows running informers, their size, their rate of changes, and the hooks that use them with their queries', async () => {
    const { server, scheduler, client } = cluster();
    const content = (shown: ReactNode): ReactNode => [
      <InformersDevtools key="devtools" />,
      <Unused key="unused" />,
      shown,
    ];
    const page = open(
      content([
        <OnNode key="1" node="n1" />,
        <OnNode key="2" node="n1" />,
        <OnNode key="3" node="n2" />,
        <Everything key="4" />,
      ]),
      { client, scheduler },
    );
    await screen.findByRole('table', { name: '2 informers' });
    await page.pass(1000);
    const [status, , objects, size, commits, answers, holders] = row(/pods/);
    expect([status, objects, commits, answers]).toEqual(['watching', '3', '0', '0']);
    expect(size).toMatch(/^\d+(\.\d)? (B|KiB)$/);
    expect(holders).toBe('6 hooksbucket("node", "n1") × 2allObjects()bucket("node", "n2")statuswindow(node, n1)');

    await act(async () => void server.apply(aPod({ name: 'd', node: 'n2' })));
    await page.pass(1000);
    // The list and one bucket; the windows show another node.
    expect(row(/pods/).slice(4, 6)).toEqual(['1', '2']);

    page.show(content(null));
    await page.pass(1000);
    expect([row(/pods/)[0], row(/pods/)[6]]).toEqual(['stopped', 'nothing']);
    expect([row(/nodes/)[0], row(/nodes/)[6]]).toEqual(['stopped', 'nothing']);
    page.unmount();
    expect(scheduler.timers).toBe(0);
  });

  it('G9: shows how long ago data arrived, also after the clock of the machine was set', () => {
    const timers = virtualClock();
    const clock = jumpingScheduler(timers);
    const server = createInMemoryApiServer({ scheduler: clock });
    const registry = informerRegistry(server.client);
    const connection = registry.informer(pods).connect();
    timers.advance(100);
    clock.jump(3_600_000);
    server.apply(aPod({ name: 'a' }));
    const seen: (number | undefined)[] = [];
    const reading = readings$(registry, steady(clock)).subscribe(([first]) => seen.push(first?.silence));
    timers.advance(3000);
    expect(seen).toEqual([0, 1000, 2000, 3000]);
    reading.unsubscribe();
    connection.unsubscribe();
  });

  it('never shows a negative rate of changes, also when an informer starts again without objects', async () => {
    const { server, scheduler, client } = cluster();
    const registry = informerRegistry(client);
    const all = registry.informer(pods);
    all.connect();
    scheduler.advance(100);
    for (const name of ['d', 'e']) server.apply(aPod({ name }));
    const rates: (number | undefined)[] = [];
    readings$(registry, scheduler).subscribe(([first]) => rates.push(first?.commits));
    all.stop();
    scheduler.advance(1000);
    expect(rates).toEqual([0, 0]);
  });

  it('shows a message without a registry', async () => {
    open(<InformersDevtools />);
    expect(await screen.findByRole('table', { name: '0 informers' })).toBeDefined();
  });
});
