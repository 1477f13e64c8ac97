import { jest } from '@jest/globals';
import fc from 'fast-check';
import { benchPod } from '../../../bench/fixtures/pod.js';
import { decodeJson } from '../../../src/sources/wire/bytes.js';
import { chooseScanner, createTextScanner } from '../../../src/sources/wire/choose-scanner.js';
import type { ScannedText } from '../../../src/sources/wire/scanner.js';
import { createListSplitter } from '../../../src/sources/wire/split-list.js';
import { createWasmEngine, createWasmScanner } from '../../../src/sources/wire/wasm-scanner.js';
import { bytesOf } from './chunks.js';
import { createComparison, outcomeOf } from './compare-scanners.js';
import { joined, nextCase, randomFrom } from './scanner-cases.js';
import { siphash } from './siphash.js';

/** `npm run task -- scanners:compare`, a step of `.ci/run`, compares more. */
const cases = 6_000;
const casesInRun = 200;
const scanners = ['wasm', 'none'] as const;
const omitManagedFields = true;
/** With fewer `managedFields` than most. */
const aPod = { ...benchPod(7), metadata: { ...benchPod(7).metadata, managedFields: [{ manager: 'kubelet' }] } };

afterEach(() => chooseScanner('fastest'));

describe('the scanner in WebAssembly, and none', () => {
  it('find and parse what JSON.parse does in any text, and write nowhere else', () => {
    const compare = createComparison(createWasmEngine());
    fc.assert(
      fc.property(fc.integer(), (seed) => compare(seed, casesInRun)),
      { numRuns: cases / casesInRun, endOnFailure: true },
    );
  });

  it('find the same items in a list, valid or not, in any chunks, and report the same errors', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = randomFrom(seed);
        const items = Array.from({ length: random(8) }, () => nextCase(random)).map(({ bytes }) => bytes);
        const commas = items.flatMap((item, index) => (index === 0 ? [item] : [bytesOf(','), item]));
        const list = joined(bytesOf('{"kind":"PodList","items":['), ...commas, bytesOf('],"metadata":{}}'));
        const size = 1 + random(random(2) === 0 ? 20 : 400);

        expect(readList('wasm', list, size, false)).toEqual(readList('none', list, size, false));
      }),
      { numRuns: 150 },
    );
  });

  it.each(scanners)('find nothing in a text that is cut off at any position, and report it (%s)', (choice) => {
    const line = bytesOf(JSON.stringify({ type: 'ADDED', object: aPod }));
    const scanner = scannerOf(choice);
    const found = (text: ScannedText): unknown => [text.field('name'), text.isUpsert, outcomeOf(() => text.parse())];
    const beginnings = Array.from(line, (_, length) => line.subarray(0, length));

    expect(beginnings.map((beginning) => found(scanner.scan('line', beginning)))).toEqual(
      beginnings.map((beginning) => [undefined, false, outcomeOf(() => decodeJson(beginning))]),
    );
  });

  it('write only to the memory of a text, its copy, its parts and its digest', () => {
    const engine = createWasmEngine();
    const { memory, input, output, capacity } = engine;
    const places = (length: number) => [
      [32, 88],
      [88, 88 + engine.found.byteLength + 32],
      [input, input + length + 64],
      [output, output + length + 32],
    ];
    const scanner = createWasmScanner(engine, { omitManagedFields });
    for (const length of [300, 4_096, capacity]) {
      const item = bytesOf(JSON.stringify({ ...aPod, spec: {} }).padEnd(length));
      memory.fill(0xa5);
      const text = scanner.scan('item', item);
      expect(text.hasSpecDigest(text.digest(true) ?? '')).toBe(true);
      expect([text.parse(), text.parseWithoutSpec(true)]).toEqual([expect.anything(), expect.anything()]);
      for (const [from = 0, to] of places(item.length)) memory.fill(0xa5, from, to);

      expect(Buffer.from(memory.buffer).equals(Buffer.alloc(memory.length, 0xa5))).toBe(true);
    }
  });

  it('find the end of strings and brackets at every position of a block of 64 bytes', () => {
    const wasm = scannerOf('wasm');
    const tricky = ['"', '\\', '\\\\', '\\\\\\"', '{["', ']}', '"}', '\\"}', 'é'].map((text) => JSON.stringify(text));
    for (let shift = 0; shift < 140; shift++) {
      for (const text of tricky) {
        const spec = `{"${'x'.repeat(shift)}":[${text},{"a":${text}}],"b":"${'\\\\'.repeat(shift)}"}`;
        const item = bytesOf(`{"metadata":{"name":"a"},"spec":${spec},"status":{}}`);
        const scanned = wasm.scan('item', item);

        expect(scanned.field('name')).toBe('a');
        expect(ofSpec(scanned)).toBe(ofSpec(scannerOf('wasm').scan('item', bytesOf(`{"spec":${spec}}`))));
        expect(scanned.parseWithoutSpec(false)).toEqual({ metadata: { name: 'a' }, spec: 0, status: {} });
      }
    }
  });

  it.each(scanners)('refuse invalid UTF-8 anywhere outside of omitted fields (%s)', (choice) => {
    const scanner = scannerOf(choice);
    const item = bytesOf('{"metadata":{"name":"some name","managedFields":[]},"spec":{"some":"text"}}');
    for (let at = 0; at < item.length; at++) {
      const broken = item.slice();
      broken[at] = 0xff;
      if (at >= item.indexOf(0x5b) && at <= item.indexOf(0x5d)) continue;

      expect(outcomeOf(() => scanner.scan('item', broken).parse())).toMatchObject({ problem: 'not valid UTF-8' });
    }
  });

  it.each(scanners)('read texts of every length around the size of their memory (%s)', (choice) => {
    const { capacity } = createWasmEngine();
    const scanner = scannerOf(choice);
    for (const length of [capacity / 2, capacity].flatMap((border) =>
      [-65, -64, -1, 0, 1, 64].map((by) => border + by),
    )) {
      const rest = { metadata: { name: 'a' }, spec: { a: 1 } };
      const withFields = { ...rest, metadata: { name: 'a', managedFields: [''] } };
      withFields.metadata.managedFields = ['x'.repeat(length - JSON.stringify(withFields).length)];
      const item = bytesOf(JSON.stringify(withFields));
      const text = scanner.scan('item', item);

      expect(item.length).toBe(length);
      const isScanned = choice === 'wasm' && length <= capacity;
      expect([text.field('name'), text.parse()]).toEqual(isScanned ? ['a', rest] : [undefined, withFields]);
      expect(readList(choice, joined(bytesOf('{"items":['), item, bytesOf(',{"b":1}]}')), length + 5)).toEqual([
        { value: isScanned ? rest : withFields },
        { value: { b: 1 } },
        'end',
      ]);
    }
  });

  it.each(scanners)('read an item of 60 MB in small chunks, and a line of 60 MB (%s)', (choice) => {
    void chooseScanner(choice);
    const splitter = createListSplitter({ omitManagedFields });
    const chunk = bytesOf(`"${'x'.repeat(1021)}",`);
    const count = 60 * 1024;
    const lengths: number[] = [];
    const receive = (item: ScannedText): void => {
      lengths.push((item.parse() as unknown[]).length);
    };
    splitter.push(bytesOf('{"items":[['), receive);
    for (let sent = 0; sent < count; sent++) splitter.push(chunk, receive);
    splitter.push(bytesOf('0]]}'), receive);
    expect(lengths).toEqual([count + 1]);

    const line = new Uint8Array(count * chunk.length + 40).fill(0x20);
    line.set(bytesOf('{"object":{"metadata":{"name":"a","x":"'));
    for (let at = 0; at < count; at++) line.fill(0x79, 39 + at * 1024, 39 + (at + 1) * 1024);
    line.set(bytesOf('"}}}'), line.length - 4);
    expect(scannerOf(choice).scan('line', line).parse()).toMatchObject({ object: { metadata: { name: 'a' } } });
  });
});

