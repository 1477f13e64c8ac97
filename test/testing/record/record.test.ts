import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatusError, fromEvents, informer, replay, secrets, type ConfigMap } from 'rx-informers';
import { type SourceError, type WatchEvent, watchEvent } from 'rx-informers/store';
import {
  aConfigMap,
  anyObject,
  recordSource,
  replayFile,
  type RecordOptions,
  informerTest,
} from 'rx-informers/testing';
import { Subject, VirtualTimeScheduler, concat, lastValueFrom, of, throwError, toArray } from 'rxjs';
import {
  connectionError,
  credentialsError,
  silentConnectionError,
  earlyCloseError,
  responseError,
  decodingError,
  transformError,
  bookmarkDeadlineError,
  serverRestoredError,
  sharedWorkerError,
  hubError,
  unexpectedSourceError,
} from '../../../src/sources/model/errors.js';

const { added, bookmark, deleted, listed, modified } = watchEvent;

const request = { method: 'GET', url: '/api/v1/configmaps?limit=500' };
const fixture = 'test/fixtures/recordings/config-maps';
const map = (name: string, version = 1): ConfigMap => aConfigMap({ name, resourceVersion: version });

const everyError: readonly SourceError[] = [
  new StatusError(request, { status: 'Failure', code: 410, reason: 'Expired' }, { retryAfter: 5000 }),
  connectionError(request, Object.assign(new Error('hang up'), { code: 'ECONNRESET' })),
  credentialsError(request, new Error('no token')),
  silentConnectionError(request, 'data', 30_000),
  earlyCloseError(request, 3),
  responseError(request, 'not a list', '<html>'),
  decodingError(request, 'not JSON', '{"a', 3),
  transformError('web/a', 'threw'),
  bookmarkDeadlineError(request, 30_000),
  serverRestoredError(request, '321', '17'),
  sharedWorkerError('other-version', 'another build'),
  hubError('upstream', 'the hub has lost the API server', 'RXI_CONNECTION'),
  unexpectedSourceError(new Error('who knows')),
];

/** The recording of these batches. */
async function recordAll(
  batches: readonly (readonly WatchEvent<ConfigMap>[])[],
  options?: RecordOptions,
): Promise<string> {
  let text = '';
  await lastValueFrom(
    recordSource(fromEvents(batches), (line) => (text += line), options),
    { defaultValue: [] },
  );
  return text;
}

const replayAll = (text: string): Promise<readonly (readonly WatchEvent<ConfigMap>[])[]> =>
  lastValueFrom(replay<ConfigMap>(text, { speed: Infinity }).pipe(toArray()));

