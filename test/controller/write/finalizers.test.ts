import { EMPTY, of, throwError, timer, map, NEVER } from 'rxjs';
import {
  requeueAfter,
  withFinalizer,
  type WithFinalizerOptions,
  ensureFinalizer,
  hasFinalizer,
  removeFinalizer,
  ObjectTerminatingError,
} from 'rx-informers/controller';
import { configMaps, type ConfigMap } from 'rx-informers';
import { settings, stage, type Stage } from './support/stage.js';

const finalizer = 'example.com/a';
const others = 'example.com/others';

function held(world: Stage, ...finalizers: readonly string[]): ConfigMap {
  return world.put(settings({}, { finalizers }));
}

/** As a user who has asked for it to be deleted would see it. */
function terminating(world: Stage, ...finalizers: readonly string[]): ConfigMap {
  held(world, ...finalizers);
  world.run(world.client.delete('web/settings'));
  world.requests.length = 0;
  return stored(world)!;
}

function stored({ server }: Stage): ConfigMap | undefined {
  return structuredClone(server.objects.get(configMaps, 'settings', 'web'));
}

describe('ensureFinalizer', () => {
  it('adds it where there are none, and behind those that are there', () => {
    const world = stage();
    world.run(ensureFinalizer(world.client, held(world), finalizer));
    expect(world.patches.at(-1)).toEqual([{ op: 'add', path: '/metadata/finalizers', value: [finalizer] }]);
    const { values } = world.run(ensureFinalizer(world.client, held(world, others), finalizer));
    expect(world.patches.at(-1)).toEqual([{ op: 'add', path: '/metadata/finalizers/1', value: finalizer }]);
    expect(values[0]?.metadata.finalizers).toEqual([others, finalizer]);
    expect(hasFinalizer(values[0]!, finalizer)).toBe(true);
  });

  it('sends nothing where the object has it already, being deleted or not', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    expect(world.run(ensureFinalizer(world.client, object, finalizer)).values).toEqual([object]);
    expect(world.requests).toEqual([]);
  });

  it('never loses what another client adds at the same time', () => {
    const world = stage();
    const { scheduler } = world;
    const object = held(world);
    world.before('PATCH', () => held(world, others));
    world.run(ensureFinalizer(world.client, object, finalizer, { scheduler }));
    expect(stored(world)?.metadata.finalizers).toEqual([others, finalizer]);
  });

  it('is a typed error for an object that is being deleted, as the cache or only as the server knows', () => {
    const world = stage();
    const { scheduler } = world;
    const object = terminating(world, others);
    const known = world.run(ensureFinalizer(world.client, object, finalizer));
    expect(known.error).toBeInstanceOf(ObjectTerminatingError);
    expect(known.error).toMatchObject({ key: 'web/settings', finalizer });
    expect(world.requests).toEqual([]);

    const { deletionTimestamp: _, ...metadata } = object.metadata;
    const stale = { ...object, metadata: { ...metadata, resourceVersion: '1' } } as ConfigMap;
    const unknown = world.run(ensureFinalizer(world.client, stale, finalizer, { scheduler }));
    expect(unknown.error).toBeInstanceOf(ObjectTerminatingError);
  });

  it('is a typed error for an object that is gone', () => {
    const world = stage();
    const object = held(world);
    world.server.remove(configMaps, 'settings', 'web');
    expect(world.run(ensureFinalizer(world.client, object, finalizer)).error).toMatchObject({
      name: 'ObjectDeletedError',
    });
  });
});

describe('removeFinalizer', () => {
  it('removes it from among others, and the list with the last', () => {
    const world = stage();
    world.run(removeFinalizer(world.client, held(world, others, finalizer), finalizer));
    expect(world.patches.at(-1)).toEqual([{ op: 'remove', path: '/metadata/finalizers/1' }]);
    world.run(removeFinalizer(world.client, held(world, finalizer), finalizer));
    expect(world.patches.at(-1)).toEqual([{ op: 'remove', path: '/metadata/finalizers' }]);
    expect(stored(world)?.metadata.finalizers).toBeUndefined();
  });

  it('lets an object go that was waiting for it', () => {
    const world = stage();
    const { values } = world.run(removeFinalizer(world.client, terminating(world, finalizer), finalizer));
    expect(values[0]?.metadata.finalizers ?? []).toEqual([]);
    expect(stored(world)).toBeUndefined();
  });

  it('sends nothing where there is none', () => {
    const world = stage();
    const object = held(world, others);
    expect(world.run(removeFinalizer(world.client, object, finalizer)).values).toEqual([object]);
    expect(world.requests).toEqual([]);
  });

  it('is success for an object that is gone, and leaves another one of that name alone', () => {
    const world = stage();
    const { scheduler } = world;
    const object = held(world, finalizer);
    world.server.remove(configMaps, 'settings', 'web');
    expect(world.run(removeFinalizer(world.client, object, finalizer)).values).toEqual([undefined]);
    held(world, finalizer);
    expect(world.run(removeFinalizer(world.client, object, finalizer, { scheduler })).values).toEqual([undefined]);
    expect(stored(world)?.metadata.finalizers).toEqual([finalizer]);
  });

  it('never removes what another client adds at the same time', () => {
    const world = stage();
    const { scheduler } = world;
    const object = held(world, finalizer);
    world.before('PATCH', () => held(world, others, finalizer));
    world.run(removeFinalizer(world.client, object, finalizer, { scheduler }));
    expect(stored(world)?.metadata.finalizers).toEqual([others]);
  });
});

