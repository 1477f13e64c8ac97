/**
 * Returns the identity of the run of the dashboard's server, from a cookie that the server sets
 * beside its key. A later run may read another cluster, or with other credentials, so its tabs must
 * not receive the objects of an earlier run. Returns an empty text for a server without this cookie,
 * such as `kubectl proxy`.
 *
 * @param cookies `document.cookie`; it may contain cookies of all ports of the host
 * @param port `location.port`
 */
export function runOfServer(cookies: string, port: string): string {
  const prefix = `rx-informers-dashboard-${port}-run=`;
  const pair = cookies.split(';').find((each) => each.trim().startsWith(prefix));
  return pair?.trim().slice(prefix.length) ?? '';
}
