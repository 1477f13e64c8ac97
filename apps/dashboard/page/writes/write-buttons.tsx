import { lazy, Suspense, useCallback, useState, type ReactNode } from 'react';
import type { KubernetesObject } from 'rx-informers';
import { reviewAccess } from 'rx-informers/requests';
import { forkJoin, map } from 'rxjs';
import type { Opened } from '../address/page-address.js';
import { useCluster, useClusterInfo } from '../cluster/cluster.js';
import { useIsPast } from '../history/shown-time.js';
import { useRequest } from '../kinds/use-request.js';
import { plainText } from '../text/text.js';
import { shownWrite } from './shown-write.js';
import { isUnconfirmed } from './unconfirmed.js';
import { offersOf, targetOf, type Write } from './writes.js';

const YamlEditor = lazy(async () => ({ default: (await import('./yaml-editor.js')).YamlEditor }));

interface WriteButtonsProps {
  readonly opened: Opened;
  readonly object: KubernetesObject;
  /** Whether the watch has reported that the object is deleted. Then `object` is its last state. */
  readonly isGone: boolean;
}

/**
 * Renders the available actions for an object. Renders none while the page is read-only or shows
 * the past.
 */
export function WriteButtons({ opened, object, isGone }: WriteButtonsProps): ReactNode {
  const { allowWrites } = useClusterInfo();
  const isPast = useIsPast();
  if (!allowWrites || isPast) return null;
  return <Actions opened={opened} object={object} isGone={isGone} />;
}

/** The result of the last write. */
interface Outcome {
  readonly state: 'sending' | 'sent' | 'failed';
  readonly text: string;
  /**
   * The version in the API server's answer. The watch has delivered the write once it delivers this
   * version or a later one.
   */
  readonly version?: string | undefined;
}

function Actions({ opened, object, isGone }: WriteButtonsProps): ReactNode {
  const { client, writes } = useCluster();
  const { resource, key } = opened;
  const [outcome, setOutcome] = useState<Outcome>();
  const [openDialog, setAsking] = useState<'delete' | 'scale' | 'edit'>();
  const allowed = useRequest(
    useCallback(() => {
      const target = targetOf({ resource, key });
      return forkJoin(
        offersOf(resource).map(({ type, ...request }) =>
          reviewAccess(client, { ...request, ...target }).pipe(map((right) => (right === 'denied' ? [] : [type]))),
        ),
      ).pipe(map((types) => types.flat()));
    }, [client, resource, key]),
  ).value;
  const write = (wanted: Write, text: string): void => {
    setAsking(undefined);
    setOutcome({ state: 'sending', text: `${text}…` });
    shownWrite({ client, writes }, opened, object, wanted).subscribe({
      next: ({ metadata }) => {
        setOutcome({ state: 'sent', text, version: metadata?.resourceVersion });
      },
      error: (error: unknown) => {
        setOutcome({ state: 'failed', text: (error as Error).message });
      },
    });
  };
  if (allowed === undefined || allowed.length === 0) return null;
  const isCordoned = (object as { readonly spec?: { readonly unschedulable?: boolean } }).spec?.unschedulable === true;
  return (
    <div className="write-buttons">
      <div className="write-buttons" role="group" aria-label="Change this object">
        {allowed.includes('scale') && <Toggle name="scale" title="Scale" openDialog={openDialog} onAsk={setAsking} />}
        {allowed.includes('restart') && (
          <button
            type="button"
            className="action"
            onClick={() => {
              write({ type: 'restart', at: new Date().toISOString() }, 'Restarted');
            }}
          >
            Restart
          </button>
        )}
        {allowed.includes('cordon') && (
          <button
            type="button"
            className="action"
            onClick={() => {
              write({ type: 'cordon', isCordoned: !isCordoned }, isCordoned ? 'Uncordoned' : 'Cordoned');
            }}
          >
            {isCordoned ? 'Uncordon' : 'Cordon'}
          </button>
        )}
        {allowed.includes('replace') && (
          <Toggle
            name="edit"
            title="Edit"
            openDialog={openDialog}
            onAsk={setAsking}
            isDisabled={isUnconfirmed(object)}
          />
        )}
        {allowed.includes('delete') && (
          <Toggle name="delete" title="Delete" openDialog={openDialog} onAsk={setAsking} />
        )}
      </div>
      {openDialog === 'scale' && (
        <ScaleForm
          object={object}
          onScale={(replicas) => {
            write({ type: 'scale', replicas }, `Scaled to ${replicas}`);
          }}
        />
      )}
      {openDialog === 'delete' && (
        <div className="write-question" role="alertdialog" aria-label="Delete this object">
          <span>Delete {plainText(key)}? This cannot be undone.</span>{' '}
          <button
            type="button"
            className="action danger"
            onClick={() => {
              write({ type: 'delete', uid: object.metadata?.uid, at: new Date().toISOString() }, 'Deleted');
            }}
          >
            Delete {plainText(key)}
          </button>
        </div>
      )}
      {openDialog === 'edit' && (
        <Suspense fallback={<p className="fine">Loading…</p>}>
          <YamlEditor
            opened={opened}
            object={object}
            onSave={(edited) => {
              write({ type: 'replace', object: edited, isDryRun: false }, 'Saved');
            }}
          />
        </Suspense>
      )}
      {outcome !== undefined && (
        <p className={outcome.state === 'failed' ? 'notice' : 'fine'} role="status">
          {plainText(outcome.text)}
          {outcome.state === 'sent' &&
            (isGone || isSeen(object, outcome.version) ? '. Confirmed by the watch.' : '. Waiting for the watch…')}
        </p>
      )}
    </div>
  );
}