describe('withFinalizer', () => {
  /** What was called, with what; `apply` gives `applied`, `cleanup` gives `gone`. */
  function finalizing(
    world: Stage,
    object: ConfigMap,
    options: Partial<WithFinalizerOptions<ConfigMap, unknown, unknown>> = {},
  ) {
    const calls: string[] = [];
    const { scheduler } = world;
    const log =
      (what: string, given: (object: ConfigMap) => unknown) =>
      (given$: ConfigMap): unknown => {
        calls.push(`${what} ${(given$.metadata.finalizers ?? []).join()}`);
        return given(given$);
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

  it('adds the finalizer and applies then, where there is none', () => {
    const world = stage();
    expect(finalizing(world, held(world))).toMatchObject({ calls: [`apply ${finalizer}`], values: ['applied'] });
    expect(stored(world)?.metadata.finalizers).toEqual([finalizer]);
  });

  it('only applies where there is one', () => {
    const world = stage();
    expect(finalizing(world, held(world, finalizer))).toMatchObject({ values: ['applied'] });
    expect(world.requests).toEqual([]);
  });

  it('cleans up, and removes the finalizer then, where the object is being deleted', () => {
    const world = stage();
    expect(finalizing(world, terminating(world, finalizer))).toMatchObject({
      calls: [`cleanup ${finalizer}`],
      values: ['gone'],
    });
    expect(stored(world)).toBeUndefined();
  });

  it('does nothing where the object is being deleted without it', () => {
    const world = stage();
    expect(finalizing(world, terminating(world, others))).toEqual({ calls: [], values: [undefined], took: 0 });
    expect(world.requests).toEqual([]);
  });

  it('applies nothing where the finalizer was not stored', () => {
    const world = stage();
    const object = held(world);
    world.server.remove(configMaps, 'settings', 'web');
    expect(finalizing(world, object)).toEqual({ calls: [], values: [undefined], took: 0 });
    held(world, others);
    const current = stored(world)!;
    world.run(world.client.delete('web/settings'));
    expect(finalizing(world, current)).toEqual({ calls: [], values: [undefined], took: 10 });
  });

  it('keeps the finalizer where the clean-up fails, and hands the error on as it is', () => {
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

  it('keeps the finalizer where the clean-up wants to run again', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    const wish = requeueAfter(50);
    const { values } = finalizing(world, object, { cleanup: () => of(requeueAfter(100), wish, 'not yet') });
    expect(values).toEqual([wish]);
    expect(stored(world)?.metadata.finalizers).toEqual([finalizer]);
  });

  it('waits for a clean-up that takes its time', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    const cleanup = () => timer(500, world.scheduler).pipe(map(() => 'at last'));
    expect(finalizing(world, object, { cleanup })).toMatchObject({ values: ['at last'], took: 500 });
    expect(stored(world)).toBeUndefined();
  });

  it('is success where the object is gone when the clean-up is through', () => {
    const world = stage();
    const object = terminating(world, finalizer);
    const cleanup = (): string => {
      world.server.remove(configMaps, 'settings', 'web');
      return 'gone';
    };
    expect(finalizing(world, object, { cleanup })).toMatchObject({ values: ['gone'] });
  });

  it('leaves the finalizers of others, also those that come meanwhile', () => {
    const world = stage();
    const object = terminating(world, finalizer, others);
    finalizing(world, object);
    expect(stored(world)?.metadata.finalizers).toEqual([others]);
  });

  it('returns undefined if nothing was given, and the last of several values', () => {
    const world = stage();
    const object = held(world, finalizer);
    expect(finalizing(world, object, { apply: () => undefined }).values).toEqual([undefined]);
    expect(finalizing(world, object, { apply: () => EMPTY }).values).toEqual([undefined]);
    expect(finalizing(world, object, { apply: () => of(1, 2) }).values).toEqual([2]);
  });

  it('awaits an asynchronous apply', async () => {
    const world = stage();
    const object = held(world, finalizer);
    const call = withFinalizer(world.client, object, {
      finalizer,
      apply: async () => 'done',
      cleanup: () => undefined,
    });
    await expect(call).resolves.toBe('done');
  });

  it('leaves what it waits for when it is aborted', () => {
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