describe('the digest of a spec', () => {
  /**
   * The vectors are those of SipHash's authors, for the key 00 01 … 0f and the texts '', 00, 00 01,
   * …
   */
  it('is computed in the tests as published, for SipHash-2-4', () => {
    const hex = (length: number): string =>
      Buffer.from(siphash(countingBytes(16), countingBytes(length), 2, 4)).toString('hex');

    expect(hex(0)).toBe('a3817f04ba25a8e66df67214c7550293');
    expect(hex(1)).toBe('da87c1d86b99af44347659119b22fc45');
  });

  it('is the SipHash-1-3 of its bytes with the key of the process, for every length', () => {
    const engine = createWasmEngine();
    const key = engine.memory.slice(16, 32);
    const scanner = createWasmScanner(engine, { omitManagedFields });
    for (let length = 0; length < 300; length++) {
      const spec = JSON.stringify('x'.repeat(length));
      const digest = ofSpec(scanner.scan('item', bytesOf(`{"spec":${spec}}`)));

      expect(Buffer.from(digest, 'utf16le')).toEqual(Buffer.from(siphash(key, bytesOf(spec), 1, 3)));
    }
  });

  it('differs for a different byte, length or key', () => {
    const scanner = scannerOf('wasm');
    const spec = JSON.stringify(benchPod(1).spec);
    const digestOf = (text: string, by = scanner): string => ofSpec(by.scan('item', bytesOf(`{"spec":${text}}`)));
    const digests = new Set([digestOf(spec), digestOf(spec.replace('{', '{ '))]);
    const letters = [...spec.matchAll(/[a-y]/g)].map(({ index }) => index);
    for (const at of letters) {
      digests.add(digestOf(`${spec.slice(0, at)}${String.fromCharCode(spec.charCodeAt(at) + 1)}${spec.slice(at + 1)}`));
    }
    digests.add(digestOf(spec, createWasmScanner(createWasmEngine(), { omitManagedFields })));

    expect(digests.size).toBe(letters.length + 3);
    expect(digestOf(spec)).toBe([...digests][0]);
  });
});