describe('record and replay', () => {
  it('replays a recording of a real API server, including a 410, to the final content of that server', () => {
    const expected = JSON.parse(readFileSync(`${fixture}.final.json`, 'utf8')) as Record<string, string>;
    const errors: unknown[] = [];
    const sizes: number[] = [];
    const reasons = new Set<string>();
    const tombstones: string[] = [];
    const replayed = informer(
      concat(replayFile<ConfigMap>(`${fixture}.ndjson`, { speed: Infinity }), new Subject<WatchEvent<ConfigMap>>()),
      // Time stands still, so a long list is not applied in slices.
      { scheduler: new VirtualTimeScheduler() },
    );
    replayed.errors$.subscribe((error) => errors.push(error));
    replayed.changes$.subscribe(({ reason, changes }) => {
      sizes.push(changes.length);
      reasons.add(reason);
      for (const change of changes)
        if (change.type === 'deleted' && change.finalStateUnknown) tombstones.push(change.key);
    });
    const versions = replayed.list().map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
    expect(Object.fromEntries(versions)).toEqual(expected);
    expect(sizes[0]).toBe(500);
    expect([...reasons]).toEqual(['initial', 'watch', 'relist']);
    expect(tombstones).toHaveLength(20);
    expect(errors).toContainEqual(expect.objectContaining({ name: 'StatusError', statusCode: 410 }));
    replayed.stop();
  });

  it('returns the same batches, for any batches', async () => {
    const object = fc
      .record({ name: fc.string({ minLength: 1 }), version: fc.nat() })
      .map(({ name, version }) => map(name, version));
    const event: fc.Arbitrary<WatchEvent<ConfigMap>> = fc.oneof(
      fc.uniqueArray(object, { selector: ({ metadata }) => metadata.name }).map((items) => listed(items, '7')),
      object.map(added),
      object.map(modified),
      object.map((gone) => ({ ...deleted(gone), partition: 'east' })),
      fc.nat().map((version) => bookmark(String(version))),
      fc.constantFrom(...everyError).map((error) => ({ type: 'ERROR' as const, error })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(event)), async (batches) => {
        const replayed = await replayAll(await recordAll(batches, { redact: false }));
        expect(replayed).toEqual(batches);
      }),
      { numRuns: 15 },
    );
  });

  it.each(everyError.map((error) => [error.code, error] as const))(
    'keeps type and fields of a %s',
    async (_name, error) => {
      const [[replayed]] = (await replayAll(await recordAll([[{ type: 'ERROR', error }]], { redact: false }))) as [
        [WatchEvent<ConfigMap>],
      ];
      expect(replayed).toEqual({ type: 'ERROR', error });
      expect((replayed as { error: Error }).error.constructor).toBe(error.constructor);
      expect((replayed as { error: Error }).error.message).toBe(error.message);
    },
  );

  it('G9: replays at the recorded times, in virtual time, and moves the times of a status', () => {
    const text = [
      '{"recording":"rx-informers","version":1,"startedAt":1000,"redacted":true}',
      '{"at":0,"batch":[{"type":"STATUS","status":{"state":"watching","since":1000,"resourceVersion":"1"}}]}',
      '{"at":4,"batch":[{"type":"BOOKMARK","resourceVersion":"5"}]}',
      '{"at":8,"end":"completed"}',
    ].join('\n');
    informerTest(({ cold, expectObservable }) => {
      const values = {
        s: [{ type: 'STATUS', status: { state: 'watching', since: 0, resourceVersion: '1' } }],
        b: [bookmark('5')],
      };
      expectObservable(replay(text)).toBe('s---b---|', values);
      expectObservable(replay(text, { speed: 2 })).toBe('s-b-|', values);
      expectObservable(replay(text, { speed: Infinity })).toBe('(sb|)', values);
      expectObservable(replay(text), '^--!').toBe('s', values);
      expectObservable(
        replay(cold('ab-cd|', Object.fromEntries(text.split('\n').map((line, at) => ['abcd'[at], line])))),
      ).toBe('-s--b---|', values);
    });
  });

  it('replays a truncated recording up to its end, and then fails with an error', async () => {
    const whole = await recordAll([[listed([map('a')])], [added(map('b'))]]);
    const lines = whole.trimEnd().split('\n');
    const truncated = [
      lines.slice(0, 3).join('\n'),
      `${lines.slice(0, 2).join('\n')}\n${(lines[2] as string).slice(0, 20)}`,
    ];
    for (const [index, text] of truncated.entries()) {
      const replayed = await replayAll(text);
      expect(replayed).toHaveLength(3 - index);
      expect(replayed.at(-1)).toEqual([
        {
          type: 'ERROR',
          error: expect.objectContaining({
            code: 'RXI_UNEXPECTED_SOURCE',
            cause: expect.objectContaining({ code: 'RXI_TRUNCATED_RECORDING', line: 4 - index }),
          }),
        },
      ]);
    }
  });

  it.each([
    ['nothing', '', 'it is empty'],
    ['something else', '{"kind":"List"}', 'not the header'],
    ['text', 'hello', 'not the header'],
    ['a later format', '{"recording":"rx-informers","version":2}', 'version 2'],
  ])('fails at once if the recording is %s', async (_name, text, problem) => {
    await expect(replayAll(text)).rejects.toThrow(problem);
  });

  it.each([[0], [-1], [NaN]])('throws for a speed of %d', (speed) => {
    expect(() => replay('', { speed })).toThrow(expect.objectContaining({ code: 'RXI_INVALID_OPTION' }));
  });

  it('fails at the time the recorded source failed', async () => {
    let text = '';
    const failing = concat(
      of(listed([map('a')])),
      throwError(() => new Error('broken')),
    );
    const failure = lastValueFrom(recordSource(failing, (line) => (text += line)));
    await expect(failure).rejects.toThrow('broken');
    await expect(replayAll(text)).rejects.toThrow('the source failed: ');
  });

  it('writes each line before its batch is emitted, and the outcome into a separate file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rx-informers-record-'));
    const file = join(folder, 'pods.ndjson');
    const events = new Subject<WatchEvent<ConfigMap>>();
    const linesSeen: number[] = [];
    const lines = (): readonly string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
    const running = recordSource(events, file, { transform: 'none' }).subscribe(() => linesSeen.push(lines().length));
    events.next(listed([map('a')]));
    events.next(added(map('b')));
    running.unsubscribe();
    events.next(added(map('c')));
    expect(linesSeen).toEqual([2, 3]);
    expect(lines()).toHaveLength(4);
    expect(JSON.parse(lines()[0] as string)).toMatchObject({ version: 1, transform: 'none', redacted: true });
    expect(JSON.parse(lines()[3] as string)).toMatchObject({ end: 'unsubscribed' });
    rmSync(folder, { recursive: true });
  });

  it('passes on an error of a sink, and unsubscribes from the source', () => {
    const events = new Subject<WatchEvent<ConfigMap>>();
    let lines = 0;
    let failure: unknown;
    const sink = {
      write: () => {
        lines += 1;
        if (lines === 2) throw new Error('disk full');
      },
    };
    recordSource(events, sink).subscribe({ error: (error: unknown) => (failure = error) });
    events.next(listed([map('a')]));
    expect(failure).toEqual(new Error('disk full'));
    expect(events.observed).toBe(false);
  });

  it('passes on one error of a sink that keeps failing, wherever it begins to fail, and writes no more lines', () => {
    const full = new Error('disk full');
    const outcomes = [1, 2, 3].map((broken) => {
      const [seen, attempts]: [unknown[], string[]] = [[], []];
      const sink = (line: string): void => {
        if (attempts.push(line) >= broken) throw full;
      };
      recordSource(fromEvents([[listed([map('a')])]]), sink).subscribe({
        error: (error: unknown) => seen.push(error),
        complete: () => seen.push('completed'),
      });
      return { seen, attempts: attempts.length };
    });
    expect(outcomes).toEqual([1, 2, 3].map((attempts) => ({ seen: [full], attempts })));
  });

  it('passes on the error of the source, even if the sink fails as well', () => {
    const seen: unknown[] = [];
    let lines = 0;
    const sink = (): void => {
      lines += 1;
      if (lines > 1) throw new Error('disk full');
    };
    recordSource(
      throwError(() => new Error('gone')),
      sink,
    ).subscribe({ error: (error: unknown) => seen.push(error) });
    expect(seen).toEqual([new Error('gone')]);
  });
});

