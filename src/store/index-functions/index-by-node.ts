/** As much of a pod as tells where it runs. */
export interface NodeBound {
  readonly spec?: { readonly nodeName?: string | undefined } | undefined;
}

/**
 * Indexes pods by the node that they run on; those that are not scheduled yet are in no bucket.
 *
 * @example
 * informer(listWatch(client, pods), { indexers: { node: indexByNode } }).byIndex$('node', 'worker-1')
 */
export function indexByNode(object: NodeBound): string | undefined {
  return object.spec?.nodeName === '' ? undefined : object.spec?.nodeName;
}
