import { readdirSync, readFileSync } from 'node:fs';
import { projectRoot } from '../project/entry-points.js';
import type { Surface } from '../shape/surface.js';

/**
 * Returns the public names that no page mentions as code, each with its entry point. The pages are
 * README.md and the pages of docs. The names are all values, and all types `…Options`, because
 * users write these. Descriptors of built-in kinds are left out.
 */
export function undocumentedNames({ names }: Surface): readonly string[] {
  const mentioned = namesInPages();
  const missing = names.filter(
    ({ name, isValue, file }) =>
      (isValue || name.endsWith('Options')) && !file.startsWith('src/kubernetes/resources/') && !mentioned.has(name),
  );
  return [...new Set(missing.map(({ name, entry }) => `${name} of ${entry}`))];
}

/** Returns every identifier in the code of the pages, both in code blocks and between backticks. */
function namesInPages(): ReadonlySet<string> {
  const pages = readdirSync(`${projectRoot}docs`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('reference/api/'))
    .map((path) => `docs/${path}`);
  return new Set(['README.md', ...pages].flatMap((path) => namesInCode(readFileSync(projectRoot + path, 'utf8'))));
}

function namesInCode(text: string): readonly string[] {
  const code = [...text.matchAll(/^ *```[^]*?^ *```|`[^`\n]+`/gm)].map(([source]) => source).join('\n');
  return [...code.matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name);
}
