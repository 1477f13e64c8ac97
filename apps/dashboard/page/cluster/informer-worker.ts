import { serveInformers } from 'rx-informers/shared-worker';
import { recordPast } from '../history/past-text.js';
import { clientAt, reading, recorded } from './reading.js';
import { teamListWatch } from './team-reading.js';
import { parseWorkerName } from './worker-name.js';

/*
 * The SharedWorker of all tabs. It holds the informers, so that all tabs together need one watch
 * for each kind. On a server with a sign-in they need one socket to its hub, if it has one.
 */
const { baseUrl, isTeam } = parseWorkerName(self.name);
const client = clientAt(baseUrl);
serveInformers(client, {
  ...reading,
  ...(isTeam && { listWatch: teamListWatch(client) }),
  // The browser keeps the worker about as long after the last tab was closed, or is loaded again.
  linger: 30_000,
  past: recordPast(recorded),
});