interface ToggleProps {
  readonly name: 'delete' | 'scale' | 'edit';
  readonly title: string;
  readonly openDialog: string | undefined;
  readonly onAsk: (name: 'delete' | 'scale' | 'edit' | undefined) => void;
  /** Default false. */
  readonly isDisabled?: boolean;
}

function Toggle({ name, title, openDialog, onAsk, isDisabled = false }: ToggleProps): ReactNode {
  return (
    <button
      type="button"
      className="action"
      aria-expanded={openDialog === name}
      disabled={isDisabled}
      onClick={() => {
        onAsk(openDialog === name ? undefined : name);
      }}
    >
      {title}
    </button>
  );
}

interface ScaleFormProps {
  readonly object: KubernetesObject;
  readonly onScale: (replicas: number) => void;
}

function ScaleForm({ object, onScale }: ScaleFormProps): ReactNode {
  const { spec } = object as { readonly spec?: { readonly replicas?: number } };
  const [text, setText] = useState(String(spec?.replicas ?? 1));
  const replicas = /^\d{1,5}$/.test(text) ? Number(text) : undefined;
  return (
    <form
      className="write-question"
      onSubmit={(event) => {
        event.preventDefault();
        if (replicas !== undefined) onScale(replicas);
      }}
    >
      <label>
        Replicas{' '}
        <input
          inputMode="numeric"
          value={text}
          size={6}
          aria-invalid={replicas === undefined}
          onChange={({ target }) => {
            setText(target.value);
          }}
        />
      </label>{' '}
      <button type="submit" className="action" disabled={replicas === undefined}>
        Scale
      </button>
    </form>
  );
}

/**
 * Returns whether the watch has delivered a version or a later one. Compares versions as numbers if
 * they are numbers.
 */
function isSeen(object: KubernetesObject, version: string | undefined): boolean {
  if (isUnconfirmed(object)) return false;
  const { metadata } = object;
  const seen = metadata?.resourceVersion;
  if (seen === undefined || version === undefined || seen === version) return true;
  return /^\d+$/.test(seen) && /^\d+$/.test(version) && BigInt(seen) >= BigInt(version);
}
