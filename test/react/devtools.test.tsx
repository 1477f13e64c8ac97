/** @jest-environment ./test/react/support/browser-environment.js */
import { act, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { defineRequest, indexByNode, nodes, pods } from 'rx-informers';
import { InformersDevtools, useByIndex, useInformer, useList, useStatus, useWindow } from 'rx-informers/react';
import { aPod } from 'rx-informers/testing';
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

  it('shows a message without a registry', async () => {
    open(<InformersDevtools />);
    expect(await screen.findByRole('table', { name: '0 informers' })).toBeDefined();
  });
});
