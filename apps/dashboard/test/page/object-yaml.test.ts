import fc from 'fast-check';
import { aNode, aPod } from 'rx-informers/testing';
import { parse } from 'yaml';
import { kubectlYaml, objectYaml, splitYamlLine } from '../../page/drawer/object-yaml.js';
import { fileNameOf } from '../../page/text/text.js';

describe('the YAML of an object', () => {
  it('is the YAML that kubectl prints', () => {
    const { lines } = objectYaml({
      kind: 'Pod',
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c' }] },
    });
    expect(lines).toEqual([
      'kind: Pod',
      'metadata:',
      '  labels:',
      '    app: web',
      'spec:',
      '  containers:',
      '  - name: c',
    ]);
  });

  it('shows escape codes for characters that are invisible or change the text direction', () => {
    const text = objectYaml({ note: 'a\u202eb\u0000c\u200bd' }).lines.join('\n');
    expect(['\u202e', '\u0000', '\u200b'].filter((hidden) => text.includes(hidden))).toEqual([]);
  });

  it('is split at the end of a key', () => {
    expect(splitYamlLine('  - name: web: 1')).toEqual(['  - name:', ' web: 1']);
    expect(splitYamlLine('  just: http://x')).toEqual(['  just:', ' http://x']);
    expect(splitYamlLine('- http://x')).toEqual(['', '- http://x']);
  });

  it('is ordered by field name, as kubectl does, for any order that the server sends', () => {
    const { lines } = objectYaml({
      spec: { b: 1, a: 2 },
      kind: 'Pod',
      metadata: { uid: 'u', name: 'web' },
      apiVersion: 'v1',
    });
    const keys = ['apiVersion: v1', 'kind: Pod', 'metadata:', '  name: web', '  uid: u', 'spec:', '  a: 2', '  b: 1'];
    expect(lines).toEqual(keys);
  });
});

describe('the downloaded YAML of an object', () => {
  it('quotes strings that YAML 1.1 readers such as kubectl would read as another type', () => {
    const strings = ['yes', 'off', '012', '1:30', '1_000', '0b11', '~', '<<', '2026-03-01T12:00:00Z', 'null', ''];
    const lines = kubectlYaml({ strings }).trimEnd().split('\n').slice(1);
    expect(lines).toEqual(strings.map((string) => `- ${JSON.stringify(string)}`));
  });

  it('parses to the same object without losses in readers of both YAML versions', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        const plain = JSON.parse(JSON.stringify({ json })) as object;
        const text = kubectlYaml(plain);
        expect(parse(text)).toEqual(plain);
        expect(parse(text, { version: '1.1' })).toEqual(plain);
      }),
    );
    const large = { annotations: { large: 'x y\n'.repeat(1_000_000) } };
    expect((parse(kubectlYaml(large)) as typeof large).annotations.large === large.annotations.large).toBe(true);
  });

  it('is saved in a file that is named after the object, without leaving the download folder', () => {
    expect(fileNameOf(aPod({ name: 'web-1', namespace: 'shop' }))).toBe('pod-shop-web-1.yaml');
    expect(fileNameOf(aNode({ name: '10.0.0.1' }))).toBe('node-10-0-0-1.yaml');
    const hostile = {
      ...aNode({ name: 'a' }),
      metadata: { ...aNode({ name: 'a' }).metadata, name: '../../etc/\u202epasswd' },
    };
    expect(fileNameOf(hostile)).toBe('node--etc-passwd.yaml');
  });
});
