import { jest } from '@jest/globals';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ApiCall } from 'rx-informers/requests';
import { firstValueFrom, map, Observable, of, throwError } from 'rxjs';
import { apiCall } from '../../../src/requests/resource-client/api-call.js';

const enough = new Error('enough');
const other = new Error('other');
const throwOther = (): never => {
  throw other;
};

/** The parts of a promise that a promise-like may have. */
interface Settling extends Pick<Promise<string>, 'then' | 'catch'> {
  finally(onFinally?: (() => unknown) | null): Promise<string>;
}

const scenarios: Readonly<Record<string, (answer: Settling) => PromiseLike<unknown>>> = {
  'catch without a handler': (answer) => answer.catch(),
  'catch with null': (answer) => answer.catch(null),
  'catch with a value': (answer) => answer.catch(() => 'caught'),
  'catch with a promise': (answer) => answer.catch(() => Promise.resolve('caught')),
  'catch with a thenable': (answer) => answer.catch(() => apiCall(of('caught'))),
  'catch that throws': (answer) => answer.catch(throwOther),
  'catch that rejects': (answer) => answer.catch(() => Promise.reject(other)),
  'catch and then': (answer) => answer.catch(() => 'caught').then((value) => `${value}, then`),
  'finally without a handler': (answer) => answer.finally(),
  'finally with null': (answer) => answer.finally(null),
  'finally with a value, which is ignored': (answer) => answer.finally(() => 'ignored'),
  'finally with a promise, which is awaited': (answer) => answer.finally(() => Promise.resolve('ignored')),
  'finally that throws': (answer) => answer.finally(throwOther),
  'finally that rejects': (answer) => answer.finally(() => Promise.reject(other)),
  'finally and catch': (answer) => answer.finally(() => undefined).catch(() => 'caught'),
  'then without handlers': (answer) => answer.then(),
  'then with a handler for both': (answer) =>
    answer.then(
      (value) => `then ${value}`,
      () => 'rejected',
    ),
};

describe.each(Object.entries(scenarios))('ApiCall settles like a promise: %s', (_name, scenario) => {
  const outcome = async (answer: Settling): Promise<PromiseSettledResult<unknown>> =>
    (await Promise.allSettled([scenario(answer)]))[0];

  it('a call with a response settles as a promise with it', async () => {
    expect(await outcome(apiCall(of('answer')))).toEqual(await outcome(Promise.resolve('answer')));
  });
  it('a call with an error settles as a promise with it', async () => {
    expect(await outcome(apiCall(throwError(() => enough)))).toEqual(await outcome(Promise.reject(enough)));
  });
});

describe('ApiCall', () => {
  it.each([
    ['catch', (call: ApiCall<string>) => call.catch(() => undefined)],
    ['finally', (call: ApiCall<string>) => call.finally(() => undefined)],
  ])('%s sends the request at once, and again with each call', async (_name, settle) => {
    let sent = 0;
    const call = apiCall(new Observable<string>((subscriber) => subscriber.next(`answer ${++sent}`)));
    expect(sent).toBe(0);
    const first = settle(call);
    expect(sent).toBe(1);
    expect([await first, await settle(call)]).toEqual(['answer 1', 'answer 2']);
  });

  it('finally calls its handler without arguments, once, after the response', async () => {
    const calls: unknown[][] = [];
    await apiCall(of('answer')).finally((...args: unknown[]) => void calls.push(args));
    await apiCall(throwError(() => enough))
      .finally((...args: unknown[]) => void calls.push(args))
      .catch(() => undefined);
    expect(calls).toEqual([[], []]);
  });
});

describe('ApiCall: a wait for its first use', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it.each<[string, (call: ApiCall<string>) => unknown]>([
    ['subscribe', (call) => call.subscribe()],
    ['then', (call) => call.then(() => undefined)],
    ['catch', (call) => call.catch(() => undefined)],
    ['finally', (call) => call.finally(() => undefined)],
    ['pipe', (call) => call.pipe(map(String))],
    ['an operator of another library', (call) => firstValueFrom(call)],
  ])('ends with %s, after which nothing is reported and no timer waits', (_, use) => {
    const warned = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const before = jest.getTimerCount();
    void use(apiCall(of('answer')));
    expect(jest.getTimerCount()).toBe(before);
    jest.advanceTimersByTime(60_000);
    expect(warned).not.toHaveBeenCalled();
  });

  it('ends after 5 s with one report, and the call can still be sent, once', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockReturnValue();
    let sent = 0;
    const call = apiCall(new Observable<number>((subscriber) => subscriber.next(++sent)), undefined, () => 'the call');
    jest.advanceTimersByTime(4_999);
    expect(warned).not.toHaveBeenCalled();
    jest.advanceTimersByTime(60_000);
    expect(warned.mock.calls).toEqual([[expect.stringMatching(/^the call was never sent/), 'UnsentApiCallWarning']]);
    expect([sent, await call]).toEqual([0, 1]);
  });
});

