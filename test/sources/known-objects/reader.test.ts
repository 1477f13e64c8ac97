import { shareStructureInPlace } from '../../../src/kubernetes/share-structure.js';
import {
  objectReader,
  planFor,
  type ParsedText,
  type KnownTexts,
} from '../../../src/sources/reflector/known-objects.js';
import type { ScannedText } from '../../../src/sources/wire/scanner.js';
import { encode } from '../support/scripted-client.js';

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly nodeName: string; readonly tolerations: readonly { readonly key: string }[] };
  readonly status: { readonly phase: string };
}

const pod = (uid: string | undefined, resourceVersion: string, nodeName = 'n1', phase = 'Running'): Stored => ({
  metadata: { name: 'a', namespace: 'web', ...(uid !== undefined && { uid }), resourceVersion },
  spec: { nodeName, tolerations: [{ key: 'node.kubernetes.io/not-ready' }] },
  status: { phase },
});

/** The text of an item as a scanner with digests finds it. Its digest consists of the texts. */
function item(object: Stored, parsed: string[] = []): ScannedText {
  const [digest, parts, ofSpec] = [digestOf(object), partsOf(object), JSON.stringify(object.spec)];
  const field = (name: 'name' | 'namespace' | 'uid' | 'resourceVersion'): string | undefined => object.metadata[name];
  return {
    bytes: encode(JSON.stringify(object)),
    isUpsert: true,
    field,
    hasFieldValue: (name, value) => field(name) === value,
    digest: (isWhole) => (isWhole ? digest : parts),
    hasDigest: (other) => other === digest,
    hasSpecDigest: (other) => other.endsWith(ofSpec),
    hasMetadataDigest: (other) => other.endsWith(parts),
    parse: () => {
      parsed.push('all');
      return JSON.parse(JSON.stringify(object));
    },
    parseWithoutSpec: (omitsMetadata) => {
      parsed.push(omitsMetadata ? 'the status' : 'the rest');
      return JSON.parse(JSON.stringify({ ...object, spec: 0, ...(omitsMetadata && { metadata: 0 }) }));
    },
  };
}

const digestOf = (object: Stored): string => JSON.stringify(object) + partsOf(object);
const partsOf = ({ metadata, spec }: Stored): string =>
  JSON.stringify({ ...metadata, resourceVersion: '' }) + JSON.stringify(spec);

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}

/** Holds one object, which was parsed from its text. */
function holding(object: Stored, text = digestOf(object)): KnownTexts<Stored> {
  const digests = new WeakMap<object, string>();
  digests.set(object, text);
  const stored = deepFrozen(object);
  return { objects: { get: (key) => (key === 'web/a' ? stored : undefined), size: 1 }, digests };
}

describe("the parsed part of an object's text", () => {
  const stored = pod('1', '10');

  it.each([
    ['nothing of a held item', item(pod('1', '10')), true, 'held'],
    [
      'everything but the spec of an item with the same version and spec, and another status',
      item(pod('1', '10', 'n1', 'Failed')),
      true,
      'spec-held',
    ],
    ['everything of an item with the same version and another spec', item(pod('1', '10', 'n2')), true, 'new'],
    [
      'everything but the spec of an item with another version and the same spec',
      item(pod('1', '11')),
      true,
      'spec-held',
    ],
    [
      'everything but the spec of an event with the same spec, regardless of its version',
      item(pod('1', '10')),
      false,
      'spec-held',
    ],
    ['everything of an object with another spec', item(pod('1', '11', 'n2')), true, 'new'],
    ['everything of an object with another uid, the same version and the same spec', item(pod('2', '10')), true, 'new'],
    ['everything of an object without a uid', item(pod(undefined, '10')), true, 'new'],
    ['everything of a text that is not an upsert', { ...item(pod('1', '10')), isUpsert: false }, true, 'new'],
    [
      'everything of a text without fields',
      { ...item(pod('1', '10')), field: () => undefined, hasFieldValue: () => false },
      true,
      'new',
    ],
    [
      'everything of a text without a digest',
      { ...item(pod('1', '10')), hasDigest: () => false, hasSpecDigest: () => false, hasMetadataDigest: () => false },
      true,
      'new',
    ],
  ] as const)('is %s', (_what, text, isListed, expected) => {
    expect(planFor(text, holding(stored), isListed).type).toBe(expected);
  });

  it.each([
    ['nor metadata, if only the version differs', item(pod('1', '11')), '11'],
    [
      'but metadata, if they differ otherwise',
      item({ ...pod('1', '11'), metadata: { ...pod('1', '11').metadata, name: 'b' } }),
      undefined,
    ],
    [
      'but metadata, if the version is no plain text',
      { ...item(pod('1', '11')), field: (name: string) => (name === 'resourceVersion' ? undefined : 'a') },
      undefined,
    ],
  ] as const)('is without the spec of the same bytes, %s', (_what, text, resourceVersion) => {
    const held: KnownTexts<Stored> = { ...holding(stored), objects: { get: () => stored, size: 1 } };
    expect(planFor(text, held, false)).toEqual({ type: 'spec-held', previous: stored, resourceVersion });
  });

  it('is everything if the held object has no uid, because the name does not identify it', () => {
    const plan = planFor(item(pod(undefined, '10')), holding(pod(undefined, '10')), true);
    expect(plan).toEqual({ type: 'new', previous: undefined });
  });

  it('is everything if the held object was not parsed from a text', () => {
    const knownTexts: KnownTexts<Stored> = { ...holding(pod('1', '10')), digests: new WeakMap<object, string>() };
    expect(planFor(item(pod('1', '11')), knownTexts, true)).toMatchObject({ type: 'new', previous: pod('1', '10') });
  });

  it('is everything for the same spec with another uid, and nothing of the old object is reused', () => {
    const old = pod('1', '10');
    const reader = objectReader(holding(old), shareStructureInPlace, { isList: true });
    const read = reader.read(item(pod('2', '11')), 'item') as ParsedText<Stored>;
    const next = reader.finish(read, read.value as Stored);
    expect(next).toEqual(pod('2', '11'));
    expect(next.spec).not.toBe(old.spec);
    expect(next.spec.tolerations).not.toBe(old.spec.tolerations);
  });
});

