import { catchError, concat, of, throwError } from 'rxjs';
import { configMaps, StatusError } from 'rx-informers';
import {
  edit,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  resourceClient,
} from 'rx-informers/controller';
import { createInMemoryApiServer, informerTest } from 'rx-informers/testing';

const refused = (code: number, reason?: string) =>
  new StatusError({ method: 'GET', url: '/' }, { code, ...(reason !== undefined && { reason }) });
const failure = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
const predicates = { isNotFound, isAlreadyExists, isConflict, isForbidden };
const named = { namespace: 'default', name: 'a' };

describe('The predicates for refusals of the API server', () => {
  it.each([
    ['404 NotFound', refused(404, 'NotFound'), ['isNotFound']],
    ['404 of a proxy', refused(404), ['isNotFound']],
    ['404 with a reason of an extension server', refused(404, 'NoSuchThing'), ['isNotFound']],
    ['409 AlreadyExists', refused(409, 'AlreadyExists'), ['isAlreadyExists']],
    ['409 Conflict', refused(409, 'Conflict'), ['isConflict']],
    ['409 without a reason', refused(409), ['isConflict']],
    ['403 Forbidden', refused(403, 'Forbidden'), ['isForbidden']],
    ['403 of a proxy', refused(403), ['isForbidden']],
    ['401 Unauthorized', refused(401, 'Unauthorized'), []],
    ['422 Conflict', refused(422, 'Conflict'), []],
    ['410 Expired', refused(410, 'Expired'), []],
    ['an error that wraps a refusal', new Error('my own', { cause: refused(404, 'NotFound') }), []],
    ['no error at all', undefined, []],
  ])('the predicates recognise %s', (_name, error, expected) => {
    const holding = Object.entries(predicates).filter(([, predicate]) => predicate(error));
    expect(holding.map(([name]) => name)).toEqual(expected);
  });

  it('distinguish the responses of an API server', async () => {
    const server = createInMemoryApiServer();
    const settings = resourceClient(server.client, configMaps);
    const created = await settings.create({ metadata: named });
    await settings.patch(created, { data: { a: '1' } });
    expect(isNotFound(await failure(settings.get('default/b')))).toBe(true);
    expect(isAlreadyExists(await failure(settings.create({ metadata: named })))).toBe(true);
    expect(isConflict(await failure(settings.update({ ...created, data: {} })))).toBe(true);
    server.stop();
  });

  it('isConflict is true for an edit that gave up', async () => {
    const server = createInMemoryApiServer();
    const settings = resourceClient(server.client, configMaps);
    const created = await settings.create({ metadata: named });
    await settings.patch(created, { data: { a: '1' } });
    const error = await failure(edit(settings, created, (draft) => void (draft.data = {}), { tries: 1 }));
    expect(isConflict(error)).toBe(true);
    server.stop();
  });
});

describe('ignoreNotFound', () => {
  it('makes a delete of what is gone succeed, in a promise chain', async () => {
    const server = createInMemoryApiServer();
    const settings = resourceClient(server.client, configMaps);
    await expect(settings.delete('default/a').then(undefined, ignoreNotFound)).resolves.toBeUndefined();
    server.stop();
  });

  it('makes a delete of what is gone succeed in catchError, without leaving virtual time', () => {
    informerTest(({ cold, expectObservable }) => {
      const gone = cold('--#', undefined, refused(404, 'NotFound'));
      expectObservable(concat(gone.pipe(catchError(ignoreNotFound)), of('next'))).toBe('--(ab|)', {
        a: undefined,
        b: 'next',
      });
    });
  });

  it('throws any other error as it is, also in a catch block where it is not awaited', async () => {
    const forbidden = refused(403, 'Forbidden');
    expect(() => ignoreNotFound(forbidden)).toThrow(forbidden);
    await expect(Promise.reject(forbidden).catch(ignoreNotFound)).rejects.toBe(forbidden);
    const errors: unknown[] = [];
    throwError(() => forbidden)
      .pipe(catchError(ignoreNotFound))
      .subscribe({ error: (error: unknown) => errors.push(error) });
    expect(errors).toEqual([forbidden]);
  });
});
