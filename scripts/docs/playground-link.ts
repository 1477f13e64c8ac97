import { deflateRawSync, inflateRawSync } from 'node:zlib';

const address = 'https://rx-informers.github.io/rx-informers/playground.html';

/** Returns the fragment of the playground for a program, as `site/playground/share.ts` reads it. */
export function playgroundFragment(code: string): string {
  return `#ts=${deflateRawSync(code).toString('base64url')}`;
}

/**
 * Returns a page in which the link to the playground opens the first ```ts block of the page. The
 * text does not change if its link already opens this block, because versions of Node may compress
 * the same program in different ways.
 */
export function withPlaygroundLink(text: string): string {
  const [, code = ''] = /^```ts\n([^]*?)^```$/m.exec(text) ?? [];
  return text.replace(/\]\(https:[^)#]*playground\.html(?:#ts=([^)]*))?\)/, (link, fragment?: string) =>
    fragment !== undefined && programIn(fragment) === code ? link : `](${address}${playgroundFragment(code)})`,
  );
}

function programIn(fragment: string): string | undefined {
  try {
    return inflateRawSync(Buffer.from(fragment, 'base64url')).toString();
  } catch {
    return undefined;
  }
}
