/** What a page tells its reader to do. */
export type Step =
  | { readonly type: 'file'; readonly name: string; readonly text: string }
  | { readonly type: 'commands'; readonly lines: readonly string[] }
  | { readonly type: 'visit'; readonly url: string };

const blockOrLink = /^```(\w+)\n([^]*?)^```$|<(http:\/\/localhost:[^>]+)>/gm;
const fileName = /^(?:\/\/|#) (\S+)\n/;

/**
 * The steps of a page in its order: blocks whose first line names a file, `sh` blocks, and links to this machine (`<http://localhost:…>`).
 * Other blocks are for the eye.
 */
export function stepsOf(page: string): readonly Step[] {
  return [...page.matchAll(blockOrLink)].flatMap(([, language, text = '', url]): readonly Step[] => {
    if (url !== undefined) return [{ type: 'visit', url }];
    if (language === 'sh') return [{ type: 'commands', lines: text.trimEnd().split('\n') }];
    const [, name] = fileName.exec(text) ?? [];
    return name === undefined ? [] : [{ type: 'file', name, text }];
  });
}
