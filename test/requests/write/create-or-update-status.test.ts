import type { KubeClient } from 'rx-informers';
import { ensureFinalizer, withFinalizer, removeFinalizer } from 'rx-informers/controller';
import { resourceClient, createOrUpdate, edit } from 'rx-informers/requests';
import { serverFaults } from 'rx-informers/testing';
import { recordingClient } from '../../../src/controller/reconcile/recording-client.js';
import { aDefinition } from '../../fixtures/definition.js';
import { settings, stage, website, websites, type Website } from './support/stage.js';

const path = '/apis/example.com/v1/namespaces/web/websites';
const name = { metadata: { namespace: 'web', name: 'shop' }, spec: { host: 'shop.example.com' } };

interface Draft {
  spec: { host: string };
  status?: { phase?: string | undefined } | undefined;
}

/** Sets a host, and a phase that depends on it. */
const wants =
  (host: string) =>
  (draft: Draft): void => {
    draft.spec.host = host;
    draft.status = { ...draft.status, phase: `serving ${host}` };
  };

function withWeb() {
  const world = stage();
  world.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
  const stored = () => world.server.objects.get<Website>(websites, 'shop', 'web');
  return { ...world, stored };
}

describe('createOrUpdate of spec and status with one recipe', () => {
  it('creates the object, and then its status, which a create ignores', () => {
    const { run, websites: client, requests, stored } = withWeb();
    const { values } = run(createOrUpdate(client, name, wants('a.example.com')));
    expect(values).toEqual([{ operation: 'created', object: stored() }]);
    expect(stored()).toMatchObject({ spec: { host: 'a.example.com' }, status: { phase: 'serving a.example.com' } });
    expect(requests).toEqual([`GET ${path}/shop`, `POST ${path}`, `PATCH ${path}/shop/status`]);
  });

  it('updates both, each by its own request', () => {
    const { run, websites: client, putWebsite, requests, stored } = withWeb();
    putWebsite(website());
    const { values, error } = run(createOrUpdate(client, name, wants('a.example.com')));
    expect(error).toBeUndefined();
    expect(values).toEqual([{ operation: 'updated', object: stored() }]);
    expect(stored()).toMatchObject({ spec: { host: 'a.example.com' }, status: { phase: 'serving a.example.com' } });
    expect(requests).toEqual([`GET ${path}/shop`, `PATCH ${path}/shop`, `PATCH ${path}/shop/status`]);
  });

  it('sends only the one that differs, and nothing if neither does', () => {
    const { run, websites: client, putWebsite, requests, server } = withWeb();
    putWebsite(website());
    run(createOrUpdate(client, name, wants('a.example.com')));
    const sent = (): readonly string[] => requests.splice(0).filter((request) => !request.startsWith('GET'));
    sent();
    expect(run(createOrUpdate(client, name, wants('a.example.com'))).values).toMatchObject([
      { operation: 'unchanged' },
    ]);
    expect(sent()).toEqual([]);
    const phase = (draft: Draft): void => void (draft.status = { phase: 'idle' });
    expect(run(createOrUpdate(client, name, phase)).values).toMatchObject([{ operation: 'updated' }]);
    expect(sent()).toEqual([`PATCH ${path}/shop/status`]);
    const host = (draft: Draft): void => void (draft.spec.host = 'b.example.com');
    expect(run(createOrUpdate(client, name, host)).values).toMatchObject([{ operation: 'updated' }]);
    expect(sent()).toEqual([`PATCH ${path}/shop`]);
    expect(server.objects.get<Website>(websites, 'shop', 'web')?.status).toEqual({ phase: 'idle' });
  });

  it('passes the created object to the recipe of the status', () => {
    const { run, websites: client, putWebsite, stored } = withWeb();
    putWebsite(website());
    const observe = (draft: Draft & { metadata: { generation?: number | undefined } }): void => {
      draft.spec.host = 'a.example.com';
      draft.status = { phase: `generation ${draft.metadata.generation}` };
    };
    run(createOrUpdate(client, name, observe));
    expect(stored()).toMatchObject({ metadata: { generation: 2 }, status: { phase: 'generation 2' } });
  });

  it('U1: writes the status on the newest version if others write in between', () => {
    const { run, websites: client, putWebsite, stored, before, requests } = withWeb();
    putWebsite(website());
    let writes = 0;
    before('PATCH', () => ++writes === 2 && putWebsite(website({ host: 'a.example.com', paths: ['/theirs'] })), 2);
    const { values, error } = run(createOrUpdate(client, name, wants('a.example.com'), { random: () => 0 }));
    expect(error).toBeUndefined();
    expect(values).toEqual([{ operation: 'updated', object: stored() }]);
    expect(stored()).toMatchObject({ spec: { paths: ['/theirs'] }, status: { phase: 'serving a.example.com' } });
    expect(requests.slice(-3)).toEqual([`PATCH ${path}/shop/status`, `GET ${path}/shop`, `PATCH ${path}/shop/status`]);
  });

  it('is completed by the next call if the status could not be written', () => {
    const { run, websites: client, putWebsite, server, stored, requests } = withWeb();
    putWebsite(website());
    let patches = 0;
    server.requests$.subscribe(({ method }) => {
      if (method === 'PATCH' && ++patches === 2) server.faults.next('write', serverFaults.respond(403));
    });
    expect(run(createOrUpdate(client, name, wants('a.example.com'))).error).toMatchObject({ statusCode: 403 });
    requests.splice(0);
    expect(run(createOrUpdate(client, name, wants('a.example.com'))).error).toBeUndefined();
    expect(stored()).toMatchObject({ status: { phase: 'serving a.example.com' } });
    expect(requests).toHaveLength(2);
  });

  it('writes both by one request if the kind has no status subresource', () => {
    const { run, clientOf, put, requests, server } = withWeb();
    const plain = { group: 'example.com', version: 'v1', plural: 'gadgets', kind: 'Gadget', namespaced: true } as const;
    put(aDefinition(plain));
    put({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: name.metadata, spec: name.spec });
    const client = clientOf<Website>(plain);
    requests.splice(0);
    expect(run(createOrUpdate(client, name, wants('a.example.com'))).values).toMatchObject([{ operation: 'updated' }]);
    expect(requests).toEqual([expect.stringMatching('GET'), expect.stringMatching(/^PATCH .*gadgets\/shop$/)]);
    const phase = (draft: Draft): void => void (draft.status = { phase: 'idle' });
    expect(run(createOrUpdate(client, name, phase)).values).toMatchObject([{ operation: 'updated' }]);
    expect(server.objects.get<Website>(plain, 'shop', 'web')?.status).toEqual({ phase: 'idle' });
    const other = { ...name, metadata: { namespace: 'web', name: 'other' } };
    requests.splice(0);
    expect(run(createOrUpdate(client, other, wants('b.example.com'))).values).toMatchObject([
      { operation: 'created', object: { status: { phase: 'serving b.example.com' } } },
    ]);
    expect(requests).toHaveLength(2);
  });

  it('throws an RXI_STATUS_IGNORED for a kind that has no status', () => {
    const { run, client, put } = withWeb();
    put(settings({}));
    const target = { metadata: { namespace: 'web', name: 'settings' } };
    const phase = (draft: object): void => void Object.assign(draft, { status: { phase: 'idle' } });
    expect(run(createOrUpdate(client, target, phase)).error).toMatchObject({ code: 'RXI_STATUS_IGNORED' });
  });

  it('skips the status in a dry run that creates, because there is no object to write it to', () => {
    const { run, websites: client, requests, stored } = withWeb();
    const { values } = run(createOrUpdate(client, name, wants('a.example.com'), { dryRun: true }));
    expect(values).toMatchObject([{ operation: 'created', object: { spec: { host: 'a.example.com' } } }]);
    expect(stored()).toBeUndefined();
    expect(requests).toHaveLength(2);
  });

  it('reports an update for a dry run that sends a patch, and changes nothing', () => {
    const { run, websites: client, putWebsite, stored } = withWeb();
    putWebsite(website());
    const { values } = run(createOrUpdate(client, name, wants('a.example.com'), { dryRun: true }));
    expect(values).toMatchObject([{ operation: 'updated' }]);
    expect(stored()).toMatchObject({ spec: { host: 'shop.example.com' } });
    expect(stored()).not.toHaveProperty('status');
  });

  it('U1: reports that nothing was changed if a conflict showed that another client has already made the change', () => {
    const { run, websites: client, putWebsite, before } = withWeb();
    putWebsite(website());
    before('PATCH', () => putWebsite(website({ host: 'a.example.com' })));
    const host = (draft: Draft): void => void (draft.spec.host = 'a.example.com');
    expect(run(createOrUpdate(client, name, host, { random: () => 0 })).values).toMatchObject([
      { operation: 'unchanged', object: { spec: { host: 'a.example.com' } } },
    ]);
  });
});

