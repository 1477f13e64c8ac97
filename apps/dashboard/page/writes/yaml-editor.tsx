import { useState, type ReactNode } from 'react';
import type { KubernetesObject } from 'rx-informers';
import { parse } from 'yaml';
import type { Opened } from '../address/page-address.js';
import { useCluster } from '../cluster/cluster.js';
import { objectChanges, type ObjectChange } from '../drawer/object-changes.js';
import { kubectlYaml } from '../drawer/object-yaml.js';
import { plainText } from '../text/text.js';
import { send } from './writes.js';

interface YamlEditorProps {
  readonly opened: Opened;
  readonly object: KubernetesObject;
  readonly onSave: (edited: KubernetesObject) => void;
}

/**
 * The result of a dry run: the checked text, its object, and the changes that saving it would make.
 */
interface Checked {
  readonly text: string;
  readonly edited: KubernetesObject;
  readonly changes: readonly ObjectChange[];
}

/**
 * Renders an object as editable YAML. The API server checks the text without saving it (a dry run),
 * and reports the changes.
 */
export function YamlEditor({ opened, object, onSave }: YamlEditorProps): ReactNode {
  const { client } = useCluster();
  // The edited text is kept when the watch reports a change: the API server detects the conflict.
  const [original] = useState(object);
  const [text, setText] = useState(() => kubectlYaml(withoutStatus(object)));
  const [checked, setChecked] = useState<Checked>();
  const [problem, setProblem] = useState<string>();
  const check = (): void => {
    setProblem(undefined);
    setChecked(undefined);
    let edited: KubernetesObject;
    try {
      edited = withStatusOf(original, objectIn(text));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return;
    }
    send(client, opened, { type: 'replace', object: edited, isDryRun: true }).subscribe({
      next: (answer) => {
        setChecked({ text, edited, changes: objectChanges(withoutStatus(original), withoutStatus(answer)) });
      },
      error: (error: unknown) => {
        setProblem((error as Error).message);
      },
    });
  };
  const isChecked = checked?.text === text;
  return (
    <div className="yaml-editor">
      <textarea
        aria-label="YAML of the object"
        spellCheck={false}
        rows={18}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
        }}
      />
      <div className="write-question">
        <button type="button" className="action" onClick={check}>
          Check with a dry run
        </button>{' '}
        {isChecked && checked.changes.length > 0 && (
          <button
            type="button"
            className="action"
            onClick={() => {
              onSave(checked.edited);
            }}
          >
            Save {checked.changes.length} {checked.changes.length === 1 ? 'change' : 'changes'}
          </button>
        )}
      </div>
      {problem !== undefined && (
        <p className="notice" role="alert">
          {plainText(problem, 1000)}
        </p>
      )}
      {isChecked && <Changes changes={checked.changes} />}
    </div>
  );
}

function Changes({ changes }: { readonly changes: readonly ObjectChange[] }): ReactNode {
  if (changes.length === 0) return <p className="fine">Nothing would change.</p>;
  return (
    <ul className="dry-run" aria-label="What would change">
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          <code>{plainText(path)}</code>
          {before !== undefined && <del>{plainText(before)}</del>}
          {after !== undefined && <ins>{plainText(after)}</ins>}
        </li>
      ))}
    </ul>
  );
}

function objectIn(text: string): KubernetesObject {
  const parsed: unknown = parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new TypeError('the text is not a Kubernetes object');
  }
  return parsed;
}

/**
 * Adds the original status. Without it, a kind without a status subresource would lose its status.
 */
function withStatusOf(original: KubernetesObject, edited: KubernetesObject): KubernetesObject {
  const { status } = original as { readonly status?: unknown };
  return status === undefined ? edited : ({ ...edited, status } as KubernetesObject);
}

/**
 * Returns the editable part of an object. Controllers write the status, and the API server writes
 * managed fields.
 */
function withoutStatus(object: KubernetesObject): KubernetesObject {
  const { status: _, metadata, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  const { managedFields: __, ...kept } = (metadata ?? {}) as Record<string, unknown>;
  return { ...rest, metadata: kept };
}
