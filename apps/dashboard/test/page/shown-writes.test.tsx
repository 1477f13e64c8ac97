/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen } from '@testing-library/react';
import { useState, useContext, type ReactNode } from 'react';
import {
  deployments,
  informer,
  informerRegistry,
  listWatch,
  pods,
  type KubeClient,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import { InformersProvider, useList } from 'rx-informers/react';
import { tableSource } from 'rx-informers/requests';
import { aDeployment, aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { delay, Subject, switchMap, take } from 'rxjs';
import { ClusterContext } from '../../page/cluster/cluster.js';
import { useLiveKind } from '../../page/kinds/use-kind.js';
import { shownWrite } from '../../page/writes/shown-write.js';
import { shownWrites } from '../../page/writes/shown-writes.js';
import { isUnconfirmed } from '../../page/writes/unconfirmed.js';
import { WriteButtons } from '../../page/writes/write-buttons.js';
import type { Write } from '../../page/writes/writes.js';
import './support/console-errors.js';
import { open } from './support/page.js';

interface Scaled extends KubernetesObject {
  readonly metadata: KubernetesObject['metadata'] & { readonly deletionTimestamp?: string };
  readonly spec?: { readonly replicas?: number };
}

/** A table of Deployments and one of pods, with the write actions of the Deployment or the pod. */
function Objects({ isPod }: { readonly isPod: boolean }): ReactNode {
  const objects = useList(useLiveKind((isPod ? pods : deployments) as Resource<KubernetesObject>)) as readonly Scaled[];
  const [last, setLast] = useState<Scaled>();
  const [object = last] = objects;
  if (object !== last) setLast(object);
  const opened = { resource: isPod ? 'v1/pods' : 'apps/v1/deployments', key: isPod ? 'default/p' : 'default/web' };
  return (
    <>
      <p data-testid="row">
        {objects.map((each) =>
          [
            each.metadata.name,
            each.spec?.replicas,
            each.metadata.deletionTimestamp && 'terminating',
            isUnconfirmed(each) && 'saving',
          ]
            .filter(Boolean)
            .join(' '),
        )}
      </p>
      {object && <WriteButtons opened={opened} object={object} isGone={objects.length === 0} />}
    </>
  );
}

async function show({ isPod = false, token = 'admin' } = {}) {
  Object.assign(globalThis, { fetch: () => Promise.resolve({ ok: true, json: () => ({ allowWrites: true }) }) });
  const scheduler = virtualClock({ now: Date.now() });
  const server = createInMemoryApiServer({
    scheduler,
    users: {
      admin: { name: 'admin', allow: 'everything' },
      guest: { name: 'guest', allow: [{ resources: ['deployments', 'pods'], verbs: ['get', 'list', 'watch'] }] },
    },
  });
  server.apply([aDeployment({ name: 'web', replicas: 2 }), aPod({ name: 'p' })]);
  const direct = server.clientFor(token);
  // Writes wait here.
  const answers$ = new Subject<void>();
  const client: KubeClient = {
    ...direct,
    exchange: (request) => {
      const isReview = request.path.includes('selfsubjectaccessreviews');
      if (isReview) return server.clientFor('admin').exchange(request);
      const isWrite = request.method !== 'GET';
      return isWrite
        ? answers$.pipe(
            take(1),
            switchMap(() => direct.exchange(request)),
          )
        : direct.exchange(request);
    },
  };
  const writes = shownWrites(listWatch);
  const registry = informerRegistry(client, { listWatch: writes.listWatch });

  function InCluster({ children }: { readonly children: ReactNode }): ReactNode {
    const cluster = useContext(ClusterContext);
    return (
      <ClusterContext.Provider value={{ ...cluster, client, registry, writes }}>
        <InformersProvider registry={registry} frameScheduler={scheduler} scheduler={scheduler}>
          {children}
        </InformersProvider>
      </ClusterContext.Provider>
    );
  }
  const page = open(
    <InCluster>
      <Objects isPod={isPod} />
    </InCluster>,
    { client, scheduler },
  );
  await page.pass(500);
  await screen.findByRole('button', { name: 'Delete' });
  const row = () => screen.getByTestId('row').textContent;
  const pressed = async (name: string) => {
    fireEvent.click(screen.getByRole('button', { name }));
    await page.pass(50);
  };
  return {
    server,
    page,
    row,
    pressed,
    scale: async (replicas: string) => {
      await pressed('Scale');
      fireEvent.change(screen.getByLabelText('Replicas'), { target: { value: replicas } });
      fireEvent.submit(screen.getByLabelText('Replicas'));
      await page.pass(50);
    },
    answer: async () => {
      page.run(() => {
        answers$.next();
      });
      for (let round = 0; round < 5; round++) await page.pass(50);
    },
    said: () => screen.getByRole('status').textContent,
  };
}

describe('a write in the dashboard', () => {
  it('that is slow is shown at once as being saved, and is confirmed by the watch', async () => {
    const { row, scale, answer, said, server } = await show();
    expect(row()).toBe('web 2');
    await scale('4');
    expect(row()).toBe('web 4 saving');
    expect(server.objects.get<Scaled>(deployments, 'web', 'default')?.spec?.replicas).toBe(2);
    expect(said()).toBe('Scaled to 4…');
    await answer();
    expect(row()).toBe('web 4');
    expect(said()).toBe('Scaled to 4. Confirmed by the watch.');
  });

  it('is shown on top of changes that the watch delivers meanwhile', async () => {
    const { row, scale, server, page, answer } = await show();
    await scale('4');
    server.apply(aDeployment({ name: 'web', replicas: 3, labels: { tier: 'front' } }));
    await page.pass(100);
    expect(row()).toBe('web 4 saving');
    await answer();
    expect(row()).toBe('web 4');
  });

  it("that is refused is reverted, and the server's reason is shown", async () => {
    const { row, scale, answer, said } = await show({ token: 'guest' });
    await scale('4');
    expect(row()).toBe('web 4 saving');
    await answer();
    expect(row()).toBe('web 2');
    expect(said()).toMatch(/^No permission: .*cannot patch resource "deployments\/scale"/);
  });

  it('that deletes shows the object as terminating until the server has responded, and then removes it', async () => {
    const { row, pressed, answer, said } = await show();
    await pressed('Delete');
    await pressed('Delete default/web');
    expect(row()).toBe('web 2 terminating saving');
    await answer();
    expect(row()).toBe('');
    expect(said()).toBe('Deleted. Confirmed by the watch.');
  });

  it('that deletes a replaced object is a conflict, and the replacement is shown', async () => {
    const { row, pressed, answer, said, server, page } = await show({ isPod: true });
    await pressed('Delete');
    await pressed('Delete default/p');
    expect(row()).toBe('p terminating saving');
    server.remove(pods, 'p', 'default');
    server.apply(aPod({ name: 'p', uid: 'another' }));
    await page.pass(100);
    await answer();
    expect(said()).toBe('The object has changed in the meantime. Review it, then repeat the change.');
    expect(row()).toBe('p');
  });

  it.each<[string, (object: KubernetesObject) => Write]>([
    ['scale', () => ({ type: 'scale', replicas: 4 })],
    ['replace', (object) => ({ type: 'replace', object, isDryRun: false })],
  ])('marks the row of a table until it is confirmed, and leaves its cells to the server: %s', async (_, writeOf) => {
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({ scheduler });
    server.apply(aDeployment({ name: 'web', replicas: 2 }));
    const client: KubeClient = {
      ...server.client,
      exchange: (request) => server.client.exchange(request).pipe(delay(request.method === 'GET' ? 0 : 100, scheduler)),
    };
    const writes = shownWrites(listWatch);
    const rows = informer(writes.shownInTable(tableSource(client, deployments), deployments, {}));
    rows.connect();
    scheduler.advance(1_000);
    const [before] = rows.list();
    const object = server.objects.get<KubernetesObject>(deployments, 'web', 'default');
    if (object === undefined) throw new Error('there is no Deployment');
    const opened = { resource: 'apps/v1/deployments', key: 'default/web' };
    shownWrite({ client, writes }, opened, object, writeOf(object)).subscribe();
    scheduler.advance(50);
    expect(rows.list().map((row) => [isUnconfirmed(row), row.cells])).toEqual([[true, before?.cells]]);
    scheduler.advance(1_000);
    await Promise.resolve();
    expect(rows.list().map(isUnconfirmed)).toEqual([false]);
    rows.stop();
  });
});
