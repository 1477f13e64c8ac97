/**
 * Returns the kinds that the server of the page reads once for all viewers, from its answer to
 * `/dashboard/info`: `apps/v1/deployments`, `/v1/pods`. Empty for a server without a hub.
 */
export function kindsOfHub(info: unknown): readonly string[] {
  const { hub } = Object(info) as { readonly hub?: unknown };
  if (!Array.isArray(hub)) return [];
  return hub.map((kind: unknown) => {
    const { group, version, plural } = Object(kind) as Readonly<Record<string, unknown>>;
    return [group, version, plural].map(String).join('/');
  });
}
