/**
 * The decoded segments of a path, or undefined for a path that two programs could read in two ways.
 *
 * What is judged must be what is sent: dot segments, empty ones, and encoded slashes, backslashes, percent signs and
 * control characters mean one thing before they are decoded or resolved and another one after. No name of a Kubernetes
 * object has any of these. A slash at the end is an empty last segment.
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

/** The one way to write these segments. */
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
