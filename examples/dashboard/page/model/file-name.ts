import type { Node, Pod } from 'rx-informers';

/** A name for a file with an object in it, for example `pod-shop-web-1.yaml`: nothing in it that a file system could take for a path. */
export function fileNameOf({ kind, metadata }: Pod | Node): string {
  const parts = [kind.toLowerCase(), metadata.namespace, metadata.name].filter((part) => part !== undefined);
  return `${parts.map((part) => part.replace(/[^\w-]+/g, '-').slice(0, 80)).join('-')}.yaml`;
}
