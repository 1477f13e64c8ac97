/** One thing that a page tells its reader to do. */
type Step =
  | { readonly type: 'file'; readonly name: string; readonly text: string }
  | { readonly type: 'commands'; readonly shell: Shell; readonly lines: readonly string[]; readonly output: string }
  | { readonly type: 'visit'; readonly url: string };

/**
 * The language of a block of commands. `sh`: commands that need no cluster. `bash`: commands for a
 * cluster.
 */
type Shell = 'sh' | 'bash';

const blockOrLink = /^```(\w+)\n([^]*?)^```$|<(http:\/\/localhost:[^>]+)>/gm;
const fileName = /^(?:\/\/|#) (\S+)\n/;

/**
 * Returns the steps of a page in its order: blocks whose first line names a file, `sh` and `bash`
 * blocks, and links to this machine (`<http://localhost:…>`). A `text` block that follows commands
 * is their expected output. Blocks of other kinds are ignored.
 */
export function stepsOf(page: string): readonly Step[] {
  const matches = [...page.matchAll(blockOrLink)];
  return matches.flatMap(([, language, text = '', url], index): readonly Step[] => {
    if (url !== undefined) return [{ type: 'visit', url }];
    if (language === 'sh' || language === 'bash') {
      const [, nextLanguage, nextText = ''] = matches[index + 1] ?? [];
      const output = nextLanguage === 'text' ? nextText : '';
      return [{ type: 'commands', shell: language, lines: text.trimEnd().split('\n'), output }];
    }
    const [, name] = fileName.exec(text) ?? [];
    return name === undefined ? [] : [{ type: 'file', name, text }];
  });
}
