import { nodes, pods, type KubernetesNode } from 'rx-informers';
import { aNode, aPod, createInMemoryApiServer, serverFaults } from 'rx-informers/testing';
import { VirtualTimeScheduler } from 'rxjs';
import { emptyLabel, emptyNodes } from './empty-nodes.js';

describe('the empty-nodes controller in virtual time', () => {
  it('labels a node when its last pod is deleted, and removes the label when a pod is added', () => {
    const { server, runFor, isLabelled } = cluster();
    server.apply([aNode({ name: 'n1' }), aNode({ name: 'n2' })]);
    server.apply([aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n1' })]);
    const running = emptyNodes(server.client).subscribe();
    runFor(1_000);
    expect([isLabelled('n1'), isLabelled('n2')]).toEqual([false, true]);

    server.remove(pods, 'a', 'default');
    runFor(1_000);
    expect(isLabelled('n1')).toBe(false);

    server.remove(pods, 'b', 'default');
    runFor(1_000);
    expect(isLabelled('n1')).toBe(true);

    server.apply(aPod({ name: 'c', node: 'n1' }));
    runFor(1_000);
    expect(isLabelled('n1')).toBe(false);
    running.unsubscribe();
  });

  it('writes only when a node becomes empty or stops being empty', () => {
    const { server, runFor } = cluster();
    server.apply([aNode({ name: 'n1' }), aNode({ name: 'n2' })]);
    const writes: string[] = [];
    server.requests$.subscribe(({ method, path }) => {
      if (method !== 'GET') writes.push(`${method} ${path}`);
    });
    const running = emptyNodes(server.client).subscribe();
    runFor(1_000);
    for (const name of ['a', 'b', 'c']) server.apply(aPod({ name, node: 'n1' }));
    runFor(1_000);
    expect(writes).toEqual(['PATCH /api/v1/nodes/n1', 'PATCH /api/v1/nodes/n2', 'PATCH /api/v1/nodes/n1']);
    running.unsubscribe();
  });

  it('labels no node as empty before the pods have synced', () => {
    const { server, runFor, isLabelled } = cluster();
    server.apply([aNode({ name: 'n1' }), aPod({ name: 'a', node: 'n1' })]);
    server.faults.always(({ path }) => path.endsWith('/pods'), serverFaults.refuse());
    const running = emptyNodes(server.client).subscribe();
    runFor(60_000);
    expect(isLabelled('n1')).toBe(false);
    running.unsubscribe();
  });
});

function cluster() {
  const scheduler = new VirtualTimeScheduler();
  const server = Object.assign(createInMemoryApiServer({ scheduler }), { scheduler });
  return {
    server,
    isLabelled: (name: string): boolean =>
      server.objects.get<KubernetesNode>(nodes, name)?.metadata.labels?.[emptyLabel] === 'true',
    runFor: (milliseconds: number): void => {
      scheduler.maxFrames = scheduler.frame + milliseconds;
      scheduler.flush();
    },
  };
}
