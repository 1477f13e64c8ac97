import { endpointSlices, pods, services, type EndpointSlice, type Pod, type Service } from 'rx-informers';
import { anyObject, aPod, createInMemoryApiServer, randomFromSeed } from 'rx-informers/testing';
import { VirtualTimeScheduler } from 'rxjs';
import { endpointSlicesOf, type DesiredSlice } from './endpoint-slices.js';
import { serviceEndpoints } from './service-endpoints.js';

describe('the service-endpoints controller in virtual time', () => {
  it('keeps an EndpointSlice with the endpoints of the pods that a Service selects', () => {
    const { server, runFor, endpoints } = cluster();
    server.apply([aService('api', { app: 'api' }), reachable('a', '10.0.0.1'), reachable('b', '10.0.0.2')]);
    const running = serviceEndpoints(server.client).subscribe();
    runFor(1_000);
    expect(endpoints('api')).toEqual(['10.0.0.1 ready', '10.0.0.2 ready']);

    server.apply(reachable('b', '10.0.0.2', { ready: false }));
    runFor(1_000);
    expect(endpoints('api')).toEqual(['10.0.0.1 ready', '10.0.0.2 not ready']);

    server.remove(pods, 'a', 'default');
    runFor(1_000);
    expect(endpoints('api')).toEqual(['10.0.0.2 not ready']);
    running.unsubscribe();
  });

  it('updates the endpoints when the selector of a Service or the labels of a pod change', () => {
    const { server, runFor, endpoints } = cluster();
    server.apply([aService('api', { app: 'api' }), aService('web', { app: 'web' }), reachable('a', '10.0.0.1')]);
    const running = serviceEndpoints(server.client).subscribe();
    runFor(1_000);
    expect([endpoints('api'), endpoints('web')]).toEqual([['10.0.0.1 ready'], []]);

    server.apply(reachable('a', '10.0.0.1', { app: 'web' }));
    runFor(1_000);
    expect([endpoints('api'), endpoints('web')]).toEqual([[], ['10.0.0.1 ready']]);

    server.apply(aService('api', { app: 'web' }));
    runFor(1_000);
    expect([endpoints('api'), endpoints('web')]).toEqual([['10.0.0.1 ready'], ['10.0.0.1 ready']]);
    running.unsubscribe();
  });

  it('writes nothing when a pod changes in a field that no endpoint contains', () => {
    const { server, runFor } = cluster();
    server.apply([aService('api', { app: 'api' }), reachable('a', '10.0.0.1')]);
    const writes: string[] = [];
    server.requests$.subscribe(({ method, path }) => {
      if (method !== 'GET') writes.push(`${method} ${path}`);
    });
    const running = serviceEndpoints(server.client).subscribe();
    runFor(1_000);
    expect(writes).toHaveLength(1);

    server.apply(reachable('a', '10.0.0.1', { restarts: 7 }));
    runFor(1_000);
    expect(writes).toHaveLength(1);
    running.unsubscribe();
  });

  it("agrees with Kubernetes' rule, computed from scratch, after random changes of Services and pods", () => {
    const { server, runFor, slices } = cluster();
    const random = randomFromSeed(15);
    const pick = (below: number): number => Math.floor(random() * below);
    const apps = ['api', 'web', 'db'];
    const running = serviceEndpoints(server.client).subscribe();
    for (let round = 0; round < 60; round++) {
      const name = `p${pick(12)}`;
      if (pick(4) === 0) server.apply(aService(`s${pick(4)}`, { app: apps[pick(3)] ?? 'api' }));
      else if (pick(5) === 0 && server.objects.get(pods, name, 'default')) server.remove(pods, name, 'default');
      else server.apply(reachable(name, `10.0.0.${pick(200)}`, { app: apps[pick(3)], ready: pick(3) > 0 }));
      runFor(1_000);
    }
    const everyPod = server.objects.list<Pod>(pods);
    const expected = server.objects.list<Service>(services).flatMap((service) =>
      endpointSlicesOf(
        service,
        everyPod.filter((pod) => isSelected(service, pod)),
      ),
    );
    expect(slices().map(textOf)).toEqual(expected.map(textOf).sort());
    expect(expected.length).toBeGreaterThan(2);
    running.unsubscribe();
  });
});

