/**
 * Returns the identity of the run of the dashboard's server, from a cookie that the server sets
 * beside its key. A later run may read another cluster, or with other credentials, so its tabs must
 * not receive the objects of an earlier run. Returns an empty text for a server without this cookie,
 * such as `kubectl proxy`. If each viewer signs in, it is the identity of the session, in a cookie
 * that only this host can set.
 *
 * @param cookies `document.cookie`; it may contain cookies of all ports of the host
 * @param port `location.port`
 */
export function runOfServer(cookies: string, port: string): string {
  const name = `rx-informers-dashboard-${port}-run=`;
  const pairs = cookies.split(';').map((pair) => pair.trim());
  for (const prefix of [`__Host-${name}`, name]) {
    const pair = pairs.find((each) => each.startsWith(prefix));
    if (pair !== undefined) return pair.slice(prefix.length);
  }
  return '';
}