describe('a recording', () => {
  const password = 'aHVudGVyMg==';
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
  const secret = {
    ...anyObject(secrets, { name: 'db' }),
    metadata: { name: 'db', annotations: { [lastApplied]: 'hunter2', note: 'kept', 'ci/token': 'hunter2' } },
    data: { password },
    stringData: { password: 'hunter2' },
  };
  const events: readonly WatchEvent<ConfigMap>[] = [
    listed([secret as unknown as ConfigMap]),
    modified(secret as unknown as ConfigMap),
    {
      type: 'ERROR',
      error: decodingError(request, 'not JSON', '{"data":{"password":"hunter2', 20),
    },
    { type: 'ERROR', error: responseError(request, 'no list', 'hunter2') },
    { type: 'ERROR', error: connectionError(request, new Error('sent Authorization: Bearer hunter2.x-y')) },
    added({ ...map('plain'), data: { kept: 'kept', authorization: 'hunter2' } }),
  ];

  it('contains no secrets: values, last applied configuration, tokens, credentials, raw text', async () => {
    const text = await recordAll([events]);
    expect(text).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(text).toContain('"note":"kept"');
    expect(text).toContain('"kept":"kept"');
    expect(text).toContain(`"password":"${btoa('redacted')}"`);
  });

  it('contains no part of a text that could not be parsed, not even in the message of the parser', async () => {
    const thrownFor = (text: string): unknown => {
      try {
        return JSON.parse(text);
      } catch (error) {
        return error;
      }
    };
    const cause = thrownFor('{"password":hunter2}');
    expect(String(cause)).toContain('hunter2');
    const text = await recordAll([
      [
        { type: 'ERROR', error: decodingError(request, 'not valid JSON', '', 20, { cause }) },
        { type: 'ERROR', error: unexpectedSourceError(cause) },
      ],
    ]);
    expect(text).not.toContain('hunter2');
  });

  it('recognises Secrets by the resource if they have no kind', async () => {
    const { kind: _kind, ...nameless } = secret;
    const text = await recordAll([[added(nameless as unknown as ConfigMap)]], { resource: secrets });
    expect(text).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(text).toContain('"resource":"secrets"');
  });

  it('is redacted, while the emitted batches are not', async () => {
    const passed = await lastValueFrom(recordSource(fromEvents([events]), () => {}));
    expect(passed).toBe(events);
  });

  it('contains everything on request', async () => {
    expect(await recordAll([events], { redact: false })).toContain(password);
  });
});