describe('endpointSlicesOf', () => {
  const port = { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' };

  it('resolves a named target port in each pod, so pods with different ports are in different slices', () => {
    const service = aService('api', { app: 'api' }, { ports: [port] });
    const ports = endpointSlicesOf(service, [
      withPort(reachable('a', '10.0.0.1'), 8080),
      withPort(reachable('b', '10.0.0.2'), 9090),
      withPort(reachable('c', '10.0.0.3'), 8080),
    ]).map((slice) => `${slice.ports?.[0]?.port} ${slice.endpoints.length}`);
    expect(ports).toEqual(['8080 2', '9090 1']);
  });

  it('holds at most 100 endpoints in one slice', () => {
    const many = Array.from({ length: 250 }, (_, index) => reachable(`p${index}`, `10.0.${index >> 8}.${index & 255}`));
    const sizes = endpointSlicesOf(aService('api', { app: 'api' }), many).map(({ endpoints }) => endpoints.length);
    expect(sizes).toEqual([100, 100, 50]);
  });

  it('leaves out finished pods, and never marks a pod as ready that is being deleted', () => {
    const over = aPod({ name: 'a', phase: 'Succeeded', labels: { app: 'api' } });
    const going = reachable('b', '10.0.0.2');
    const deleted = { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } as Pod;
    const [slice] = endpointSlicesOf(aService('api', { app: 'api' }), [over, deleted]);
    expect(slice?.endpoints.map(({ conditions }) => conditions)).toEqual([
      { ready: false, serving: true, terminating: true },
    ]);
  });

  it('returns no slices for a Service without a selector or of type ExternalName', () => {
    expect(endpointSlicesOf(aService('api', undefined), [reachable('a', '10.0.0.1')])).toEqual([]);
    expect(endpointSlicesOf(aService('api', { app: 'api' }, { type: 'ExternalName' }), [])).toEqual([]);
  });
});

function cluster() {
  const scheduler = new VirtualTimeScheduler();
  const server = createInMemoryApiServer({ scheduler });
  const slices = (): readonly EndpointSlice[] =>
    [...server.objects.list<EndpointSlice>(endpointSlices)].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  return {
    server,
    slices,
    endpoints: (service: string): readonly string[] =>
      slices()
        .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service)
        .flatMap(({ endpoints }) => endpoints)
        .map(
          ({ addresses, conditions }) => `${addresses.join()} ${conditions?.ready === true ? 'ready' : 'not ready'}`,
        ),
    runFor: (milliseconds: number): void => {
      scheduler.maxFrames = scheduler.frame + milliseconds;
      scheduler.flush();
    },
  };
}

function aService(name: string, selector: Record<string, string> | undefined, spec: object = {}): Service {
  const ports = [{ port: 80 }];
  return anyObject(services, { name, content: { spec: { ports, selector, ...spec } } });
}

interface Reachable {
  readonly app?: string | undefined;
  readonly ready?: boolean;
  readonly restarts?: number;
}

function reachable(name: string, ip: string, { app = 'api', ...options }: Reachable = {}): Pod {
  const pod = aPod({ name, node: 'n1', labels: { app }, ...options });
  return { ...pod, status: { ...pod.status, podIP: ip, podIPs: [{ ip }] } };
}

function withPort(pod: Pod, containerPort: number): Pod {
  const containers = [{ name: 'main', image: 'app:1', ports: [{ name: 'http', containerPort }] }];
  return { ...pod, spec: { ...pod.spec, containers } };
}

function isSelected({ metadata, spec }: Service, pod: Pod): boolean {
  const selector = Object.entries(spec?.selector ?? {});
  const isSame = ([label, value]: readonly [string, string]): boolean => pod.metadata.labels?.[label] === value;
  return pod.metadata.namespace === metadata.namespace && selector.length > 0 && selector.every(isSame);
}

/** Returns the content of a slice without the fields that the API server adds. */
function textOf({ metadata, addressType, ports, endpoints }: DesiredSlice | EndpointSlice): string {
  return JSON.stringify([metadata.name, addressType, ports, endpoints]);
}