describe('the digest of metadata', () => {
  const scanner = scannerOf('wasm');
  const { managedFields, ...metadata } = aPod.metadata;
  const item = (of: object): Uint8Array => bytesOf(JSON.stringify({ metadata: of, spec: { a: 1 } }));
  const digest = scanner.scan('item', item(metadata)).digest(false) ?? '';
  const isSame = (of: object): boolean => scanner.scan('item', item(of)).hasMetadataDigest(digest);

  it('is the same for another version and other managed fields, wherever they are', () => {
    const { resourceVersion, ...others } = metadata;
    const [version, longer] = [`${resourceVersion}1`, `${resourceVersion}12345`];
    expect(isSame({ ...metadata, resourceVersion: version })).toBe(true);
    expect(isSame({ managedFields, ...metadata, resourceVersion: longer })).toBe(true);
    expect(isSame({ ...metadata, resourceVersion: version, managedFields })).toBe(true);
    expect(isSame({ resourceVersion: version, ...others })).toBe(false);
    expect(isSame(others)).toBe(false);
  });

  it('differs for every other byte that differs', () => {
    const { resourceVersion: _version, ...others } = metadata;
    const text = JSON.stringify(others);
    const letters = [...text.matchAll(/[a-y](?=[^"]*"[,}\]])/g)].map(({ index }) => index);
    expect(letters.length).toBeGreaterThan(80);
    for (const at of letters) {
      const other = `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) + 1)}${text.slice(at + 1)}`;
      expect(isSame({ ...JSON.parse(other), resourceVersion: metadata.resourceVersion })).toBe(false);
    }
  });

  it('is never that of a held object if managed fields are kept', () => {
    const keeping = createWasmScanner(createWasmEngine(), { omitManagedFields: false });
    const own = keeping.scan('item', item(metadata)).digest(false) ?? '';
    expect([keeping.text.hasSpecDigest(own), keeping.text.hasMetadataDigest(own)]).toEqual([true, false]);
  });
});

