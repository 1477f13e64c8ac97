import { useState, type ReactNode } from 'react';
import type { Node, Pod } from 'rx-informers';
import { downloadText } from './download-text.js';
import { fileNameOf } from '../model/file-name.js';
import { kubectlYaml } from '../model/object-yaml.js';
import { sizeText } from '../model/size-text.js';

/** The whole object, to be taken elsewhere. Its text, which may be long, is made when it is asked for. */
export function YamlActions({ object }: { readonly object: Pod | Node }): ReactNode {
  const [done, setDone] = useState('');
  const { resourceVersion } = object.metadata;

  async function copy(): Promise<void> {
    const text = kubectlYaml(object);
    try {
      await navigator.clipboard.writeText(text);
      setDone(`Copied: version ${resourceVersion}, ${sizeText(text.length)} characters.`);
    } catch {
      // Forbidden by the user, or there is no clipboard for a page that did not come over HTTPS or from this machine.
      setDone('Not copied: the browser does not let this page write to the clipboard. Download it instead.');
    }
  }

  function download(): void {
    const text = kubectlYaml(object);
    const fileName = fileNameOf(object);
    downloadText(text, fileName);
    setDone(`Downloaded as ${fileName}: version ${resourceVersion}, ${sizeText(text.length)} characters.`);
  }

  return (
    <div className="yaml-actions">
      <button type="button" className="action" onClick={() => void copy()}>
        Copy YAML
      </button>
      <button type="button" className="action" onClick={download}>
        Download YAML
      </button>
      <span className="fine" role="status">
        {done}
      </span>
    </div>
  );
}
