import type { ReactNode } from 'react';
import type { Pod } from 'rx-informers';
import { MeasuredAgo, UsageLoads } from '../metrics/usage-loads.js';
import { boundOf, type Amounts } from '../metrics/usage.js';
import { useMeasured } from '../metrics/use-measured.js';
import { Age } from '../text/age.js';
import { plainText } from '../text/text.js';
import { containerRows, type ContainerRow } from './container-rows.js';
import { Section } from './facts.js';

/** Renders the containers of a pod in the order in which they start. */
export function Containers({ pod }: { readonly pod: Pod }): ReactNode {
  const rows = containerRows(pod);
  const measured = useMeasured('pods');
  const usage = measured.of(pod);
  return (
    <Section title="Containers" count={rows.length}>
      <ul className="containers">
        {rows.map((row) => (
          <Container key={`${row.role} ${row.name}`} row={row} usage={usage?.containers.get(row.name)} />
        ))}
      </ul>
      {usage && <MeasuredAgo measuredAt={usage.measuredAt} measured={measured} />}
    </Section>
  );
}

interface ContainerProps {
  readonly row: ContainerRow;
  readonly usage: Amounts | undefined;
}

function Container({ row, usage }: ContainerProps): ReactNode {
  const { name, role, image, state, tone, since, isReady, restarts, lastExit } = row;
  return (
    <li className={`container ${tone}`}>
      <div className="container-head">
        <span className="mark" aria-hidden="true" />
        <span className="container-name">{plainText(name, 80)}</span>
        {role !== 'container' && <span className="tag">{role}</span>}
        <span className="container-state">
          {plainText(state, 60)}
          {since !== undefined && (
            <span className="fine">
              {' '}
              <Age since={since} />
            </span>
          )}
        </span>
      </div>
      <div className="container-image" title={plainText(image)}>
        {plainText(image)}
      </div>
      <div className="container-more fine">
        {role !== 'init' && <span>{isReady ? 'ready' : 'not ready'}</span>}
        <span className={restarts > 0 ? 'strong' : undefined}>
          {restarts} {restarts === 1 ? 'restart' : 'restarts'}
        </span>
        {resourceTexts(row).map((text) => (
          <span key={text}>{plainText(text, 80)}</span>
        ))}
      </div>
      {usage && <UsageLoads usage={usage} boundOf={(resource) => boundOf(resource, [row])} />}
      {lastExit && restarts > 0 && (
        <div className="container-exit fine">
          last exit {lastExit.code}
          {lastExit.signal !== undefined && `, signal ${lastExit.signal}`}
          {lastExit.reason !== undefined && ` ${plainText(lastExit.reason, 60)}`}
          {lastExit.at !== undefined && (
            <>
              {' '}
              <Age since={lastExit.at} /> ago
            </>
          )}
          {lastExit.message !== undefined && <code>{plainText(lastExit.message, 600)}</code>}
        </div>
      )}
    </li>
  );
}

/** Returns each resource as text, for example `memory 64Mi, at most 128Mi`. */
export function resourceTexts({ requests, limits }: Pick<ContainerRow, 'requests' | 'limits'>): readonly string[] {
  const names = [...new Set([...Object.keys(limits), ...Object.keys(requests)])].sort();
  return names.map((name) => {
    const { [name]: request } = requests;
    const { [name]: limit } = limits;
    const atMost = limit === undefined || limit === request ? [] : [`at most ${limit}`];
    return `${name} ${[request, ...atMost].filter((part) => part !== undefined).join(', ')}`;
  });
}
