/** What lets a browser talk to something behind the API server, with the rights of whoever started the dashboard. */
const tunnels: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** Below a namespace these are subresources of it; everything else is a resource in it. */
const partsOfNamespace: ReadonlySet<string> = new Set(['status', 'finalize']);

/** True for the paths of the Kubernetes API that a dashboard reads: discovery, version and every resource. */
export function isApiPath([first]: readonly string[]): boolean {
  return first === 'api' || first === 'apis' || first === 'version';
}

/**
 * True for exec, attach, port forwarding and proxying, as the API server reads paths: by position, so that a pod may be
 * called `exec`.
 */
export function isTunnel([root, ...rest]: readonly string[]): boolean {
  // After /api/{version} or /apis/{group}/{version}.
  const [first, ...afterFirst] = rest.slice(root === 'api' ? 1 : 2);
  if (first === undefined) return false;
  // The oldest way to proxy: /api/v1/proxy/namespaces/…
  if (first === 'proxy') return true;
  const [, , subresource] = resourceParts(first === 'watch' ? afterFirst : [first, ...afterFirst]);
  return subresource !== undefined && tunnels.has(subresource);
}

/** Resource, name and subresource, without the namespace before them. */
function resourceParts(parts: readonly string[]): readonly string[] {
  const [first, , third] = parts;
  return first === 'namespaces' && third !== undefined && !partsOfNamespace.has(third) ? parts.slice(2) : parts;
}
