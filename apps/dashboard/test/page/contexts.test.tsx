/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen, within } from '@testing-library/react';
import { useContext, type ReactNode } from 'react';
import { aNode, aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { toExternalStore } from 'rx-informers/views';
import { of } from 'rxjs';
import { unknownCluster } from '../../page/cluster/cluster-info.js';
import { ClusterContext } from '../../page/cluster/cluster.js';
import { contextColour } from '../../page/frame/context.js';
import { Dashboard } from '../../page/frame/dashboard.js';
import { open } from './support/page.js';
import { addWhatJsdomLacks } from './support/shown-page.js';

function WithContexts({ contexts }: { readonly contexts: readonly string[] }): ReactNode {
  const info = { ...unknownCluster, isKnown: true, context: contexts[0], contexts };
  const cluster = { ...useContext(ClusterContext), info: toExternalStore(of(info), info) };
  return (
    <ClusterContext.Provider value={cluster}>
      <Dashboard />
    </ClusterContext.Provider>
  );
}

/** Opens the page at an address. The server of the page has these contexts. */
async function show(address: string, ...contexts: readonly string[]) {
  history.replaceState(null, '', address);
  const scheduler = virtualClock();
  const { client, apply } = createInMemoryApiServer({ scheduler });
  apply([aNode({ name: 'n1' }), aPod({ name: 'web', namespace: 'shop', node: 'n1' })]);
  const page = open(<WithContexts contexts={contexts} />, { client, scheduler });
  await page.pass(500);
  return page;
}

const links = async (): Promise<readonly HTMLElement[]> =>
  within(await screen.findByRole('list', { name: 'Contexts', hidden: true })).getAllByRole('link', { hidden: true });

beforeAll(() => {
  addWhatJsdomLacks(600);
});

describe('the contexts of the server', () => {
  it('are links in the header, each with its colour, and the shown one is marked', async () => {
    await show('/', 'east', 'west', 'north');
    const found = await links();
    expect(found.map(({ textContent }) => textContent.trim())).toEqual(['east', 'west', 'north']);
    expect(found.map((link) => link.getAttribute('aria-current'))).toEqual(['page', null, null]);
    const colours = ['east', 'west', 'north'].map((name) => `context-${contextColour(name)}`);
    expect(found.map((link) => link.closest('li')?.className)).toEqual(colours);
  });

  it('are not offered if there is only one', async () => {
    const page = await show('/', 'east');
    await page.pass(100);
    expect(screen.queryByRole('button', { name: /^Contexts/ })).toBeNull();
  });

  it('include a context that a link names and the server does not have, so that another one can be chosen', async () => {
    await show('/?context=gone', 'east');
    expect((await links()).map(({ textContent }) => textContent.trim())).toEqual(['east', 'gone']);
  });

  it('leave the node, the object, the time and the namespace of the context before', async () => {
    await show('/?is.node=n1&is.namespace=shop&text=web&namespace=shop&open=v1/pods:shop/web', 'east', 'west');
    fireEvent.click((await links())[1] as HTMLElement);
    expect(location.search).toBe('?context=west&is.namespace=shop&text=web');
  });

  it('are in the palette, except the shown one', async () => {
    HTMLDialogElement.prototype.showModal = function () {
      this.open = true;
    };
    const page = await show('/', 'east', 'west');
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
    await screen.findByRole('dialog', { name: 'Go to' });
    await page.pass(100);
    const offered = screen.getAllByRole('option').filter(({ textContent }) => textContent.startsWith('Context'));
    expect(offered.map(({ textContent }) => textContent)).toEqual(['Contextwest']);
    HTMLDialogElement.prototype.close = () => undefined;
    fireEvent.click(offered[0] as HTMLElement);
    expect(location.search).toBe('?context=west');
  });
});
