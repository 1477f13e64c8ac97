const name = '#ts=';

/**
 * Returns the fragment of an address for a program. The fragment contains the compressed program,
 * in letters that an address allows.
 */
export async function fragmentOf(code: string): Promise<string> {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(code));
  const letters = btoa(String.fromCharCode(...bytes));
  return name + letters.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Returns the program in a fragment, or `undefined` if there is none. */
export async function codeIn(fragment: string): Promise<string | undefined> {
  if (!fragment.startsWith(name)) return undefined;
  try {
    const letters = fragment.slice(name.length).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), bytes));
  } catch {
    return undefined;
  }
}

async function through(transform: GenericTransformStream, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(transform as ReadableWritablePair<Uint8Array, BufferSource>);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
