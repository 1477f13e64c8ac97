import { gunzipSync, gzipSync } from 'node:zlib';
import type { Secret } from 'rx-informers/resources';
import type { Manifest } from '../../support/cluster.js';

/** What the Secret of a Helm release contains. */
export interface HelmRelease {
  readonly name: string;
  readonly namespace: string;
  readonly version: number;
  /** The kind and the name of each object in its manifest. */
  readonly objects: readonly (readonly [kind: string, name: string])[];
}

/** Returns the annotations that Helm adds to the objects of a release. */
export function helmAnnotations({ name, namespace }: Pick<HelmRelease, 'name' | 'namespace'>) {
  return { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': namespace };
}

export function helmSecretName({ name, version }: Pick<HelmRelease, 'name' | 'version'>): string {
  return `sh.helm.release.v1.${name}.v${version}`;
}

/** Returns the Secret in which Helm stores a release: JSON, compressed, in Base64. */
export function helmSecret(release: HelmRelease): Manifest {
  const { name, namespace, version, objects } = release;
  const documents = objects.map(([kind, object]) => `---\nkind: ${kind}\nmetadata:\n  name: ${object}\n`);
  const text = JSON.stringify({ name, namespace, version, manifest: documents.join('') });
  const encoded = gzipSync(text).toString('base64');
  return {
    metadata: {
      name: helmSecretName(release),
      namespace,
      labels: { owner: 'helm', name, version: String(version), status: 'deployed' },
    },
    type: 'helm.sh/release.v1',
    data: { release: Buffer.from(encoded).toString('base64') },
  };
}

/** Reads the release that a Secret stores, if it is deployed at present. */
export function deployedRelease({ metadata: { labels }, data }: Secret): HelmRelease | undefined {
  if (labels?.['owner'] !== 'helm' || labels['status'] !== 'deployed') return undefined;
  const encoded = Buffer.from(data?.['release'] ?? '', 'base64').toString();
  const text = gunzipSync(Buffer.from(encoded, 'base64')).toString();
  const { manifest, ...release } = JSON.parse(text) as Omit<HelmRelease, 'objects'> & { readonly manifest: string };
  const objects = [...manifest.matchAll(/^kind: (.*)\nmetadata:\n {2}name: (.*)$/gm)];
  return { ...release, objects: objects.map(([, kind = '', name = '']) => [kind, name] as const) };
}