describe('the digest of an object', () => {
  const scanner = scannerOf('wasm');
  const { kind, apiVersion, ...rest } = aPod as typeof aPod & Record<'kind' | 'apiVersion', string>;
  const digestOf = (object: unknown, by = scanner): string =>
    (by.scan('item', bytesOf(JSON.stringify(object))).digest(true) ?? '').slice(0, 8);
  const ofLine = (type: string, object: unknown): string =>
    (scanner.scan('line', bytesOf(JSON.stringify({ type, object }))).digest(true) ?? '').slice(0, 8);

  it('is the same in a list and in an event, with managed fields and without them', () => {
    const { managedFields: _omitted, ...metadata } = rest.metadata;
    const same = [
      digestOf(rest),
      digestOf({ ...rest, metadata }),
      digestOf({ kind, apiVersion, ...rest }),
      digestOf({ apiVersion, kind, ...rest, metadata }),
      ofLine('ADDED', { kind, apiVersion, ...rest }),
      ofLine('MODIFIED', { apiVersion, kind, ...rest, metadata }),
    ];
    expect(new Set(same).size).toBe(1);
    expect(same[0]).toHaveLength(8);
  });

  it('differs for every other byte that differs, in the spec and outside of it', () => {
    const text = JSON.stringify({ ...rest, metadata: { ...rest.metadata, managedFields: undefined } });
    const letters = [...text.matchAll(/(?<=:"[^"]*)[a-y]/g)].map(({ index }) => index);
    const other = (at: number): string =>
      `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) + 1)}${text.slice(at + 1)}`;
    const digests = [text, ...letters.map(other)].map((each) => digestOf(JSON.parse(each)));
    expect(letters.length).toBeGreaterThan(400);
    expect(new Set(digests).size).toBe(letters.length + 1);
  });

  it('tells a spec from none, from the number 0, and from the same text elsewhere', () => {
    const objects = [{ a: 1 }, { a: 1, spec: 0 }, { a: 1, spec: null }, { a: 1, spec: { b: 2 } }, { a: 1, b: 2 }];
    expect(new Set(objects.map((object) => digestOf(object))).size).toBe(objects.length);
  });
});

