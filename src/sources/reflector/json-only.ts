import { map, type MonoTypeOperatorFunction } from 'rxjs';
import type { ResponsePart } from '../client/kube-client.js';
import { ResponseError, type RequestLine } from '../source-error.js';
import { beginningOf } from './decode-event.js';

/**
 * Fails with a `ResponseError` where a successful response is not JSON: a login page, a proxy's apology.
 *
 * | response | out |
 * | --- | --- |
 * | its type is JSON, or not named, and does not begin like HTML | as it is |
 * | otherwise | the head, then the error, with the beginning of the body |
 */
export function jsonOnly(request: RequestLine): MonoTypeOperatorFunction<ResponsePart> {
  return (parts) => {
    let type = '';
    let isFirst = true;
    return parts.pipe(
      map((part) => {
        if (part.type === 'head') {
          type = part.headers['content-type'] ?? '';
          return part;
        }
        if (isFirst && !looksLikeJson(type, part.bytes)) {
          throw new ResponseError(request, `JSON expected, ${type || 'something else'} received`, beginningOf(part.bytes));
        }
        isFirst = false;
        return part;
      }),
    );
  };
}

const lessThan = 0x3c;

function looksLikeJson(type: string, bytes: Uint8Array): boolean {
  return type === '' ? bytes[0] !== lessThan : type.includes('json');
}
