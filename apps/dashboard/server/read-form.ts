import type { IncomingMessage } from 'node:http';

/** The largest form in bytes. The longest token that fits into cookies is shorter. */
export const maximumForm = 24 * 1024;

/**
 * Reads a form that a browser has sent.
 *
 * **Guarantees**: never reads more than `maximumForm` bytes, regardless of the announced length.
 * Each field occurs once. Rejects nothing: an incomplete request is malformed.
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | 'too-large' | 'malformed'> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return 'malformed';
  if (Number(request.headers['content-length'] ?? 0) > maximumForm) return 'too-large';
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maximumForm) return 'too-large';
      chunks.push(chunk);
    }
  } catch {
    return 'malformed';
  }
  const form = new URLSearchParams(Buffer.concat(chunks).toString('latin1'));
  return new Set(form.keys()).size === form.size ? form : 'malformed';
}
