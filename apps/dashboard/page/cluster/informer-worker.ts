import { serveInformers } from 'rx-informers/shared-worker';
import { clientAt, reading } from './reading.js';
import { teamListWatch } from './team-reading.js';
import { parseWorkerName } from './worker-name.js';

/*
 * The SharedWorker of all tabs. It holds the informers, so that all tabs together need one watch
 * for each kind. On a server with a sign-in they need one socket to its hub, if it has one.
 */
const { baseUrl, isTeam } = parseWorkerName(self.name);
const client = clientAt(baseUrl);
serveInformers(client, isTeam ? { ...reading, listWatch: teamListWatch(client) } : reading);
