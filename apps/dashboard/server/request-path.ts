/**
 * Returns the decoded segments of a path. Returns `undefined` for a path that two programs could
 * read differently.
 *
 * The checked path must be the forwarded path. Dot segments, empty segments, and encoded slashes,
 * backslashes, percent signs and control characters have one meaning before decoding or resolving,
 * and another one afterwards. No name of a Kubernetes object contains any of these. A trailing
 * slash is an empty last segment.
 */
export function pathSegments(path: string): readonly string[] | undefined {
  if (!path.startsWith('/')) return undefined;
  const segments: string[] = [];
  const encoded = path.slice(1).split('/');
  for (const [index, text] of encoded.entries()) {
    const segment = decoded(text);
    const isLast = index === encoded.length - 1;
    if (segment === undefined || isAmbiguous(segment) || (segment === '' && !isLast)) return undefined;
    segments.push(segment);
  }
  return segments;
}

/** Returns the path for these segments, in its only valid encoding. */
export function pathOf(segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join('/')}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isAmbiguous(segment: string): boolean {
  return segment === '.' || segment === '..' || /[/\\%\p{Cc}]/u.test(segment);
}
