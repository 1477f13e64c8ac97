import { configMaps, type ConfigMap } from 'rx-informers';
import {
  requeueAfter,
  withFinalizer,
  type WithFinalizerOptions,
  ensureFinalizer,
  hasFinalizer,
  removeFinalizer,
} from 'rx-informers/controller';
import { EMPTY, of, throwError, timer, map, NEVER } from 'rxjs';
import { settings, stage, type Stage } from '../../requests/write/support/stage.js';
import { errorWith } from '../../support/error-with.js';

const finalizer = 'example.com/a';
const others = 'example.com/others';

function kept(world: Stage, ...finalizers: readonly string[]): ConfigMap {
  return world.put(settings({}, { finalizers }));
}

/** The object after a user has requested its deletion. */
function terminating(world: Stage, ...finalizers: readonly string[]): ConfigMap {
  kept(world, ...finalizers);
  world.run(world.client.delete('web/settings'));
  world.requests.length = 0;
  return stored(world)!;
}

function stored({ server }: Stage): ConfigMap | undefined {
  return structuredClone(server.objects.get(configMaps, 'settings', 'web'));
}

describe('ensureFinalizer', () => {
  it('adds it as the first finalizer or behind existing ones', () => {
    const world = stage();
    world.run(ensureFinalizer(world.client, kept(world), finalizer));
    expect(world.patches.at(-1)).toEqual([{ op: 'add', path: '/metadata/finalizers', value: [finalizer] }]);
    const { values } = world.run(ensureFinalizer(world.client, kept(world, others), finalizer));
    expect(world.patches.at(-1)).toEqual([{ op: 'add', path: '/metadata/finalizers/1', value: finalizer }]);
    expect(values[0]?.metadata.finalizers).toEqual([others, finalizer]);
    expect(hasFinalizer(values[0]!, finalizer)).toBe(true);
  });

  it('sends nothing if the object already has it, even while it is being deleted', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    expect(world.run(ensureFinalizer(world.client, object, finalizer)).values).toEqual([object]);
    expect(world.requests).toEqual([]);
  });

  it('never loses a finalizer that another client adds at the same time', () => {
    const world = stage();
    const { scheduler } = world;
    const object = kept(world);
    world.before('PATCH', () => kept(world, others));
    world.run(ensureFinalizer(world.client, object, finalizer, { scheduler }));
    expect(stored(world)?.metadata.finalizers).toEqual([others, finalizer]);
  });

  it('throws a typed error for an object that is being deleted, even if only the server knows', () => {
    const world = stage();
    const { scheduler } = world;
    const object = terminating(world, others);
    const known = world.run(ensureFinalizer(world.client, object, finalizer));
    expect(known.error).toEqual(errorWith('RXI_OBJECT_TERMINATING'));
    expect(known.error).toMatchObject({
      key: 'web/settings',
      finalizer,
      message: `cannot add finalizer ${finalizer} to ConfigMap web/settings, because it is being deleted; run its cleanup`,
    });
    expect(world.requests).toEqual([]);

    const { deletionTimestamp: _, ...metadata } = object.metadata;
    const stale = { ...object, metadata: { ...metadata, resourceVersion: '1' } } as ConfigMap;
    const unknown = world.run(ensureFinalizer(world.client, stale, finalizer, { scheduler }));
    expect(unknown.error).toEqual(errorWith('RXI_OBJECT_TERMINATING'));
  });

  it('throws a typed error for a deleted object', () => {
    const world = stage();
    const object = kept(world);
    world.server.remove(configMaps, 'settings', 'web');
    expect(world.run(ensureFinalizer(world.client, object, finalizer)).error).toMatchObject({
      code: 'RXI_OBJECT_DELETED',
    });
  });
});

describe('removeFinalizer', () => {
  it('removes it from between others, and removes the list with the last one', () => {
    const world = stage();
    world.run(removeFinalizer(world.client, kept(world, others, finalizer), finalizer));
    expect(world.patches.at(-1)).toEqual([{ op: 'remove', path: '/metadata/finalizers/1' }]);
    world.run(removeFinalizer(world.client, kept(world, finalizer), finalizer));
    expect(world.patches.at(-1)).toEqual([{ op: 'remove', path: '/metadata/finalizers' }]);
    expect(stored(world)?.metadata.finalizers).toBeUndefined();
  });

  it('completes the deletion of an object that was waiting for it', () => {
    const world = stage();
    const { values } = world.run(removeFinalizer(world.client, terminating(world, finalizer), finalizer));
    expect(values[0]?.metadata.finalizers ?? []).toEqual([]);
    expect(stored(world)).toBeUndefined();
  });

  it('sends nothing if the object does not have it', () => {
    const world = stage();
    const object = kept(world, others);
    expect(world.run(removeFinalizer(world.client, object, finalizer)).values).toEqual([object]);
    expect(world.requests).toEqual([]);
  });

  it('succeeds for a deleted object, and does not touch another object of that name', () => {
    const world = stage();
    const { scheduler } = world;
    const object = kept(world, finalizer);
    world.server.remove(configMaps, 'settings', 'web');
    expect(world.run(removeFinalizer(world.client, object, finalizer)).values).toEqual([undefined]);
    kept(world, finalizer);
    expect(world.run(removeFinalizer(world.client, object, finalizer, { scheduler })).values).toEqual([undefined]);
    expect(stored(world)?.metadata.finalizers).toEqual([finalizer]);
  });

  it('never removes a finalizer that another client adds at the same time', () => {
    const world = stage();
    const { scheduler } = world;
    const object = kept(world, finalizer);
    world.before('PATCH', () => kept(world, others, finalizer));
    world.run(removeFinalizer(world.client, object, finalizer, { scheduler }));
    expect(stored(world)?.metadata.finalizers).toEqual([others]);
  });
});

