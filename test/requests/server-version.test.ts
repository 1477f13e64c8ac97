import { resourceClient, serverVersion } from 'rx-informers/requests';
import { nodeMetrics, podMetrics } from 'rx-informers/resources';
import { aNode, aPod, createInMemoryApiServer } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';

describe('serverVersion', () => {
  it('emits the version of the server once', async () => {
    const { client } = createInMemoryApiServer();
    const { gitVersion, major, minor } = await firstValueFrom(serverVersion(client));
    expect(gitVersion.startsWith(`v${major}.${minor}.`)).toBe(true);
  });
});

describe('nodeMetrics and podMetrics', () => {
  it('describe what metrics-server serves', async () => {
    const server = createInMemoryApiServer({ containerUsage: () => ({ cpu: 0.5, memory: 2 ** 20 }) });
    server.apply([aNode({ name: 'worker-1' }), aPod({ name: 'web-1', node: 'worker-1', phase: 'Running' })]);

    const [node] = await resourceClient(server.client, nodeMetrics).list();
    const [pod] = await resourceClient(server.client, podMetrics).list({ namespace: 'default' });

    expect([node?.usage.cpu, pod?.containers.map(({ usage }) => usage.memory)]).toEqual(['500000000n', ['1024Ki']]);
    expect(Date.parse(pod?.timestamp ?? '')).not.toBeNaN();
  });
});
