import type { EventDetails, Regarding } from 'rx-informers/controller';
import { deployments, pods } from 'rx-informers';
import { pod, recording, started } from './support/recording.js';

function partial() {
  const { metadata } = pod('a');
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
}

describe('eventRecorder: events', () => {
  it('takes apiVersion and kind from a given resource, whatever the object says', () => {
    const { recorder, stored } = recording();
    recorder.record(partial(), { ...started, resource: pods });
    recorder.record(
      { metadata: { name: 'b', namespace: pod('b').metadata.namespace } },
      { ...started, resource: pods },
    );
    recorder.record(pod('c'), { ...started, resource: deployments, related: pod('d') });
    expect(stored().map(({ regarding }) => [regarding?.name, regarding?.apiVersion, regarding?.kind])).toEqual([
      ['a', 'v1', 'Pod'],
      ['b', 'v1', 'Pod'],
      ['c', 'apps/v1', 'Deployment'],
    ]);
    expect(stored()[2]?.related).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
    expect(stored()[0]).not.toHaveProperty('resource');
  });

  it('E1: writes what is about a cluster-scoped object to the namespace default', () => {
    const { recorder, stored } = recording();
    recorder.record({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: '1' } }, started);
    expect(stored()).toMatchObject([
      {
        metadata: { namespace: 'default', name: 'n.7a120' },
        regarding: { apiVersion: 'v1', kind: 'Node', name: 'n', uid: '1' },
        reportingController: 'example.com/tests',
        reportingInstance: 'tests-0',
      },
    ]);
    expect(stored()[0]?.regarding).not.toHaveProperty('namespace');
  });

  it('E1: takes a UUID for a name that would not be valid', () => {
    const { recorder, stored } = recording();
    recorder.record(pod('NotAName'), started);
    expect(stored()[0]?.metadata.name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('E1: gives events of one moment different names', () => {
    const { recorder, stored } = recording();
    for (let index = 0; index < 20; index += 1) recorder.record(pod('a'), { ...started, reason: `Reason${index}` });
    expect(new Set(stored().map(({ metadata }) => metadata.name)).size).toBe(20);
  });

  it.each([
    ['one byte a character', 'x'.repeat(2_000)],
    ['three bytes a character', '€'.repeat(2_000)],
    ['four bytes a character', '🦀'.repeat(2_000)],
  ])('E1: cuts a note at 1024 bytes, between characters (%s)', (_, note) => {
    const { recorder, stored } = recording();
    recorder.record(pod('a'), { ...started, note });
    const cut = stored()[0]?.note ?? '';
    const length = Buffer.byteLength(cut);
    expect(note.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true);
    expect(cut).not.toContain('\uFFFD');
    expect([length <= 1_024, length > 1_020]).toEqual([true, true]);
  });

  it('leaves a note of 1024 bytes as it is, and needs none', () => {
    const { recorder, stored } = recording();
    recorder.record(pod('a'), { ...started, note: 'x'.repeat(1_024) });
    recorder.record(pod('b'), { type: 'Normal', reason: 'Started', action: 'Starting' });
    expect(stored().map(({ note }) => note?.length)).toEqual([1_024, undefined]);
  });

  it.each<[string, unknown, unknown]>([
    ['the type is normal, not Normal or Warning', pod('a'), { ...started, type: 'normal' }],
    ['the reason is missing', pod('a'), { ...started, reason: '' }],
    ['the action is missing', pod('a'), { ...started, action: undefined }],
    ['the reason has 129 bytes', pod('a'), { ...started, reason: 'r'.repeat(129) }],
    ['the action has 130 bytes', pod('a'), { ...started, action: 'ä'.repeat(65) }],
    ['the note is no string', pod('a'), { ...started, note: 1 }],
    ['nothing is said', pod('a'), undefined],
    ['it is no object', undefined, started],
    ['it says only that it is PartialObjectMetadata of meta.k8s.io/v1; pass { resource }', partial(), started],
    ['the resource is no descriptor', pod('a'), { ...started, resource: null }],
    ['it has no kind', { ...pod('a'), kind: undefined }, started],
    ['it has no apiVersion', { kind: 'Pod', name: 'a' }, started],
    ['it has no name', { ...pod('a'), metadata: null }, started],
    ['its name is no string', { ...pod('a'), metadata: { name: 1 } }, started],
    ['what it is related to cannot be referred to: it has no', pod('a'), { ...started, related: {} }],
  ])('E1: does not throw for invalid arguments, but reports them: %s', (problem, regarding, details) => {
    const { recorder, requests, outcomes } = recording();
    recorder.record(regarding as Regarding, details as EventDetails);
    expect(requests).toEqual([]);
    expect(outcomes).toMatchObject([
      { type: 'dropped', cause: 'invalid', error: { name: 'InvalidEventDetailsError' } },
    ]);
    expect(String(outcomes[0]?.type === 'dropped' && outcomes[0].error)).toContain(problem);
  });

  it.each([
    { reportingController: '' },
    { reportingController: 'two words' },
    { reportingInstance: '' },
    { reportingInstance: 'x'.repeat(129) },
    { spamFilter: { burst: 0 } },
    { spamFilter: { refillEvery: 0 } },
  ])('throws at once for options that every event would be refused for: %j', (options) => {
    expect(() => recording(options)).toThrow(RangeError);
  });

  it('names its instance after the controller by default', () => {
    const { recorder, stored } = recording({ reportingInstance: undefined });
    recorder.record(pod('a'), started);
    expect(stored()[0]?.reportingInstance).toBe('example.com/tests-80000');
  });
});
