import { useEffect, useState, type ReactNode } from 'react';
import * as derived from 'rx-informers/derived';
import { formatAddress, type PageAddress } from '../address/page-address.js';
import { go } from '../address/use-page-address.js';
import { useCluster, useClusterInfo } from '../cluster/cluster.js';
import { usePodsIn } from '../cluster/informers.js';
import { shownSecond } from '../history/shown-time.js';
import { podEntries } from '../pods/pod-entries.js';
import { filterPredicate } from '../pods/pod-filter.js';
import { countText, plainText } from '../text/text.js';
import { answerChanges, changeText, questionText, type AnswerChange } from './answer-changes.js';
import { clusterName } from './context.js';

/** Changes within these milliseconds are one notification. */
const together = 3000;

/** The trouble of pods is that of now, also while the page shows an earlier time. */
const now = derived.filter(shownSecond, () => false);

interface WatchedQuestionProps {
  /** The page whose filter is the question. */
  readonly address: PageAddress;
  readonly onStop: () => void;
}

/**
 * Shows a notification of the browser when other pods pass a filter. Renders the question, or why
 * there are no notifications. The first rendering requests the permission of the user.
 */
export function WatchedQuestion({ address, onStop }: WatchedQuestionProps): ReactNode {
  const { scheduler } = useCluster().client;
  const cluster = plainText(clusterName(useClusterInfo()), 60);
  const pods = usePodsIn(address.namespace);
  const [permission, setPermission] = useState<NotificationPermission | 'unavailable'>('default');
  const question = questionText(address.filter);
  useEffect(() => {
    void permissionOfUser().then(setPermission);
  }, []);
  useEffect(() => {
    if (permission !== 'granted') return;
    const notify = (change: AnswerChange): void => {
      const count = `${countText(change.total)} ${change.total === 1 ? 'pod' : 'pods'}`;
      const title = `${count}: ${question} · ${cluster}`;
      try {
        // Tabs that watch the same question replace the notification of each other.
        const shown = new Notification(title, { body: changeText(change), tag: formatAddress(address) });
        shown.onclick = () => {
          window.focus();
          go({ ...address, opened: undefined, at: undefined });
          shown.close();
        };
      } catch {
        // Browsers of phones show notifications of service workers only.
        setPermission('unavailable');
      }
    };
    const answer = derived.filter(podEntries(pods, now), filterPredicate(address.filter) ?? (() => true));
    const watching = answerChanges(answer, together, scheduler).subscribe(notify);
    return () => {
      watching.unsubscribe();
    };
  }, [permission, pods, address, question, cluster, scheduler]);
  return (
    <p className="watched-question" role="status">
      {states[permission]} {question}{' '}
      <button type="button" className="action" onClick={onStop}>
        Stop
      </button>
    </p>
  );
}

const states: Readonly<Record<NotificationPermission | 'unavailable', string>> = {
  default: 'Waits for your permission to notify you about:',
  granted: 'Notifies you when other pods match:',
  denied: 'Your browser does not permit this page to notify you about:',
  unavailable: 'This browser cannot notify you about:',
};

async function permissionOfUser(): Promise<NotificationPermission | 'unavailable'> {
  return typeof Notification === 'undefined' ? 'unavailable' : Notification.requestPermission();
}
