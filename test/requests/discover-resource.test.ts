import { expectTypeOf } from 'expect-type';
import { type KubernetesObject, type Resource, type KubeClient, StatusError } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import { discoverResource } from 'rx-informers/requests';
import { EMPTY, NEVER, Observable, of, throwError } from 'rxjs';
import { connectionError } from '../../src/sources/model/errors.js';
import { errorWith } from '../support/error-with.js';

const certificate = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate' };

describe('discoverResource', () => {
  it('emits the descriptor of a kind once and completes', () => {
    const client = answering(certManager);
    expect(record(discoverResource(client, certificate))).toEqual([
      { group: 'cert-manager.io', version: 'v1', plural: 'certificates', kind: 'Certificate', namespaced: true },
      'complete',
    ]);
  });

  it('requests the document of the group and version', () => {
    const client = answering(certManager);
    record(discoverResource(client, certificate));
    expect(client.requests).toEqual([expect.objectContaining({ method: 'GET', path: '/apis/cert-manager.io/v1' })]);
  });

  it('requests /api/v1 for the core group', () => {
    const client = answering(listOf(entry('nodes', 'Node', { namespaced: false })));
    expect(record(discoverResource(client, { apiVersion: 'v1', kind: 'Node' }))).toEqual([
      { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false },
      'complete',
    ]);
    expect(client.requests[0]?.path).toBe('/api/v1');
  });

  it('sends no request before it is subscribed to, and one for every subscription', () => {
    const client = answering(certManager);
    const discovered = discoverResource(client, certificate);
    expect(client.requests).toHaveLength(0);
    record(discovered);
    record(discovered);
    expect(client.requests).toHaveLength(2);
  });

  it('does not mistake a subresource for the kind', () => {
    const scale = entry('certificates/scale', 'Scale');
    const client = answering(listOf(scale, entry('certificates', 'Certificate')));
    expect(record(discoverResource(client, { ...certificate, kind: 'Scale' }))).toEqual([
      errorWith('RXI_UNKNOWN_KIND'),
    ]);
  });

  it('prefers the watchable resource if two have the kind', () => {
    const client = answering(
      listOf(entry('requests', 'Certificate', { verbs: ['create'] }), entry('certificates', 'Certificate')),
    );
    expect(record(discoverResource(client, certificate))).toMatchObject([{ plural: 'certificates' }, 'complete']);
  });

  it('fails with the existing kinds if the kind does not exist', () => {
    const [error] = record(discoverResource(answering(certManager), { ...certificate, kind: 'Certificat' }));
    expect(error).toEqual(errorWith('RXI_UNKNOWN_KIND'));
    expect(error).toMatchObject({
      reference: { kind: 'Certificat' },
      known: ['Certificate', 'Issuer'],
      message: expect.stringContaining('known kinds: Certificate, Issuer'),
    });
  });

  it('fails with RXI_UNKNOWN_KIND if the API server does not serve the group or version, with the reason', () => {
    const notFound = new StatusError(
      { method: 'GET', url: '/apis/cert-manager.io/v1' },
      { code: 404, reason: 'NotFound' },
    );
    const [error] = record(discoverResource(failing(notFound), certificate));
    expect(error).toEqual(errorWith('RXI_UNKNOWN_KIND'));
    expect(error).toMatchObject({
      known: [],
      cause: notFound,
      message: expect.stringContaining('does not serve cert-manager.io/v1'),
    });
  });

  it('fails with RXI_UNWATCHABLE_KIND for a kind that can only be created', () => {
    const client = answering(listOf(entry('tokenreviews', 'TokenReview', { namespaced: false, verbs: ['create'] })));
    const [error] = record(discoverResource(client, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' }));
    expect(error).toEqual(errorWith('RXI_UNWATCHABLE_KIND'));
    expect(error).toMatchObject({ verbs: ['create'], message: expect.stringContaining('create') });
  });

  it.each([
    ['a refused connection', connectionError({ method: 'GET', url: '/' }, new Error('refused'), 'ECONNREFUSED')],
    ['missing rights', new StatusError({ method: 'GET', url: '/' }, { code: 403, reason: 'Forbidden' })],
    ['an aggregated API that is down', new StatusError({ method: 'GET', url: '/' }, { code: 503 })],
  ])('discoverResource passes %s on unchanged', (_, error) => {
    expect(record(discoverResource(failing(error), certificate))).toEqual([error]);
  });

  it.each([
    ['another object', '{"kind":"Status"}'],
    ['invalid resources', '{"kind":"APIResourceList","resources":[{"name":1}]}'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a web page', '<html></html>'],
  ])('fails with RXI_RESPONSE if the response is %s', (_, body) => {
    expect(record(discoverResource(answering(body), certificate))).toEqual([errorWith('RXI_RESPONSE')]);
  });

  it('emits an error instead of throwing if an apiVersion is malformed', () => {
    const client = answering(certManager);
    expect(record(discoverResource(client, { apiVersion: 'a/b/c', kind: 'X' }))).toEqual([
      errorWith('RXI_INVALID_API_VERSION'),
    ]);
    expect(client.requests).toHaveLength(0);
  });

  it('G8: aborts the request when it is unsubscribed from', () => {
    let aborted = false;
    const client: KubeClient = {
      exchange: () =>
        new Observable<ResponsePart>((subscriber) => {
          subscriber.add(NEVER.subscribe());
          return () => (aborted = true);
        }),
    };
    discoverResource(client, certificate).subscribe().unsubscribe();
    expect(aborted).toBe(true);
  });

  it('has KubernetesObject as the type of the objects, or the one given', () => {
    const client: KubeClient = { exchange: () => EMPTY };
    expectTypeOf(discoverResource(client, certificate)).toEqualTypeOf<Observable<Resource<KubernetesObject>>>();
    interface Certificate extends KubernetesObject {
      readonly spec: object;
    }
    expectTypeOf(discoverResource<Certificate>(client, certificate)).toEqualTypeOf<Observable<Resource<Certificate>>>();
  });
});

const certManager = listOf(
  entry('certificates', 'Certificate'),
  entry('certificates/status', 'Certificate', { verbs: ['get', 'patch', 'update'] }),
  entry('issuers', 'Issuer'),
);

function entry(
  name: string,
  kind: string,
  { namespaced = true, verbs = ['create', 'get', 'list', 'watch'] } = {},
): object {
  return { name, kind, namespaced, verbs, singularName: '' };
}

function listOf(...resources: readonly object[]): string {
  return JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', resources });
}

function answering(body: string): KubeClient & { readonly requests: readonly KubeRequest[] } {
  const requests: KubeRequest[] = [];
  const exchange = (request: KubeRequest): Observable<ResponsePart> => {
    requests.push(request);
    return of<ResponsePart[]>(
      { type: 'head', status: 200, headers: { 'content-type': 'application/json' } },
      { type: 'bytes', bytes: new TextEncoder().encode(body) },
    );
  };
  return { requests, exchange };
}

function failing(error: Error): KubeClient {
  return { exchange: () => throwError(() => error) };
}

/** The emissions and the end of a stream. */
function record(observable: Observable<unknown>): readonly unknown[] {
  const seen: unknown[] = [];
  observable.subscribe({
    next: (value) => seen.push(value),
    error: (error: unknown) => seen.push(error),
    complete: () => seen.push('complete'),
  });
  return seen;
}