describe('an ApiCall that is never sent', () => {
  let folder: string;
  let warnings: Readonly<Record<string, readonly string[]>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'api-call-'));
    await build({
      stdin: {
        contents: `export * from './src/controller/index.js'; export * from './src/requests/index.js'; export { configMaps, createIndexer } from './src/index.js';
          export { metaNamespaceKey } from './src/store.js';
          export { createInMemoryApiServer } from './src/testing/index.js'; export { concat, firstValueFrom, last, map } from 'rxjs';`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'error',
      outfile: join(folder, 'library', 'index.cjs'),
    });
    await writeFile(join(folder, 'program.mjs'), program);
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', join(folder, 'program.mjs')], {
      timeout: 25_000,
    });
    warnings = JSON.parse(stdout) as typeof warnings;
    // Bundling and another process take seconds on a busy machine.
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true }));

  it('is reported in development once for each line of code that made it', () => {
    expect(warnings['forget']).toEqual([
      expect.stringMatching(
        /^delete of configmaps default\/a was never sent.*await it.*The call was made at forget \(.*program\.mjs:\d+:\d+\)/,
      ),
    ]);
  });

  it('is reported with the line that called edit', () => {
    expect(warnings['forgetEdit']).toEqual([expect.stringContaining('made at forgetEdit (')]);
  });

  it('is reported if only an operator was applied to it', () => {
    expect(warnings['forgetPipe']).toEqual([expect.stringContaining('made at forgetPipe (')]);
  });

  it('is reported before Node exits if nothing was called on it, and it is sent neither then nor later', () => {
    expect(warnings['exit']).toEqual([
      expect.stringMatching(/^create of configmaps web\/forgotten was never sent.*made at forgetBeforeExit \(/),
      'stored: a,b',
    ]);
  });

  it('is not reported if it was awaited, caught, subscribed to, or unsubscribed from', () => {
    expect(warnings['send']).toEqual([]);
  });

  it('is not reported if a cache shows that there is nothing to send', () => {
    expect(warnings['needNothing']).toEqual([]);
  });

  it('is not reported if another call from the same line was sent, before or afterwards', () => {
    expect(warnings['oftenSend']).toEqual([]);
  });

  it('is not printed by console.warn after the tests of a jest run have ended', () => {
    expect(warnings['console']).toEqual([]);
  });

  it('is not reported in production', () => {
    expect(warnings['forgetInProduction']).toEqual([]);
  });
});

const program = `
import { runInThisContext } from 'node:vm';
import library from './library/index.cjs';
const { concat, configMaps, createIndexer, createInMemoryApiServer, createOrUpdate, edit, firstValueFrom, ignoreNotFound, last, map, metaNamespaceKey, resourceClient } = library;
const server = createInMemoryApiServer();
const settings = resourceClient(server.client, configMaps);
const [object] = server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
const kept = [];
const scenarios = {
  forget() {
    for (let times = 0; times < 3; times++) settings.delete('default/a');
  },
  forgetEdit() {
    edit(settings, object, () => undefined);
  },
  forgetPipe() {
    settings.get('default/a').pipe(map(String));
  },
  async send() {
    await settings.list();
    await settings.get('default/none').catch(ignoreNotFound);
    await settings.delete('default/none').then(undefined, ignoreNotFound);
    await settings.list().finally(() => undefined);
    await settings.getOrUndefined('default/none');
    settings.list().subscribe().unsubscribe();
    await firstValueFrom(settings.list().pipe(map((objects) => objects.length)));
  },
  async needNothing() {
    const cache = createIndexer(metaNamespaceKey);
    const applied = { metadata: { namespace: 'default', name: 'b' } };
    const options = { from: cache, fieldManager: 'tests' };
    cache.replace([await settings.apply(applied, options)]);
    await settings.apply(applied, options);
    await createOrUpdate(settings, applied, () => undefined, options);
    const setStatus = (draft) => void (draft.status = {});
    await createOrUpdate(settings, applied, setStatus, options).catch(() => undefined);
  },
  async oftenSend() {
    const both = (first) => {
      const then$ = settings.list();
      return firstValueFrom(concat(settings.get(first), then$).pipe(last())).catch(ignoreNotFound);
    };
    await both('default/a');
    await both('default/none');
    await settled();
    const again = (first) => {
      const then$ = settings.list();
      return firstValueFrom(concat(settings.get(first), then$).pipe(last())).catch(ignoreNotFound);
    };
    await again('default/none');
    await again('default/a');
  },
  forgetInProduction() {
    process.env.NODE_ENV = 'production';
    settings.get('default/a');
    delete process.env.NODE_ENV;
  },
};
const reported = { console: [] };
let laterCalls = 0;
console.warn = (text) => reported.console.push(text);
let warnings;
let waitedFor;
process.removeAllListeners('warning').on('warning', ({ message }) => {
  if (message.includes('later-call-')) waitedFor = message;
  else warnings.push(message);
});
for (const [name, scenario] of Object.entries(scenarios)) {
  reported[name] = warnings = [];
  await scenario();
  await settled();
}
// A call that is made now, in a place of its own, is never sent either. When it is reported, all
// earlier calls have been collected, and the callbacks for them have run.
async function settled() {
  const place = 'later-call-' + ++laterCalls + '.js';
  runInThisContext("(settings) => void settings.get('default/a')", { filename: place })(settings);
  do {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 1));
  } while (!waitedFor?.includes(place));
}
reported.exit = warnings = [];
forgetBeforeExit();
function forgetBeforeExit() {
  kept.push(settings.create({ metadata: { namespace: 'web', name: 'forgotten' } }), settings.list().pipe(map(String)));
}
process.once('exit', () => {
  warnings.push('stored: ' + server.objects.list(configMaps).map(({ metadata }) => metadata.name));
  server.stop();
  console.log(JSON.stringify(reported));
});
`;
