import { memo, useMemo, type ReactNode } from 'react';
import { objectYaml, splitYamlLine } from '../model/object-yaml.js';
import { plainText } from '../model/plain-text.js';

/** An object as YAML, with what was left out of it. Titled by the element `yaml-title`. */
export const YamlText = memo(function YamlText({ object }: { readonly object: object }): ReactNode {
  const { lines, cuts } = useMemo(() => objectYaml(object), [object]);
  return (
    <>
      {cuts.length > 0 && (
        <ul className="notice cuts" aria-label="Not shown in full">
          {cuts.slice(0, 20).map(({ path, what }) => (
            <li key={path}>
              <code>{plainText(path, 200)}</code>: {what}
            </li>
          ))}
          {cuts.length > 20 && <li>and {cuts.length - 20} more</li>}
        </ul>
      )}
      <pre className="yaml" tabIndex={0} role="region" aria-labelledby="yaml-title">
        {lines.map((line, number) => (
          <YamlLine key={number} line={line} />
        ))}
      </pre>
    </>
  );
});

const YamlLine = memo(function YamlLine({ line }: { readonly line: string }): ReactNode {
  const [key, value] = splitYamlLine(line);
  return (
    <>
      <span className="yaml-key">{key}</span>
      {`${value}\n`}
    </>
  );
});
