import { deployments, services } from 'rx-informers';
import { createInMemoryApiServer, virtualClock, serverFaults } from 'rx-informers/testing';
import { startDeployments, websiteDefinition } from './cluster.js';
import { plainOperator } from './plain-operator.js';
import { websites, type Website } from './website.js';

describe('the plain operator in virtual time', () => {
  it('creates a Deployment and a Service for a website, and reports when they are ready', () => {
    const { server, clock } = cluster();
    startDeployments(server.client);
    plainOperator(server.client).subscribe();
    server.apply(website('shop', 2));
    clock.advance(500);
    expect(server.objects.get(deployments, 'shop', 'default')).toMatchObject({ spec: { replicas: 2 } });
    expect(server.objects.get(services, 'shop', 'default')).toBeDefined();
    expect(server.objects.get<Website>(websites, 'shop', 'default')?.status?.readyReplicas).toBe(0);

    clock.advance(1_000);
    expect(server.objects.get<Website>(websites, 'shop', 'default')?.status?.readyReplicas).toBe(2);
  });

  it('recreates an object that was deleted', () => {
    const { server, clock } = cluster();
    plainOperator(server.client).subscribe();
    server.apply(website('shop'));
    clock.advance(500);
    server.remove(deployments, 'shop', 'default');
    clock.advance(500);
    expect(server.objects.get(deployments, 'shop', 'default')).toBeDefined();
  });

  it('retries while the API server refuses its writes', () => {
    const { server, clock } = cluster();
    server.faults.next(({ path }) => path.includes('/deployments/'), serverFaults.refuse(), { times: 5 });
    const failures: number[] = [];
    plainOperator(server.client).subscribe((event) => {
      if (event.type === 'failed') failures.push(event.attempt);
    });
    server.apply(website('shop'));
    clock.advance(10_000);
    expect(failures).toEqual([1, 2, 3, 4, 5]);
    expect(server.objects.get(deployments, 'shop', 'default')).toBeDefined();
  });

  it('leaves no timer after unsubscription and the linger time of its caches', () => {
    const { server, clock } = cluster();
    const running = plainOperator(server.client).subscribe();
    server.apply(website('shop'));
    clock.advance(10_000);
    running.unsubscribe();
    clock.advance(1_000);
    server.stop();
    expect(clock.timers).toBe(0);
  });
});

function website(name: string, replicas = 1) {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Website',
    metadata: { name, namespace: 'default' },
    spec: { image: 'nginx', replicas },
  };
}

function cluster() {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock });
  server.apply(websiteDefinition);
  return { server, clock };
}
