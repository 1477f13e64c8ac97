/**
 * The parts of a path of the Kubernetes API. Their position determines their meaning, as in the API
 * server, so a pod may have the name `exec`.
 */
export interface ApiPath {
  /** The group; `''` for the core group. */
  readonly group: string;
  /** The plural name; `undefined` for discovery. */
  readonly resource: string | undefined;
  /** The name of the object; `undefined` for a collection. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** Whether the path is the deprecated `/api/v1/watch/…`, which is a watch without `?watch`. */
  readonly isWatch: boolean;
  /**
   * Whether the path is for exec, attach, port forwarding or proxying. These connect a browser to a
   * server behind the API server.
   */
  readonly isTunnel: boolean;
}

const tunnels: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/**
 * The subresources of a namespace. Any other segment after the name of a namespace is a resource in
 * that namespace.
 */
const partsOfNamespace: ReadonlySet<string> = new Set(['status', 'finalize']);

/**
 * Returns true for the paths of the Kubernetes API that a dashboard reads: discovery, version and
 * every resource.
 */
export function isApiPath([first]: readonly string[]): boolean {
  return first === 'api' || first === 'apis' || first === 'version';
}

/** Parses the segments of a path of the API. */
export function parseApiPath([root, ...rest]: readonly string[]): ApiPath {
  const group = root === 'apis' ? (rest[0] ?? '') : '';
  // The segments after /api/{version} or /apis/{group}/{version}.
  const parts = rest.slice(root === 'apis' ? 2 : 1);
  const isWatch = parts[0] === 'watch';
  const [resource, name, subresource] = withoutNamespace(isWatch ? parts.slice(1) : parts);
  // The oldest path for proxying is /api/v1/proxy/namespaces/…
  const isTunnel = parts[0] === 'proxy' || (subresource !== undefined && tunnels.has(subresource));
  return { group, resource: resource || undefined, name: name || undefined, subresource, isWatch, isTunnel };
}

function withoutNamespace(parts: readonly string[]): readonly string[] {
  const [first, , third] = parts;
  return first === 'namespaces' && third !== undefined && !partsOfNamespace.has(third) ? parts.slice(2) : parts;
}