it('edit and createOrUpdate pass waitForCache on to each of their writes', () => {
  const {
    run,
    websites: { resource: kind },
    put,
    server,
    scheduler,
  } = withWeb();
  put(website());
  const waits: boolean[] = [];
  const recording = recordingClient(server.client, ({ waitForCache }) => void waits.push(waitForCache));
  const client = resourceClient(recording, kind, { scheduler });
  const options = { waitForCache: false };
  const { values } = run(createOrUpdate(client, name, wants('a.example.com'), options));
  run(
    createOrUpdate(client, { ...name, metadata: { ...name.metadata, name: 'new' } }, wants('a.example.com'), options),
  );
  run(edit(client, values[0]?.object as Website, (draft) => void (draft.spec.host = 'b.example.com'), options));
  expect(waits).toEqual([false, false, false, false, false]);
});

it('edit, createOrUpdate and the finalizer helpers pass fieldValidation on to each of their writes', () => {
  const {
    run,
    websites: { resource: kind },
    put,
    server,
    scheduler,
  } = withWeb();
  put(website());
  const sent: string[] = [];
  const spy: KubeClient = {
    exchange: (request) => {
      const { method, query } = request;
      if (method !== 'GET') sent.push(`${method} ${String(query?.['fieldValidation'])}`);
      return server.client.exchange(request);
    },
  };
  const client = resourceClient(spy, kind, { scheduler });
  const options = { fieldValidation: 'Strict' } as const;
  const { values } = run(createOrUpdate(client, name, wants('a.example.com'), options));
  run(
    createOrUpdate(client, { ...name, metadata: { ...name.metadata, name: 'new' } }, wants('a.example.com'), options),
  );
  const shop = values[0]?.object as Website;
  run(edit(client, shop, (draft) => void (draft.spec.host = 'b.example.com'), options));
  const finalizer = 'example.com/cleanup';
  const [kept] = run(ensureFinalizer(client, shop, finalizer, options)).values;
  run(removeFinalizer(client, kept as Website, finalizer, options));
  run(withFinalizer(client, shop, { ...options, finalizer, apply: () => undefined, cleanup: () => undefined }));
  const written = [...new Set(sent)];
  expect(written).toEqual(['PATCH Strict', 'POST Strict']);
  expect(sent).toHaveLength(10);
});
