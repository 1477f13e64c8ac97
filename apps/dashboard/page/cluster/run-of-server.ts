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
  return cookieValue(cookies, sessionCookie(port)) ?? cookieValue(cookies, nameOf(port)) ?? '';
}

/** Returns whether the viewer has signed in to the server of the page. The arguments are the same. */
export function hasSignIn(cookies: string, port: string): boolean {
  return cookieValue(cookies, sessionCookie(port)) !== undefined;
}

function nameOf(port: string): string {
  return `rx-informers-dashboard-${port}-run`;
}

function sessionCookie(port: string): string {
  return `__Host-${nameOf(port)}`;
}

function cookieValue(cookies: string, name: string): string | undefined {
  const pairs = cookies.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
