/** @jest-environment ./test/page/support/browser-environment.js */
import { renderHook, screen, waitFor } from '@testing-library/react';
import { useContext, type ReactNode } from 'react';
import type { KubeClient } from 'rx-informers';
import { aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { of, Subject, throwError, timer, mergeMap, type Observable } from 'rxjs';
import { ClusterContext } from '../../page/cluster/cluster.js';
import { KindsView } from '../../page/kinds/kinds-view.js';
import { useRequest } from '../../page/kinds/use-request.js';
import './support/console-errors.js';
import { open } from './support/page.js';
import { addWhatJsdomLacks } from './support/shown-page.js';

function InCluster({ client, children }: { readonly client: KubeClient; readonly children: ReactNode }): ReactNode {
  const cluster = useContext(ClusterContext);
  return <ClusterContext.Provider value={{ ...cluster, client }}>{children}</ClusterContext.Provider>;
}

beforeAll(() => {
  addWhatJsdomLacks(600);
});

describe('the view of kinds', () => {
  it('shows the namespace of the page if the user may not read all namespaces', async () => {
    history.replaceState(null, '', '/?view=kinds&kind=v1/pods&namespace=shop');
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({
      scheduler,
      users: { tenant: { name: 'tenant', allow: [{ resources: ['pods'], namespaces: ['shop'] }] } },
    });
    server.apply(aPod({ name: 'web-1', namespace: 'shop' }));
    const client = server.clientFor('tenant');
    const content = (
      <InCluster client={client}>
        <KindsView />
      </InCluster>
    );
    const page = open(content, { client, scheduler });
    await waitFor(async () => {
      await page.pass(100);
      expect(page.text()).toContain('web-1');
    });
    expect(screen.queryByText(/^You do not have permission/)).toBeNull();
  });

  it('keeps what it has found while a repeated request fails, and shows the error', async () => {
    const answers: Observable<string>[] = [of('first'), throwError(() => new Error('502')), of('third')];
    const request = (): Observable<string> => timer(5).pipe(mergeMap(() => answers.shift() ?? new Subject<string>()));
    const seen: unknown[] = [];
    renderHook(() => {
      const { value, error } = useRequest(request, 5);
      const text = `${value ?? '-'} ${error?.message ?? '-'}`;
      if (seen.at(-1) !== text) seen.push(text);
    });
    await waitFor(() => expect(seen).toHaveLength(4));
    expect(seen).toEqual(['- -', 'first -', 'first 502', 'third -']);
  });
});