describe('withFinalizer', () => {
  /** The calls with their arguments; `apply` returns `applied`, `cleanup` returns `gone`. */
  function finalizing(
    world: Stage,
    object: ConfigMap,
    options: Partial<WithFinalizerOptions<ConfigMap, unknown, unknown>> = {},
  ) {
    const calls: string[] = [];
    const { scheduler } = world;
    const log =
      (what: string, input: (object: ConfigMap) => unknown) =>
      (output$: ConfigMap): unknown => {
        calls.push(`${what} ${(output$.metadata.finalizers ?? []).join()}`);
        return input(output$);
      };
    const outcome = world.run(
      withFinalizer(world.client, object, {
        finalizer,
        scheduler,
        random: () => 0,
        ...options,
        apply: log('apply', options.apply ?? (() => 'applied')),
        cleanup: log('cleanup', options.cleanup ?? (() => 'gone')),
      }),
    );
    return { calls, ...outcome };
  }

  it('adds a missing finalizer, and applies then', () => {
    const world = stage();
    expect(finalizing(world, kept(world))).toMatchObject({ calls: [`apply ${finalizer}`], values: ['applied'] });
    expect(stored(world)?.metadata.finalizers).toEqual([finalizer]);
  });

  it('only applies if the finalizer exists', () => {
    const world = stage();
    expect(finalizing(world, kept(world, finalizer))).toMatchObject({ values: ['applied'] });
    expect(world.requests).toEqual([]);
  });

  it('cleans up, and then removes the finalizer, if the object is being deleted', () => {
    const world = stage();
    expect(finalizing(world, terminating(world, finalizer))).toMatchObject({
      calls: [`cleanup ${finalizer}`],
      values: ['gone'],
    });
    expect(stored(world)).toBeUndefined();
  });

  it('does nothing if the object is being deleted without the finalizer', () => {
    const world = stage();
    expect(finalizing(world, terminating(world, others))).toEqual({ calls: [], values: [undefined], took: 0 });
    expect(world.requests).toEqual([]);
  });

  it('does not apply if the finalizer was not stored', () => {
    const world = stage();
    const object = kept(world);
    world.server.remove(configMaps, 'settings', 'web');
    expect(finalizing(world, object)).toEqual({ calls: [], values: [undefined], took: 0 });
    kept(world, others);
    const current = stored(world)!;
    world.run(world.client.delete('web/settings'));
    expect(finalizing(world, current)).toEqual({ calls: [], values: [undefined], took: 10 });
  });

  it('cleans up, and does not apply, if only the server knows the finalizer and the deletion', () => {
    const world = stage();
    const stale = kept(world);
    terminating(world, finalizer);
    expect(finalizing(world, stale)).toMatchObject({ calls: [`cleanup ${finalizer}`], values: ['gone'] });
    expect(stored(world)).toBeUndefined();
  });

  it('keeps the finalizer if the clean-up fails, and rethrows the error unchanged', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    const failure = new Error('still in use');
    expect(finalizing(world, object, { cleanup: () => throwError(() => failure) }).error).toBe(failure);
    const throwing = () => {
      throw failure;
    };
    expect(finalizing(world, object, { cleanup: throwing }).error).toBe(failure);
    expect(stored(world)?.metadata.finalizers).toEqual([finalizer]);
    expect(world.requests).toEqual([]);
  });

  it('keeps the finalizer if the clean-up requests another run', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    const request = requeueAfter(50);
    const { values } = finalizing(world, object, { cleanup: () => of(requeueAfter(100), request, 'not yet') });
    expect(values).toEqual([request]);
    expect(stored(world)?.metadata.finalizers).toEqual([finalizer]);
  });

  it('waits for an asynchronous clean-up', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    const cleanup = () => timer(500, world.scheduler).pipe(map(() => 'at last'));
    expect(finalizing(world, object, { cleanup })).toMatchObject({ values: ['at last'], took: 500 });
    expect(stored(world)).toBeUndefined();
  });

  it('succeeds if the object is deleted when the clean-up ends', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    const cleanup = (): string => {
      world.server.remove(configMaps, 'settings', 'web');
      return 'gone';
    };
    expect(finalizing(world, object, { cleanup })).toMatchObject({ values: ['gone'] });
  });

  it('keeps the finalizers of others, including those added meanwhile', () => {
    const world = stage();
    const object = terminating(world, finalizer, others);
    finalizing(world, object);
    expect(stored(world)?.metadata.finalizers).toEqual([others]);
  });

  it('returns undefined if apply emits nothing, and the last of several values', () => {
    const world = stage();
    const object = kept(world, finalizer);
    expect(finalizing(world, object, { apply: () => undefined }).values).toEqual([undefined]);
    expect(finalizing(world, object, { apply: () => EMPTY }).values).toEqual([undefined]);
    expect(finalizing(world, object, { apply: () => of(1, 2) }).values).toEqual([2]);
  });

  it('awaits an asynchronous apply', async () => {
    const world = stage();
    const object = kept(world, finalizer);
    const call = withFinalizer(world.client, object, {
      finalizer,
      apply: async () => 'done',
      cleanup: () => undefined,
    });
    await expect(call).resolves.toBe('done');
  });

  it('stops waiting when it is aborted', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    const abort = new AbortController();
    const errors: unknown[] = [];
    withFinalizer(world.client, object, {
      finalizer,
      apply: () => NEVER,
      cleanup: () => NEVER,
      signal: abort.signal,
    }).subscribe({ error: (error: unknown) => errors.push(error) });
    abort.abort('enough');
    expect(errors).toEqual(['enough']);
    expect(world.requests).toEqual([]);
  });
});
