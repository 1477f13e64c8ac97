import { map } from 'rxjs';
import type { ServerFault } from 'rx-informers/testing';

/** Puts into every list what no server would have let in: each text is replaced wherever it stands. */
export function alteredList(replacements: Readonly<Record<string, string>>): ServerFault {
  return {
    name: 'alteredList()',
    intercept: (request, next) =>
      next(request).pipe(
        map((reply) => {
          if (reply.type !== 'whole') return reply;
          const body = Object.entries(replacements).reduce(
            (text, [from, to]) => text.replaceAll(JSON.stringify(from), JSON.stringify(to)),
            reply.body,
          );
          return { ...reply, body };
        }),
      ),
  };
}