describe('a reader of a response', () => {
  function read(knownTexts: KnownTexts<Stored>, objects: readonly Stored[], parsed: string[] = []): readonly Stored[] {
    const reader = objectReader(knownTexts, shareStructureInPlace, { isList: true });
    return objects.map((object) => {
      const text = reader.read(item(object, parsed), 'item');
      return text.type === 'held' ? reader.pass(text) : reader.finish(text, text.value as Stored);
    });
  }

  it('returns the held object itself', () => {
    const stored = pod('1', '10');
    const parsed: string[] = [];
    expect(read(holding(stored), [pod('1', '10')], parsed)[0]).toBe(stored);
    expect(parsed).toEqual([]);
  });

  it('reuses spec and metadata of the held object and parses the rest, with the fields in their order', () => {
    const stored = pod('1', '10');
    const parsed: string[] = [];
    const next = pod('1', '11', 'n1', 'Failed');
    const [delivered] = read(holding(stored), [next], parsed);
    expect(JSON.stringify(delivered)).toBe(JSON.stringify(next));
    expect(delivered?.spec).toBe(stored.spec);
    expect(stored.metadata.resourceVersion).toBe('10');
    expect(parsed).toEqual(['the status']);
  });

  it('reuses only the spec of the held object if metadata differ in more than the version', () => {
    const stored = pod('1', '10');
    const parsed: string[] = [];
    const next = { ...stored, metadata: { ...stored.metadata, resourceVersion: '11', labels: { a: 'b' } } };
    const [delivered] = read(holding(stored), [next], parsed);
    expect(delivered).toEqual(next);
    expect(delivered?.spec).toBe(stored.spec);
    expect(parsed).toEqual(['the rest']);
  });

  it('remembers only the digests of metadata and spec of an object in a watch event, until a list has the same content', () => {
    const stored = pod('1', '10');
    const knownTexts = holding(stored);
    const reader = objectReader(knownTexts, shareStructureInPlace, { isList: false });
    const next = pod('1', '11', 'n2');
    const line = reader.read(item(next), 'line') as ParsedText<Stored>;
    const object = reader.finish(line, line.value as Stored);
    expect(knownTexts.digests.get(object)).toBe(partsOf(next));
    const later: KnownTexts<Stored> = { ...knownTexts, objects: { get: () => object, size: 1 } };
    const parsed: string[] = [];
    for (let lists = 0; lists < 2; lists++) expect(read(later, [next], parsed)[0]).toBe(object);
    expect(parsed).toEqual(['the status']);
    expect(knownTexts.digests.get(object)).toBe(digestOf(next));
  });

  it('reuses the spec of an object that it has parsed itself', () => {
    const knownTexts: KnownTexts<Stored> = { ...holding(pod('1', '10')), digests: new WeakMap<object, string>() };
    const [changed] = read(knownTexts, [pod('1', '11', 'n2')]) as readonly [Stored];
    const later: KnownTexts<Stored> = { ...knownTexts, objects: { get: () => changed, size: 1 } };
    const parsed: string[] = [];
    expect(read(later, [pod('1', '12', 'n2')], parsed)[0]?.spec).toBe(changed.spec);
    expect(parsed).toEqual(['the status']);
  });

  it('modifies no held object and no reused part, when neighbours share equal parts', () => {
    const stored = pod('1', '10');
    const before = JSON.stringify(stored);
    const other = { ...pod('2', '5', 'n9'), metadata: { ...pod('2', '5').metadata, name: 'b' } };
    const delivered = read(holding(stored), [other, pod('1', '11', 'n1', 'Failed'), other, pod('1', '10'), other]);
    expect(delivered.map((object) => object.status.phase)).toEqual([
      'Running',
      'Failed',
      'Running',
      'Running',
      'Running',
    ]);
    expect(JSON.stringify(stored)).toBe(before);
    expect(delivered[1]?.spec).toBe(stored.spec);
  });

  it('shares equal parts of a new object with a held neighbour', () => {
    const stored = pod('1', '10');
    const other = { ...pod('2', '5'), metadata: { ...pod('2', '5').metadata, name: 'b' } };
    const [, delivered] = read(holding(stored), [pod('1', '10'), other]);
    expect(delivered?.spec).toBe(stored.spec);
  });

  it('remembers the last text of a held object that has the same content', () => {
    const stored = pod('1', '10');
    const knownTexts = holding(stored, 'the same content in other words');
    expect(read(knownTexts, [pod('1', '10')])[0]).toBe(stored);
    expect(knownTexts.digests.get(stored)).toBe(digestOf(stored));
  });

  it('takes over another content at the same version, and keeps the digest of the held object', () => {
    const stored = pod('1', '10');
    const knownTexts = holding(stored);
    const [delivered] = read(knownTexts, [pod('1', '10', 'n1', 'Failed')]);
    expect(delivered).toEqual(pod('1', '10', 'n1', 'Failed'));
    expect(knownTexts.digests.get(stored)).toBe(digestOf(stored));
    expect(knownTexts.digests.get(delivered as Stored)).toBe(digestOf(pod('1', '10', 'n1', 'Failed')));
  });
});
