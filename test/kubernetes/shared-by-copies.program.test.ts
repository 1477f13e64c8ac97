import { jest } from '@jest/globals';
import * as ourCore from 'rx-informers';
import * as ours from 'rx-informers/controller';
import { isConflict, isNotFound } from 'rx-informers/requests';
import { filter, firstValueFrom, from, toArray } from 'rxjs';

const request = { method: 'GET', url: '/api/v1/namespaces/web/configmaps/a' };

/** Another copy of the package, as in a program that loads it as ES module and as CommonJS. */
async function anotherCopy(): Promise<{ readonly core: typeof ourCore; readonly controller: typeof ours }> {
  let copy: { readonly core: typeof ourCore; readonly controller: typeof ours } | undefined;
  await jest.isolateModulesAsync(async () => {
    copy = { core: await import('rx-informers'), controller: await import('rx-informers/controller') };
  });
  if (copy === undefined) throw new Error('the copy was not loaded');
  return copy;
}

describe('two copies of the package in one program', () => {
  it("recognise each other's errors with instanceof and with the predicates", async () => {
    const { core } = await anotherCopy();
    const error = new core.StatusError(request, { reason: 'NotFound' }, { code: 404 });
    expect(core.StatusError).not.toBe(ourCore.StatusError);
    expect(error instanceof ourCore.StatusError).toBe(true);
    expect(isNotFound(error)).toBe(true);
    const fields = { key: 'web/a', tries: 3, cause: error };
    const conflict: unknown = new core.RxInformersError('RXI_EDIT_CONFLICT', 'changed', fields);
    expect(conflict instanceof ourCore.RxInformersError).toBe(true);
    expect([isConflict(conflict), conflict instanceof ourCore.StatusError]).toEqual([true, false]);
  });

  it("recognise what the other's reconcile functions return and throw", async () => {
    const { core, controller } = await anotherCopy();
    const busy = new core.StatusError(request, { reason: 'TooManyRequests' }, { code: 429, retryAfter: 30_000 });
    const input: Readonly<Record<string, () => unknown>> = {
      again: () => controller.requeueAfter(60_000),
      never: () => thrown(new controller.TerminalError('never')),
      busy: () => thrown(busy),
    };
    const events = await firstValueFrom(
      from(Object.keys(input)).pipe(
        ours.workqueue((key) => input[key]?.()),
        filter(({ type }) => type === 'succeeded' || type === 'failed'),
        toArray(),
      ),
    );
    expect(events).toMatchObject([
      { type: 'succeeded', key: 'again', result: undefined },
      { type: 'failed', key: 'never', outcome: 'terminal' },
      { type: 'failed', key: 'busy', outcome: 'retry' },
    ]);
  });

  it('distinguish subclasses with instanceof as usual', () => {
    class Teapot extends ourCore.StatusError {}
    const teapot = new Teapot(request, {}, { code: 418 });
    const other = new ourCore.StatusError(request, {}, { code: 404 });
    expect([teapot instanceof Teapot, teapot instanceof ourCore.StatusError, other instanceof Teapot]).toEqual([
      true,
      true,
      false,
    ]);
    expect([undefined, null, 'text', {}].some((value: unknown) => value instanceof ourCore.StatusError)).toBe(false);
  });
});

function thrown(error: Error): never {
  throw error;
}
