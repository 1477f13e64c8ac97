import { defer, map, type MonoTypeOperatorFunction } from 'rxjs';
import type { ResponsePart } from '../client/kube-client.js';
import { ResponseError, type RequestLine } from '../source-error.js';
import { beginningOf } from './decode-event.js';

const openCurly = 0x7b;

/**
 * Fails with a `ResponseError` where a successful response is not JSON: a login page, a proxy's apology.
 *
 * | response | out |
 * | --- | --- |
 * | its type is JSON, or its body begins with `{` | as it is |
 * | otherwise | the head, then the error, with the beginning of the body |
 */
export function jsonOnly(request: RequestLine): MonoTypeOperatorFunction<ResponsePart> {
  return (parts) =>
    defer(() => {
      let type = '';
      let isChecked = false;
      const check = (part: ResponsePart): ResponsePart => {
        if (part.type === 'head') {
          type = part.headers['content-type'] ?? '';
          return part;
        }
        if (!isChecked && !type.includes('json') && part.bytes[0] !== openCurly) {
          throw new ResponseError(
            request,
            `JSON expected, ${type || 'something else'} received`,
            beginningOf(part.bytes),
          );
        }
        isChecked = true;
        return part;
      };
      return parts.pipe(map(check));
    });
}