describe('createTextScanner', () => {
  it('keeps a text valid while another scanner reads another text', () => {
    const [one, other] = [scannerOf('wasm'), scannerOf('wasm')];
    const text = one.scan('item', bytesOf('{"metadata":{"name":"a","managedFields":[]},"spec":{"a":1}}'));
    const digest = text.digest(true) ?? '';
    const overwrite = (): unknown => other.scan('line', bytesOf('{"type":"ADDED","object":{"spec":2}}')).digest(true);

    expect([overwrite(), text.field('name')]).toEqual([expect.any(String), 'a']);
    expect([overwrite(), text.hasSpecDigest(digest)]).toEqual([expect.any(String), true]);
    expect([overwrite(), text.hasDigest(digest)]).toEqual([expect.any(String), true]);
    expect([overwrite(), text.parse()]).toEqual([expect.any(String), { metadata: { name: 'a' }, spec: { a: 1 } }]);
    expect([overwrite(), text.hasMetadataDigest(digest)]).toEqual([expect.any(String), true]);
    expect([overwrite(), text.parseWithoutSpec(false)]).toEqual([
      expect.any(String),
      { metadata: { name: 'a' }, spec: 0 },
    ]);
    expect([overwrite(), text.parseWithoutSpec(true)]).toEqual([expect.any(String), { metadata: 0, spec: 0 }]);
  });

  it('continues with a chunk of a list after another scanner has used the memory between two items', () => {
    const other = scannerOf('wasm');
    const items: unknown[] = [];
    createListSplitter({ omitManagedFields }).push(bytesOf('{"items":[{"a":1},{"b":2},3,{"c":4}]}'), (item) => {
      other.scan('item', bytesOf('{"x":1}'));
      items.push(item.parse());
    });

    expect(items).toEqual([{ a: 1 }, { b: 2 }, 3, { c: 4 }]);
  });

  it('parses texts whole until the WebAssembly scanner is loaded, and reads later texts of the response with it', async () => {
    await jest.isolateModulesAsync(async () => {
      const { chooseScanner: choose, createTextScanner: create } =
        await import('../../../src/sources/wire/choose-scanner.js');
      const { createListSplitter: createSplitter } = await import('../../../src/sources/wire/split-list.js');
      const line = bytesOf('{"type":"ADDED","object":{"metadata":{"name":"a"},"spec":{"b":1}}}');
      const watch = create({ omitManagedFields });
      const list = createSplitter({ omitManagedFields });
      const read: unknown[] = [];
      const receive = (item: ScannedText): void => void read.push([item.parse(), item.digest(true) !== undefined]);
      const readLine = (): void => receive(watch.scan('line', line));

      readLine();
      list.push(bytesOf('{"items":[{"a":1},{"b":'), receive);
      await choose('fastest');
      readLine();
      list.push(bytesOf('2},{"c":3}]}'), receive);

      const event = JSON.parse(new TextDecoder().decode(line)) as unknown;
      expect(read).toEqual([
        [event, false],
        [{ a: 1 }, false],
        [event, true],
        [{ b: 2 }, true],
        [{ c: 3 }, true],
      ]);
    });
  });

  it('parses texts whole if its chunk cannot be loaded', async () => {
    await jest.isolateModulesAsync(async () => {
      jest.unstable_mockModule('../../../src/sources/wire/wasm-scanner.js', () => {
        throw new TypeError('Failed to fetch dynamically imported module');
      });
      const { chooseScanner: choose, createTextScanner: create } =
        await import('../../../src/sources/wire/choose-scanner.js');
      const scanner = create({ omitManagedFields });
      await choose('fastest');
      const text = scanner.scan('item', bytesOf('{"spec":1}'));

      expect([text.parse(), text.digest(true)]).toEqual([{ spec: 1 }, undefined]);
      await expect(choose('wasm')).rejects.toThrow('the WebAssembly scanner does not run here');
      jest.unstable_unmockModule('../../../src/sources/wire/wasm-scanner.js');
    });
  });

  it('loads its chunk again for the next response if it could not be loaded', async () => {
    const module = await import('../../../src/sources/wire/wasm-scanner.js');
    await jest.isolateModulesAsync(async () => {
      let isOffline = true;
      jest.unstable_mockModule('../../../src/sources/wire/wasm-scanner.js', () => {
        if (isOffline) throw new TypeError('Failed to fetch dynamically imported module');
        return module;
      });
      const { chooseScanner: choose, createTextScanner: create } =
        await import('../../../src/sources/wire/choose-scanner.js');
      await choose('fastest');
      isOffline = false;
      await choose('wasm');

      expect(create({ omitManagedFields }).scan('item', bytesOf('{"spec":1}')).digest(true)).toBeDefined();
      jest.unstable_unmockModule('../../../src/sources/wire/wasm-scanner.js');
    });
  });

  it('parses texts whole if a content security policy forbids WebAssembly', async () => {
    const { Module } = WebAssembly;
    WebAssembly.Module = function () {
      throw new EvalError('wasm-unsafe-eval');
    } as unknown as typeof Module;
    try {
      await jest.isolateModulesAsync(async () => {
        const { chooseScanner: choose, createTextScanner: create } =
          await import('../../../src/sources/wire/choose-scanner.js');
        const scanned = create({ omitManagedFields }).scan('item', bytesOf('{"metadata":{"uid":"u"},"spec":1}'));

        expect(scanned.parse()).toEqual({ metadata: { uid: 'u' }, spec: 1 });
        expect([scanned.digest(true), scanned.hasDigest(''), scanned.hasSpecDigest('')]).toEqual([
          undefined,
          false,
          false,
        ]);
        await choose('fastest');
        expect(scanned.digest(true)).toBeUndefined();
        await expect(choose('wasm')).rejects.toThrow('the WebAssembly scanner does not run here');
      });
    } finally {
      WebAssembly.Module = Module;
    }
  });
});

/** Returns the part of a digest that belongs to the spec. */
function ofSpec(text: ScannedText): string {
  return (text.digest(true) ?? '').slice(12);
}

function scannerOf(choice: (typeof scanners)[number]) {
  void chooseScanner(choice);
  return createTextScanner({ omitManagedFields });
}

/** The items of a list in order, up to its end or an error. */
function readList(
  choice: (typeof scanners)[number],
  list: Uint8Array,
  size: number,
  omits = omitManagedFields,
): readonly unknown[] {
  void chooseScanner(choice);
  const splitter = createListSplitter({ omitManagedFields: omits });
  const read: unknown[] = [];
  const end = outcomeOf(() => {
    for (let at = 0; at < list.length; at += size) {
      splitter.push(list.slice(at, at + size), (item) => read.push(outcomeOf(() => item.parse())));
    }
    splitter.end();
  });
  return [...read, 'problem' in end ? end.problem : 'end'];
}

function countingBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => index);
}
